package values_test

import (
	"strings"
	"testing"
	"text/template"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/values"
)

// TestLawPruning: without the lines that are redundant or dead the new chart renders the same, byte for byte.
func TestLawPruning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now, compared, user := drawn(t)
		pruned := edits(t, compared, func(f *values.Finding) bool { return f.Class == values.Renamed })
		if before, after := mustRender(t, now, user), mustRender(t, now, pruned[0]); before != after {
			t.Fatalf("pruning changes the render:\n%s\n-- values:\n%s\n-- pruned:\n%s\n-- before:\n%s\n-- after:\n%s", describe(compared), user.Data, pruned[0].Data, before, after)
		}
	})
}

// TestLawNeeded: without a line that is needed, or whose default changed, the new chart renders differently.
func TestLawNeeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now, compared, user := drawn(t)
		before := mustRender(t, now, user)
		for _, f := range compared.Findings {
			if f.Class != values.Needed && f.Class != values.MovedBeneath {
				continue
			}
			if isEmpty(f.Value) && isEmpty(f.NewDefault) {
				continue // a template that asks for no more than whether it is empty finds the same without it
			}
			class := f.Class
			f.Class = values.Redundant
			without := edits(t, compared, func(o *values.Finding) bool { return o != f })
			f.Class = class
			if after := mustRender(t, now, without[0]); before == after {
				t.Fatalf("%s does nothing:\n%s\n-- values:\n%s", values.PathText(f.Path), describe(compared), user.Data)
			}
		}
	})
}

// isEmpty reports whether a value is false to a template.
func isEmpty(value any) bool { truth, _ := template.IsTrue(value); return !truth }

// TestLawUntouched: a file without edits stays as it is, and what edits leave are lines of the file.
func TestLawUntouched(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, compared, user := drawn(t)
		if files := edits(t, compared, func(*values.Finding) bool { return true }); !same(files, []pkgmerge.File{user}) {
			t.Fatalf("without edits:\n%s", files[0].Data)
		}
		files := edits(t, compared, func(*values.Finding) bool { return false })
		if strings.Contains(string(user.Data), ": {} #") {
			return // what moves into it gets lines of its own
		}
		had := map[string]bool{"": true, "{}": true}
		for line := range strings.SplitSeq(string(user.Data), "\n") {
			had[behindKey(line)] = true
		}
		for line := range strings.SplitSeq(string(files[0].Data), "\n") {
			if !had[behindKey(line)] {
				t.Fatalf("the line %q is new:\n%s\n-- values:\n%s", line, files[0].Data, user.Data)
			}
		}
	})
}

// behindKey returns a line without its key, which a rename changes, and without indentation.
func behindKey(line string) string {
	if _, behind, found := strings.Cut(line, ": "); found {
		return behind
	}
	if strings.HasSuffix(line, ":") {
		return ""
	}
	return strings.TrimSpace(line)
}

// TestLawProof: a proof takes back each edit that changes the render, whatever the classes are.
func TestLawProof(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, now, compared, user := drawChart(t).compare(t)
		for _, f := range compared.Findings { // as if all lines did nothing
			if f.Class != values.Renamed && f.Class != values.New {
				f.Class = values.Redundant
			}
		}
		kept, err := compared.Prove(t.Context(), true, renderer(old, now))
		if err != nil {
			t.Fatalf("%v\n%s", err, user.Data)
		}
		pruned := edits(t, compared, func(f *values.Finding) bool { return kept[f] || f.Class == values.Renamed })
		if before, after := mustRender(t, now, user), mustRender(t, now, pruned[0]); before != after {
			t.Fatalf("the proof let a change pass:\n%s\n-- values:\n%s\n-- pruned:\n%s", describe(compared), user.Data, pruned[0].Data)
		}
	})
}

// drawn compares drawn values with two versions of a drawn chart.
func drawn(t *rapid.T) (now *version, compared *values.Result, user pkgmerge.File) {
	_, now, compared, user = drawChart(t).compare(t)
	return now, compared, user
}

func (c drawnChart) compare(t *rapid.T) (old, now *version, compared *values.Result, user pkgmerge.File) {
	old, err := newVersion("old", chartFiles("1.0.0", c.old))
	if err != nil {
		t.Fatal(err)
	}
	if now, err = newVersion("new", chartFiles("2.0.0", c.now)); err != nil {
		t.Fatal(err)
	}
	user = pkgmerge.File{Name: "values.yaml", Data: []byte(strings.Join(c.user, "\n") + "\n")}
	if compared, err = values.Compare(old.Chart, now.Chart, []pkgmerge.File{user}); err != nil {
		t.Fatalf("%v\n%s", err, user.Data)
	}
	return old, now, compared, user
}

func edits(t *rapid.T, r *values.Result, keep func(*values.Finding) bool) []pkgmerge.File {
	files, err := r.Edits(true, keep)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func mustRender(t *rapid.T, v *version, f pkgmerge.File) string {
	text, err := v.render(f)
	if err != nil {
		t.Fatalf("%v\n%s", err, f.Data)
	}
	return text
}

// describe lists findings.
func describe(r *values.Result) string {
	var b strings.Builder
	for _, f := range r.Findings {
		b.WriteString(string(f.Class) + " " + values.PathText(f.Path) + " " + values.PathText(f.NewPath) + "\n")
	}
	return b.String()
}

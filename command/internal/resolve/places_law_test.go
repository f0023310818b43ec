package resolve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/command/internal/marking"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
	"github.com/resource-merge/resource-merge/tests/filedraw"
	"github.com/resource-merge/resource-merge/tests/seed"
)

func TestMain(m *testing.M) { seed.Main(m) }

// TestLawPlaces checks on drawn files that each conflict of a report has a marker, and each marker a conflict: of one resource, at one
// path or one within the other, as a list in conflict may have several markers, and a marker several fields. A marker of comments alone
// may belong to a conflict beside it, and comments in conflict to a marker beside them. Reports of every format have the same
// conflicts. resolve takes a side of all markers; the comment on a pull request names them and takes sides as resolve does.
func TestLawPlaces(t *testing.T) {
	places := 0
	rapid.Check(t, func(t *rapid.T) {
		versions := filedraw.Draw(t, filedraw.Options{})
		text, reported, formats := mergedFile(t, versions)
		checkTaken(t, text)
		f := newFile("a.yaml", text)
		f.locate([]byte(versions[identity.Origin]), true)
		show := func() string {
			return fmt.Sprintf("--- origin\n%s--- upstream\n%s--- local\n%s--- marked\n%s--- reported\n%+v", versions[0], versions[1], versions[2], text, reported)
		}
		for _, r := range reported {
			places++
			if r.Chosen == nil && !slices.ContainsFunc(f.conflicts, func(c *conflict) bool { return r.isAt(c) || r.Kind == "comment-changed" && r.isIn(c) }) {
				t.Fatalf("the report's %s %s is between no markers\n%s", r.Resource.Name, r.Path, show())
			}
			for _, format := range formats {
				if !format.names(r) {
					t.Fatalf("the format %s lacks %s %s in line %d\n%s\n%s", format.name, r.Resource.Name, r.Path, r.Line, format.text, show())
				}
			}
		}
		for _, c := range f.conflicts {
			onlyComments := firstContent(slices.Concat(c.Sides[marker.Ours], c.Sides[marker.Theirs])) < 0
			if !slices.ContainsFunc(reported, func(r place) bool { return r.isAt(c) || onlyComments && r.isIn(c) }) {
				t.Fatalf("the marker of %s in line %d is in no report\n%s", c.title(), c.Line, show())
			}
		}
	})
	if places == 0 {
		t.Error("no conflict was drawn")
	}
}

// place is a conflict of a report for programs.
type place struct {
	Kind, Path string
	Resource   struct{ Kind, Name string }
	Line       int
	Chosen     *string
}

// isAt reports whether a marker is about a reported conflict.
func (p place) isAt(c *conflict) bool {
	return slices.ContainsFunc(c.fields, func(f field) bool {
		at := f.path.String()
		if c.path == nil {
			at = ""
		}
		return f.meta.Kind == p.Resource.Kind && f.meta.Name == p.Resource.Name && (isWithin(at, p.Path) || isWithin(p.Path, at))
	})
}

// isIn reports whether a marker is in the resource of a reported conflict.
func (p place) isIn(c *conflict) bool {
	p.Path = ""
	return p.isAt(c)
}

// checkTaken checks that answers for local take this side of each marker.
func checkTaken(t *rapid.T, text []byte) {
	f := newFile("a.yaml", text)
	if len(f.conflicts) == 0 {
		return
	}
	dir, err := os.MkdirTemp("", "places")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "a.yaml")
	for side, answer := range map[marker.Side]string{marker.Ours: "l\n", marker.Theirs: "u\n"} {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
		left, err := Run(t.Context(), Options{Dir: dir, In: strings.NewReader(strings.Repeat(answer, len(f.conflicts))), Out: io.Discard})
		if err != nil || left > 0 {
			t.Fatal(left, err)
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, f.resolved(side)) {
			t.Fatalf("resolve takes\n%s\nof\n%s", got, text)
		}
	}
}

func isWithin(path, of string) bool {
	rest, found := strings.CutPrefix(path, of)
	return found && (of == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
}

// written is a report in a format.
type written struct{ name, text string }

// names reports whether a report names a conflict.
func (w written) names(p place) bool {
	line := ""
	if p.Line > 0 {
		line = fmt.Sprint(":", p.Line)
	}
	object := strings.TrimSpace(p.Resource.Kind + " " + p.Resource.Name)
	switch w.name {
	case "text":
		return strings.Contains(w.text, strings.TrimSpace(object+" "+p.Path)+" (a.yaml"+line+")\n")
	case "markdown":
		return strings.Contains(w.text, object) && strings.Contains(w.text, p.Path) && strings.Contains(w.text, "a.yaml"+line)
	case "html":
		return strings.Contains(w.text, html.EscapeString(p.Path)) && strings.Contains(w.text, "a.yaml"+line)
	}
	return true
}

// mergedFile merges the versions of a file with markers, and reports its conflicts.
func mergedFile(t *rapid.T, versions [3]string) (text []byte, reported []place, formats []written) {
	var packages [3]pkgmerge.Package
	var err error
	for side, text := range versions {
		if packages[side], err = pkgmerge.NewPackage([]pkgmerge.File{{Name: "a.yaml", Mode: 0o644, Data: []byte(text)}}); err != nil {
			t.Fatal(err)
		}
	}
	m, err := marking.Merge(t.Context(), packages, pkgmerge.Options{Strategy: pkgmerge.ResourceMerge{}, MergeComments: pkgmerge.CommentRenamed}, pkgmerge.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := m.Result.Files()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) > 0 {
		text = files[0].Data
	}
	r, err := report.New(m.Result, report.Options{Locate: m.Place})
	if err != nil {
		t.Fatal(err)
	}
	var data struct {
		Summary   struct{ Conflicts int }
		Conflicts []place
	}
	for _, format := range report.Formats() {
		var b bytes.Buffer
		if err := format.Write(&b, r); err != nil {
			t.Fatal(err)
		}
		formats = append(formats, written{format.Name, b.String()})
		if format.Name == "json" {
			if err := json.Unmarshal(b.Bytes(), &data); err != nil {
				t.Fatal(err)
			}
		}
	}
	heads := map[string]*regexp.Regexp{"text": regexp.MustCompile(`(?m)^conflict: |^    .* \(a\.yaml(:\d+)?\)$`), "markdown": regexp.MustCompile("(?m)^#### |^- `.* \\(a\\.yaml(:\\d+)?\\)`$")}
	for _, w := range formats {
		if head := heads[w.name]; head != nil && len(head.FindAllString(w.text, -1)) != len(data.Conflicts) || data.Summary.Conflicts != len(data.Conflicts) {
			t.Fatalf("the format %s has other conflicts than %+v:\n%s", w.name, data, w.text)
		}
	}
	return text, data.Conflicts, formats
}

package tests

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// TestLawTextIsAFile: where the lines of a text of YAML or JSON collide, the text merges as a file with the same lines does: to
// the same text and with the same conflicts, under every policy, and merging again changes nothing (rules/fields: YAML in a
// string).
func TestLawTextIsAFile(t *testing.T) {
	compared, conflicts := map[string]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom([]string{"lines", "list", "JSON"}).Draw(t, "form")
		v := drawTexts(t, form)
		collides := slices.ContainsFunc(merge.Lines(v), func(s merge.Stretch) bool { return s.Collides })
		if !collides {
			return
		}
		for _, prefer := range []merge.Preference{merge.PreferUpstream, merge.PreferLocal, merge.PreferUnion, merge.PreferNewest} {
			file, whole := mergeOneFile(t, prefer, [3]string{fileOf(v[0]), fileOf(v[1]), fileOf(v[2])})
			text, within := mergeOneFile(t, prefer, [3]string{configOf(v[0]), configOf(v[1]), configOf(v[2])})
			if got, want := dataOf(t, text), textOf(file); got != want {
				t.Fatalf("%s, %d\n%s\n--- as a file\n%s\n--- of\n%s", form, prefer, got, want, strings.Join(v[:], "---\n"))
			}
			var paths, wanted []string
			for _, c := range within {
				paths = append(paths, c.FullPath().String())
			}
			for _, c := range whole {
				wanted = append(wanted, `data["file.yaml"].`+strings.TrimPrefix(strings.TrimPrefix(c.Path.String(), "list"), "."))
			}
			if diff := cmp.Diff(normal(wanted), normal(paths)); diff != "" {
				t.Fatalf("%s, %d: conflicts (-file +text)\n%s", form, prefer, diff)
			}
			again, _ := mergeOneFile(t, prefer, [3]string{configOf(v[0]), configOf(v[1]), text})
			if again != text {
				t.Fatalf("%s, %d: again\n%s\n--- was\n%s", form, prefer, again, text)
			}
			compared[form]++
			conflicts += len(whole)
		}
	})
	for _, form := range []string{"lines", "list", "JSON"} {
		if compared[form] == 0 {
			t.Errorf("no text collided: %s", form)
		}
	}
	if conflicts == 0 {
		t.Error("nothing was in conflict")
	}
}

// normal returns paths in which the step below a text stands in one way.
func normal(paths []string) []string {
	for i, p := range paths {
		paths[i] = strings.ReplaceAll(p, ".[", "[")
	}
	return paths
}

// drawTexts draws three versions of a text: fields with numbers, a map and a list with names.
func drawTexts(t *rapid.T, form string) (v [3]string) {
	number := rapid.IntRange(0, 3)
	var fields [3]map[string]int
	for _, name := range []string{"alpha", "beta", "gamma", "delta"} {
		was := number.Draw(t, name)
		for side := range fields {
			if fields[side] == nil {
				fields[side] = map[string]int{}
			}
			fields[side][name] = was
			if side > 0 && rapid.Bool().Draw(t, "changes") {
				fields[side][name] = number.Draw(t, "value")
			}
		}
	}
	for side, all := range fields {
		var b strings.Builder
		names := slices.Sorted(maps.Keys(all))
		for i, name := range names {
			switch {
			case form == "JSON" && i == 0:
				fmt.Fprintf(&b, "{\n  %q: %d,\n", name, all[name])
			case form == "JSON" && i == len(names)-1:
				fmt.Fprintf(&b, "  %q: %d\n}\n", name, all[name])
			case form == "JSON":
				fmt.Fprintf(&b, "  %q: %d,\n", name, all[name])
			case form == "list":
				fmt.Fprintf(&b, "- name: %s\n  value: %d # of %s\n", name, all[name], name)
			default:
				fmt.Fprintf(&b, "%s:   %d # of %s\n", name, all[name], name)
			}
		}
		v[side] = b.String()
	}
	return v
}

// fileOf returns a text as a file, in which a list stands below a key.
func fileOf(text string) string {
	if strings.HasPrefix(text, "- ") {
		return "list:\n" + text
	}
	return text
}

func textOf(file string) string { return strings.TrimPrefix(file, "list:\n") }

// configOf returns a ConfigMap with a text in it.
func configOf(text string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  file.yaml: |\n    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ") + "\n"
}

func dataOf(t *rapid.T, config string) string {
	var object struct{ Data map[string]string }
	if err := yaml.Unmarshal([]byte(config), &object); err != nil {
		t.Fatal(err)
	}
	return object.Data["file.yaml"]
}

// mergeOneFile merges the versions of a file as a package.
func mergeOneFile(t *rapid.T, prefer merge.Preference, v [3]string) (merged string, conflicts []merge.Conflict) {
	var packages [3]pkgmerge.Package
	for side, text := range v {
		var err error
		if packages[side], err = pkgmerge.NewPackage([]pkgmerge.File{{Name: "file.yaml", Mode: 0o644, Data: []byte(text)}}); err != nil {
			t.Fatal(err)
		}
	}
	result, err := pkgmerge.Merge(t.Context(), packages, pkgmerge.Options{
		Policy: pkgmerge.Prefer(prefer), Profile: pkgmerge.Text,
	})
	if err != nil {
		t.Fatal(err)
	}
	files, err := result.Files()
	if err != nil || len(files) != 1 {
		t.Fatal(len(files), err)
	}
	return string(files[0].Data), result.Changes[0].Conflicts
}

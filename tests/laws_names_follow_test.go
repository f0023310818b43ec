package tests

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/tests/mergecheck"
	"github.com/resource-merge/resource-merge/tests/mergecheck/ways"
)

// TestLawNamesFollow checks on drawn packages, under every policy, that a kustomization of the result names the files of the
// result and no others, wherever the sides moved them, and that a file which local removed does not come back under the name
// that upstream gave it (rules/laws: names follow).
func TestLawNamesFollow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var origin, upstream, local namedFiles
		moves, movesToo := rapid.Bool().Draw(t, "upstream moves"), rapid.Bool().Draw(t, "local moves")
		removed := map[string]bool{}
		for i := range rapid.IntRange(2, 5).Draw(t, "files") {
			f := namedFile{base: fmt.Sprint("f", i), field: rapid.SampledFrom([]string{"resources", "patches", "envs", "crds"}).Draw(t, "field")}
			origin = append(origin, f)
			if rapid.IntRange(0, 3).Draw(t, "upstream removes") > 0 {
				moved := f
				if moves {
					moved.dir = "full/"
				}
				upstream = append(upstream, moved)
			}
			if rapid.IntRange(0, 2).Draw(t, "local removes") == 0 {
				removed[f.base] = true
				continue
			}
			if movesToo {
				f.dir = "own/"
			}
			local = append(local, f)
		}
		if len(upstream) == 0 || len(local) == 0 {
			t.Skip("a side removed all")
		}
		p := mergecheck.Package{Origin: origin.files(""), Upstream: upstream.files(""), Local: local.files("namePrefix: my-\n")}
		for _, way := range ways.Names() {
			if way == ways.Driver {
				continue // it sees one file
			}
			all, err := ways.Merge(t.Context(), way, p)
			if err != nil {
				t.Fatal(err)
			}
			m := all[0]
			if m.Unchecked != "" {
				t.Fatalf("%s: %s", way, m.Unchecked)
			}
			for _, text := range bothSides(m.Result["kustomization.yaml"]) {
				for line := range strings.Lines(text) {
					name, found := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "- path:")), "- ")
					if !found && !strings.Contains(line, "- path:") || strings.HasPrefix(name, "name:") {
						continue
					}
					inConflict := func(t mergecheck.Told) bool { return t.File == "kustomization.yaml" }
					if path.Ext(name) == ".env" && slices.ContainsFunc(m.Told, inConflict) {
						continue // a side removed the generator, and the other side's is kept or marked
					}
					if _, has := m.Result[name]; !has {
						t.Errorf("%s: the kustomization names %s, which the result lacks", way, name)
					}
					if base := strings.TrimSuffix(path.Base(name), path.Ext(name)); removed[base] {
						t.Errorf("%s: %s comes back, which local removed", way, name)
					}
				}
			}
			for name := range m.Result {
				if base := strings.TrimSuffix(path.Base(name), path.Ext(name)); removed[base] {
					t.Errorf("%s: the file %s comes back, which local removed", way, name)
				}
			}
			if t.Failed() {
				t.Fatalf("upstream:\n%s\nlocal:\n%s\nresult:\n%s", p.Upstream["kustomization.yaml"], p.Local["kustomization.yaml"], m.Result["kustomization.yaml"])
			}
		}
	})
}

// namedFile is a file that a kustomization names in a field.
type namedFile struct{ dir, base, field string }

type namedFiles []namedFile

// files returns the files, and a kustomization that names them.
func (all namedFiles) files(more string) map[string]string {
	out, lists := map[string]string{}, map[string]string{}
	for _, f := range all {
		name := f.dir + f.base + ".yaml"
		switch f.field {
		case "patches":
			lists[f.field] += "- path: " + name + "\n"
		case "envs":
			name = f.dir + f.base + ".env"
			lists[f.field] += "  - " + name + "\n"
		default:
			lists[f.field] += "- " + name + "\n"
		}
		out[name] = fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\ndata:\n  a: %q\n", f.base, f.base)
		if f.field == "envs" {
			out[name] = strings.Repeat(f.base+"=1\n", 2)
		}
	}
	var b strings.Builder
	for _, field := range []string{"resources", "patches", "crds"} {
		if lists[field] != "" {
			b.WriteString(field + ":\n" + lists[field])
		}
	}
	if lists["envs"] != "" {
		b.WriteString("configMapGenerator:\n- name: env\n  envs:\n" + lists["envs"])
	}
	out["kustomization.yaml"] = "namespace: all\n" + b.String() + more
	return out
}

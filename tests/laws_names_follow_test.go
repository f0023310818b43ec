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

// TestLawSelectorsFollow checks on drawn packages, under every policy, that a selector is warned of exactly if it selects nothing
// in the result, and selected something in local or, if local lacks it, in upstream; and that merging again warns of none
// (rules/laws: names follow).
func TestLawSelectorsFollow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var origin selecting
		for i := range rapid.IntRange(1, 4).Draw(t, "workloads") {
			origin = append(origin, selectingOne{
				kind: rapid.SampledFrom([]string{"Deployment", "StatefulSet"}).Draw(t, "kind"), name: fmt.Sprint("w", i), label: drawLabel(t),
			})
		}
		upstream, local := origin.changed(t), origin.changed(t)
		for i := range rapid.IntRange(1, 4).Draw(t, "selectors") {
			s := selectingOne{kind: rapid.SampledFrom([]string{"Service", "PodDisruptionBudget", "NetworkPolicy"}).Draw(t, "kind"), name: fmt.Sprint("s", i), label: drawLabel(t)}
			if rapid.Bool().Draw(t, "upstream has it") {
				upstream = append(upstream, s)
				if rapid.Bool().Draw(t, "all have it") {
					origin, local = append(origin, s), append(local, s)
				}
			} else {
				local = append(local, s)
			}
		}
		// Without a resource that stays, a side would delete the package.
		stays := selectingOne{kind: "ConfigMap", name: "stays"}
		origin, upstream, local = append(origin, stays), append(upstream, stays), append(local, stays)
		p := mergecheck.Package{Origin: origin.files(), Upstream: upstream.files(), Local: local.files()}
		for _, way := range ways.Names() {
			if way == ways.Driver {
				continue // it sees one file
			}
			all, err := ways.Merge(t.Context(), way, p)
			if err != nil {
				t.Fatal(err)
			}
			m := all[0]
			result := selectingIn(m.Result)
			if m.Unchecked != "" || result == nil {
				continue // it has markers
			}
			var want []string
			for _, s := range result {
				before := local
				if !slices.Contains(local, s) {
					before = upstream
				}
				if s.isSelector() && !result.selectedBy(s) && before.selectedBy(s) {
					want = append(want, s.kind+" "+s.name)
				}
			}
			var got []string
			for _, text := range m.Warnings {
				if subject, rest, _ := strings.Cut(text, ": "); strings.HasSuffix(rest, "selects no pod any more") {
					got = append(got, subject)
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: warns of %q, and should of %q\nupstream: %v\nlocal: %v\nresult: %v", way, got, want, upstream, local, result)
			}
			again, err := ways.Merge(t.Context(), way, mergecheck.Package{Origin: p.Origin, Upstream: p.Upstream, Local: m.Result})
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range again[0].Warnings {
				if strings.Contains(text, "selects no pod") {
					t.Fatalf("%s: merged again: %s", way, text)
				}
			}
		}
	})
}

// selectingOne is a workload with a label of its pods, or a resource that selects them.
type selectingOne struct{ kind, name, label string }

func (s selectingOne) isSelector() bool {
	return s.kind == "Service" || s.kind == "PodDisruptionBudget" || s.kind == "NetworkPolicy"
}

type selecting []selectingOne

func drawLabel(t *rapid.T) string { return rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "label") }

// changed returns the version of a side, which removes some workloads and gives others another label.
func (all selecting) changed(t *rapid.T) (out selecting) {
	for _, s := range all {
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 0:
		case 1:
			s.label = drawLabel(t)
			out = append(out, s)
		default:
			out = append(out, s)
		}
	}
	return out
}

func (all selecting) selectedBy(s selectingOne) bool {
	return slices.ContainsFunc(all, func(w selectingOne) bool {
		return (w.kind == "Deployment" || w.kind == "StatefulSet") && w.label == s.label
	})
}

// files returns each resource in a file with its kind, name and label as the first words.
func (all selecting) files() map[string]string {
	out := map[string]string{}
	for _, s := range all {
		body := map[string]string{
			"Deployment":          "apiVersion: apps/v1\nspec: {template: {metadata: {labels: {app: %s}}, spec: {containers: [{name: x, image: x}]}}}\n",
			"StatefulSet":         "apiVersion: apps/v1\nspec: {template: {metadata: {labels: {app: %s}}, spec: {containers: [{name: x, image: x}]}}}\n",
			"Service":             "apiVersion: v1\nspec: {selector: {app: %s}}\n",
			"PodDisruptionBudget": "apiVersion: policy/v1\nspec: {selector: {matchLabels: {app: %s}}}\n",
			"NetworkPolicy":       "apiVersion: networking.k8s.io/v1\nspec: {podSelector: {matchExpressions: [{key: app, operator: In, values: [%s]}]}}\n",
			"ConfigMap":           "apiVersion: v1\ndata: {app: x%s}\n",
		}[s.kind]
		out[s.name+".yaml"] = fmt.Sprintf("kind: %s\nmetadata: {name: %s}\n"+body, s.kind, s.name, s.label)
	}
	return out
}

// selectingIn reads the files of a result, nil if they have markers. It knows the lines of files above alone.
func selectingIn(files map[string]string) (out selecting) {
	for _, text := range files {
		if strings.Contains(text, "<<<<<<<") {
			return nil
		}
		var s selectingOne
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if kind, found := strings.CutPrefix(line, "kind: "); found {
				s.kind = kind
			}
			if _, name, found := strings.Cut(line, "{name: "); found && strings.HasPrefix(line, "metadata:") {
				s.name = strings.TrimSuffix(name, "}")
			}
			for _, before := range []string{"app: ", "values: ["} {
				if _, label, found := strings.Cut(line, before); found && strings.HasPrefix(line, "spec:") {
					s.label = label[:1]
				}
			}
		}
		out = append(out, s)
	}
	return out
}

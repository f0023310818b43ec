package tests

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
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
		for _, way := range ways.All() {
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
				kind: rapid.SampledFrom([]string{"Deployment", "StatefulSet", "Namespace"}).Draw(t, "kind"), name: fmt.Sprint("w", i), label: drawLabel(t),
			})
		}
		upstream, local := origin.changed(t), origin.changed(t)
		for i := range rapid.IntRange(1, 4).Draw(t, "selectors") {
			kinds := []string{"Service", "PodDisruptionBudget", "NetworkPolicy", "from pods", "to pods", "from namespaces", "to namespaces"}
			s := selectingOne{kind: rapid.SampledFrom(kinds).Draw(t, "kind"), name: fmt.Sprint("s", i), label: drawLabel(t)}
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
		checkIdle(t, p, func(files map[string]string) (want []string, readable bool) {
			result := selectingIn(files)
			for _, s := range result {
				before := local
				if !slices.Contains(local, s) {
					before = upstream
				}
				if s.isSelector() && !result.selectedBy(s) && before.selectedBy(s) {
					want = append(want, s.name)
				}
			}
			return want, result != nil
		}, func(subject, _ string) string { return subject[strings.Index(subject, " ")+1:] })
	})
}

// checkIdle checks, under every policy, that a merge warns exactly of the selectors that want names in the files of its result,
// unless these have markers and cannot be read, and that merging again warns of none. name gives the name of a warning's
// subject and selector. It returns the number of warnings.
func checkIdle(t *rapid.T, p mergecheck.Package, want func(files map[string]string) (names []string, readable bool), name func(subject, selector string) string) (warned int) {
	for _, way := range ways.All() {
		if way == ways.Driver {
			continue // it sees one file
		}
		all, err := ways.Merge(t.Context(), way, p)
		if err != nil {
			t.Fatal(err)
		}
		m := all[0]
		names, readable := want(m.Result)
		if m.Unchecked != "" || !readable {
			continue
		}
		var got []string
		for _, text := range m.Warnings {
			subject, rest, _ := strings.Cut(text, ": ")
			if selector, what, found := strings.Cut(rest, " selects no "); found && strings.HasSuffix(what, " any more") {
				got = append(got, name(subject, selector))
			}
		}
		slices.Sort(names)
		slices.Sort(got)
		if warned += len(names); !slices.Equal(got, names) {
			t.Fatalf("%s: warns of %q, and should of %q\nupstream: %v\nlocal: %v\nresult: %v", way, got, names, p.Upstream, p.Local, m.Result)
		}
		again, err := ways.Merge(t.Context(), way, mergecheck.Package{Origin: p.Origin, Upstream: p.Upstream, Local: m.Result})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range again[0].Warnings {
			if strings.HasSuffix(text, " any more") {
				t.Fatalf("%s: merged again: %s", way, text)
			}
		}
	}
	return warned
}

// selectingOne is a workload with a label of its pods, or a resource that selects them.
type selectingOne struct{ kind, name, label string }

func (s selectingOne) isSelector() bool {
	return s.kind == "Service" || s.kind == "PodDisruptionBudget" || s.kind == "NetworkPolicy" || s.isPeer()
}

// isPeer reports whether s is a network policy that selects its peers alone, "from pods" for example.
func (s selectingOne) isPeer() bool {
	return strings.HasPrefix(s.kind, "from ") || strings.HasPrefix(s.kind, "to ")
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
		isSelected := w.kind == "Deployment" || w.kind == "StatefulSet"
		if strings.HasSuffix(s.kind, " namespaces") {
			isSelected = w.kind == "Namespace"
		}
		return isSelected && w.label == s.label
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
			"Namespace":           "apiVersion: v1\n",
			"from pods":           "apiVersion: networking.k8s.io/v1\nspec: {podSelector: {}, ingress: [{from: [{podSelector: {matchLabels: {app: %s}}}]}]} # from pods\n",
			"to pods":             "apiVersion: networking.k8s.io/v1\nspec: {podSelector: {}, egress: [{to: [{podSelector: {matchLabels: {app: %s}}}]}]} # to pods\n",
			"from namespaces":     "apiVersion: networking.k8s.io/v1\nspec: {podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {app: %s}}}]}]} # from namespaces\n",
			"to namespaces":       "apiVersion: networking.k8s.io/v1\nspec: {podSelector: {}, egress: [{to: [{namespaceSelector: {matchLabels: {app: %s}}}]}]} # to namespaces\n",
		}[s.kind]
		if s.kind == "Namespace" {
			out[s.name+".yaml"] = fmt.Sprintf("kind: Namespace\nmetadata: {name: %s, labels: {app: %s}}\n"+body, s.name, s.label)
			continue
		}
		kind := s.kind
		if s.isPeer() {
			kind = "NetworkPolicy"
		}
		out[s.name+".yaml"] = fmt.Sprintf("kind: %s\nmetadata: {name: %s}\n"+body, kind, s.name, s.label)
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
				s.name = strings.TrimRight(strings.Split(name, ",")[0], "}")
			}
			if at := strings.Index(line, "} # "); at > 0 {
				s.kind = line[at+len("} # "):]
			}
			for _, before := range []string{"app: ", "values: ["} {
				if _, label, found := strings.Cut(line, before); found {
					s.label = label[:1]
				}
			}
		}
		out = append(out, s)
	}
	return out
}

// TestLawEntriesFollow checks on drawn packages, under every policy, that an entry of a kustomization is warned of exactly if it
// selects nothing in the result, and selected something in local or, if local lacks it, in upstream; and that merging again warns
// of none (rules/laws: names follow).
func TestLawEntriesFollow(t *testing.T) {
	warned := 0
	rapid.Check(t, func(t *rapid.T) {
		var origin kustomized
		for i := range rapid.IntRange(1, 3).Draw(t, "workloads") {
			origin.workloads = append(origin.workloads, selectingOne{name: fmt.Sprint("w", i), label: drawLabel(t)})
		}
		origin.entries = drawEntries(t)
		upstream, local := origin.changed(t), origin.changed(t)
		p := mergecheck.Package{Origin: origin.files(), Upstream: upstream.files(), Local: local.files()}
		warned += checkIdle(t, p, func(files map[string]string) (want []string, readable bool) {
			result := readKustomized(files)
			if result == nil {
				return nil, false
			}
			for _, e := range result.entries {
				before := local
				if !slices.Contains(local.entries, e) {
					before = upstream
				}
				if !result.selected(e) && slices.Contains(before.entries, e) && before.selected(e) {
					want = append(want, e.kind+" "+e.label)
				}
			}
			return want, true
		}, func(_, selector string) string { return strings.ReplaceAll(selector, "Deployment ", "") })
	})
	if warned == 0 {
		t.Error("no drawn package has an entry that selects nothing any more")
	}
}

// kustomized is a package of Deployments, whose label is the name of their image, and of the entries of a kustomization over them:
// the kind is the field, and the label the name in it.
type kustomized struct{ workloads, entries selecting }

func drawEntries(t *rapid.T) (out selecting) {
	for _, field := range []string{"images", "replicas", "patches"} {
		for i := range 3 {
			e := selectingOne{kind: field, label: fmt.Sprint("w", i)}
			if field == "images" {
				e.label = "image-" + string(rune('a'+i))
			}
			if rapid.Bool().Draw(t, e.kind+" "+e.label) {
				out = append(out, e)
			}
		}
	}
	return out
}

// changed returns the version of a side. One workload stays, so that the side does not delete the package.
func (k kustomized) changed(t *rapid.T) kustomized {
	out := kustomized{workloads: k.workloads.changed(t), entries: k.entries}
	if rapid.Bool().Draw(t, "other entries") {
		out.entries = drawEntries(t)
	}
	if len(out.workloads) == 0 {
		out.workloads = k.workloads[:1]
	}
	return out
}

func (k kustomized) selected(e selectingOne) bool {
	return slices.ContainsFunc(k.workloads, func(w selectingOne) bool { return e.label == w.name || e.label == "image-"+w.label })
}

func (k kustomized) files() map[string]string {
	list := map[string]string{}
	for _, e := range k.entries {
		list[e.kind] += map[string]string{
			"images":   "- name: " + e.label + "\n  newTag: v1\n",
			"replicas": "- name: " + e.label + "\n  count: 2\n",
			"patches":  "- target:\n    kind: Deployment\n    name: " + e.label + "\n  patch: '[{op: remove, path: /spec/paused}]'\n",
		}[e.kind]
	}
	out := map[string]string{}
	for _, w := range k.workloads {
		list["resources"] += "- " + w.name + ".yaml\n"
		out["base/"+w.name+".yaml"] = fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %s}\nspec: {template: {spec: {containers: [{name: x, image: 'image-%s:v1'}]}}}\n", w.name, w.label)
	}
	out["base/kustomization.yaml"] = "resources:\n" + list["resources"]
	out["kustomization.yaml"] = "resources:\n- base\n"
	for _, field := range []string{"images", "replicas", "patches"} {
		if list[field] != "" {
			out["kustomization.yaml"] += field + ":\n" + list[field]
		}
	}
	return out
}

// readKustomized reads the files of a result, nil if they have markers.
func readKustomized(files map[string]string) *kustomized {
	out := &kustomized{}
	var base struct{ Resources []string }
	var top struct {
		Images, Replicas []struct{ Name string }
		Patches          []struct{ Target struct{ Name string } }
	}
	if yaml.Unmarshal([]byte(files["base/kustomization.yaml"]), &base) != nil || yaml.Unmarshal([]byte(files["kustomization.yaml"]), &top) != nil {
		return nil
	}
	for _, name := range base.Resources {
		var w struct {
			Metadata struct{ Name string }
			Spec     struct {
				Template struct {
					Spec struct{ Containers []struct{ Image string } }
				}
			}
		}
		if text, found := files["base/"+name]; !found || yaml.Unmarshal([]byte(text), &w) != nil || len(w.Spec.Template.Spec.Containers) != 1 {
			return nil
		}
		label := strings.TrimSuffix(strings.TrimPrefix(w.Spec.Template.Spec.Containers[0].Image, "image-"), ":v1")
		out.workloads = append(out.workloads, selectingOne{name: w.Metadata.Name, label: label})
	}
	for _, e := range top.Images {
		out.entries = append(out.entries, selectingOne{kind: "images", label: e.Name})
	}
	for _, e := range top.Replicas {
		out.entries = append(out.entries, selectingOne{kind: "replicas", label: e.Name})
	}
	for _, e := range top.Patches {
		out.entries = append(out.entries, selectingOne{kind: "patches", label: e.Target.Name})
	}
	return out
}

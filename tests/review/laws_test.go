package main

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/review"
	"github.com/resource-merge/resource-merge/values"
)

// tree is files by their names.
type tree map[string]string

// files are those of a tree for a review. The ids are the texts.
func (t tree) files() review.Files {
	return review.Files{IDs: maps.Clone(t), Read: func(name string) ([]byte, error) { return []byte(t[name]), nil }}
}

// with returns the tree after changes.
func (t tree) with(test *rapid.T, changes []values.Replacement) tree {
	out := maps.Clone(t)
	for name, text := range t {
		f, err := values.Replace(pkgmerge.File{Name: name, Data: []byte(text)}, changes)
		if err != nil {
			test.Fatal(err)
		}
		out[name] = string(f.Data)
	}
	return out
}

// build builds a directory over a version of the base with kustomize.
func (t tree) build(base tree, version string) (string, error) {
	files := filesys.MakeFsInMemory()
	for name, text := range t {
		text = strings.ReplaceAll(text, "https://example.com/base?ref="+version, "../../upstream/"+version)
		text = strings.ReplaceAll(text, "https://example.com/base?ref=", "../../upstream/")
		if err := files.WriteFile("/repo/"+name, []byte(text)); err != nil {
			return "", err
		}
	}
	for name, text := range base {
		if err := files.WriteFile("/upstream/"+name, []byte(text)); err != nil {
			return "", err
		}
	}
	options := krusty.MakeDefaultOptions()
	options.LoadRestrictions = 0
	built, err := krusty.MakeKustomizer(options).Run(files, "/repo/prod")
	if err != nil {
		return "", err
	}
	text, err := built.AsYaml()
	return string(text), err
}

// write writes a value as YAML in blocks, and the key of an element first.
func write(b *strings.Builder, v any, indent string) {
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
		for _, name := range names {
			b.WriteString(indent + name + ":")
			writeBelow(b, v[name], indent)
		}
	case []any:
		for _, e := range v {
			var element strings.Builder
			switch e.(type) {
			case map[string]any:
				write(&element, e, indent+"  ")
				b.WriteString(indent + "- " + strings.TrimPrefix(element.String(), indent+"  "))
			default:
				fmt.Fprintf(b, "%s- %v\n", indent, e)
			}
		}
	}
}

func rank(name string) int {
	at := slices.Index([]string{"apiVersion", "kind", "metadata", "name", "includeSelectors", "op"}, name)
	if at < 0 {
		return 9
	}
	return at
}

func writeBelow(b *strings.Builder, v any, indent string) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			b.WriteString(" {}\n")
			return
		}
		b.WriteString("\n")
		write(b, v, indent+"  ")
	case []any:
		if len(v) == 0 {
			b.WriteString(" []\n")
			return
		}
		b.WriteString("\n")
		write(b, v, indent)
	case nil:
		b.WriteString(" null\n")
	case block:
		b.WriteString(" |\n" + indent + "  " + strings.ReplaceAll(strings.TrimSuffix(string(v), "\n"), "\n", "\n"+indent+"  ") + "\n")
	default:
		fmt.Fprintf(b, " %v\n", v)
	}
}

// block is a text that stands in a literal block.
type block string

func text(v any) string {
	var b strings.Builder
	write(&b, v, "")
	return b.String()
}

// draw draws values from small pools, so that bases and patches meet.
type draw struct {
	*rapid.T
	// entries counts the entries of layers.
	entries *int
}

func (d draw) oneOf(label string, all ...any) any { return rapid.SampledFrom(all).Draw(d.T, label) }
func (d draw) is(label string) bool               { return rapid.Bool().Draw(d.T, label) }

// some returns a map with some of the fields.
func (d draw) some(fields map[string]func() any) map[string]any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if d.is(name) {
			out[name] = fields[name]()
		}
	}
	return out
}

// elements returns a list of elements with different names.
func (d draw) elements(isPatch bool, names []string, fields func() map[string]any) any {
	out := []any{}
	for _, name := range rapid.Permutation(names).Draw(d.T, "order") {
		if !d.is("has " + name) {
			continue
		}
		e := map[string]any{}
		if isPatch && rapid.IntRange(0, 5).Draw(d.T, "delete") == 0 {
			e["$patch"] = "delete"
		} else {
			e = fields()
		}
		e["name"] = name
		out = append(out, e)
	}
	return out
}

// or returns a value, or in a patch sometimes a null.
func (d draw) or(isPatch bool, v func() any) func() any {
	return func() any {
		if isPatch && rapid.IntRange(0, 6).Draw(d.T, "null") == 0 {
			return nil
		}
		return v()
	}
}

// workload draws a Deployment, or a patch of one.
func (d draw) workload(name string, isPatch bool) map[string]any {
	container := func() map[string]any {
		return d.some(map[string]func() any{
			"args": func() any { return []any{d.oneOf("arg", "a", "b"), d.oneOf("arg", "a", "c")} },
			"image": func() any {
				return d.oneOf("image", "web:1", "web:2", "side:1", "side@sha256:0000000000000000000000000000000000000000000000000000000000000000")
			},
			"ports": func() any {
				one := func() any {
					return map[string]any{"containerPort": d.oneOf("port", 80, 81), "protocol": d.oneOf("protocol", "TCP", "UDP"), "hostPort": d.oneOf("host port", 1, 2)}
				}
				return []any{one(), one()}
			},
			"env": func() any {
				return d.elements(isPatch, []string{"A", "B"}, func() map[string]any { return map[string]any{"value": d.oneOf("value", "x", "y")} })
			},
			"resources": func() any {
				return map[string]any{"limits": d.some(map[string]func() any{
					"cpu": d.or(isPatch, func() any { return d.oneOf("cpu", 1, 2, `"1"`) }), "memory": d.or(isPatch, func() any { return d.oneOf("memory", "1Gi", "2Gi") }),
				})}
			},
		})
	}
	pod := d.some(map[string]func() any{
		"containers": func() any { return d.elements(isPatch, []string{"web", "side", "extra"}, container) },
		"volumes": func() any {
			return d.elements(isPatch, []string{"v", "w"}, func() map[string]any { return map[string]any{"emptyDir": map[string]any{}} })
		},
		"serviceAccountName": d.or(isPatch, func() any { return d.oneOf("account", "a", "b") }),
		"nodeSelector": func() any {
			return d.some(map[string]func() any{"disk": func() any { return d.oneOf("disk", "ssd", "hdd") }})
		},
	})
	spec := d.some(map[string]func() any{"replicas": func() any { return d.oneOf("replicas", 1, 2, 3) }, "paused": func() any { return d.oneOf("paused", true, false) }})
	spec["template"] = map[string]any{"spec": pod}
	metadata := d.some(map[string]func() any{
		"labels":      func() any { return map[string]any{"app": d.oneOf("label", "l", "m")} },
		"annotations": func() any { return map[string]any{"b": d.oneOf("annotation", "l", "m")} },
	})
	metadata["name"] = name
	return map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
}

// custom draws a resource of a kind that kustomize does not know.
func (d draw) custom(name string, isPatch bool) map[string]any {
	return map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": name}, "spec": d.some(map[string]func() any{
		"list": func() any {
			return []any{map[string]any{"name": d.oneOf("thing", "a", "b"), "size": d.oneOf("size", 1, 2)}}
		},
		"size": d.or(isPatch, func() any { return d.oneOf("size", 1, 2) }),
	})}
}

// base draws a version of the base.
func (d draw) base(version string) tree {
	out := tree{}
	var names []any
	add := func(name string, v map[string]any) {
		out[version+"/"+name+".yaml"] = text(v)
		names = append(names, name+".yaml")
	}
	add("web", d.workload("web", false))
	if d.is("other") {
		add("other", d.workload("other", false))
	}
	if d.is("thing") {
		add("thing", d.custom("thing", false))
	}
	k := d.some(map[string]func() any{
		"namePrefix": func() any { return "p-" }, "namespace": func() any { return "shop" },
		"labels": func() any {
			return []any{map[string]any{"includeSelectors": d.is("selectors"), "pairs": map[string]any{"app": d.oneOf("label", "l", "m")}}}
		},
	})
	if d.is("transformer") {
		k["transformers"] = []any{"labels.yaml"}
		out[version+"/labels.yaml"] = text(map[string]any{"apiVersion": "builtin", "kind": "LabelTransformer", "metadata": map[string]any{"name": "labels"}, "labels": map[string]any{"app": d.oneOf("label", "l", "m")},
			"fieldSpecs": []any{map[string]any{"path": "metadata/labels", "create": true}}})
	}
	k["resources"] = names
	out[version+"/kustomization.yaml"] = text(k)
	return out
}

// operation draws an operation of a JSON patch.
func (d draw) operation() any {
	at := d.oneOf("path", "/spec/replicas", "/spec/paused", "/spec/template/spec/serviceAccountName", "/spec/template/spec/containers/0/args/0", "/spec/template/spec/containers/0/args/-",
		"/spec/template/spec/containers/0/image", "/spec/template/spec/nodeSelector/disk", "/metadata/annotations/a~1b")
	o := map[string]any{"op": d.oneOf("op", "add", "replace", "remove", "test", "move", "copy"), "path": at}
	switch o["op"] {
	case "move", "copy":
		o["from"] = d.oneOf("from", "/spec/replicas", "/spec/template/spec/containers/0/image", "/spec/template/spec/containers/0/args/0")
	case "add", "replace", "test":
		o["value"] = d.oneOf("value", 1, 2, "a", "c", "web:1", "ssd", true)
	}
	return o
}

// image draws an entry of images.
func (d draw) image() any {
	out := d.some(map[string]func() any{
		"newName": func() any { return d.oneOf("new name", "web", "side", "mirror/web") },
		"newTag":  func() any { return d.oneOf("tag", `"1"`, `"2"`) },
		"digest": func() any {
			return d.oneOf("digest", "sha256:0000000000000000000000000000000000000000000000000000000000000000", "sha256:1111111111111111111111111111111111111111111111111111111111111111")
		},
		"tagSuffix": func() any { return d.oneOf("suffix", "-a", "-b") },
	})
	out["name"] = d.oneOf("image", "web", "side", "gone")
	return out
}

// replacement draws an entry of replacements.
func (d draw) replacement() any {
	target := map[string]any{
		"select": map[string]any{"kind": "Deployment", "name": d.oneOf("name", "web", "other", "gone")},
		"fieldPaths": []any{d.oneOf("field", "spec.template.spec.serviceAccountName", ".metadata.annotations.b", "metadata.labels.app",
			"spec.template.spec.containers.[name=web].args.0", "spec.template.spec.containers.0.image", "spec.template.spec.nodeSelector.disk")},
	}
	if d.is("create") {
		target["options"] = map[string]any{"create": true}
	}
	if rapid.IntRange(0, 4).Draw(d.T, "reject") == 0 {
		target["reject"] = []any{map[string]any{"name": d.oneOf("rejected", "web", "other")}}
	}
	return map[string]any{
		"source":  map[string]any{"kind": "Deployment", "name": "web", "fieldPath": d.oneOf("read", "metadata.name", ".metadata.name", "spec.template.spec.serviceAccountName")},
		"targets": []any{target},
	}
}

// target draws a target of a patch.
func (d draw) target(name string) map[string]any {
	out := map[string]any{"kind": "Deployment", "name": d.oneOf("expression", name, ".*", "p-"+name, "web|other|gone")}
	if rapid.IntRange(0, 3).Draw(d.T, "by label") == 0 {
		out[d.oneOf("selector", "labelSelector", "annotationSelector").(string)] = d.oneOf("pair", "app=l", "app!=l", "app in (l)", "tier")
	}
	return out
}

// layer draws a kustomization over entries.
func (d draw) layer(dir string, resources ...any) tree {
	out := tree{}
	k := map[string]any{}
	add := func(field string, entry any) {
		list, _ := k[field].([]any)
		k[field] = append(list, entry)
		*d.entries++
	}
	for i := range rapid.IntRange(0, 3).Draw(d.T, "patches") {
		name := fmt.Sprintf("patch-%d.yaml", i)
		at := d.oneOf("target", "web", "other", "thing", "gone").(string)
		entry := map[string]any{"path": name}
		field := d.oneOf("field", "patches", "patches", "patchesStrategicMerge", "patchesJson6902")
		switch {
		case field == "patchesJson6902" || field == "patches" && d.is("json"):
			var all []any
			for range rapid.IntRange(1, 3).Draw(d.T, "operations") {
				all = append(all, d.operation())
			}
			out[dir+"/"+name] = text(all)
			if entry["target"] = d.target(at); field == "patchesJson6902" {
				entry["target"] = map[string]any{"group": "apps", "version": "v1", "kind": "Deployment", "name": at}
			}
		case at == "thing":
			out[dir+"/"+name] = text(d.custom(at, true))
		default:
			out[dir+"/"+name] = text(d.workload(at, true))
			if d.is("by selector") {
				entry["target"] = d.target(at)
			}
		}
		switch {
		case field == "patchesStrategicMerge":
			add("patchesStrategicMerge", name)
			continue
		case d.is("inline"):
			entry["patch"] = block(out[dir+"/"+name])
			delete(entry, "path")
			delete(out, dir+"/"+name)
		}
		add(field.(string), entry)
	}
	for range rapid.IntRange(0, 2).Draw(d.T, "images") {
		add("images", d.image())
	}
	if d.is("replicas") {
		add("replicas", map[string]any{"name": d.oneOf("name", "web", "other"), "count": d.oneOf("count", 1, 2, 3)})
	}
	if rapid.IntRange(0, 3).Draw(d.T, "replacements") == 0 {
		add("replacements", d.replacement())
	}
	if d.is("prefix") {
		k["namePrefix"] = "q-"
	}
	if rapid.IntRange(0, 3).Draw(d.T, "configuration") == 0 {
		k["configurations"] = []any{"more.yaml"}
		out[path.Join(dir, "more.yaml")] = text(map[string]any{d.oneOf("transformer", "images", "replicas", "namePrefix").(string): []any{
			map[string]any{"kind": d.oneOf("kind", "Thing", "Deployment"), "path": d.oneOf("configured", "spec/size", "spec/list[]/name", "spec/template/spec/serviceAccountName")},
		}})
	}
	if resources == nil {
		k["apiVersion"], k["kind"] = "kustomize.config.k8s.io/v1alpha1", "Component"
	} else {
		k["resources"] = resources
	}
	out[path.Join(dir, "kustomization.yaml")] = text(k)
	if d.is("empty lines") {
		for name, text := range out {
			out[name] = strings.ReplaceAll(text, "\n", "\n\n")
		}
	}
	return out
}

// component adds a component to a kustomization.
func (d draw) component(to tree, dir string) {
	maps.Copy(to, d.layer("component"))
	to[dir+"/kustomization.yaml"] += "components:\n- ../component\n"
}

// TestClasses checks on drawn bases and layers that a line that is dead or redundant changes no byte of kustomize's render of the new version,
// and that another one does (rules/review: classes).
func TestClasses(t *testing.T) {
	tally := map[review.Class]int{}
	rapid.Check(t, func(t *rapid.T) {
		d := draw{t, new(int)}
		bases := d.base("v1")
		maps.Copy(bases, d.base("v2"))
		now := d.layer("app", "https://example.com/base?ref=v2")
		maps.Copy(now, d.layer("prod", "../app"))
		if d.is("component") {
			d.component(now, d.oneOf("in", "app", "prod").(string))
		}
		old := maps.Clone(now)
		old["app/kustomization.yaml"] = strings.ReplaceAll(now["app/kustomization.yaml"], "ref=v2", "ref=v1")
		bumps, notes, err := review.Find(old.files(), now.files())
		if err != nil || len(bumps) != 1 || len(notes) > 0 {
			t.Fatal(bumps, notes, err)
		}
		b := bumps[0]
		b.Review(review.Upstream{Bases: func(entry string) (review.Files, string, error) {
			_, version, _ := strings.Cut(entry, "?ref=")
			return bases.files(), version, nil
		}})
		if len(b.Notes) > 0 {
			t.Fatal(b.Notes)
		}
		isRefused := slices.ContainsFunc(b.Lines, func(l *review.Line) bool { return l.Class == review.Refused })
		// kustomize's patchesJson6902 find no annotations where a resource has none
		isKnown := !strings.Contains(show(now), "Selector: ") && !(strings.Contains(show(now), "patchesJson6902:") && strings.Contains(show(now), "annotations/a~1b")) && !slices.ContainsFunc(b.Lines, func(l *review.Line) bool { return strings.HasPrefix(l.Note, "not judged") })
		moved, err := b.Without(nil)
		if err != nil {
			t.Fatal(err)
		}
		before := now.with(t, moved)
		want, err := before.build(bases, "v2")
		_, oldErr := old.build(bases, "v1") // what fails over both versions is not for the base
		if isRefused != (err != nil) && (isRefused || oldErr == nil && isKnown) && moved == nil {
			for _, l := range b.Lines {
				t.Logf("%s %s:%d %s %s", l.Class, l.File, l.Number, l.Path, l.Note)
			}
			t.Fatalf("refused: %v, and kustomize says %v\n%s", isRefused, err, show(now, bases))
		}
		if err != nil {
			return
		}
		for _, l := range b.Lines {
			changes, err := b.Without(l)
			if err != nil {
				t.Fatal(err)
			}
			if len(changes) == len(moved) || l.Note != "" || l.Class == review.Renamed {
				continue
			}
			got, err := now.with(t, changes).build(bases, "v2")
			isIdle := l.Class == review.Dead || l.Class == review.Redundant
			tally[l.Class]++
			if !isIdle && *d.entries > 1 { // a later entry may write the same
				continue
			}
			if isIdle != (err == nil && got == want) {
				t.Fatalf("%s %s:%d %s %v: without it kustomize builds (%v)\n%s\nin place of\n%s\n%s", l.Class, l.File, l.Number, l.Path, l.Value, err, got, want, show(now, bases))
			}
		}
	})
	t.Log(tally)
}

func show(trees ...tree) string {
	var b strings.Builder
	for _, t := range trees {
		for _, name := range slices.Sorted(maps.Keys(t)) {
			fmt.Fprintf(&b, "--- %s\n%s", name, t[name])
		}
	}
	return b.String()
}

package main

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// tree is files by their names.
type tree map[string][]byte

func (t tree) put(dir string, files []pkgmerge.File) {
	for _, f := range files {
		t[path.Join(dir, f.Name)] = f.Data
	}
}

// text is all files of a directory.
func (t tree) text(dir string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if strings.HasPrefix(name, dir+"/") {
			fmt.Fprintf(&b, "--- %s\n%s", name, t[name])
		}
	}
	return b.String()
}

// build builds a directory with kustomize, in this process.
func (t tree) build(dir string) (built, error) {
	files := filesys.MakeFsInMemory()
	for name, data := range t {
		if err := files.WriteFile("/"+name, data); err != nil {
			return nil, err
		}
	}
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/"+dir)
	if err != nil {
		return nil, err
	}
	out := built{}
	for _, r := range resources.Resources() {
		text, err := r.AsYAML()
		if err != nil {
			return nil, err
		}
		var v map[string]any
		if err := yaml.Unmarshal(text, &v); err != nil {
			return nil, err
		}
		out[r.CurId().String()] = built1{patch.Target{APIVersion: r.GetApiVersion(), Kind: r.GetKind(), Name: r.GetName(), Namespace: r.GetNamespace()}, settled(v, "")}
	}
	return out, nil
}

// kustomization is that of the overlay.
func (t tree) kustomization() (k map[string]any) {
	if yaml.Unmarshal(t["overlay/kustomization.yaml"], &k) != nil {
		return nil
	}
	return k
}

// patches are the entries of the overlay's patches.
func (t tree) patches() []any {
	patches, _ := t.kustomization()["patches"].([]any)
	return patches
}

// withoutPatch is the tree whose overlay lacks one patch.
func (t tree) withoutPatch(i int) tree {
	k, out := t.kustomization(), maps.Clone(t)
	k["patches"] = slices.Delete(t.patches(), i, i+1)
	text, err := yaml.Marshal(k)
	if err != nil {
		return nil
	}
	out["overlay/kustomization.yaml"] = text
	return out
}

// built has the resources that kustomize builds, by their identities.
type built map[string]built1

// built1 is one resource, and its value as the laws compare it.
type built1 struct {
	target patch.Target
	value  any
}

func (b built) drop(t patch.Target) {
	maps.DeleteFunc(b, func(_ string, r built1) bool { return r.target == t })
}

// differs says in which resource two builds differ, nil if they do not.
func (b built) differs(got built) error {
	for _, id := range slices.Sorted(maps.Keys(b)) {
		if is, found := got[id]; !found {
			return fmt.Errorf("%s is not there", id)
		} else if !reflect.DeepEqual(b[id].value, is.value) {
			return fmt.Errorf("%s is\n%s\nwant\n%s", id, difference(is.value, b[id].value), difference(b[id].value, is.value))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(got)) {
		if _, found := b[id]; !found {
			return fmt.Errorf("%s should not be there", id)
		}
	}
	return nil
}

// difference returns the path and the value of the first part of v that differs from other.
func difference(v, other any) string {
	at := ""
	for {
		m, isMap := v.(map[string]any)
		o, otherIs := other.(map[string]any)
		if !isMap || !otherIs {
			return at + ": " + fmt.Sprint(v)
		}
		next := ""
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !reflect.DeepEqual(m[name], o[name]) {
				next = name
				break
			}
		}
		if next == "" {
			return at + ": " + fmt.Sprint(v)
		}
		at, v, other = at+"."+next, m[next], o[next]
	}
}

package pkgmerge

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// kustomizeEntry selects resources of a kustomization's build by its field: images, replicas, patches, patchesJson6902 or
// patchesStrategicMerge.
type kustomizeEntry struct {
	field string
	// name is the image or the workload that an entry of images or replicas selects.
	name string
	// target is what a patch selects.
	target patchTarget
}

// patchTarget selects resources by expressions, as the target of a patch does in kustomize; an empty one selects all.
type patchTarget struct {
	group, version, kind, name, namespace string
	labels, annotations                   string
}

// String names the thing that an entry selects.
func (e kustomizeEntry) String() string {
	if e.name != "" {
		return e.name
	}
	t := e.target
	parts := []string{cmp.Or(t.kind, "any kind"), t.namespace, t.name, t.labels, t.annotations}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// kustomizeBuild is a version of the package as kustomize builds it.
type kustomizeBuild struct {
	// byFile has the resources of each file, and kustomizations the tree of the kustomization of each directory.
	byFile         map[string][]*Resource
	kustomizations map[string]*yaml.Node
	// entries and pools are made once for each directory.
	entries map[string]map[kustomizeEntry]bool
	pools   map[string]*kustomizePool
}

// kustomizePool has the resources that the entries of one kustomization select from.
type kustomizePool struct {
	resources         []*Resource
	byName            map[string][]*Resource
	workloads, images map[string]bool
}

func newKustomizeBuild(resources []*Resource) *kustomizeBuild {
	b := &kustomizeBuild{
		byFile: map[string][]*Resource{}, kustomizations: map[string]*yaml.Node{},
		entries: map[string]map[kustomizeEntry]bool{}, pools: map[string]*kustomizePool{},
	}
	for _, r := range resources {
		if tree := kustomizationTree(r); tree != nil {
			b.kustomizations[path.Dir(r.File)] = tree
		} else {
			b.byFile[r.File] = append(b.byFile[r.File], r)
		}
	}
	return b
}

// idleEntries warns of a kustomization's images, replicas and patches that change nothing in the result because of the merge:
// kustomize ignores the first two, and refuses the third (rules/conflicts: dangling references).
func (a *assembly) idleEntries(r *Result) []Notice {
	changes := func(c *Change) bool { return c.Action != Unchanged && c.Action != Absent }
	if !slices.ContainsFunc(r.Merged, func(c *Change) bool { return bookkeeping.IsKustomization(c.Result.File) }) || !slices.ContainsFunc(r.Changes, changes) {
		return nil
	}
	result := make([]*Resource, len(r.Merged))
	for i, c := range r.Merged {
		result[i] = c.Result
	}
	builds := [inResult + 1]*kustomizeBuild{inResult: newKustomizeBuild(result)}
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		builds[side] = newKustomizeBuild(a.packages[side].Resources)
	}
	var out []Notice
	for _, c := range r.Merged {
		if !bookkeeping.IsKustomization(c.Result.File) {
			continue
		}
		dir, told := path.Dir(c.Result.File), map[kustomizeEntry]bool{}
		for _, e := range builds[inResult].listEntries(dir) {
			if told[e] || builds[inResult].selects(dir, e) {
				continue
			}
			told[e] = true
			for _, side := range [2]identity.Side{identity.Local, identity.Upstream} {
				own := c.Versions[side]
				if own == nil || !builds[side].hasEntry(path.Dir(own.File), e) {
					continue
				}
				if builds[side].selects(path.Dir(own.File), e) {
					what := map[string]string{"images": "image", "replicas": "workload"}[e.field]
					out = append(out, Notice{Warning: true, Change: c, Text: fmt.Sprintf("%s %s selects no %s any more", e.field, e, cmp.Or(what, "resource"))})
				}
				break
			}
		}
	}
	return out
}

// listEntries lists the entries of the kustomization in a directory.
func (b *kustomizeBuild) listEntries(dir string) (out []kustomizeEntry) {
	tree := b.kustomizations[dir]
	for _, field := range [2]string{"images", "replicas"} {
		for _, e := range yamlnode.Elements(yamlnode.Field(tree, field)) {
			if name := yamlnode.Text(yamlnode.Field(e, "name")); name != "" {
				out = append(out, kustomizeEntry{field: field, name: name})
			}
		}
	}
	for _, field := range [3]string{"patches", "patchesJson6902", "patchesStrategicMerge"} {
		for _, e := range yamlnode.Elements(yamlnode.Field(tree, field)) {
			if t := yamlnode.Field(e, "target"); t != nil {
				text := func(name string) string { return yamlnode.Text(yamlnode.Field(t, name)) }
				out = append(out, kustomizeEntry{field: field, target: patchTarget{
					text("group"), text("version"), text("kind"), text("name"), text("namespace"), text("labelSelector"), text("annotationSelector"),
				}})
				continue
			}
			for _, meta := range b.patched(dir, e) {
				out = append(out, kustomizeEntry{field: field, target: patchTarget{
					group: regexp.QuoteMeta(identity.Group(meta.APIVersion)), kind: regexp.QuoteMeta(meta.Kind), name: regexp.QuoteMeta(meta.Name),
				}})
			}
		}
	}
	return out
}

func (b *kustomizeBuild) hasEntry(dir string, e kustomizeEntry) bool {
	if b.entries[dir] == nil {
		b.entries[dir] = map[kustomizeEntry]bool{}
		for _, own := range b.listEntries(dir) {
			b.entries[dir][own] = true
		}
	}
	return b.entries[dir][e]
}

// patched returns the resources that a strategic merge patch names: a file, or a text in the kustomization.
func (b *kustomizeBuild) patched(dir string, patch *yaml.Node) (out []identity.Meta) {
	text := cmp.Or(yamlnode.Text(patch), yamlnode.Text(yamlnode.Field(patch, "patch")))
	if file := cmp.Or(yamlnode.Text(yamlnode.Field(patch, "path")), text); !strings.Contains(file, "\n") {
		for _, r := range b.byFile[path.Join(dir, file)] {
			out = append(out, r.Meta)
		}
	} else if doc := (yaml.Node{}); yaml.Unmarshal([]byte(text), &doc) == nil && len(doc.Content) == 1 {
		out = append(out, identity.ReadMeta(doc.Content[0]))
	}
	return slices.DeleteFunc(out, func(meta identity.Meta) bool { return meta.Kind == "" || meta.Name == "" })
}

// selects reports whether an entry of the kustomization in a directory selects something in its build.
func (b *kustomizeBuild) selects(dir string, e kustomizeEntry) bool {
	if b.pools[dir] == nil {
		b.pools[dir] = b.pool(dir)
	}
	pool := b.pools[dir]
	switch e.field {
	case "images":
		return pool.images[e.name]
	case "replicas":
		return pool.workloads[e.name]
	}
	if e.target.name != "" && regexp.QuoteMeta(e.target.name) == e.target.name {
		return e.target.selects(pool.byName[e.target.name])
	}
	return e.target.selects(pool.resources)
}

// pool returns the resources that the kustomization of a directory builds, with the ConfigMaps and Secrets and the names of
// images that kustomizations make.
func (b *kustomizeBuild) pool(dir string) *kustomizePool {
	files, dirs := map[string]bool{}, map[string]bool{}
	b.collect(dir, files, dirs)
	if yamlnode.Text(yamlnode.Field(b.kustomizations[dir], "kind")) == "Component" {
		for other, tree := range b.kustomizations {
			for _, named := range yamlnode.Elements(yamlnode.Field(tree, "components")) {
				if path.Join(other, named.Value) == dir {
					b.collect(other, files, dirs)
				}
			}
		}
	}
	p := &kustomizePool{byName: map[string][]*Resource{}, workloads: map[string]bool{}, images: map[string]bool{}}
	add := func(r *Resource) {
		p.resources = append(p.resources, r)
		p.byName[r.Meta.Name] = append(p.byName[r.Meta.Name], r)
		if slices.Contains([]string{"Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"}, r.Meta.Kind) {
			p.workloads[r.Meta.Name] = true
		}
	}
	for file := range files {
		for _, r := range b.byFile[file] {
			add(r)
			if text := r.item.Text(); text == nil || bytes.Contains(text, []byte("image")) {
				if tree, err := r.Tree(); err == nil {
					addImages(p.images, tree)
				}
			}
		}
	}
	for d := range dirs {
		for kind, field := range map[string]string{"ConfigMap": "configMapGenerator", "Secret": "secretGenerator"} {
			for _, g := range yamlnode.Elements(yamlnode.Field(b.kustomizations[d], field)) {
				made := yamlnode.EmptyMap()
				add(&Resource{Meta: identity.Meta{APIVersion: "v1", Kind: kind, Name: yamlnode.Text(yamlnode.Field(g, "name"))}, item: resourcelist.NewItem(made)})
			}
		}
		for _, n := range yamlnode.Elements(yamlnode.Field(b.kustomizations[d], "images")) {
			if d != dir {
				p.images[yamlnode.Text(yamlnode.Field(n, "newName"))] = true
			}
		}
	}
	return p
}

// collect finds the files and the directories that the kustomization of a directory builds.
func (b *kustomizeBuild) collect(dir string, files, dirs map[string]bool) {
	tree := b.kustomizations[dir]
	if tree == nil || dirs[dir] {
		return
	}
	dirs[dir] = true
	for _, field := range [3]string{"resources", "bases", "components"} {
		for _, named := range yamlnode.Elements(yamlnode.Field(tree, field)) {
			at := path.Join(dir, named.Value)
			files[at] = true
			b.collect(at, files, dirs)
		}
	}
}

// addImages adds the names of the images in the fields `image` of a tree, without tag and digest.
func addImages(names map[string]bool, n *yaml.Node) {
	field := yamlnode.Fields(n)
	for _, key := range yamlnode.Names(n) {
		v := field(key)
		if key == "image" && v.Kind == yaml.ScalarNode {
			image, _, _ := strings.Cut(v.Value, "@")
			if colon := strings.LastIndex(image, ":"); colon > strings.LastIndex(image, "/") {
				image = image[:colon]
			}
			names[strings.Clone(image)] = true
		}
		addImages(names, v)
	}
	for _, e := range yamlnode.Elements(n) {
		addImages(names, e)
	}
}

// selects reports whether one of the resources is a target. An expression that cannot be read, and a selector of labels or
// annotations that is more than equalities, count as ones that select, since the warning is about sure things.
func (t patchTarget) selects(resources []*Resource) bool {
	var by [5]*regexp.Regexp
	for i, text := range [5]string{t.group, t.version, t.kind, t.name, t.namespace} {
		var err error
		if by[i], err = regexp.Compile("^(?:" + text + ")$"); err != nil {
			return true
		}
		if text == "" {
			by[i] = nil
		}
	}
	return slices.ContainsFunc(resources, func(r *Resource) bool {
		meta := r.Meta
		group, version := identity.Group(meta.APIVersion), identity.Version(meta.APIVersion)
		for i, text := range [5]string{group, version, meta.Kind, meta.Name, meta.Namespace} {
			if by[i] != nil && !by[i].MatchString(text) {
				return false
			}
		}
		return hasEqualities(r, "labels", t.labels) && hasEqualities(r, "annotations", t.annotations)
	})
}

// hasEqualities reports whether a resource has the labels or annotations of a selector such as "app=web,tier=db".
func hasEqualities(r *Resource, field, selector string) bool {
	if selector == "" || strings.ContainsAny(selector, "!() ") {
		return true
	}
	tree, err := r.Tree()
	if err != nil {
		return true
	}
	has := textsOf(yamlnode.Lookup(tree, "metadata", field))
	for pair := range strings.SplitSeq(selector, ",") {
		if key, value, isPair := strings.Cut(strings.ReplaceAll(pair, "==", "="), "="); isPair && has[key] != value {
			return false
		}
	}
	return true
}

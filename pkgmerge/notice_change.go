package pkgmerge

import (
	"cmp"
	"fmt"
	"path"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// inspect adds the notes about the resource, and finds its references and selectors, while its trees are
// parsed. tree is the result's without bookkeeping, nil if it is local's or there is none.
func (c *Change) inspect(tree *yaml.Node) error {
	for _, text := range c.stayed() {
		c.notes = append(c.notes, note{text: text})
	}
	if c.Action == Unchanged && !c.parsed {
		return nil
	}
	trees, err := kptfileTrees(c.Match)
	if err != nil {
		return err
	}
	for _, text := range c.remarks(trees, tree) {
		c.notes = append(c.notes, note{text: text})
	}
	if tree != nil {
		for _, text := range newContradictions(trees, tree) {
			c.notes = append(c.notes, note{warning: true, text: text})
		}
	} else if c.Action == Unchanged {
		tree = trees[identity.Local]
	}
	c.mentions, c.selections, c.inspected = mentionsOf(trees, tree), selectionsOf(trees, tree), true
	return nil
}

// stayed explains why local's version stays although it resembles another one.
func (c *Change) stayed() []string {
	var out []string
	if c.orphanOf != "" {
		out = append(out, fmt.Sprintf("stays, though upstream deleted package %s that it is in; only you have it", c.orphanOf))
	}
	switch {
	case c.how.Elsewhere:
		out = append(out, "kept: upstream deleted one of this name at another path, and this one is not the same")
	case c.how.Ambiguous && len(c.Conflicts) > 0 && !c.isWithheld():
		out = append(out, "you have several of this name, and none of them is clearly upstream's")
	}
	return out
}

// remarks returns the sentences about the outcome of the resource.
func (c *Change) remarks(trees [3]*yaml.Node, tree *yaml.Node) []string {
	var out []string
	l := trees[identity.Local]
	switch {
	case c.Action == Deleted && len(c.Conflicts) == 0:
		out = append(out, c.deletion(trees)+remains(l))
	case c.Action == Deleted:
		if text := remains(l); text != "" {
			out = append(out, "deleted"+text)
		}
	case c.orphanOf == "" && c.Action == Unchanged && c.Has(identity.Origin) && isInventory(l) && !merge.Same(trees[identity.Origin], trees[identity.Upstream]):
		out = append(out, "kept as it is: the inventory template is your own")
	}
	if c.Action == Changed && tree != nil {
		out = append(out, selectorRemarks(l, tree)...)
	}
	return out
}

// deletion explains why a resource was deleted without a conflict.
func (c *Change) deletion(trees [3]*yaml.Node) string {
	o, l := trees[identity.Origin], trees[identity.Local]
	if c.Package() != "." && o != nil && !merge.Same(o, l) {
		return "deleted with its package, and your changes with it"
	}
	if o == nil {
		return "deleted, because upstream does not have it"
	}
	return "deleted, because upstream deleted it"
}

// remains names the annotation of cli-utils that keeps a deleted resource in the cluster.
func remains(tree *yaml.Node) string {
	for _, keep := range [][2]string{
		{"client.lifecycle.config.k8s.io/deletion", "detach"},
		{"cli-utils.sigs.k8s.io/on-remove", "keep"},
	} {
		if yamlnode.Annotation(tree, keep[0]) == keep[1] {
			return fmt.Sprintf("; annotation %s keeps it in the cluster", keep[0])
		}
	}
	return ""
}

// selectorRemarks warns of a changed selector of a workload: most cannot be changed in a cluster, and
// one that does not match the pods' labels is refused.
func selectorRemarks(before, after *yaml.Node) []string {
	selector := yamlnode.Lookup(after, "spec", "selector")
	if selector == nil || yamlnode.Lookup(after, "spec", "template") == nil {
		return nil
	}
	var out []string
	if was := yamlnode.Lookup(before, "spec", "selector"); was != nil && !merge.Same(was, selector) {
		out = append(out, "spec.selector changed, which a cluster that has the workload may refuse")
	}
	if name := unmatchedLabel(after); name != "" && unmatchedLabel(before) == "" {
		out = append(out, fmt.Sprintf("spec.selector no longer matches the pod template, because of label %s", name))
	}
	return out
}

// unmatchedLabel returns a label of a workload's selector that its pod template lacks, "" if there is none.
func unmatchedLabel(tree *yaml.Node) string {
	spec := yamlnode.Field(tree, "spec")
	labels := yamlnode.Lookup(spec, "template", "metadata", "labels")
	match := yamlnode.Lookup(spec, "selector", "matchLabels")
	for _, name := range yamlnode.Names(match) {
		if !merge.Same(yamlnode.Field(match, name), yamlnode.Field(labels, name)) {
			return name
		}
	}
	return ""
}

// collisions warns of two resources of the result with one identity in a cluster, which they had not
// before the merge: for example, local renamed one to the name of another one of upstream. Resources
// below different kustomizations do not collide: a base and its overlays are built apart.
func collisions(all []*Change) []Notice {
	var notices []Notice
	roots := kustomizationRoots(all)
	seen := map[identity.Entry]*Change{}
	for _, m := range all {
		if !m.present() || m.Newest().Meta.Naming != identity.ByName {
			continue
		}
		other := roots.find(seen, m)
		if other == nil || collided(m, other, identity.Local) || collided(m, other, identity.Upstream) {
			continue
		}
		notices = append(notices, Notice{Warning: true, Change: m, Text: "the result has this resource more than once; " + cmp.Or(other.file, "another item") + " has it too"})
	}
	return notices
}

// roots are the directories of the result with a kustomization.
type roots map[string]bool

func kustomizationRoots(all []*Change) roots {
	out := roots{}
	for _, m := range all {
		if bookkeeping.IsKustomization(m.file) && m.present() {
			out[path.Dir(m.file)] = true
		}
	}
	return out
}

// of names the nearest directory with a kustomization around a file, "" if there is none.
func (r roots) of(file string) string {
	for dir := path.Dir(file); file != ""; dir = path.Dir(dir) {
		if r[dir] {
			return "below " + dir
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	return ""
}

// find returns an earlier change with the same identity in a cluster, nil if there is none. Resources
// outside of kustomizations may be built with any others.
func (r roots) find(seen map[identity.Entry]*Change, m *Change) *Change {
	plain := calledAs(m.resultMeta(), m.Package())
	anywhere, below := plain, plain
	anywhere.Path, below.Path = "anywhere", r.of(m.file)
	other := seen[anywhere]
	if below != plain {
		other = cmp.Or(seen[below], seen[plain])
	}
	for _, key := range [2]identity.Entry{anywhere, below} {
		if seen[key] == nil {
			seen[key] = m
		}
	}
	return other
}

// calledAs returns the identity of a resource in its package.
func calledAs(m identity.Meta, pkg string) identity.Entry {
	return identity.Entry{Package: pkg, Meta: identity.Meta{
		APIVersion: identity.Group(m.APIVersion), Kind: m.Kind, Namespace: m.Namespace, Name: m.Name,
	}}
}

// collided reports whether both already have one identity on a side.
func collided(a, b *Change, side identity.Side) bool {
	x, y := a.Versions[side], b.Versions[side]
	return x != nil && y != nil && calledAs(x.Meta, a.packages[side]) == calledAs(y.Meta, b.packages[side])
}

package overlay

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// transformer is the effect on every resource of one field of a kustomization, or of one entry.
type transformer interface {
	// apply returns the transformed resource; the same node if nothing changed.
	apply(p *pair, resource *yaml.Node) *yaml.Node
	// undo returns fork with base's values in the fields that the transformer sets.
	undo(p *pair, fork, base *yaml.Node) *yaml.Node
	// write adds the transformer to a kustomization.
	write(k *yaml.Node)
}

// patchedPairs returns the pairs whose fork is built from the base's resource.
func patchedPairs(pairs []*pair) []*pair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p *pair) bool { return !p.isPatched() })
}

// metadataEntry is an entry of kustomize's labels or commonAnnotations.
type metadataEntry struct{ transform.Metadata }

// commonMetadata returns the labels or annotations that all resources of the fork have and that are new
// on more than one.
func commonMetadata(field string, built []*pair) (out []transformer) {
	pairs := make([]transform.Pair, len(built))
	for i, p := range built {
		pairs[i] = transform.Pair{Base: p.patchedBase(), Fork: p.source}
	}
	for _, m := range transform.Common(field, pairs, merge.Same) {
		out = append(out, metadataEntry{m})
	}
	return out
}

func (m metadataEntry) apply(_ *pair, n *yaml.Node) *yaml.Node { return m.Apply(n) }

func (m metadataEntry) undo(_ *pair, fork, base *yaml.Node) *yaml.Node { return m.Undo(fork, base) }

func (m metadataEntry) write(k *yaml.Node) {
	if m.Field == "annotations" {
		all := yamlnode.Field(k, "commonAnnotations")
		if all == nil {
			all = yamlnode.EmptyMap()
			addField(k, "commonAnnotations", all)
		}
		all.Content = append(all.Content, yamlnode.String(m.Key), m.Value)
		return
	}
	pairs, entry := yamlnode.EmptyMap(), yamlnode.EmptyMap()
	addField(pairs, m.Key, m.Value)
	addField(entry, "pairs", pairs)
	if m.Templates {
		addField(entry, "includeTemplates", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
	addTo(k, "labels", entry)
}

// replicaCounts is kustomize's replicas: the count for all workloads of a name.
type replicaCounts struct {
	names  []string
	counts map[string]*yaml.Node
}

// replicaTransformers returns the counts that the fork changed, except for names whose workloads have different counts.
func replicaTransformers(built []*pair) []transformer {
	r := replicaCounts{counts: map[string]*yaml.Node{}}
	for _, p := range patchedPairs(built) {
		was, is := yamlnode.Lookup(p.base, "spec", "replicas"), yamlnode.Lookup(p.source, "spec", "replicas")
		name := yamlnode.MetaOf(p.base).Name
		if isScaled(p.base) && is != nil && is.ShortTag() == "!!int" && !merge.Same(was, is) && r.counts[name] == nil {
			r.names, r.counts[name] = append(r.names, name), is
		}
	}
	for _, p := range built {
		for _, name := range p.names {
			if count := r.counts[name]; count != nil && isScaled(p.source) && !merge.Same(count, yamlnode.Lookup(p.source, "spec", "replicas")) {
				delete(r.counts, name)
			}
		}
	}
	return []transformer{r}
}

// isScaled reports whether kustomize sets the replicas of a resource.
func isScaled(n *yaml.Node) bool { return transform.IsScaled(yamlnode.MetaOf(n)) }

// count returns the count for a resource, nil if there is none.
func (r replicaCounts) count(p *pair, n *yaml.Node) *yaml.Node {
	for _, name := range p.names {
		if count := r.counts[name]; count != nil && isScaled(n) {
			return count
		}
	}
	return nil
}

func (r replicaCounts) apply(p *pair, n *yaml.Node) *yaml.Node {
	if count := r.count(p, n); count != nil {
		return yamlnode.Set(n, nil, count, "spec", "replicas")
	}
	return n
}

func (r replicaCounts) undo(p *pair, fork, base *yaml.Node) *yaml.Node {
	if r.count(p, fork) == nil {
		return fork
	}
	return yamlnode.Set(fork, base, yamlnode.Lookup(base, "spec", "replicas"), "spec", "replicas")
}

func (r replicaCounts) write(k *yaml.Node) {
	for _, name := range r.names {
		if r.counts[name] == nil {
			continue
		}
		entry := newMapping("name", name)
		addField(entry, "count", r.counts[name])
		addTo(k, "replicas", entry)
	}
}

// imageChanges are entries of kustomize's images, which apply one after the other.
type imageChanges struct {
	entries []transform.Image
	// number is the 1-based index in entries by the name of the image; 0 for an entry that was dropped.
	number map[string]int
}

// imageTransformers returns the image changes that the fork made everywhere, one entry for each
// name, and none if kustomize's images fail at a resource.
func imageTransformers(built []*pair) []transformer {
	if slices.ContainsFunc(built, func(p *pair) bool { return transform.RefusesImages(p.source) }) {
		return nil
	}
	out := imageChanges{number: map[string]int{}}
	for _, p := range patchedPairs(built) {
		transform.EachImage(p.source, p.base, func(is, was *yaml.Node) *yaml.Node {
			if was == nil || is.Value == was.Value {
				return is
			}
			if entry, ok := newImageEntry(was.Value, is.Value); ok && out.number[entry.Name] == 0 {
				out.entries = append(out.entries, entry)
				out.number[entry.Name] = len(out.entries)
			}
			return is
		})
	}
	out.dropInexact(built)
	return []transformer{out}
}

// dropInexact drops the entries that build an image other than the fork's.
func (c *imageChanges) dropInexact(built []*pair) {
	for dropped := true; dropped; {
		dropped = false
		for _, p := range built {
			transform.EachImage(p.source, p.patchedBase(), func(is, was *yaml.Node) *yaml.Node {
				name, _, _ := transform.SplitImage(c.original(is, was).Value)
				if at := c.number[name]; at != 0 && c.rewrite(c.original(is, was).Value) != is.Value {
					delete(c.number, name)
					dropped = true
				}
				return is
			})
		}
	}
}

// rewrite applies the entries to an image.
func (c *imageChanges) rewrite(text string) string {
	for last := 0; ; {
		name, _, _ := transform.SplitImage(text)
		at := c.number[name]
		if at <= last || !transform.IsImage(text) {
			return text
		}
		text, last = c.entries[at-1].Apply(text), at
	}
}

// original returns the base's image if the entries rewrite it to the fork's, else the fork's.
func (c *imageChanges) original(is, was *yaml.Node) *yaml.Node {
	if was != nil && was.Kind == yaml.ScalarNode && c.rewrite(was.Value) == is.Value {
		return was
	}
	return is
}

func (c imageChanges) apply(_ *pair, n *yaml.Node) *yaml.Node {
	return transform.EachImage(n, nil, func(is, _ *yaml.Node) *yaml.Node { return yamlnode.WithText(is, c.rewrite(is.Value)) })
}

func (c imageChanges) undo(_ *pair, fork, base *yaml.Node) *yaml.Node {
	return transform.EachImage(fork, base, c.original)
}

func (c imageChanges) write(k *yaml.Node) {
	for i, e := range c.entries {
		if c.number[e.Name] == i+1 {
			addTo(k, "images", newMapping("name", e.Name, "newName", e.NewName, "newTag", e.NewTag, "digest", e.Digest))
		}
	}
}

// newImageEntry returns the entry that rewrites was to is. ok is false if there is none: an entry cannot remove a tag.
func newImageEntry(was, is string) (e transform.Image, ok bool) {
	if !transform.IsImage(was) {
		return e, false
	}
	name, tag, digest := transform.SplitImage(was)
	e.Name = name
	newName, newTag, newDigest := transform.SplitImage(is)
	if newName != name {
		e.NewName = newName
	}
	switch {
	case newTag == tag && newDigest == digest:
	case newTag != "" && newDigest != "", newTag == "" && newDigest == "":
		return e, false
	default:
		e.NewTag, e.Digest = newTag, newDigest
	}
	return e, true
}

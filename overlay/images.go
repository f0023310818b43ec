package overlay

import (
	"cmp"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// imageChanges are entries of kustomize's images, which apply one after the other.
type imageChanges struct {
	entries []imageEntry
	// number is the 1-based index in entries by the name of the image; 0 for an entry that was
	// dropped.
	number map[string]int
}

// imageTransformers returns the image changes that the fork made everywhere, one entry for each
// name.
func imageTransformers(built []*pair) []transformer {
	out := imageChanges{number: map[string]int{}}
	for _, p := range patchedPairs(built) {
		transform.EachImage(p.source, p.base, func(is, was *yaml.Node) *yaml.Node {
			if was == nil || is.Value == was.Value {
				return is
			}
			if entry, ok := newImageEntry(was.Value, is.Value); ok && out.number[entry.name] == 0 {
				out.entries = append(out.entries, entry)
				out.number[entry.name] = len(out.entries)
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
		text, last = c.entries[at-1].rewrite(text), at
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
		if c.number[e.name] == i+1 {
			addTo(k, "images", newMapping("name", e.name, "newName", e.newName, "newTag", e.newTag, "digest", e.digest))
		}
	}
}

// imageEntry is an entry of kustomize's images: it changes all images of a name.
type imageEntry struct{ name, newName, newTag, digest string }

// newImageEntry returns the entry that rewrites was to is. ok is false if there is none: an entry
// cannot remove a tag.
func newImageEntry(was, is string) (e imageEntry, ok bool) {
	if !transform.IsImage(was) {
		return e, false
	}
	name, tag, digest := transform.SplitImage(was)
	e.name = name
	newName, newTag, newDigest := transform.SplitImage(is)
	if newName != name {
		e.newName = newName
	}
	switch {
	case newTag == tag && newDigest == digest:
	case newTag != "" && newDigest != "", newTag == "" && newDigest == "":
		return e, false
	default:
		e.newTag, e.digest = newTag, newDigest
	}
	return e, true
}

// rewrite applies the entry to an image.
func (e imageEntry) rewrite(text string) string {
	name, tag, digest := transform.SplitImage(text)
	if name != e.name || !transform.IsImage(text) {
		return text
	}
	name = cmp.Or(e.newName, name)
	if e.newTag != "" || e.digest != "" {
		tag, digest = e.newTag, e.digest
	}
	if tag != "" {
		name += ":" + tag
	}
	if digest != "" {
		name += "@" + digest
	}
	return name
}

package overlay

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// imageChanges is kustomize's images: its entries, one after the other.
type imageChanges struct {
	entries []image
	// at has the entries by the name of the images that they change.
	at map[string]int
}

// images are the changes of images that the fork made everywhere, one for each name.
func images(built []*pair) []transformer {
	out := imageChanges{at: map[string]int{}}
	for _, p := range both(built) {
		transform.EachImage(p.source, p.base, func(is, was *yaml.Node) *yaml.Node {
			if was == nil || is.Value == was.Value {
				return is
			}
			if entry, ok := changeOf(was.Value, is.Value); ok && out.at[entry.name] == 0 {
				out.entries = append(out.entries, entry)
				out.at[entry.name] = len(out.entries)
			}
			return is
		})
	}
	out.dropWrong(built)
	return []transformer{out}
}

// dropWrong drops the entries that make of an image what the fork does not have.
func (c *imageChanges) dropWrong(built []*pair) {
	for wrong := true; wrong; {
		wrong = false
		for _, p := range built {
			transform.EachImage(p.source, p.patchedBase(), func(is, was *yaml.Node) *yaml.Node {
				name, _, _ := transform.SplitImage(c.before(is, was).Value)
				if at := c.at[name]; at != 0 && c.of(c.before(is, was).Value) != is.Value {
					delete(c.at, name)
					wrong = true
				}
				return is
			})
		}
	}
}

// of is what becomes of an image.
func (c *imageChanges) of(text string) string {
	for last := 0; ; {
		name, _, _ := transform.SplitImage(text)
		at := c.at[name]
		if at <= last || !transform.IsImage(text) {
			return text
		}
		text, last = c.entries[at-1].of(text), at
	}
}

// before is the image of which the fork's is made: the base's if that becomes it.
func (c *imageChanges) before(is, was *yaml.Node) *yaml.Node {
	if was != nil && was.Kind == yaml.ScalarNode && c.of(was.Value) == is.Value {
		return was
	}
	return is
}

func (c imageChanges) apply(_ *pair, n *yaml.Node) *yaml.Node {
	return transform.EachImage(n, nil, func(is, _ *yaml.Node) *yaml.Node { return yamlnode.WithText(is, c.of(is.Value)) })
}

func (c imageChanges) undo(_ *pair, fork, base *yaml.Node) *yaml.Node {
	return transform.EachImage(fork, base, c.before)
}

func (c imageChanges) write(k *yaml.Node) {
	for i, e := range c.entries {
		if c.at[e.name] == i+1 {
			list := sequence(k, "images")
			list.Content = append(list.Content, mapOf([2]string{"name", e.name}, [2]string{"newName", e.newName},
				[2]string{"newTag", e.newTag}, [2]string{"digest", e.digest}))
		}
	}
}

// image is an entry of kustomize's images: what becomes of all images of a name.
type image struct{ name, newName, newTag, digest string }

// changeOf is the entry that makes an image of another, if there is one: it cannot take a
// tag away.
func changeOf(was, is string) (e image, ok bool) {
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

// of is what the entry makes of an image.
func (e image) of(text string) string {
	name, tag, digest := transform.SplitImage(text)
	if name != e.name || !transform.IsImage(text) {
		return text
	}
	if e.newName != "" {
		name = e.newName
	}
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

package overlay

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch"
)

// image is an entry of kustomize's images: what becomes of all images of a name.
type image struct{ name, newName, newTag, digest string }

// changeOf is the entry that makes an image of another, if there is one: it cannot take a
// tag away.
func changeOf(was, is string) (e image, ok bool) {
	if !isImage(was) {
		return e, false
	}
	name, tag, digest := splitImage(was)
	e.name = name
	newName, newTag, newDigest := splitImage(is)
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

// isImage reports whether kustomize finds an image by its name: one without templates.
func isImage(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-/:@", r))
	})
}

// splitImage splits an image as kustomize does.
func splitImage(text string) (name, tag, digest string) {
	name, digest, _ = strings.Cut(text, "@")
	if at := strings.LastIndexByte(name, ':'); at > strings.LastIndexByte(name, '/') {
		name, tag = name[:at], name[at+1:]
	}
	return name, tag, digest
}

// eachImage replaces the images of the containers of a resource, wherever these are. was is
// the image that the container of the same name has in the other version, nil if
// there is none.
func eachImage(n, other *yaml.Node, change func(is, was *yaml.Node) *yaml.Node) *yaml.Node {
	if patch.TargetOf(n).Kind == "CustomResourceDefinition" {
		return n
	}
	return imagesBelow(n, other, change)
}

func imagesBelow(n, other *yaml.Node, change func(is, was *yaml.Node) *yaml.Node) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return n
	}
	out := *n
	out.Content = slices.Clone(n.Content)
	was := yamlnode.Fields(other)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, v := n.Content[i].Value, n.Content[i+1]
		below, changed := was(name), v
		switch {
		case (name == "containers" || name == "initContainers") && v.Kind == yaml.SequenceNode:
			changed = each(v, func(c *yaml.Node) *yaml.Node { return imageOf(c, counterpart(c, below), change) })
		case v.Kind == yaml.SequenceNode:
			changed = each(v, func(e *yaml.Node) *yaml.Node { return imagesBelow(e, counterpart(e, below), change) })
		default:
			changed = imagesBelow(v, below, change)
		}
		out.Content[i+1] = changed
	}
	return &out
}

// imageOf is a container with another image.
func imageOf(c, other *yaml.Node, change func(is, was *yaml.Node) *yaml.Node) *yaml.Node {
	is := yamlnode.Field(c, "image")
	if is == nil || is.Kind != yaml.ScalarNode {
		return c
	}
	return yamlnode.WithField(c, "image", change(is, yamlnode.Field(other, "image")))
}

// counterpart is the element of a list that has the name of another.
func counterpart(e, list *yaml.Node) *yaml.Node {
	name := yamlnode.Field(e, "name")
	for _, other := range yamlnode.Elements(list) {
		if name != nil && yamlnode.Text(yamlnode.Field(other, "name")) == name.Value {
			return other
		}
	}
	return nil
}

// of is what the entry makes of an image.
func (e image) of(text string) string {
	name, tag, digest := splitImage(text)
	if name != e.name || !isImage(text) {
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

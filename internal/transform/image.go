package transform

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// IsImage reports whether kustomize finds an image by its name, which must not be a template.
func IsImage(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-/:@", r))
	})
}

// SplitImage splits an image as kustomize does.
func SplitImage(text string) (name, tag, digest string) {
	name, digest, _ = strings.Cut(text, "@")
	if at := strings.LastIndexByte(name, ':'); at > strings.LastIndexByte(name, '/') {
		name, tag = name[:at], name[at+1:]
	}
	return name, tag, digest
}

// Image is an entry of kustomize's images.
type Image struct{ Name, NewName, NewTag, Digest, TagSuffix string }

// Matches reports whether the entry changes an image. Its name is a regular expression, as kustomize has it.
func (i Image) Matches(text string) bool {
	expression, err := regexp.Compile("^" + i.Name + "(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$")
	return err == nil && expression.MatchString(text)
}

// Apply returns an image after the entry.
func (i Image) Apply(text string) string {
	if !i.Matches(text) {
		return text
	}
	name, tag, digest := SplitImage(text)
	switch {
	case i.NewTag != "" || i.Digest != "":
		tag, digest = i.NewTag, i.Digest
	case i.TagSuffix != "":
		tag, digest = tag+i.TagSuffix, ""
	}
	if name = cmp.Or(i.NewName, name); tag != "" {
		name += ":" + tag
	}
	if digest != "" {
		name += "@" + digest
	}
	return name
}

// IsScaled reports whether kustomize's replicas are for resources of a kind.
func IsScaled(m yamlnode.Meta) bool {
	return slices.Contains([]string{"Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"}, m.Kind)
}

// RefusesImages reports whether kustomize's images fail at a resource: at a scalar on the way to a field that may have an image.
func RefusesImages(n *yaml.Node) bool {
	if yamlnode.MetaOf(n).Kind == "CustomResourceDefinition" {
		return false
	}
	for _, way := range [3][]string{{"containers", "image"}, {"initContainers", "image"}, {"volumes", "image", "reference"}} {
		if endsEarly(n, append([]string{"spec"}, way...)) || endsEarly(n, append([]string{"spec", "template", "spec"}, way...)) {
			return true
		}
	}
	return false
}

// endsEarly reports whether a way of fields, through the elements of lists, ends at a scalar that is no null.
func endsEarly(n *yaml.Node, way []string) bool {
	n = yamlnode.Resolve(n)
	switch {
	case n == nil || len(way) == 0:
		return false
	case n.Kind == yaml.SequenceNode:
		return slices.ContainsFunc(n.Content, func(e *yaml.Node) bool { return endsEarly(e, way) })
	case n.Kind == yaml.MappingNode:
		return endsEarly(yamlnode.Field(n, way[0]), way[1:])
	}
	return n.ShortTag() != "!!null"
}

// EachImage replaces the images of all containers and volumes of a resource. was is the image of the container or
// volume with the same name in the other version, nil if there is none.
func EachImage(n, other *yaml.Node, change func(is, was *yaml.Node) *yaml.Node) *yaml.Node {
	if yamlnode.MetaOf(n).Kind == "CustomResourceDefinition" {
		return n
	}
	out := imagesBelow(n, other, change)
	for _, way := range [2][]string{{"spec", "volumes"}, {"spec", "template", "spec", "volumes"}} {
		volumes := yamlnode.Lookup(out, way...)
		if !slices.ContainsFunc(yamlnode.Elements(volumes), func(e *yaml.Node) bool { return yamlnode.Lookup(e, "image", "reference") != nil }) {
			continue
		}
		out = yamlnode.Set(out, nil, yamlnode.Each(volumes, func(e *yaml.Node) *yaml.Node {
			is := yamlnode.Lookup(e, "image", "reference")
			if is == nil || is.Kind != yaml.ScalarNode {
				return e
			}
			return yamlnode.Set(e, nil, change(is, yamlnode.Lookup(counterpart(e, yamlnode.Lookup(other, way...)), "image", "reference")), "image", "reference")
		}), way...)
	}
	return out
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
		below, replace := was(name), imagesBelow
		if name == "containers" || name == "initContainers" {
			replace = replaceImage
		}
		if v.Kind == yaml.SequenceNode {
			out.Content[i+1] = yamlnode.Each(v, func(e *yaml.Node) *yaml.Node { return replace(e, counterpart(e, below), change) })
		} else {
			out.Content[i+1] = imagesBelow(v, below, change)
		}
	}
	return &out
}

func replaceImage(container, other *yaml.Node, change func(is, was *yaml.Node) *yaml.Node) *yaml.Node {
	is := yamlnode.Field(container, "image")
	if is == nil || is.Kind != yaml.ScalarNode {
		return container
	}
	return yamlnode.WithField(container, "image", change(is, yamlnode.Field(other, "image")))
}

// counterpart returns the element of a list with the name of another element.
func counterpart(e, list *yaml.Node) *yaml.Node {
	name := yamlnode.Field(e, "name")
	for _, other := range yamlnode.Elements(list) {
		if name != nil && yamlnode.Text(yamlnode.Field(other, "name")) == name.Value {
			return other
		}
	}
	return nil
}

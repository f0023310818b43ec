package merge

import (
	"path"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// pairFunctions tells apart the functions of a Kptfile's pipeline, which has no
// keys (design 7): by name; else by image, without tag or digest, or exec, where
// no side has it twice; then by the last part of the image's path, where no side
// has that twice, for functions move between registries; the rest by equal
// content first, and then in order of those of one image, and of one last part.
func pairFunctions(lists [3][]*yaml.Node) identify {
	var p pairing
	for _, side := range [3]identity.Side{local, upstream, origin} {
		for _, n := range lists[side] {
			var pair [3]*yaml.Node
			pair[side] = n
			p = append(p, pair)
		}
	}
	p = p.joinUnique(functionName)
	p = p.joinUnique(functionSource)
	p = p.joinUnique(functionBase)
	p = p.zip(canonical)
	p = p.zip(functionSource)
	p = p.zip(functionBase)
	keys := map[*yaml.Node]elementKey{}
	for i, pair := range p {
		for _, n := range pair {
			keys[n] = elementKey{text: strconv.Itoa(i), parts: functionParts(pair)}
		}
	}
	return func(n *yaml.Node) (elementKey, bool) { k, ok := keys[n]; return k, ok }
}

// functionSource is the image of a function without tag or digest, or what it
// executes.
func functionSource(n *yaml.Node) string {
	image := scalarField(n, "image")
	if image == "" {
		return scalarField(n, "exec")
	}
	image, _, _ = strings.Cut(image, "@")
	if colon := strings.LastIndexByte(image, ':'); colon > strings.LastIndexByte(image, '/') {
		image = image[:colon] // not a registry's port
	}
	return image
}

// functionBase is the last part of the path of a function's image, without tag
// or digest; "" if it has no image.
func functionBase(n *yaml.Node) string {
	if scalarField(n, "image") == "" {
		return ""
	}
	return path.Base(functionSource(n))
}

// functionParts says in a path which function is meant.
func functionParts(pair [3]*yaml.Node) []KeyValue {
	for _, name := range []string{"name", "image", "exec"} {
		if v := yamlnode.Lookup(first(pair), name); v != nil && v.Kind == yaml.ScalarNode {
			return []KeyValue{{Name: name, Value: v}}
		}
	}
	return []KeyValue{}
}

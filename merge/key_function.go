package merge

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// pairFunctions tells apart the functions of a Kptfile's pipeline, which has no keys
// (rules/kptfiles: pipelines): by name; else by image, without tag or digest, or exec,
// where no side has it twice; then by the last part of the image's path, where no side
// has that twice, for functions move between registries; the rest by equal content
// first, and then in order of those of one image, and of one last part.
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

// pairing lists which versions of functions belong together.
type pairing [][3]*yaml.Node

// joined is two pairs as one, if no side has both and they are not called
// differently.
func joined(a, b [3]*yaml.Node) ([3]*yaml.Node, bool) {
	x, y := functionName(first(a)), functionName(first(b))
	if x != "" && y != "" && x != y {
		return a, false
	}
	for _, side := range identity.Sides() {
		if a[side] != nil && b[side] != nil {
			return a, false
		}
		if a[side] == nil {
			a[side] = b[side]
		}
	}
	return a, true
}

// joinUnique joins what has one key, if no side has that key twice.
func (p pairing) joinUnique(key func(*yaml.Node) string) pairing {
	at := map[string][3]*yaml.Node{}
	twice := map[string]bool{"": true}
	for _, pair := range p {
		k := key(first(pair))
		if k == "" {
			continue
		}
		whole, ok := joined(at[k], pair)
		if _, seen := at[k]; seen && !ok {
			twice[k] = true
		} else {
			at[k] = whole
		}
	}
	var out pairing
	done := map[string]bool{}
	for _, pair := range p {
		switch k := key(first(pair)); {
		case twice[k]:
			out = append(out, pair)
		case !done[k]:
			done[k] = true
			out = append(out, at[k])
		}
	}
	return out
}

// zip joins what has one key in order: origin's with upstream's and local's,
// from which they come, and then what these two have new.
func (p pairing) zip(key func(*yaml.Node) string) pairing {
	p = p.zipSides(key, origin, upstream)
	p = p.zipSides(key, origin, local)
	return p.zipSides(key, upstream, local)
}

// zipSides joins the pairs that have a and lack b with those that have b and
// lack a, each in the order of the list that it is from.
func (p pairing) zipSides(key func(*yaml.Node) string, a, b identity.Side) pairing {
	waiting := map[string][]int{}
	for _, i := range p.lacking(a, b) {
		k := key(p[i][b])
		waiting[k] = append(waiting[k], i)
	}
	gone := map[int]bool{}
	for _, i := range p.lacking(b, a) {
		k := key(p[i][a])
		if k == "" || len(waiting[k]) == 0 {
			continue
		}
		if whole, ok := joined(p[waiting[k][0]], p[i]); ok {
			p[waiting[k][0]] = whole
			waiting[k] = waiting[k][1:]
			gone[i] = true
		}
	}
	var out pairing
	for i, pair := range p {
		if !gone[i] {
			out = append(out, pair)
		}
	}
	return out
}

// lacking lists the pairs without one side that have another, as they stand in
// that one's list: nodes of one list come in the order of their positions.
func (p pairing) lacking(side, has identity.Side) []int {
	var out []int
	for i, pair := range p {
		if pair[side] == nil && pair[has] != nil {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(i, j int) int {
		x, y := p[i][has], p[j][has]
		return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	})
	return out
}

// first is the version by which a pair is known.
func first(pair [3]*yaml.Node) *yaml.Node {
	for _, side := range [3]identity.Side{local, upstream, origin} {
		if pair[side] != nil {
			return pair[side]
		}
	}
	return nil
}

func functionName(n *yaml.Node) string { return scalarField(n, "name") }

func scalarField(n *yaml.Node, name string) string {
	v := yamlnode.Lookup(n, name)
	if v == nil || v.Kind != yaml.ScalarNode {
		return ""
	}
	return v.Value
}

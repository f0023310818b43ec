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

// pairFunctions identifies the functions of a Kptfile's pipeline, a list without keys (rules/kptfiles: pipelines):
// by name; else by the image, without tag or digest, or the exec, if no side has it twice; else by the last
// component of the image, if no side has that twice, because functions move between registries. The rest are paired
// by equal content, and then in their order among the functions of one image, and of one last component.
func pairFunctions(lists [3][]*yaml.Node) identify {
	var p pairing
	for _, side := range [3]identity.Side{local, upstream, origin} {
		for _, n := range lists[side] {
			var pair [3]*yaml.Node
			pair[side] = n
			p = append(p, pair)
		}
	}
	for _, key := range [3]signature{nameField, functionSource, functionBase} {
		p = p.joinUnique(key)
	}
	for _, key := range [3]signature{canonical, functionSource, functionBase} {
		p = p.zip(key)
	}
	keys := map[*yaml.Node]elementKey{}
	for i, pair := range p {
		for _, n := range pair {
			keys[n] = elementKey{text: strconv.Itoa(i), parts: functionParts(pair)}
		}
	}
	return func(n *yaml.Node) (elementKey, bool) { k, ok := keys[n]; return k, ok }
}

// functionSource returns the image of a function without tag and digest, or its exec.
func functionSource(n *yaml.Node) string {
	image := scalarField(n, "image")
	if image == "" {
		return scalarField(n, "exec")
	}
	image, _, _ = strings.Cut(image, "@")
	name, _, _ := cutTag(image)
	return name
}

// functionBase returns the last component of a function's image without tag and digest, "" if it has no image.
func functionBase(n *yaml.Node) string {
	if scalarField(n, "image") == "" {
		return ""
	}
	return path.Base(functionSource(n))
}

// functionParts returns the key of a function for its path.
func functionParts(pair [3]*yaml.Node) []KeyValue {
	for _, name := range []string{"name", "image", "exec"} {
		if v := yamlnode.Field(shownVersion(pair), name); v != nil && v.Kind == yaml.ScalarNode {
			return []KeyValue{{Name: name, Value: v}}
		}
	}
	return []KeyValue{}
}

// pairing lists the functions, each with its versions.
type pairing [][3]*yaml.Node

// joined joins two pairs, if no side has both and they do not have different names.
func joined(a, b [3]*yaml.Node) ([3]*yaml.Node, bool) {
	x, y := nameField(shownVersion(a)), nameField(shownVersion(b))
	if x != "" && y != "" && x != y {
		return a, false
	}
	out := a
	for side := range out {
		if a[side] != nil && b[side] != nil {
			return a, false
		}
		out[side] = cmp.Or(a[side], b[side])
	}
	return out, true
}

// joinUnique joins the pairs with one key, if no side has that key twice.
func (p pairing) joinUnique(key signature) pairing {
	at := map[string][3]*yaml.Node{}
	duplicate := map[string]bool{"": true}
	for _, pair := range p {
		k := key(shownVersion(pair))
		whole, ok := joined(at[k], pair)
		if _, seen := at[k]; seen && !ok {
			duplicate[k] = true
		} else {
			at[k] = whole
		}
	}
	var out pairing
	done := map[string]bool{}
	for _, pair := range p {
		switch k := key(shownVersion(pair)); {
		case duplicate[k]:
			out = append(out, pair)
		case !done[k]:
			done[k] = true
			out = append(out, at[k])
		}
	}
	return out
}

// zip joins the pairs with one key in their order: origin's with upstream's and local's, and then the additions
// of these two.
func (p pairing) zip(key func(*yaml.Node) string) pairing {
	p = p.zipSides(key, origin, upstream)
	p = p.zipSides(key, origin, local)
	return p.zipSides(key, upstream, local)
}

// zipSides joins the pairs that only a has with the pairs that only b has, each in the order of its list.
func (p pairing) zipSides(key signature, a, b identity.Side) pairing {
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

// lacking returns the pairs without one side that have another, in the order of that side's list, which is the
// order of the nodes' positions.
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

// shownVersion returns the version that identifies a pair.
func shownVersion(pair [3]*yaml.Node) *yaml.Node {
	return cmp.Or(pair[local], pair[upstream], pair[origin])
}

func nameField(n *yaml.Node) string { return scalarField(n, "name") }

func scalarField(n *yaml.Node, name string) string { return yamlnode.Text(yamlnode.Field(n, name)) }

package merge

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// shrink removes from versions that break a law everything that is not needed to break it, so that the rest can
// become a case of testdata.
func shrink(versions [3]*yaml.Node, law law) [3]*yaml.Node {
	if plain, err := expandAll(versions); err == nil && breaks(law, plain) {
		versions = plain
	}
	for smaller := true; smaller; {
		smaller = false
		for _, place := range placesIn(versions) {
			for _, sides := range sideSets() {
				for _, change := range []func(parent *yaml.Node, at int){cutOut, uncomment} {
					less, differs := changedAt(versions, sides, place, change)
					if differs && breaks(law, less) {
						versions, smaller = less, true
					}
				}
			}
		}
	}
	return versions
}

func sideSets() [][]identity.Side {
	return [][]identity.Side{{origin, upstream, local}, {upstream, local}, {origin}, {upstream}, {local}}
}

// breaks reports whether versions that are still resources break a law.
func breaks(law law, versions [3]*yaml.Node) (broken bool) {
	defer func() {
		if recover() != nil {
			broken = false // versions that cannot be merged break no law
		}
	}()
	for _, v := range versions {
		if kindOf(v)[1] == "" || yamlnode.Lookup(v, "metadata", "name") == nil {
			return false
		}
	}
	return !deletesWithNulls(versions) && law.check(versions) != ""
}

// placesIn lists the places that any version has, with a zero byte between steps: keys, and indices of elements.
func placesIn(versions [3]*yaml.Node) []string {
	var out []string
	seen := map[string]bool{}
	var walk func(n *yaml.Node, path string)
	walk = func(n *yaml.Node, path string) {
		for i, c := range n.Content {
			step := strconv.Itoa(i)
			if n.Kind == yaml.MappingNode {
				step = n.Content[i&^1].Value
			}
			if n.Kind == yaml.MappingNode && i%2 == 0 {
				continue
			}
			at := path + "\x00" + step
			if !seen[at] {
				seen[at] = true
				out = append(out, at)
			}
			walk(c, at)
		}
	}
	for _, v := range versions {
		walk(v, "")
	}
	return out
}

// changedAt returns versions with a change at a place of some sides, and whether there was a value to change.
func changedAt(versions [3]*yaml.Node, sides []identity.Side, place string, change func(*yaml.Node, int)) (out [3]*yaml.Node, differs bool) {
	steps := strings.Split(place, "\x00")[1:]
	out = versions
	for _, side := range sides {
		copied := clone(versions[side])
		if parent, at := find(copied, steps); parent != nil {
			change(parent, at)
			if !identical(copied, versions[side]) {
				out[side], differs = copied, true
			}
		}
	}
	return out, differs
}

// find returns the node that holds a place, and the index of the place's value.
func find(n *yaml.Node, steps []string) (parent *yaml.Node, at int) {
	for _, step := range steps {
		if parent != nil {
			n = parent.Content[at]
		}
		parent, at = n, -1
		for i := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == step ||
				n.Kind == yaml.SequenceNode && strconv.Itoa(i) == step {
				at = i
			}
		}
		if at < 0 {
			return nil, 0
		}
	}
	return parent, at
}

// cutOut removes an entry or an element.
func cutOut(parent *yaml.Node, at int) {
	first := at
	if parent.Kind == yaml.MappingNode {
		first--
	}
	parent.Content = append(parent.Content[:first:first], parent.Content[at+1:]...)
}

// uncomment removes the comments of an entry or an element.
func uncomment(parent *yaml.Node, at int) {
	nodes := []*yaml.Node{parent.Content[at]}
	if parent.Kind == yaml.MappingNode {
		nodes = append(nodes, parent.Content[at-1])
	}
	for _, n := range nodes {
		n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	}
}

package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// fill adds the entries within a field that is empty on a side, and in the result full as on the others.
func (c *collection) fill(at int, v [3]*yaml.Node, result *yaml.Node) {
	var full [3]bool
	for side, n := range v {
		if full[side] = isFull(n); full[side] && !isWrittenAlike(n, result) || !full[side] && !yamlnode.IsEmpty(n) {
			return
		}
	}
	if full != [3]bool{} && full != [3]bool{true, true, true} {
		c.addWithin(at, v, result, full)
	}
}

// addWithin adds the entries of a map or list, which the full sides have as the result, and its end.
func (c *collection) addWithin(at int, v [3]*yaml.Node, result *yaml.Node, full [3]bool) {
	add := func(nodes [3]*yaml.Node, node *yaml.Node, isEnd bool) {
		e := commented{in: full, inResult: true, noFoot: isEnd || isFull(node), path: c.entries[at].path, node: node, isEnd: isEnd, origin: nodes[origin]}
		for side, n := range nodes {
			if s := nodeSlots(n); !full[side] {
				continue
			} else if isEnd {
				e.head[side] = s.foot
			} else if e.head[side] = s.head; !e.noFoot {
				e.foot[side] = s.foot
			}
		}
		c.entries[at].within = append(c.entries[at].within, len(c.entries))
		c.entries = append(c.entries, e)
	}
	step := 1
	if result.Kind == yaml.MappingNode {
		step = 2
	}
	for i := 0; i+step <= len(result.Content); i += step {
		var entry, value [3]*yaml.Node
		for side := range v {
			if full[side] {
				entry[side], value[side] = v[side].Content[i], v[side].Content[i+step-1]
			}
		}
		add(entry, result.Content[i], false)
		if isFull(result.Content[i+step-1]) {
			c.entries[len(c.entries)-1].noFoot = true
			c.addWithin(at, value, result.Content[i+step-1], full)
		}
	}
	add(v, result, true)
}

// isWrittenAlike reports whether two maps or lists have the same fields, and elements, in the same order, whatever the values
// of the fields.
func isWrittenAlike(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || len(a.Content) != len(b.Content) {
		return false
	}
	for i, n := range a.Content {
		isKey := a.Kind == yaml.MappingNode && i%2 == 0
		isScalar := n.Kind == yaml.ScalarNode && b.Content[i].Kind == yaml.ScalarNode
		if !isScalar && !isWrittenAlike(n, b.Content[i]) || isScalar && (isKey || a.Kind == yaml.SequenceNode) && n.Value != b.Content[i].Value {
			return false
		}
	}
	return true
}

// isFull reports whether a value is a map or list with entries, in block style.
func isFull(n *yaml.Node) bool { return n != nil && yamlnode.IsBlock(n) }

// withDivided returns the value of a field that a side filled, with the divided comments around the entries within.
func (m emitter) withDivided(c collection, within []int, d division, v *yaml.Node) *yaml.Node {
	at := map[*yaml.Node]int{}
	ends := map[*yaml.Node]int{}
	for _, i := range within {
		if e := c.entries[i]; e.isEnd {
			ends[e.node] = i
		} else {
			at[e.node] = i
		}
	}
	path := c.entries[within[0]].path
	merged := func(slot commentSlot, own string) string {
		if versions, found := d[slot]; found {
			return m.mergeSlot(versions[origin], versions[upstream], versions[local], path)
		}
		return own
	}
	var rebuilt func(n *yaml.Node) *yaml.Node
	rebuilt = func(n *yaml.Node) *yaml.Node {
		content := slices.Clone(n.Content)
		for i, of := range n.Content {
			content[i] = rebuilt(of)
		}
		s := nodeSlots(n)
		if i, found := at[n]; found {
			s.head, s.foot = merged(commentSlot{entry: i}, s.head), merged(commentSlot{i, true}, s.foot)
		}
		if i, found := ends[n]; found && n != v {
			s.foot = merged(commentSlot{entry: i}, s.foot)
		}
		return s.onNode(withContent(n, content))
	}
	return rebuilt(v)
}

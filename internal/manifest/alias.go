package manifest

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// noteAnchor records the decided value of an anchor. If lines taken from upstream have an alias of an anchor of
// upstream's, local gets the anchor.
func (e *editor) noteAnchor(le *entry, u *place, d *yaml.Node) {
	p := le.value
	if p.node.Anchor == "" && p.node.Kind != yaml.AliasNode && u != nil && e.planted[u.node.Anchor] && sameValue(d, u.node) {
		if p.form == block && le.key != nil {
			e.change(le.mark, le.mark, []byte(" &"+u.node.Anchor))
		} else if p.form != block && p.form != empty {
			e.change(p.start, p.start, []byte("&"+u.node.Anchor+" "))
		}
	}
	if p.node.Anchor != "" {
		e.setAnchor(p.node.Anchor, d)
	}
}

// setAnchor records the value that an anchor has in the result.
func (e *editor) setAnchor(anchor string, value *yaml.Node) {
	if e.anchors == nil {
		e.anchors = map[string]*yaml.Node{}
	}
	e.anchors[anchor] = value
}

// keepsName reports whether a key of the text still has the decided name. It may not if it is an alias.
func (e *editor) keepsName(key, decided *yaml.Node) bool {
	if key == nil || key.Kind != yaml.AliasNode {
		return true
	}
	d, known := e.anchors[key.Value]
	return !known || d.Value == yamlnode.Resolve(decided).Value
}

// aliased finds the fields whose keys are aliases, by the decided values of their anchors.
func (e *editor) aliased(p *place) map[string]int {
	if !e.text.marked || e.bare || p == nil {
		return nil
	}
	at := map[string]int{}
	for i := range p.entries {
		if key := p.entries[i].key; key != nil && key.Kind == yaml.AliasNode {
			if d, known := e.anchors[key.Value]; known && d.Kind == yaml.ScalarNode {
				at[d.Value] = i
			}
		}
	}
	return at
}

// isMarked reports whether there is an anchor, an alias or a merge key in an entry of the other text.
func (e *editor) isMarked(from *entry) bool {
	return e.other.marked && (isMarked(from.value.node) || from.key != nil && isMarked(from.key))
}

// asTheyStand reports whether the lines of upstream's entry, which have anchors, aliases or merge keys, read as the
// decided entry. If so, they are taken unchanged, and local's aliases below may name their anchors.
func (e *editor) asTheyStand(from *entry, part *Part) bool {
	if e.expands {
		return false
	}
	var c checker
	c.entry(part.Key, part.Value, from.key, from.value.node, false)
	if c.valuePath != nil || c.commentPath != nil {
		return false
	}
	if e.named == nil {
		e.named = map[string]bool{}
	}
	note := func(n *yaml.Node) {
		switch {
		case n.Kind == yaml.AliasNode:
			e.named[n.Value] = true
		case n.Anchor != "":
			e.setAnchor(n.Anchor, n)
		}
	}
	if yamlnode.Walk(from.value.node, note); from.key != nil {
		note(from.key)
	}
	return true
}

// alias reports whether the anchor of an alias has the decided value of the part.
func (e *editor) alias(n *yaml.Node, part *Part) bool {
	at, known := e.anchors[n.Value]
	return known && !e.bare && sameValue(part.Value, at)
}

// inherited removes from children the fields that come from a merge key, and reports whether the map has all of them.
// Fields with another value stay beside the merge key, which takes the place of the first; if all fields are written
// out, it stays in its own place.
func (e *editor) inherited(lp *place, part *Part, children []child) ([]child, bool) {
	at := -1
	if e.text.marked {
		at = lp.mergeKey()
	}
	if at < 0 {
		return children, true
	}
	own := part.Local.Value
	if e.base != parts.Local || own == nil || own.Kind != yaml.MappingNode {
		return nil, false
	}
	children, ok := e.withMergeKey(lp, at, children)
	if ok {
		markStaying(e.text.bytes, lp, children)
	}
	return children, ok
}

// withMergeKey returns the children beside the merge key at an index, and the merge key itself. It fails if the map lacks
// one of the fields that come from there, or has another value for each.
func (e *editor) withMergeKey(lp *place, at int, children []child) (out []child, ok bool) {
	if i := slices.IndexFunc(children, func(k child) bool { return isMergeKey(k.part.Key) }); i >= 0 { // the map was taken whole
		children[i].at = at
		return children, true
	}
	given, same := e.given(lp, at)
	count, overridden, mergeKey := 0, false, child{part: &Part{Key: lp.entries[at].key, Value: lp.entries[at].value.node}, at: at, up: -1, index: len(children)}
	for i := range children {
		k := &children[i]
		name := yamlnode.Resolve(k.part.Key).Value
		value := given[name]
		if k.at >= 0 || value == nil {
			out = append(out, *k)
			continue
		}
		if delete(given, name); !same(k.part.Value, value) {
			out, overridden = append(out, *k), true
			continue
		}
		if count++; count == 1 {
			mergeKey.index = k.index
			out = append(out, mergeKey)
		}
	}
	if len(given) > 0 || overridden && count == 0 {
		return nil, false
	}
	if count == 0 {
		behind := slices.IndexFunc(out, func(k child) bool { return k.at > at })
		if behind < 0 {
			behind = len(out)
		}
		out = slices.Insert(out, behind, mergeKey)
	}
	return out, true
}

// given returns the values of the fields that the merge key of a map gives it, with the decided values of anchors, and
// a function that compares them with decided fields: an anchor that changed has its comments.
func (e *editor) given(lp *place, at int) (fields map[string]*yaml.Node, same func(a, b *yaml.Node) bool) {
	sources, same := slices.Clone(mergeSources(lp.entries[at].value.node)), sameTree
	for i, n := range sources {
		if decided, known := e.anchors[n.Value]; known && n.Kind == yaml.AliasNode {
			sources[i], same = decided, sameValue
		}
	}
	fields = map[string]*yaml.Node{}
	for _, n := range sources {
		n = flattened(yamlnode.Resolve(n))
		for i := 0; i+1 < len(n.Content); i += 2 {
			if name := yamlnode.Resolve(n.Content[i]).Value; fields[name] == nil {
				fields[name] = n.Content[i+1]
			}
		}
	}
	for _, le := range lp.entries {
		if le.key != nil && !isMergeKey(le.key) {
			delete(fields, yamlnode.Resolve(le.key).Value)
		}
	}
	return fields, same
}

package manifest

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// learn notes what was decided where an anchor is.
func (e *editor) learn(p *place, d *yaml.Node) {
	if p.node.Anchor == "" {
		return
	}
	if e.anchors == nil {
		e.anchors = map[string]*yaml.Node{}
	}
	e.anchors[p.node.Anchor] = d
}

// alias reports whether an alias says what was decided: what its anchor does.
func (e *editor) alias(n *yaml.Node, part *Part) bool {
	at, known := e.anchors[n.Value]
	return known && !e.bare && sameValue(part.Value, at)
}

// inherited takes the fields out of kids that a merge key gives, if they are as
// local has them, and reports whether they are.
func (e *editor) inherited(lp *place, part *Part, kids []kid) ([]kid, bool) {
	at := slices.IndexFunc(lp.entries, func(le entry) bool { return le.key != nil && isMergeKey(le.key) })
	if at < 0 {
		return kids, true
	}
	own := e.mine(part).Value
	if own == nil || own.Kind != yaml.MappingNode || e.base != identity.Local {
		return nil, false
	}
	var out []kid
	count := 0
	for i := range kids {
		k := &kids[i]
		was := e.mine(k.part)
		if k.at >= 0 || was.Value == nil {
			out = append(out, *k)
			continue
		}
		if !sameTree(k.part.Value, was.Value) {
			return nil, false
		}
		if count++; count == 1 {
			out = append(out, kid{part: &Part{Key: lp.entries[at].key, Value: lp.entries[at].value.node}, at: at, up: -1, index: k.index})
		}
	}
	written := len(lp.entries) - 1
	if count != len(own.Content)/2-written {
		return nil, false
	}
	markStaying(e.text.bytes, lp, out)
	return out, true
}

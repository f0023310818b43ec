package merge

import (
	"errors"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Outcome is what became of one resource.
type Outcome struct {
	// Node is the merged resource, nil if the result has none. It is the very
	// node of the side whose version comes out unaltered, and shares nodes with
	// the sides otherwise: neither is to be altered.
	Node      *yaml.Node
	Conflicts []Conflict
	Remarks   []Remark
	// Part says what Node was made of, where it was merged.
	Part Part
}

// Resource merges the versions of one resource, each a mapping or nil where
// the side lacks it, by the rows of DESIGN 3.8. Bookkeeping is to be taken off
// them before. kind is what is known about its kind; of the zero Resource, all
// lists are decided whole.
//
// A version that cannot be merged (duplicate keys, alias cycles and bombs,
// nesting deeper than 1,000) is a Fault. Where upstream left such a resource as origin has it,
// local's passes through as it is.
func Resource(versions [3]*yaml.Node, kind schema.Resource, policy Policy) (Outcome, error) {
	l := versions[local]
	untouched := l != nil && identical(versions[origin], versions[upstream])
	if untouched && !hasNull(l) || onlyOn(versions, local) {
		return Outcome{Node: l}, nil
	}
	if onlyOn(versions, upstream) {
		return Outcome{Node: versions[upstream]}, nil
	}
	prepared, err := prepareAll(versions)
	if err != nil {
		if untouched {
			return Outcome{Node: l}, nil
		}
		return Outcome{}, err
	}
	if prepared[upstream] == nil && onlyRenamed(kind.Type, prepared[origin], prepared[local]) {
		return Outcome{}, nil
	}
	if prepared[origin] == nil && prepared[upstream] != nil && prepared[local] != nil {
		prepared[origin] = standIn(prepared[upstream])
	}
	e := collator{kind: kind}.collate(nil, kind.Type, [3]*yaml.Node{}, prepared)
	d := decideIdentified(e, policy)
	out := Outcome{Conflicts: d.gather(nil), Remarks: d.gatherRemarks(nil)}
	if d.verdict == drop {
		return out, nil
	}
	m := emitter{policy: policy, remarks: &out.Remarks}
	n, err := m.value(e, d)
	if err != nil {
		return Outcome{}, err
	}
	out.Node = m.element(e, n)
	out.Part = madeOf(e, d, nil, out.Node, [3]int{})
	for _, side := range [2]identity.Side{upstream, local} {
		if out.Node == prepared[side] {
			out.Node = versions[side]
		}
	}
	return out, nil
}

func onlyOn(versions [3]*yaml.Node, only identity.Side) bool {
	for _, side := range identity.Sides() {
		if (versions[side] != nil) != (side == only) {
			return false
		}
	}
	return true
}

// ResultKind is the apiVersion and kind that the merged resource will have: the
// schema of these describes it.
func ResultKind(versions [3]*yaml.Node) (apiVersion, kind string) {
	o, u, l := kindOf(versions[origin]), kindOf(versions[upstream]), kindOf(versions[local])
	if u[0] != "" && (l[0] == "" || u[0] != o[0]) {
		return u[0], u[1]
	}
	return l[0], l[1]
}

func kindOf(n *yaml.Node) (out [2]string) {
	for i, name := range [2]string{"apiVersion", "kind"} {
		if v := lookup(n, []string{name}); v != nil {
			out[i] = v.Value
		}
	}
	return out
}

func prepareAll(versions [3]*yaml.Node) (out [3]*yaml.Node, err error) {
	for _, side := range identity.Sides() {
		out[side], err = prepare(versions[side])
		if fault := (*Fault)(nil); errors.As(err, &fault) {
			fault.Side = side
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// identical compares two nodes as they are written, comments and all, without
// following aliases: whatever it finds alike needs no merge.
func identical(a, b *yaml.Node) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	if a.Kind != b.Kind || a.Tag != b.Tag || a.Value != b.Value || a.Anchor != b.Anchor ||
		nodeSlots(a) != nodeSlots(b) || isWord(a) != isWord(b) || len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !identical(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// hasNull says whether there is a null anywhere, which may be a deletion.
func hasNull(n *yaml.Node) bool {
	if isNull(n) {
		return true
	}
	for _, c := range n.Content {
		if hasNull(c) {
			return true
		}
	}
	return false
}

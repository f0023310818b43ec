package merge

import (
	"errors"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// mergeVersions is Resource without the verdict.
func mergeVersions(versions [3]*yaml.Node, kind schema.Resource, policy Policy) (Outcome, error) {
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
	e := collator{kind: kind}.resource(prepared)
	d := decideIdentified(e, policy)
	out := Outcome{Conflicts: d.gather(nil), Remarks: d.gatherRemarks(nil)}
	if d.verdict == drop {
		return out, nil
	}
	m := emitter{policy: policy, remarks: &out.Remarks, own: ownComments{}}
	n, err := m.value(e, d)
	if err != nil {
		return Outcome{}, err
	}
	out.Node = m.element(e, n, tail{}, false)
	out.Part = madeOf(e, d, nil, out.Node, [3]int{})
	for _, side := range [2]identity.Side{upstream, local} {
		if out.Node == prepared[side] {
			out.Node = versions[side]
		}
	}
	m.own.learn(prepared[local])
	out.Node = withoutSurplus(out.Node, versions, m.own)
	if out.Node != versions[upstream] && out.Node != versions[local] {
		out.Part = out.Part.With(out.Node, nil)
	}
	if out.Node == versions[local] {
		out.Remarks = slices.DeleteFunc(out.Remarks, func(r Remark) bool { return r.Kind == CommentReplaced })
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

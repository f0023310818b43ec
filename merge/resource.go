package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Resource merges the versions of one resource, each a mapping or nil where the side
// lacks it, by the rows of rules/resources: additions and deletions. Bookkeeping is to
// be taken off them before. kind is what is known about its kind; of the zero Resource,
// all lists are atomic.
//
// A version that cannot be merged (duplicate keys, alias cycles and bombs,
// nesting deeper than 1,000) is a Fault. Where upstream left such a resource as
// origin has it, local's passes through as it is.
func Resource(versions [3]*yaml.Node, kind schema.Resource, policy Policy) (Outcome, error) {
	return ResourceBy(ThreeWay{}, versions, kind, policy)
}

// ResourceBy is Resource by other rules. What is known about the kind has to be of the
// column of the schema that the rules go by.
func ResourceBy(rules Rules, versions [3]*yaml.Node, kind schema.Resource, policy Policy) (Outcome, error) {
	if out, stands := rules.standing(versions); stands {
		return out, nil
	}
	prepared, err := prepareAll(versions)
	if err != nil {
		return Outcome{}, err
	}
	c, err := rules.collator(kind, &prepared)
	if err != nil {
		return Outcome{}, err
	}
	e := c.resource(prepared)
	d := rules.decide(e, policy)
	out := Outcome{Verdict: d.verdict, Conflicts: d.gather(nil), Remarks: d.gatherRemarks(nil)}
	if d.verdict == Drop {
		return out, nil
	}
	return out, out.emit(e, d, versions, policy)
}

// emit builds the result of a decision, and says whose version it is: comments
// too have their say. versions are those of e before they were prepared. The
// emitter hands on what it does not alter, so the result is a side's version as it
// stands exactly if it is the very node.
func (out *Outcome) emit(e *element, d decision, versions [3]*yaml.Node, policy Policy) error {
	m := emitter{policy: policy, conflicts: &out.Conflicts, own: ownComments{}, stands: map[*yaml.Node]*yaml.Node{}}
	n, err := m.value(e, d)
	if err != nil {
		return err
	}
	out.Verdict, out.Node = MergeParts, m.element(e, n, tail{}, false)
	out.Part = madeOf(e, d, nil, out.Node, [3]int{})
	for _, side := range [2]identity.Side{upstream, local} {
		if out.Node == e.value[side] {
			out.Verdict, out.Node = take(side), versions[side]
		}
	}
	m.own.learn(e.value[local])
	out.Node = m.withoutSurplus(out.Node, e, versions)
	if out.Node != versions[upstream] && out.Node != versions[local] {
		out.Part = out.Part.With(out.Node, nil)
	}
	if out.Node == versions[local] {
		out.Verdict = TakeLocal
		out.Conflicts = slices.DeleteFunc(out.Conflicts, func(c Conflict) bool { return c.Kind == CommentChanged && c.Chosen == upstream })
	}
	return nil
}

// Rules say whose each part of a result is: an unchanged field, a dropped one, a foreign
// one. There are three: ThreeWay, which merges a package (rules/fields: whole values),
// ClientApply and ServerSide, which foresee what a cluster makes of an apply
// (rules/apply: the strategy apply; rules/server-side-apply: managers). Collate and emit
// do not know which they work for.
type Rules interface {
	// standing is the outcome of versions that need not be laid side by side.
	standing(versions [3]*yaml.Node) (out Outcome, stands bool)
	// collator lays the versions side by side, which it may complete. An error says what is
	// missing in them.
	collator(kind schema.Resource, versions *[3]*yaml.Node) (collator, error)
	// decide decides a resource and all below it. It reads nothing but the element.
	decide(e *element, policy Policy) decision
}

// ThreeWay merges what upstream changed since origin with what local changed since then
// (rules/fields: whole values).
type ThreeWay struct {
	// WholeImages says that a container image is one value, and not a name and a tag
	// (rules/git: the commands).
	WholeImages bool
	// RemovalsCollide says that a resource that local lacks and upstream changed is a
	// conflict. Else local removed it on purpose, it stays removed, and a remark says
	// so (rules/resources: removed on purpose).
	RemovalsCollide bool
	// LocalFirst says that of what both sides add at one place local's comes first, and not
	// upstream's (rules/git: additions at one place).
	LocalFirst bool
	// Moves are the namespaces that local replaced, as the other resources of the package
	// show them: the items of a List follow them (rules/identity: replaced namespaces).
	Moves []identity.Move
}

// standing: where upstream left a resource alone, or one side alone has it, that side's
// version stands. A null that only local has is a deletion, to be carried out, unless a
// version cannot be merged.
func (ThreeWay) standing(versions [3]*yaml.Node) (Outcome, bool) {
	untouched := versions[local] != nil && identical(versions[origin], versions[upstream])
	if untouched && yamlnode.HasNull(versions[local]) {
		_, err := prepareAll(versions)
		untouched = err != nil
	}
	switch {
	case untouched || onlyOn(versions, local):
		return asItStands(versions, local), true
	case onlyOn(versions, upstream):
		return asItStands(versions, upstream), true
	}
	return Outcome{}, false
}

func (r ThreeWay) collator(kind schema.Resource, versions *[3]*yaml.Node) (collator, error) {
	added := versions[origin] == nil && versions[upstream] != nil && versions[local] != nil
	if added {
		versions[origin] = standIn(versions[upstream])
	}
	return collator{
		kind: kind, added: added, rekeys: true, nulls: true, wholeImages: r.WholeImages, removable: !r.RemovalsCollide, localFirst: r.LocalFirst,
		moves: r.Moves,
	}, nil
}

func (ThreeWay) decide(e *element, policy Policy) decision { return decideIdentified(e, policy) }

// Outcome is what became of one resource.
type Outcome struct {
	// Verdict says whose version the result is: a side's as it stands, or one that
	// is made of several.
	Verdict Verdict
	// Node is the merged resource, nil if the result has none. It shares nodes with
	// the sides: neither is to be altered.
	Node      *yaml.Node
	Conflicts []Conflict
	Remarks   []Remark
	made
}

// made says of which parts Node was made, where Verdict is MergeParts: pkgmerge writes the
// resource's text by it.
type made = parts.Made

// asItStands is the outcome that is a side's version, untouched.
func asItStands(versions [3]*yaml.Node, side identity.Side) Outcome {
	return Outcome{Verdict: take(side), Node: versions[side]}
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
		if v := yamlnode.Lookup(n, name); v != nil {
			out[i] = v.Value
		}
	}
	return out
}

// Expanded is a version of a resource with its aliases and merge keys written out, as it
// is merged (rules/comments-and-text: anchors and aliases): the node itself if there are
// none. A version that cannot be merged is a Fault.
func Expanded(n *yaml.Node) (*yaml.Node, error) { return prepare(n) }

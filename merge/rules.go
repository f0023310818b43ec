package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Rules say whose each part of a result is: an unchanged field, a dropped one, a
// foreign one. There are three: ThreeWay, which merges a package (design 3), ClientApply
// and ServerSide, which foresee what a cluster makes of an apply (13, 14). Collate and
// emit do not know which they work for.
type Rules interface {
	// standing is the outcome of versions that need not be laid side by side.
	standing(versions [3]*yaml.Node) (out Outcome, stands bool)
	// collator lays the versions side by side, which it may complete. An error says what is
	// missing in them.
	collator(kind schema.Resource, versions *[3]*yaml.Node) (collator, error)
	// decide decides a resource and all below it. It reads nothing but the element.
	decide(e *element, policy Policy) decision
}

// ThreeWay merges what upstream changed since origin with what local changed since
// then (design 3).
type ThreeWay struct {
	// WholeImages says that a container image is one value, and not a name and a tag (18).
	WholeImages bool
	// RemovalsCollide says that a resource that local lacks and upstream changed is a
	// conflict. Else local removed it on purpose, it stays removed, and a remark says
	// so (3.8).
	RemovalsCollide bool
	// LocalFirst says that of what both sides add at one place local's comes first, and not
	// upstream's (18).
	LocalFirst bool
	// Moves are the namespaces that local replaced, as the other resources of the package
	// show them: the items of a List follow them (2).
	Moves []identity.Move
}

// standing: where upstream left a resource alone, or one side alone has it, that side's
// version stands. A null that only local has is a deletion, to be carried out, unless a
// version cannot be merged.
func (ThreeWay) standing(versions [3]*yaml.Node) (Outcome, bool) {
	untouched := versions[local] != nil && identical(versions[origin], versions[upstream])
	if untouched && hasNull(versions[local]) {
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

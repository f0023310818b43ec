package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Resource merges the versions of one resource, each a mapping or nil where
// the side lacks it, by the rows of design 3.8. Bookkeeping is to be taken off
// them before. kind is what is known about its kind; of the zero Resource, all
// lists are atomic.
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

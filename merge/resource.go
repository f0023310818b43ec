package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Resource merges the versions of one resource, each a mapping or nil if the side lacks it (rules/resources:
// additions and deletions). The caller removes bookkeeping first. kind describes the kind; with the zero value
// all lists are atomic.
//
// A version that cannot be merged is a Fault: it has duplicate keys, alias cycles or bombs, or is nested deeper
// than 1,000 levels. If upstream did not change such a resource, local's version passes through.
func Resource(versions [3]*yaml.Node, kind schema.Resource, policy Policy) (Outcome, error) {
	return ResourceBy(ThreeWay{}, versions, kind, policy)
}

// ResourceBy is Resource with other rules. kind must be from the column of the schema for these rules.
func ResourceBy(rules Rules, versions [3]*yaml.Node, kind schema.Resource, policy Policy) (Outcome, error) {
	if out, ok := rules.settled(versions); ok {
		return out, nil
	}
	prepared, err := expandAll(versions)
	if err != nil {
		return Outcome{}, err
	}
	c, err := rules.collator(kind, &prepared)
	if err != nil {
		return Outcome{}, err
	}
	e := c.resource(prepared)
	d := rules.decide(e, policy)
	out := Outcome{Verdict: d.verdict}
	d.gather(&out)
	if d.verdict == Drop {
		return out, nil
	}
	return out, out.emit(e, d, versions, policy)
}

// emit builds the result of a decision. It takes a side's verdict if the result is that side's very node:
// the emitter returns nodes that it does not alter. versions are the sides before they were prepared.
func (out *Outcome) emit(e *element, d decision, versions [3]*yaml.Node, policy Policy) error {
	m := emitter{policy: policy, conflicts: &out.Conflicts, localComments: localComments{}, fromUpstream: map[*yaml.Node]*yaml.Node{}}
	n, err := m.value(e, d)
	if err != nil {
		return err
	}
	out.Verdict, out.Node = MergeParts, m.element(e, n, tail{}, false)
	out.Part = partFor(e, d, nil, out.Node, [3]int{})
	for _, side := range [2]identity.Side{upstream, local} {
		if out.Node == e.value[side] {
			out.Verdict, out.Node = take(side), versions[side]
		}
	}
	m.localComments.addAll(e.value[local])
	out.Node = m.withoutMovedComments(out.Node, e, versions)
	if out.Node != versions[upstream] && out.Node != versions[local] {
		out.Part = out.Part.With(out.Node, nil)
	}
	if out.Node == versions[local] {
		out.Verdict = TakeLocal
		out.Conflicts = slices.DeleteFunc(out.Conflicts, func(c Conflict) bool { return c.Kind == CommentChanged && c.Chosen == upstream })
	}
	return nil
}

// Rules decide every part of a result. There are three: ThreeWay merges a package (rules/fields: whole values);
// ClientApply and ServerSide foresee an apply (rules/apply: the strategy apply; rules/server-side-apply: managers).
// Collate and emit work the same for all of them.
type Rules interface {
	// settled returns the outcome of versions that need not be collated.
	settled(versions [3]*yaml.Node) (out Outcome, ok bool)
	// collator returns the collator for the versions, which it may complete. The error names what they lack.
	collator(kind schema.Resource, versions *[3]*yaml.Node) (collator, error)
	// decide decides a resource and all below it. It reads nothing but the element.
	decide(e *element, policy Policy) decision
}

// ThreeWay merges upstream's changes since origin with local's (rules/fields: whole values).
type ThreeWay struct {
	// WholeImages makes a container image one value instead of a name and a tag (rules/git: the commands).
	WholeImages bool
	// RemovalsCollide makes it a conflict if upstream changed a resource that local removed. Otherwise it stays
	// removed, with a remark (rules/resources: removed on purpose).
	RemovalsCollide bool
	// LocalFirst puts local's additions before upstream's in one position (rules/git: additions at one place).
	LocalFirst bool
	// IgnoreSetters means that a setter's comment does not decide a value (rules/fields: values that a machine owns).
	IgnoreSetters bool
	// Moves are the namespaces that local replaced in the package; the items of a List follow them
	// (rules/identity: replaced namespaces).
	Moves []identity.Move
}

// settled takes a side's version if upstream did not change the resource, or if one side alone has it. A null that
// only local has is a deletion to carry out, unless a version cannot be merged.
func (ThreeWay) settled(versions [3]*yaml.Node) (Outcome, bool) {
	untouched := versions[local] != nil && identical(versions[origin], versions[upstream])
	if untouched && yamlnode.HasNull(versions[local]) {
		_, err := expandAll(versions)
		untouched = err != nil
	}
	switch {
	case untouched || onlyOn(versions, local):
		return unchangedOutcome(versions, local), true
	case onlyOn(versions, upstream):
		return unchangedOutcome(versions, upstream), true
	}
	return Outcome{}, false
}

func (r ThreeWay) collator(kind schema.Resource, versions *[3]*yaml.Node) (collator, error) {
	added := versions[origin] == nil && versions[upstream] != nil && versions[local] != nil
	if added {
		versions[origin] = standIn(versions[upstream])
	}
	return collator{rules: r, kind: kind, added: added, rekeys: true, nulls: true}, nil
}

func (ThreeWay) decide(e *element, policy Policy) decision { return decideIdentified(e, policy) }

// Outcome is the result for one resource.
type Outcome struct {
	// Verdict names the side whose version the result is, or says that it was made of several.
	Verdict Verdict
	// Node is the merged resource, nil if it was dropped. It shares nodes with the sides, so none may be altered.
	Node      *yaml.Node
	Conflicts []Conflict
	Remarks   []Remark
	made
}

// made has the parts that Node was made of, if the verdict is MergeParts. Package pkgmerge writes the text from
// them.
type made = parts.Made

// unchangedOutcome returns the outcome that is a side's version.
func unchangedOutcome(versions [3]*yaml.Node, side identity.Side) Outcome {
	return Outcome{Verdict: take(side), Node: versions[side]}
}

// ResultKind returns the apiVersion and kind of the merged resource, by which to look up its schema.
func ResultKind(versions [3]*yaml.Node) (apiVersion, kind string) {
	o, u, l := kindOf(versions[origin]), kindOf(versions[upstream]), kindOf(versions[local])
	if u[0] != "" && (l[0] == "" || u[0] != o[0]) {
		return u[0], u[1]
	}
	return l[0], l[1]
}

func kindOf(n *yaml.Node) [2]string {
	return [2]string{scalarField(n, "apiVersion"), scalarField(n, "kind")}
}

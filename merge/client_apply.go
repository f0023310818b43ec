package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// ClientApply says what `kubectl apply` makes of a live object (rules/apply: fields).
// Upstream is the config, local the live object, origin the config that was applied last.
// What is known about the kind is of the column of strategic merge.
//
//	config   last-applied  result
//	has it   any           config's, also where config did not change
//	null     any           removed
//	absent   has it        removed, with all that live has below it
//	absent   absent        live's
//
// What live loses that somebody else wrote there is a conflict Drift.
type ClientApply struct{}

// standing: a live object without config stays. Config without a live object is created,
// without its nulls.
func (ClientApply) standing(versions [3]*yaml.Node) (Outcome, bool) {
	switch {
	case versions[upstream] == nil && versions[local] != nil:
		return asItStands(versions, local), true
	case versions[local] == nil && versions[upstream] != nil && !yamlnode.HasNull(versions[upstream]):
		return asItStands(versions, upstream), true
	}
	return Outcome{}, false
}

func (ClientApply) collator(kind schema.Resource, _ *[3]*yaml.Node) (collator, error) {
	return collator{kind: kind}, nil
}

func (a ClientApply) decide(e *element, _ Policy) decision { return a.element(e) }

func (a ClientApply) element(e *element) decision {
	u, l := e.value[upstream], e.value[local]
	switch {
	case u == nil && e.has(origin), yamlnode.IsNull(u):
		d := decision{verdict: Drop}
		d.lose(e, false)
		return d
	case u == nil && l == nil:
		return decision{verdict: Drop}
	case u == nil && yamlnode.IsNull(l): // no deletion, as it would be in a package
		return decision{verdict: takeMade, made: l}
	case u == nil:
		return decision{verdict: TakeLocal}
	case l == nil:
		return takeConfig(u)
	case e.form == mapping:
		return a.fields(e)
	case e.form == associative:
		return a.elements(e)
	case e.same(u, l):
		return decision{verdict: TakeLocal}
	}
	d := takeConfig(u)
	d.lose(e, false)
	return d
}

// takeConfig decides for config's value. A null in it deletes.
func takeConfig(u *yaml.Node) decision {
	if !yamlnode.HasNull(u) {
		return decision{verdict: TakeUpstream}
	}
	return decision{verdict: takeMade, made: unnulled(u)}
}

// unnulled is a value without the fields that are null.
func unnulled(n *yaml.Node) *yaml.Node {
	if !yamlnode.HasNull(n) {
		return n
	}
	out := *n
	out.Content = nil
	for i, c := range n.Content {
		switch {
		case n.Kind != yaml.MappingNode:
			out.Content = append(out.Content, unnulled(c))
		case i%2 == 1 && !yamlnode.IsNull(c):
			out.Content = append(out.Content, n.Content[i-1], unnulled(c))
		}
	}
	return &out
}

// fields decides a map, entry by entry. A struct that config says something of, and that
// retains its keys, has no other fields than config's.
func (a ClientApply) fields(e *element) decision {
	d := decision{verdict: MergeParts, children: make([]decision, len(e.children))}
	retains := e.typ != nil && e.typ.RetainKeys && slices.ContainsFunc(e.children, isConfigured)
	for i, c := range e.children {
		if retains && !isConfigured(c) {
			d.children[i] = decision{verdict: Drop}
			d.children[i].lose(c, false)
			continue
		}
		d.children[i] = a.element(c)
	}
	d.order = weave(d.children, e.order[local], e.order[upstream])
	return d
}

// isConfigured reports whether config has a value for an element.
func isConfigured(e *element) bool { return e.has(upstream) && !yamlnode.IsNull(e.value[upstream]) }

// elements decides a list with a patch key. Config's order counts: an element that only
// live has follows the nearest before it in live that is in the result. Elements that the
// key leaves alike on a side stay as live has them, as long as config has any of that key;
// it is a conflict if config has others than live.
func (a ClientApply) elements(e *element) decision {
	d := decision{verdict: MergeParts, children: make([]decision, len(e.children))}
	shared := e.sharing()
	for i, c := range e.children {
		if c.unkeyed {
			d.children[i] = shared[c.path.String()].decide(c)
		} else {
			d.children[i] = a.element(c)
		}
	}
	if slices.ContainsFunc(e.children, func(c *element) bool { return c.unkeyed && shared[c.path.String()].differ(e) }) {
		d.conflict(DuplicateKey, e, local)
	}
	d.order = weave(d.children, e.beside(), e.order[local])
	return d
}

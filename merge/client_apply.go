package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// ClientApply foresees the result of `kubectl apply` for a live object (rules/apply: fields). Upstream is the
// config, local the live object, and origin the config that was applied last. The schema of the kind is from
// the column of strategic merge.
//
//	config   last-applied  result
//	has it   any           config's, also where config did not change
//	null     any           removed
//	absent   has it        removed, with all that live has below it
//	absent   absent        live's
//
// A value that live loses and that somebody else wrote is a conflict Drift.
type ClientApply struct{}

// settled keeps a live object without config, and creates config without a live object, unless it has nulls to remove.
func (ClientApply) settled(versions [3]*yaml.Node) (Outcome, bool) {
	switch {
	case versions[upstream] == nil && versions[local] != nil:
		return unchangedOutcome(versions, local), true
	case versions[local] == nil && versions[upstream] != nil && !yamlnode.HasNull(versions[upstream]):
		return unchangedOutcome(versions, upstream), true
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
		d.recordDrift(e, false)
		return d
	case u == nil && l == nil:
		return decision{verdict: Drop}
	case u == nil:
		return keepLive(l)
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
	d.recordDrift(e, false)
	return d
}

// keepLive decides for live's value. A null in it is a value, and no deletion.
func keepLive(l *yaml.Node) decision {
	if yamlnode.IsNull(l) {
		return decision{verdict: takeMade, made: l}
	}
	return decision{verdict: TakeLocal}
}

// takeConfig decides for config's value, in which a null deletes.
func takeConfig(u *yaml.Node) decision {
	if !yamlnode.HasNull(u) {
		return decision{verdict: TakeUpstream}
	}
	return decision{verdict: takeMade, made: unnulled(u)}
}

// unnulled returns a value without the fields that are null.
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

// fields decides a map entry by entry. A struct in config that retains its keys has no fields but config's.
func (a ClientApply) fields(e *element) decision {
	d := decision{verdict: MergeParts, children: make([]decision, len(e.children))}
	retains := e.typ != nil && e.typ.RetainKeys && slices.ContainsFunc(e.children, isConfigured)
	for i, c := range e.children {
		if retains && !isConfigured(c) {
			d.children[i] = decision{verdict: Drop}
			d.children[i].recordDrift(c, false)
			continue
		}
		if d.children[i] = a.element(c); e.isUnset(c) {
			d.children[i].conflicts = nil
		}
	}
	d.order = weave(d.children, e.order[local], e.order[upstream])
	return d
}

func isConfigured(e *element) bool { return e.has(upstream) && !yamlnode.IsNull(e.value[upstream]) }

// elements decides a list with a patch key in config's order: an element that only live has follows its nearest
// predecessor in live. If a side has several elements with one key, they become the elements that kubectl and the server
// make of them; it is a conflict if these differ from config's.
func (a ClientApply) elements(e *element) decision {
	d := decision{verdict: MergeParts, children: make([]decision, len(e.children))}
	unkeyed := e.mergeUnkeyed()
	for i, c := range e.children {
		if c.unkeyed {
			d.children[i] = unkeyed.decisions[c]
		} else {
			d.children[i] = a.element(c)
		}
	}
	if unkeyed.differs {
		d.conflict(DuplicateKey, e, upstream)
	}
	d.order = weave(d.children, e.orderWith(local, upstream), e.order[local])
	return d
}

// recordDrift records a conflict for each value that live loses at an element that is removed or replaced, at the
// path where somebody wrote it: a value of the last config that live has changed, and, if written is set, an entry of
// a plain map or an element of a list that the last config lacks. A field of a struct that the last config lacked, or
// had as null, is usually the server's default, and is no loss; nor is an atomic value that the server only completed.
func (d *decision) recordDrift(e *element, written bool) {
	o, l := e.value[origin], e.value[local]
	switch {
	case l == nil || e.same(o, l) || e.same(e.value[upstream], l):
	case !written && (o == nil || yamlnode.IsNull(o)):
	case o != nil && len(e.children) == 0 && completes(e.typ, o, l):
	case o == nil || len(e.children) == 0 || o.Kind != l.Kind:
		d.conflict(Drift, e, upstream)
	default:
		for _, i := range e.order[local] {
			d.recordDrift(e.children[i], e.form == associative || isPlainMap(e.typ))
		}
	}
}

// isUnset reports whether config has the empty text in a field of a struct, as it had before: the server fills it in.
func (e *element) isUnset(c *element) bool {
	isStruct := e.typ != nil && !isPlainMap(e.typ)
	return isStruct && isEmptyText(c.value[upstream]) && isEmptyText(c.value[origin])
}

func isEmptyText(n *yaml.Node) bool { return n != nil && n.Kind == yaml.ScalarNode && n.Value == "" }

// completes reports whether live's value is the last config's with fields of structs added, as a server adds
// defaults. A server may leave out an empty value.
func completes(typ *schema.Type, o, l *yaml.Node) bool {
	switch {
	case yamlnode.IsEmpty(o) && (l == nil || yamlnode.IsEmpty(l)):
		return true
	case l == nil || o.Kind != l.Kind || o.Kind == yaml.ScalarNode:
		return sameOf(typ, o, l)
	case o.Kind == yaml.SequenceNode:
		return slices.EqualFunc(o.Content, l.Content, func(x, y *yaml.Node) bool { return completes(typ.Element(), x, y) })
	}
	field := yamlnode.Fields(l)
	for i := 0; i < len(o.Content); i += 2 {
		name := o.Content[i].Value
		if !completes(typ.Part(name), o.Content[i+1], field(name)) {
			return false
		}
	}
	return !isPlainMap(typ) || len(l.Content) <= len(o.Content)
}

// isPlainMap reports whether a map has any keys, as labels have, and not the fields of a struct.
func isPlainMap(typ *schema.Type) bool { return typ != nil && len(typ.Fields) == 0 && typ.Elem != nil }

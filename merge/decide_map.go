package merge

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// decideMap follows rules/fields: maps. Key by key; a map that the merge emptied stays,
// as {}, only if upstream and local both still have it. Where one side removed the map,
// its entries are decided under upstream, and the collisions among them are one
// conflict on the map.
func decideMap(e *element, fields []decision, policy Policy) decision {
	u, l := e.effective(upstream) != nil, e.effective(local) != nil
	d := decision{verdict: MergeParts, children: fields}
	if u && l {
		decideUnions(e, &d, policy)
		decideImageFields(e, &d, policy)
		decideApart(e, &d, policy)
	}
	if e.rekeyed {
		decideKey(e, &d, policy)
	}
	d.order = weave(d.children, e.order[local], e.behind(e.order[upstream]))
	switch {
	case !e.has(origin):
	case !l:
		return mapGoneFromLocal(e, d, policy)
	case !u:
		return mapGoneUpstream(e, d, policy)
	}
	return d
}

// mapGoneFromLocal decides a map that local removed: what upstream added to or
// changed in it since origin becomes its value, a conflict unless that is
// nothing. Under policy local, or removed by a null, it stays away.
func mapGoneFromLocal(e *element, d decision, policy Policy) decision {
	changed := len(d.order) > 0 || d.conflicting()
	if !changed {
		return decision{verdict: Drop}
	}
	d.silence()
	chosen := policy.Side(e.path)
	if e.newNull(local) || len(d.order) == 0 {
		chosen = local
	}
	if chosen == local {
		d = decision{verdict: Drop}
	}
	d.conflict(LocalDeleted, e, chosen)
	return d
}

// mapGoneUpstream decides a map that upstream removed: the entries that origin
// had go, those only local has stay. It is a conflict if local had changed one
// that goes; under policy local, local's map stays then as it is.
func mapGoneUpstream(e *element, d decision, policy Policy) decision {
	conflict := d.conflicting()
	d.silence()
	if len(d.order) == 0 {
		d = decision{verdict: Drop}
	}
	if !conflict {
		return d
	}
	chosen := policy.Side(e.path)
	if chosen == local {
		d = decision{verdict: TakeLocal}
	}
	d.conflict(UpstreamDeleted, e, chosen)
	return d
}

// decideKey takes the key of an element that both sides re-keyed from one side, all
// parts of it (rules/lists: re-keyed elements): half a key is one that neither side
// wrote.
func decideKey(e *element, d *decision, policy Policy) {
	chosen := policy.Side(e.path)
	for _, key := range e.keys {
		takeField(e, d, strings.Split(key.Name, "."), chosen)
	}
	d.conflict(BothChanged, e, chosen)
}

// takeField takes the field at a path below e from a side, without a word.
func takeField(e *element, d *decision, names []string, side identity.Side) {
	for i, c := range e.children {
		switch below := &d.children[i]; {
		case c.path.field != names[0]:
		case len(names) == 1 || below.verdict != MergeParts:
			*below = version(c, take(side))
		default:
			takeField(c, below, names[1:], side)
			below.order = weave(below.children, c.order[local], c.behind(c.order[upstream]))
		}
	}
}

// lose records what live loses at an element that is removed or set to another value,
// each at the place where somebody wrote it: a value that the last config had and live has
// otherwise, and what written says somebody wrote, an entry of a plain map or an element
// of a list, where the last config has nothing. A field of a struct that the last config
// lacked, or had as null, is the server's default as a rule, and no loss; nor is a value
// decided whole that the server only completed.
func (d *decision) lose(e *element, written bool) {
	o, l := e.value[origin], e.value[local]
	switch {
	case l == nil || e.same(o, l) || e.same(e.value[upstream], l):
	case !written && (o == nil || yamlnode.IsNull(o) && e.typ != nil):
	case o != nil && len(e.children) == 0 && completes(e.typ, o, l):
	case o == nil || len(e.children) == 0 || o.Kind != l.Kind:
		d.conflict(Drift, e, upstream)
	default:
		for _, i := range e.order[local] {
			d.lose(e.children[i], e.form == associative || isPlainMap(e.typ))
		}
	}
}

// completes reports whether live has what the last config had, and besides only fields of
// structs, within what is decided as one value: so a server completes it. What is empty
// a server may leave out.
func completes(typ *schema.Type, o, l *yaml.Node) bool {
	switch {
	case isEmpty(o) && (l == nil || isEmpty(l)):
		return true
	case l == nil || o.Kind != l.Kind || o.Kind == yaml.ScalarNode:
		return sameOf(typ, o, l)
	case o.Kind == yaml.SequenceNode:
		return completesList(typ, o.Content, l.Content)
	}
	field := yamlnode.Fields(l)
	for i := 0; i < len(o.Content); i += 2 {
		name := o.Content[i].Value
		if !completes(typ.Part(name), o.Content[i+1], field(name)) {
			return false
		}
	}
	return !isPlainMap(typ) || len(yamlnode.Names(l)) <= len(yamlnode.Names(o))
}

// completesList is completes for the elements of a list, none of which comes or goes.
func completesList(typ *schema.Type, o, l []*yaml.Node) bool {
	for i := range min(len(o), len(l)) {
		if !completes(typ.Element(), o[i], l[i]) {
			return false
		}
	}
	return len(o) == len(l)
}

// isEmpty reports whether a value is null, or a map or list that has nothing.
func isEmpty(n *yaml.Node) bool {
	return yamlnode.IsNull(n) || n.Kind != yaml.ScalarNode && len(n.Content) == 0
}

// isPlainMap reports whether the keys of a map are its user's, as labels are, and not the
// fields of a struct.
func isPlainMap(typ *schema.Type) bool { return typ != nil && len(typ.Fields) == 0 && typ.Elem != nil }

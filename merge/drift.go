package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

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
	case !written && (o == nil || isNull(o) && e.typ != nil):
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
	return isNull(n) || n.Kind != yaml.ScalarNode && len(n.Content) == 0
}

// isPlainMap reports whether the keys of a map are its user's, as labels are, and not the
// fields of a struct.
func isPlainMap(typ *schema.Type) bool { return typ != nil && len(typ.Fields) == 0 && typ.Elem != nil }

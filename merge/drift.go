package merge

import "github.com/resource-merge/resource-merge/merge/schema"

// lose records what live loses at an element that is removed or set to another value,
// each at the place where somebody wrote it: a value that the last config had and live has
// otherwise, and what written says somebody wrote, an entry of a plain map or an element
// of a list, where the last config has nothing. A field of a struct that the last config
// lacked is the server's default as a rule, and no loss.
func (d *decision) lose(e *element, written bool) {
	o, l := e.value[origin], e.value[local]
	switch {
	case l == nil || e.same(o, l) || e.same(e.value[upstream], l):
	case o == nil && !written:
	case o == nil || len(e.children) == 0 || o.Kind != l.Kind:
		d.conflict(Drift, e, upstream)
	default:
		for _, i := range e.order[local] {
			d.lose(e.children[i], e.form == associative || isPlainMap(e.typ))
		}
	}
}

// isPlainMap reports whether the keys of a map are its user's, as labels are, and not the
// fields of a struct.
func isPlainMap(typ *schema.Type) bool { return typ != nil && len(typ.Fields) == 0 && typ.Elem != nil }

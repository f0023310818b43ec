package merge

import "github.com/resource-merge/resource-merge/identity"

// unchanged reports whether a side has an element as origin has it. To write out a
// key's default is no change (design 3.3).
func (e *element) unchanged(side identity.Side) bool {
	o, s := e.value[origin], e.value[side]
	return e.same(o, s) || e.same(withDefaults(fullKey(o, e.keys), e.typ), withDefaults(fullKey(s, e.keys), e.typ))
}

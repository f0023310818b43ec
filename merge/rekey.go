package merge

import (
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// rekeying finds the elements of a list map that a side has under another key
// than origin (design 3.3): a port renumbered, a container or volume renamed, a
// mount moved. Of a set it finds the references that a side has in another version.
type rekeying struct {
	*element
	keys  []schema.Key
	signs []signature
	// became says, by side, which child an element of origin is there, where that
	// is another one.
	became [3]map[int]int
	// used are the children that were joined already, and what they were joined with.
	used map[int]int
	// whole are the elements of origin that both sides replaced.
	whole map[int]bool
}

// joinRekeyed makes one child of each element that a side re-keyed: that side
// changed it, and keeps what the other side changed. So it does of two that both
// sides added with other keys, if a second field says that they are one.
func joinRekeyed(e *element, keys []schema.Key) {
	isNew := func(i int) bool { return e.came(i, upstream) || e.came(i, local) }
	if !slices.ContainsFunc(e.order[upstream], isNew) && !slices.ContainsFunc(e.order[local], isNew) {
		return
	}
	r := rekeying{element: e, keys: keys, used: map[int]int{}, whole: map[int]bool{}}
	switch {
	case len(keys) > 0:
		r.signs = signatures(keys)
	case e.typ != nil && e.typ.Relation == schema.Set:
		r.signs = []signature{references()}
	default:
		return
	}
	for _, side := range [2]identity.Side{upstream, local} {
		r.became[side] = r.successors(side)
	}
	if len(keys) > 0 {
		replacing{element: e, keys: keys, became: r.became, whole: r.whole}.find()
	}
	for _, o := range e.order[origin] {
		r.join([3]int{origin: o, upstream: r.place(o, upstream), local: r.place(o, local)})
	}
	if len(keys) > 0 && isPort(keys) {
		r.joinAdded()
	}
	r.renumber()
}

// successors finds what the elements that left a side became there: the one that
// came and agrees with it in a second unique field, or in all but the key, if
// only they do. That may be its version of the other side too: what was merged
// once is known again.
func (r rekeying) successors(side identity.Side) map[int]int {
	gone := slices.DeleteFunc(slices.Clone(r.order[origin]), func(i int) bool { return !r.left(i, side) })
	if len(gone) == 0 {
		return nil
	}
	became, taken := map[int]int{}, map[int]bool{}
	for _, sign := range r.signs {
		own := r.unique(origin, sign)
		for _, from := range [2]identity.Side{otherSide(side), origin} {
			alike := r.alike(from, side, sign)
			for _, i := range gone {
				to, found := alike[i]
				_, unique := own[sign(r.children[i].value[origin])]
				if _, done := became[i]; found && unique && !done && !taken[to] {
					became[i], taken[to] = to, true
				}
			}
		}
	}
	return became
}

// alike pairs the elements of a version with those new on a side that alone have
// the same signature.
func (r rekeying) alike(from, side identity.Side, sign signature) map[int]int {
	there, here := r.unique(from, sign), r.unique(side, sign)
	out := make(map[int]int, len(there))
	for text, i := range there {
		if to, found := here[text]; found && r.came(to, side) {
			out[i] = to
		}
	}
	return out
}

// place is the child that an element of origin is on a side, -1 if it is gone
// there. Of an element that the other side re-keyed, the new key without the old
// one is enough.
func (r rekeying) place(o int, side identity.Side) int {
	if to, moved := r.became[side][o]; moved {
		return to
	}
	if r.children[o].has(side) {
		return o
	}
	if to, moved := r.became[otherSide(side)][o]; moved && r.children[to].has(side) {
		return to
	}
	return -1
}

// join makes one of the children that an element is on each side, -1 where it is
// on none. It does not if the list would have a key twice then, or an element
// would be two.
func (r rekeying) join(at [3]int) {
	u, l := at[upstream], at[local]
	moved := u >= 0 && u != at[origin] || l >= 0 && l != at[origin]
	if !moved || r.taken(at, upstream) || r.taken(at, local) {
		return
	}
	into := l
	if l < 0 {
		into = u
	}
	joined := &element{path: r.children[into].path, whole: r.whole[at[origin]]}
	for side, i := range at {
		if i >= 0 {
			joined.value[side] = r.children[i].value[side]
			r.used[i] = into
		}
	}
	if at[origin] >= 0 {
		joined.path = r.children[at[origin]].path
	}
	joined.rekeyed = u != l && min(u, l) >= 0 && u != at[origin] && l != at[origin]
	r.children[into] = joined
}

// taken reports whether the child that an element is on a side belongs to another
// element too.
func (r rekeying) taken(at [3]int, side identity.Side) bool {
	i, other := at[side], otherSide(side)
	if i < 0 || i == at[origin] {
		return false
	}
	_, used := r.used[i]
	return used || i != at[other] && r.children[i].has(other)
}

// joinAdded joins the ports that both sides added under different numbers and
// one name, which no port of origin has.
func (r rekeying) joinAdded() {
	known, both := r.unique(origin, portName), r.alike(local, upstream, portName)
	for _, l := range r.order[local] {
		u, found := both[l]
		if _, old := known[portName(r.children[l].value[local])]; found && !old && u != l && r.came(l, local) {
			r.join([3]int{origin: -1, upstream: u, local: l})
		}
	}
}

// renumber takes out the children that were joined with others.
func (r rekeying) renumber() {
	if len(r.used) == 0 {
		return
	}
	index := make([]int, len(r.children))
	var children []*element
	for i, c := range r.children {
		if into, joined := r.used[i]; !joined || into == i {
			index[i] = len(children)
			children = append(children, c)
		}
	}
	for i, into := range r.used {
		index[i] = index[into]
	}
	for _, order := range r.order {
		for at, i := range order {
			order[at] = index[i]
		}
	}
	r.children = children
}

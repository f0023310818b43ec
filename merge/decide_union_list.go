package merge

import (
	"cmp"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// decideUnion decides a list without keys that both sides changed, under the policy
// union (rules/conflicts: policies): local's, without what upstream removed, and with
// what upstream added, once where both added it. A list that a side removed is one of
// which it removed all elements. A list whose keys are inferred once it is united is not: the
// next merge would match its elements by these keys, and remove what this one kept.
func decideUnion(e *element, policy Policy) (decision, bool) {
	u, l := e.effective(upstream), e.effective(local)
	lists := areLists(e.value[origin], u, l)
	if policy(e.path) != PreferUnion || !lists || e.newNull(upstream) || e.newNull(local) {
		return decision{}, false
	}
	base := l
	if base == nil {
		base = u
	}
	out := *base
	out.Content = e.unite()
	if e.guessed && len(out.Content) > 0 && schema.InferKeys(e.parts(origin, yaml.SequenceNode), e.parts(upstream, yaml.SequenceNode), out.Content) != nil {
		return decision{}, false
	}
	d := e.made(&out)
	if len(out.Content) == 0 && (u == nil || l == nil) {
		d = decision{verdict: Drop}
	}
	d.remark(UnionTaken, e)
	return d, true
}

// areLists reports whether the versions are lists of one tag, or absent.
func areLists(o, u, l *yaml.Node) bool {
	one := cmp.Or(u, l, o)
	for _, n := range [3]*yaml.Node{o, u, l} {
		if n != nil && (n.Kind != yaml.SequenceNode || !sameForm(n, one)) {
			return false
		}
	}
	return true
}

// unite is the elements of the united list. Of equal elements it has as few as
// the side that has fewer, if one has fewer than origin, else as many as the
// side that has more: so it comes out as it is if it is merged again.
func (e *element) unite() []*yaml.Node {
	lists := [3][]*yaml.Node{e.parts(origin, yaml.SequenceNode), e.parts(upstream, yaml.SequenceNode), e.parts(local, yaml.SequenceNode)}
	u := newUniting(e, lists)
	u.dropRemoved()
	after := u.additions()
	out := pick(lists[upstream], after[-1])
	for i, n := range lists[local] {
		if !u.dropped[i] {
			out = append(out, n)
		}
		out = append(out, pick(lists[upstream], after[i])...)
	}
	return out
}

// uniting is the union of lists in the making. Equal numbers are equal elements.
type uniting struct {
	ids [3][]int
	// inOrigin has for each element of upstream and local its counterpart in
	// origin, and inUpstream for each of origin that in upstream, or -1.
	inOrigin   [3][]int
	inUpstream []int
	inLocal    []int
	// more is by how many equal elements the union has more than local.
	more    map[int]int
	dropped []bool // of local
}

func newUniting(e *element, lists [3][]*yaml.Node) *uniting {
	u := &uniting{more: map[int]int{}, dropped: make([]bool, len(lists[local]))}
	ids, n := e.numbers(lists)
	u.ids = ids
	var count [3]map[int]int
	for _, side := range identity.Sides() {
		count[side] = map[int]int{}
		for _, id := range ids[side] {
			count[side][id]++
		}
	}
	for id := range n {
		wanted := max(count[upstream][id], count[local][id])
		if fewest := min(count[upstream][id], count[local][id]); fewest < count[origin][id] {
			wanted = fewest
		}
		u.more[id] = wanted - count[local][id]
	}
	u.inUpstream, u.inLocal = counterparts(u.ids[origin], u.ids[upstream]), counterparts(u.ids[origin], u.ids[local])
	u.inOrigin[upstream], u.inOrigin[local] = inverted(u.inUpstream, len(lists[upstream])), inverted(u.inLocal, len(lists[local]))
	return u
}

// counterparts is align.Pairs, and pairs also what is equal in other places, the first
// with the first.
func counterparts(a, b []int) []int {
	match := align.Pairs(a, b)
	waiting := map[int][]int{}
	for j, i := range inverted(match, len(b)) {
		if i < 0 {
			waiting[b[j]] = append(waiting[b[j]], j)
		}
	}
	for i, j := range match {
		if left := waiting[a[i]]; j < 0 && len(left) > 0 {
			match[i], waiting[a[i]] = left[0], left[1:]
		}
	}
	return match
}

// inverted is a pairing seen from the other sequence, of length n.
func inverted(match []int, n int) []int {
	out := make([]int, n)
	for j := range out {
		out[j] = -1
	}
	for i, j := range match {
		if j >= 0 {
			out[j] = i
		}
	}
	return out
}

// dropRemoved drops elements of local that are too many: the very ones that
// upstream removed, else the last.
func (u *uniting) dropRemoved() {
	drop := func(i int) {
		if id := u.ids[local][i]; u.more[id] < 0 && !u.dropped[i] {
			u.dropped[i] = true
			u.more[id]++
		}
	}
	for i, o := range u.inOrigin[local] {
		if o >= 0 && u.inUpstream[o] < 0 {
			drop(i)
		}
	}
	for i := len(u.dropped) - 1; i >= 0; i-- {
		drop(i)
	}
}

// addition is an element of upstream's, and the element of local's that it follows.
type addition struct{ element, place int }

// additions are the elements of upstream that the union has beside local's, by
// the element of local's that they follow, -1 for none: the nearest preceding
// sibling in upstream that the union has, and after that what local added there.
func (u *uniting) additions() map[int][]int {
	own := map[int][]int{} // local's additions that upstream may have too
	for i, o := range u.inOrigin[local] {
		if o < 0 {
			own[u.ids[local][i]] = append(own[u.ids[local][i]], i)
		}
	}
	out := map[int][]int{}
	place, shared := -1, make([]bool, len(u.ids[local]))
	var added []addition
	for i, o := range u.inOrigin[upstream] {
		id := u.ids[upstream][i]
		switch twins := own[id]; {
		case o >= 0 && u.inLocal[o] >= 0:
			place = u.inLocal[o]
		case o >= 0:
		case len(twins) > 0:
			place, own[id] = twins[0], twins[1:]
			shared[place] = true
		case u.more[id] > 0:
			u.more[id]--
			added = append(added, addition{i, place})
		}
	}
	at := -1
	for n, a := range added {
		if n == 0 || a.place != added[n-1].place {
			at = a.place
		}
		for at+1 < len(shared) && !shared[at+1] && (u.inOrigin[local][at+1] < 0 || u.dropped[at+1]) {
			at++
		}
		out[at] = append(out[at], a.element)
	}
	return out
}

// pick is some elements of a list.
func pick(list []*yaml.Node, at []int) []*yaml.Node {
	var out []*yaml.Node
	for _, i := range at {
		out = append(out, list[i])
	}
	return out
}

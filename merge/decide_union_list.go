package merge

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// decideUnion unites a list without keys that both sides changed, under the policy union (rules/conflicts: policies):
// local's elements, without upstream's removals, and with upstream's additions, once if both added an element. A list
// that a side removed counts as empty. A list whose united elements would have inferred keys is not united: the next
// merge would match the elements by these keys, and remove some of them.
func decideUnion(e *element, policy Policy) (decision, bool) {
	v := e.versions()
	if policy.otherwise(e.path) != PreferUnion || !areLists(v) || e.newNull(upstream) || e.newNull(local) {
		return decision{}, false
	}
	out := *cmp.Or(v[local], v[upstream])
	lists := e.lists()
	out.Content = e.unite(lists)
	if e.guessed && len(out.Content) > 0 && schema.InferKeys(lists[origin], lists[upstream], out.Content) != nil {
		return decision{}, false
	}
	d := e.made(&out)
	if len(out.Content) == 0 && (v[upstream] == nil || v[local] == nil) {
		d = decision{verdict: Drop}
	}
	d.remark(UnionTaken, e)
	return d, true
}

// areLists reports whether the versions are lists of one tag, or absent.
func areLists(versions [3]*yaml.Node) bool {
	one := cmp.Or(versions[:]...)
	return !slices.ContainsFunc(versions[:], func(n *yaml.Node) bool { return n != nil && (n.Kind != yaml.SequenceNode || !sameForm(n, one)) })
}

// unite returns the elements of the united list. It has an element as often as the side that has fewer, if one has
// fewer than origin, else as often as the side that has more, so that merging it again changes nothing.
func (e *element) unite(lists [3][]*yaml.Node) []*yaml.Node {
	u := newListUnion(e, lists)
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

// listUnion is a union of lists in progress. Equal elements have equal numbers.
type listUnion struct {
	ids [3][]int
	// inOrigin has the index in origin's list of each element of upstream and local, or -1; inUpstream and inLocal
	// have the indices of origin's elements there.
	inOrigin            [3][]int
	inUpstream, inLocal []int
	// more is how often the union has an element more than local.
	more    map[int]int
	dropped []bool // of local
}

func newListUnion(e *element, lists [3][]*yaml.Node) *listUnion {
	ids, n := e.numbers(lists)
	u := &listUnion{ids: ids, more: map[int]int{}, dropped: make([]bool, len(lists[local]))}
	counts := make([][3]int, n)
	for side, list := range ids {
		for _, id := range list {
			counts[id][side]++
		}
	}
	for id, count := range counts {
		wanted := max(count[upstream], count[local])
		if fewest := min(count[upstream], count[local]); fewest < count[origin] {
			wanted = fewest
		}
		u.more[id] = wanted - count[local]
	}
	u.inUpstream, u.inLocal = counterparts(ids[origin], ids[upstream]), counterparts(ids[origin], ids[local])
	u.inOrigin[upstream], u.inOrigin[local] = inverted(u.inUpstream, len(lists[upstream])), inverted(u.inLocal, len(lists[local]))
	return u
}

// counterparts is align.Pairs, and pairs equal elements in other positions too, in their order.
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

// inverted returns a pairing seen from the other sequence, of length n.
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

// dropRemoved drops surplus elements of local: the ones that upstream removed, else the last ones.
func (u *listUnion) dropRemoved() {
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

// additions returns upstream's additions to local's elements, by the element of local's that they follow, -1
// for none: the nearest predecessor in upstream's list that the union has, and after it local's own additions
// there.
func (u *listUnion) additions() map[int][]int {
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

// pick returns some elements of a list.
func pick(list []*yaml.Node, at []int) []*yaml.Node {
	var out []*yaml.Node
	for _, i := range at {
		out = append(out, list[i])
	}
	return out
}

package merge

import (
	"cmp"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// decideList decides an associative list element by element, each of them added and deleted as one (rules/lists: keyed
// lists; rules/lists: sets). The elements of a set have no fields, so the result is local's, plus upstream's additions,
// minus upstream's removals. A list that the merge emptied stays, as [], only if upstream and local both have it.
func decideList(e *element, elements []decision, policy Policy) decision {
	d := decision{verdict: MergeParts, children: elements}
	collideAdded(e, elements, policy)
	orderElements(e, &d, policy)
	d.tellReplaced(e)
	d.silenceCommentedOut(e)
	d.silenceLeft(e)
	isRemoved := e.effective(upstream) == nil || e.effective(local) == nil
	switch {
	case isRemoved && len(d.order) == 0:
		d.verdict = Drop
		d.tellLostComment(e)
	case isRemoved && e.has(origin):
		return listRemoved(e, d, policy)
	}
	d.tellLostEnd(e)
	return d
}

// tellReplaced notes that upstream has a comment of its own on an element in whose place local put another one, such as a patch
// under another name. Where local left an element out, a merge tells nothing of it (rules/conflicts: comments of deleted
// fields).
func (d *decision) tellReplaced(e *element) {
	if e.rules.RemovalsCollide {
		return
	}
	isAnchor := func(c *element) bool { return c.has(origin) && c.has(local) }
	removed := e.byPredecessor(origin, isAnchor, func(i int) bool { return e.isRemoved(i, local) })
	added := e.byPredecessor(local, isAnchor, func(i int) bool { return e.isAdded(i, local) })
	for after, gone := range removed {
		if len(added[after]) == 0 {
			continue
		}
		for _, i := range gone {
			child := &d.children[i]
			if line := e.children[i].ownComment(upstream); line != "" && child.verdict == Drop && len(child.remarks)+len(child.conflicts) == 0 {
				child.commentRemark(UpstreamComment, e.children[i], line)
			}
		}
	}
}

// listRemoved decides a list that one side removed, and to which the other side added elements: these stay, or come, in
// conflict. Under the policy local the list is as local has it.
func listRemoved(e *element, d decision, policy Policy) decision {
	by, chosen := local, policy.Side(e.path)
	if e.effective(upstream) == nil {
		by = upstream
	}
	if e.newNull(local) {
		chosen = local
	}
	d.silenceChildren()
	d.remarks, d.conflicts = nil, nil
	if chosen == local {
		d = e.take(local)
	}
	if c := d.conflict(deletedBy(by), e, chosen); chosen == upstream {
		c.Part = AdditionsPart
	}
	return d
}

// decideUnkeyed decides a list with unkeyed elements whole (rules/fields: whole values), if one side did not
// change the list, or both agree. If both changed the unkeyed elements differently, no key pairs their versions: the list is
// merged as one without keys, unless one side has more or fewer elements with a key that the other side changed. That is a
// conflict duplicate-key (rules/lists: duplicate keys).
func decideUnkeyed(e *element, policy Policy) (d decision, done bool) {
	o, u := e.unkeyedChildren(origin), e.unkeyedChildren(upstream)
	if len(o)+len(u)+len(e.unkeyedChildren(local)) == 0 {
		return decision{}, false
	}
	d = decideAtomic(e, policy)
	if len(d.conflicts) == 0 {
		return e.withLostComments(d, policy), true
	}
	if e.sameUnkeyed(origin, upstream) || e.sameUnkeyed(origin, local) || len(u) > 0 && e.sameUnkeyed(upstream, local) {
		return decision{}, false
	}
	if !e.repeatsKey() {
		upstreams := func(at *Path) Preference { // union would keep an element of each side under one key
			if policy.otherwise(at) == PreferUnion {
				return PreferUpstream | policy(at)&PreferNewest
			}
			return policy(at)
		}
		if merged, ok := decideHunks(e, upstreams); ok {
			d = merged
		}
	}
	for i := range d.conflicts {
		d.conflicts[i].Kind = DuplicateKey
	}
	return d, true
}

// repeatsKey reports whether one side has more or fewer elements with a key than origin, and the other side changed these
// elements otherwise: which of them it meant, no order tells.
func (e *element) repeatsKey() bool {
	withKey := [3]map[string][]string{}
	for side, n := range e.value {
		withKey[side] = map[string][]string{}
		for _, n := range yamlnode.Elements(n) {
			if key := e.children[0].keyOf(n); key != "" {
				withKey[side][key] = append(withKey[side][key], canonicalOf(e.typ.Element(), n))
			}
		}
	}
	for _, side := range [2]map[string][]string{withKey[upstream], withKey[local]} {
		for key := range side {
			o, u, l := withKey[origin][key], withKey[upstream][key], withKey[local][key]
			if (len(u) != len(o) || len(l) != len(o)) && !slices.Equal(u, o) && !slices.Equal(l, o) && !slices.Equal(u, l) {
				return true
			}
		}
	}
	return false
}

// sameUnkeyed reports whether two sides have the same unkeyed children.
func (e *element) sameUnkeyed(a, b identity.Side) bool {
	return slices.EqualFunc(e.unkeyedChildren(a), e.unkeyedChildren(b), func(i, j int) bool { return e.unkeyedText(i) == e.unkeyedText(j) })
}

// unkeyedSide returns the side whose unkeyed children the result has: upstream if that alone changed them.
func (e *element) unkeyedSide() identity.Side {
	if e.sameUnkeyed(origin, local) && !e.sameUnkeyed(origin, upstream) {
		return upstream
	}
	return local
}

func (e *element) unkeyedChildren(side identity.Side) []int {
	return slices.DeleteFunc(slices.Clone(e.order[side]), func(i int) bool { return !e.children[i].unkeyed })
}

// unkeyedText returns a text that two unkeyed children share if and only if they are equal, apart from defaults
// of keys.
func (e *element) unkeyedText(i int) string {
	c := e.children[i]
	return canonicalOf(e.typ.Element(), fullKey(cmp.Or(c.value[origin], c.value[upstream], c.value[local]), c.keys))
}

// orderWith returns a side's order, with the unkeyed children of another side, which the result has, instead of equal ones,
// so that additions follow them.
func (e *element) orderWith(unkeyed, side identity.Side) []int {
	shown := map[string][]int{}
	for _, i := range e.unkeyedChildren(unkeyed) {
		shown[e.unkeyedText(i)] = append(shown[e.unkeyedText(i)], i)
	}
	out := slices.Clone(e.order[side])
	for at, i := range out {
		if !e.children[i].unkeyed || len(shown) == 0 {
			continue
		}
		if text := e.unkeyedText(i); len(shown[text]) > 0 {
			out[at], shown[text] = shown[text][0], shown[text][1:]
		}
	}
	return out
}

// orderElements orders a list's elements (rules/lists: order). Local's order is the base; upstream's is if upstream
// reordered the elements that all sides have and local did not. If both did, differently, that is a conflict, unless
// the list is a set, which has no order.
func orderElements(e *element, d *decision, policy Policy) {
	common := func(side identity.Side) []int {
		return slices.DeleteFunc(slices.Clone(e.order[side]), func(i int) bool {
			c := e.children[i]
			isCommon := c.inAll() || c.orphan && c.inBoth() && policy.Marks(e.path)
			return !isCommon || d.children[i].verdict == Drop
		})
	}
	o, u, l := common(origin), common(upstream), common(local)
	base := local
	switch {
	case slices.Equal(o, u) || slices.Equal(u, l):
	case slices.Equal(o, l):
		base = upstream
	case e.typ == nil || e.typ.Relation != schema.Set:
		base = policy.Side(e.path)
		d.conflict(Order, e, base)
	}
	unkeyed := e.unkeyedSide()
	if base == upstream {
		d.order = e.woven(d.children, e.orderWith(unkeyed, upstream), e.withRemoved(e.orderWith(unkeyed, local), upstream))
	} else {
		d.order = e.woven(d.children, e.orderWith(unkeyed, local), e.withLocalFirst(e.withRemoved(e.orderWith(unkeyed, upstream), local)))
	}
}

// mergedOrder returns the order of a map's children in the result.
func (e *element) mergedOrder(children []decision) []int {
	return e.woven(children, e.order[local], e.withLocalFirst(e.withRemoved(e.order[upstream], local)))
}

// woven is weave, where origin's children that base and the result lack hold their places: a child of other that follows one of
// these also follows what base has in its place.
func (e *element) woven(children []decision, base, other []int) []int {
	has := func(order []int) func(i int) bool {
		in := make([]bool, len(children))
		for _, i := range order {
			in[i] = true
		}
		return func(i int) bool { return in[i] }
	}
	inBase, inOther := has(base), has(other)
	places := slices.DeleteFunc(slices.Clone(e.order[origin]), func(i int) bool {
		return !inBase(i) && !(inOther(i) && children[i].verdict == Drop)
	})
	held := slices.Clone(base)
	slices.Reverse(places)
	slices.Reverse(held)
	held = align.Weave(held, places, inBase)
	slices.Reverse(held)
	return present(children, align.Weave(held, other, has(held)))
}

// withRemoved returns an order for weave with origin's children that its side removed and the other side has, in their places: a
// child that replaces one of them goes where that was.
func (e *element) withRemoved(order []int, other identity.Side) []int {
	kept := map[int]bool{}
	for _, i := range order {
		kept[i] = true
	}
	was := slices.DeleteFunc(slices.Clone(e.order[origin]), func(i int) bool { return !kept[i] && !e.children[i].has(other) })
	if len(was) == 0 {
		return order
	}
	return align.Weave(order, was, func(i int) bool { return kept[i] })
}

// weave returns the children of the result in order (rules/lists: order): the ones in base in its order, and each of
// the others after its nearest preceding sibling in other that base has, else first. Siblings that the result lacks count, so
// that the order depends on no policy.
func weave(children []decision, base, other []int) []int {
	inBase := make([]bool, len(children))
	for _, i := range base {
		inBase[i] = true
	}
	return present(children, align.Weave(base, other, func(i int) bool { return inBase[i] }))
}

// withLocalFirst returns an order of upstream's for weave, with local's additions inserted if they come before
// upstream's in one position (rules/git: additions at one place).
func (e *element) withLocalFirst(order []int) []int {
	if !e.rules.LocalFirst {
		return order
	}
	return align.Behind(e.order[local], order, func(i int) bool { return !e.children[i].has(origin) })
}

// present returns the children of an order that the result has.
func present(children []decision, order []int) []int {
	out := make([]int, 0, len(order))
	for _, i := range order {
		if children[i].verdict != Drop {
			out = append(out, i)
		}
	}
	return out
}

// decidePermissions merges the rules of a role, or the subjects of a binding, as a set of whole values (rules/lists:
// permissions): each stands by itself, and a permission that is missing breaks the side that asked for it. Values that both sides
// changed, each to others, are a collision as in any other list.
func decidePermissions(e *element, policy Policy) (decision, bool) {
	v := e.versions()
	if !e.united || slices.Contains(v[:], nil) || !areLists(v) {
		return decision{}, false
	}
	counts, lists := map[string]int{}, e.lists()
	for _, n := range lists[origin] {
		counts[canonicalOf(e.typ.Element(), n)]++
	}
	var added [3]map[string]string        // the new elements, by kind, namespace and name
	var fresh, missing [3]map[string]bool // the new elements, and the elements of origin's that a side lacks
	for _, side := range [2]identity.Side{upstream, local} {
		rest := maps.Clone(counts)
		added[side], fresh[side], missing[side] = map[string]string{}, map[string]bool{}, map[string]bool{}
		for _, n := range lists[side] {
			text := canonicalOf(e.typ.Element(), n)
			if rest[text]--; rest[text] < 0 {
				added[side][subject(n)], fresh[side][text] = text, true
			}
		}
		for text, n := range rest {
			if n > 0 {
				missing[side][text] = true
			}
		}
	}
	hasOwn := func(side identity.Side) bool {
		for text := range fresh[side] {
			if !fresh[otherSide(side)][text] {
				return true
			}
		}
		return false
	}
	for text := range missing[upstream] {
		if missing[local][text] && hasOwn(upstream) && hasOwn(local) {
			return decision{}, false
		}
	}
	for who, text := range added[upstream] {
		if other, both := added[local][who]; both && who != "" && other != text {
			return decision{}, false
		}
	}
	if len(missing[upstream])+len(missing[local]) > 0 {
		if d, ok := decideHunks(e, policy); ok && len(d.conflicts) == 0 {
			return d, true
		}
	}
	out := *v[local]
	out.Content = e.unite(lists)
	d := e.made(&out)
	d.remark(UnionTaken, e)
	return d, true
}

// subject returns the kind, namespace and name of a binding's subject, "" for a rule.
func subject(n *yaml.Node) string {
	name := yamlnode.Text(yamlnode.Field(n, "name"))
	if name == "" {
		return ""
	}
	return yamlnode.Text(yamlnode.Field(n, "kind")) + " " + yamlnode.Text(yamlnode.Field(n, "namespace")) + "/" + name
}

// decideUnion unites a list without keys that both sides changed, under the policy union (rules/conflicts: policies):
// local's elements, without upstream's removals, and with upstream's additions, once if both added an element. A list
// that a side removed counts as empty. A list whose united elements would have inferred keys is not united: the next
// merge would match the elements by these keys, and remove some of them.
func decideUnion(e *element, policy Policy) (decision, bool) {
	v := e.versions()
	if policy.otherwise(e.path) != PreferUnion || !areLists(v) || e.isAlternative() || e.newNull(upstream) || e.newNull(local) {
		return decision{}, false
	}
	out := *cmp.Or(v[local], v[upstream])
	lists := e.lists()
	out.Content = e.unite(lists)
	if e.guessed && len(out.Content) > 0 && schema.InferKeys([3][]*yaml.Node{lists[origin], lists[upstream], out.Content}) != nil {
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
	// more has the number of occurrences in the union beyond local's, by element.
	more    map[int]int
	dropped []bool // of local
}

func newListUnion(e *element, lists [3][]*yaml.Node) *listUnion {
	ids, n := numbers(e.typ.Element(), lists)
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

// additions returns upstream's additions to local's elements, by the element of local's that they follow, -1 for none:
// the one that the addition replaced, which the union drops, else the nearest predecessor in upstream's list that the union has,
// and after it local's own additions there.
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
	at, replaced := -1, u.replaced()
	last := -2 // the place at which at began
	for _, a := range added {
		if o := replaced[a.element]; o >= 0 && u.inLocal[o] >= 0 && u.dropped[u.inLocal[o]] {
			out[u.inLocal[o]] = append(out[u.inLocal[o]], a.element)
			continue
		}
		if a.place != last {
			at, last = a.place, a.place
		}
		for at+1 < len(shared) && !shared[at+1] && (u.inOrigin[local][at+1] < 0 || u.dropped[at+1]) {
			at++
		}
		out[at] = append(out[at], a.element)
	}
	return out
}

// replaced returns for each element of upstream's the index of the element of origin's in whose place it stands, -1 for none:
// between two elements that stayed, as many came as went.
func (u *listUnion) replaced() []int {
	out := make([]int, len(u.ids[upstream]))
	for i := 0; i < len(out); i++ {
		out[i] = -1
		if u.inOrigin[upstream][i] >= 0 {
			continue
		}
		from, before := i, -1
		if i > 0 {
			before = u.inOrigin[upstream][i-1]
		}
		for i+1 < len(out) && u.inOrigin[upstream][i+1] < 0 {
			i++
			out[i] = -1
		}
		behind := len(u.inUpstream)
		if i+1 < len(out) {
			behind = u.inOrigin[upstream][i+1]
		}
		if behind-before-1 != i+1-from || slices.ContainsFunc(u.inUpstream[before+1:behind], func(j int) bool { return j >= 0 }) {
			continue
		}
		for k := from; k <= i; k++ {
			out[k] = before + 1 + k - from
		}
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

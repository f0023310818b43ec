package merge

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// decideMap decides a map key by key (rules/fields: maps). A map that the merge emptied stays, as {}, only if upstream
// and local both have it. If one side removed the map, its entries are decided under the policy upstream, and their
// conflicts are one conflict of the map.
func decideMap(e *element, fields []decision, policy Policy) decision {
	u, l := e.effective(upstream) != nil, e.effective(local) != nil
	d := decision{verdict: MergeParts, children: fields}
	var inPlace map[int]int
	if u && l {
		decideUnions(e, &d, policy)
		decideImageFields(e, &d, policy)
		decideExclusive(e, &d, policy)
		if e.isReplaced() {
			d = e.take(policy.Side(e.path))
			d.conflict(BothChanged, e, policy.Side(e.path))
			return d
		}
		inPlace = decideRenamed(e, &d, policy)
	}
	if e.rekeyed || e.hasSplitKey(d) {
		decideKey(e, &d, policy)
	}
	d.order = e.orderInPlace(d.children, inPlace)
	d.silenceCommentedOut(e)
	d.silenceLeft(e)
	switch {
	case e.has(origin) && !l:
		return mapRemovedByLocal(e, d, policy)
	case e.has(origin) && !u:
		return mapRemovedByUpstream(e, d, policy)
	}
	d.tellJoined(e, policy)
	d.tellLostEnd(e)
	return d
}

// mapRemovedByLocal decides a map that local removed. It gets upstream's additions and changes as its value, in
// conflict if there are any. Under the policy local, or if a null removed it, it stays removed. A map of names gets
// additions without a conflict.
func mapRemovedByLocal(e *element, d decision, policy Policy) decision {
	conflict := d.conflicting()
	switch {
	case len(d.order) == 0 && !conflict:
		d = decision{verdict: Drop}
		d.tellLostComment(e)
		return d
	case !conflict && e.isMapOfNames() && !e.newNull(local):
		return d
	}
	d.silenceChildren()
	chosen := policy.Side(e.path)
	if e.newNull(local) || len(d.order) == 0 {
		chosen = local
	}
	if chosen == local {
		d = decision{verdict: Drop}
	}
	if c := d.conflict(LocalDeleted, e, chosen); chosen == upstream {
		c.Part = AdditionsPart
	}
	return d
}

// mapRemovedByUpstream decides a map that upstream removed: origin's entries are removed, and local's additions stay.
// It is a conflict if local had changed a removed entry, and if additions stay, but in a map of names; then local's map
// stays under the policy local.
func mapRemovedByUpstream(e *element, d decision, policy Policy) decision {
	part, conflict := "", d.conflicting() || len(d.order) > 0 && !e.isMapOfNames()
	if len(d.order) > 0 {
		part = AdditionsPart
	} else {
		d.verdict = Drop
		d.tellLostComment(e)
		d.children = nil
	}
	if !conflict {
		return d
	}
	d.silenceChildren()
	d.remarks = nil
	chosen := policy.Side(e.path)
	if chosen == local {
		d = decision{verdict: TakeLocal}
	}
	if c := d.conflict(UpstreamDeleted, e, chosen); chosen == upstream {
		c.Part = part
	}
	return d
}

// AdditionsPart is the Part of a conflict about a map or list that one side removed and to which the other side added
// something, which is in the result unless local's version was chosen.
const AdditionsPart = "additions"

// isMapOfNames reports whether the user names the entries of a map, and each stands by itself: then an addition does not
// collide with the removal of the map (rules/fields: deleted maps). The schema says so of maps of strings; where there is
// none, the name of the field does.
func (e *element) isMapOfNames() bool {
	if e.typ != nil && e.typ.Strings {
		return true
	}
	if e.path == nil || e.typ != nil && len(e.typ.Fields) > 0 {
		return false
	}
	name := strings.ToLower(e.path.field)
	isNamed := slices.Contains([]string{"data", "stringdata", "binarydata", "encrypteddata"}, name) ||
		slices.ContainsFunc([]string{"labels", "annotations", "selector"}, func(end string) bool { return strings.HasSuffix(name, end) })
	return isNamed && !slices.ContainsFunc(e.children, func(c *element) bool {
		n := cmp.Or(c.value[local], c.value[upstream], c.value[origin])
		return n.Kind != yaml.ScalarNode
	})
}

// tellLostComment notes that an element which one side alone removed has a comment of the other side's own, in place of the
// notes about its parts. Upstream's are told on a branch only: a copy lacks much that upstream has (rules/conflicts: comments
// of deleted fields).
func (d *decision) tellLostComment(e *element) {
	kind, side := OwnComment, local
	if e.effective(local) == nil {
		kind, side = UpstreamComment, upstream
	}
	if e.effective(side) == nil || e.effective(otherSide(side)) != nil || d.conflicting() ||
		side == upstream && !e.rules.RemovalsCollide {
		return
	}
	if line := e.ownComment(side); line != "" {
		d.silenceChildren()
		d.commentRemark(kind, e, line)
	}
}

// hasSplitKey reports whether a part of a key with several parts is in conflict, because one side re-keyed the element, and
// the other side wrote a part in another way, such as a plain word in quotes.
func (e *element) hasSplitKey(d decision) bool {
	return len(e.keys) > 1 && slices.ContainsFunc(e.keys, func(k schema.Key) bool { return d.conflictsAt(e, strings.Split(k.Name, ".")) })
}

// conflictsAt reports whether the decision about e has a conflict at a path of fields below it.
func (d decision) conflictsAt(e *element, names []string) bool {
	for i, child := range d.children {
		c := e.children[i]
		if c.path.field == names[0] {
			return len(child.conflicts) > 0 || len(names) > 1 && child.conflictsAt(c, names[1:])
		}
	}
	return false
}

// silenceLeft takes away the notes about comments above fields and elements that a side removed without these comments: they
// merge in their place (rules/comments-and-text: comments that a side left).
func (d *decision) silenceLeft(e *element) {
	var told []*decision
	var of []*element
	for i, c := range e.children {
		if child := &d.children[i]; slices.ContainsFunc(child.remarks, isLostComment) {
			told, of = append(told, child), append(of, c)
		}
		for j := range d.children[i].children {
			if element := &d.children[i].children[j]; c.form == associative && slices.ContainsFunc(element.remarks, isLostComment) {
				told, of = append(told, element), append(of, c.children[j])
			}
		}
	}
	if len(told) == 0 {
		return
	}
	left := e.divide(*d)
	for i, c := range of {
		if _, divided := left[commentSlot{id: c}]; divided && !c.hasOwnCommentBelow() {
			told[i].silenceComments()
		}
	}
}

// silenceCommentedOut takes away the notes about entries that lose nothing but commented-out ones: these stay in their place.
func (d *decision) silenceCommentedOut(e *element) {
	for _, i := range e.commentedOutEntries(*d).whole {
		d.children[i].silenceComments()
	}
}

// silenceComments takes away the notes about lost comments.
func (d *decision) silenceComments() {
	d.remarks = slices.DeleteFunc(slices.Clone(d.remarks), isLostComment)
}

func isLostComment(r Remark) bool { return r.Kind == OwnComment || r.Kind == UpstreamComment }

// tellLostEnd notes that upstream has a comment of its own at the end of a map or list from which local removed all parts, in
// place of the notes about the parts. Like other comments of upstream's it is told on a branch only.
func (d *decision) tellLostEnd(e *element) {
	o, u, l := e.value[origin], e.effective(upstream), e.effective(local)
	if o == nil || u == nil || l == nil || len(d.order)+len(l.Content) > 0 || !e.rules.RemovalsCollide || d.conflicting() {
		return
	}
	was := map[string]int{}
	addWords(was, o.FootComment)
	for line := range strings.SplitSeq(u.FootComment, "\n") {
		if hasWords(line) && was[line] == 0 {
			d.silenceChildren()
			d.commentRemark(UpstreamComment, e, line)
			return
		}
	}
}

// decideKey takes all parts of the key of an element that both sides re-keyed from one side (rules/lists:
// re-keyed elements): neither side wrote a key with parts of both.
func decideKey(e *element, d *decision, policy Policy) {
	chosen := policy.Side(e.path)
	for _, key := range e.keys {
		takeField(e, d, strings.Split(key.Name, "."), chosen)
	}
	d.conflict(BothChanged, e, chosen)
}

// takeField takes the field at a path below e from a side, without a conflict.
func takeField(e *element, d *decision, names []string, side identity.Side) {
	for i, c := range e.children {
		switch child := &d.children[i]; {
		case c.path.field != names[0]:
		case len(names) == 1 || child.verdict != MergeParts:
			*child = c.take(side)
		default:
			child.children = slices.Clone(child.children)
			takeField(c, child, names[1:], side)
			child.order = c.mergedOrder(child.children)
		}
	}
}

// union is a union of a struct, with the indices of its members, of their companions, and of its discriminator among the
// children (rules/unions: switches).
type union struct {
	*element
	members, companions, discriminator []int
}

// unions returns the unions of a struct: its type's, and that of a workflow's step, which is known by its fields.
func (e *element) unions() []schema.Union {
	switch step := schema.StepUnion(); {
	case e.typ != nil && len(e.typ.Unions) > 0:
		return e.typ.Unions
	case e.isSwitch(step):
		return []schema.Union{step}
	}
	return nil
}

// isSwitch reports whether each side has one member of a union at most, and not all the same.
func (e *element) isSwitch(typ schema.Union) bool {
	u, names := e.union(typ), map[string]bool{}
	for _, side := range identity.Sides() {
		count := 0
		for _, i := range u.members {
			if u.children[i].has(side) {
				count++
				names[u.children[i].path.field] = true
			}
		}
		if count > 1 {
			return false
		}
	}
	return len(names) > 1
}

// isUnion reports whether a struct has members that exclude each other. Such a struct is added and deleted as one.
func isUnion(typ *schema.Type) bool { return typ != nil && len(typ.Unions) > 0 }

// decideUnions corrects the decisions about a struct's members if a side switched: changed the set of members, or the
// discriminator:
//
//	upstream  local                result
//	-         -                    as any map
//	switched  -                    upstream's members, whatever the policy
//	-         switched             local's members, whatever the policy
//	switched  switched, alike      as any map
//	switched  switched, otherwise  conflict; the members of the policy's side
//
// A changed discriminator outranks members that were added or removed under the old one: a user who switched to
// Recreate keeps it though upstream added parameters of RollingUpdate. If the other side changed something below a
// member that is dropped, that is a conflict.
func decideUnions(e *element, d *decision, policy Policy) {
	for _, typ := range e.unions() {
		u := e.union(typ)
		byUpstream, byLocal := u.switched(upstream), u.switched(local)
		if !byUpstream && !byLocal || !u.differs(upstream, local) {
			continue
		}
		if isOrphan := e.orphan || e.added; isOrphan && byUpstream != byLocal && (policy.Marks(e.path) || e.rules.NoOrigin) {
			continue // its members are in conflict one by one
		}
		winner := upstream
		switch {
		case !byLocal:
		case !byUpstream:
			winner = local
		case u.discriminates(local) == u.discriminates(upstream):
			u.decideSwitches(d, policy.Side(e.path))
			continue
		case u.discriminates(local):
			winner = local
		}
		u.takeMembers(d, winner)
		u.markSwitch(d, policy)
	}
}

// decideSwitches takes the policy's side's members, in conflict.
func (u union) decideSwitches(d *decision, chosen identity.Side) {
	u.takeMembers(d, chosen)
	for _, i := range slices.Concat(u.members, u.companions, u.discriminator) {
		d.children[i].conflicts = nil
		d.children[i].silenceChildren()
	}
	d.conflict(BothChanged, u.element, chosen)
}

// union returns a union with the indices of its children.
func (e *element) union(typ schema.Union) union {
	u := union{element: e}
	for i, c := range e.children {
		switch {
		case slices.Contains(typ.Members, c.path.field):
			u.members = append(u.members, i)
		case slices.Contains(typ.Companions, c.path.field):
			u.companions = append(u.companions, i)
		case typ.Discriminator != "" && c.path.field == typ.Discriminator:
			u.discriminator = append(u.discriminator, i)
		}
	}
	return u
}

// differs reports whether two sides have different members or discriminators.
func (u union) differs(a, b identity.Side) bool {
	return slices.ContainsFunc(u.members, func(i int) bool {
		return (u.children[i].effective(a) != nil) != (u.children[i].effective(b) != nil)
	}) || slices.ContainsFunc(u.discriminator, func(i int) bool {
		return !u.children[i].same(u.children[i].effective(a), u.children[i].effective(b))
	})
}

// switched reports whether a side changed the discriminator, or the set of members to another one. A side that only removed a
// member, and has none in its place, chose nothing.
func (u union) switched(side identity.Side) bool {
	return u.discriminates(side) || u.differs(origin, side) && slices.ContainsFunc(u.members, func(i int) bool { return u.children[i].effective(side) != nil })
}

// discriminates reports whether a side changed the discriminator.
func (u union) discriminates(side identity.Side) bool {
	return union{element: u.element, discriminator: u.discriminator}.differs(origin, side)
}

// takeMembers takes a side's members with their companions, and its discriminator. A member that both sides have is merged
// like any field.
func (u union) takeMembers(d *decision, side identity.Side) {
	for _, i := range slices.Concat(u.members, u.companions) {
		c := u.children[i]
		switch {
		case c.effective(side) == nil:
			d.children[i] = c.dropFor(side)
		case c.effective(otherSide(side)) == nil:
			d.children[i] = c.take(side)
			if c.has(origin) {
				d.children[i].conflict(deletedBy(otherSide(side)), c, side)
			}
		}
	}
	for _, i := range u.discriminator {
		d.children[i] = u.children[i].take(side)
	}
}

// dropFor drops a field because side has none. It is a conflict if the other side changed it.
func (e *element) dropFor(side identity.Side) decision {
	d := decision{verdict: Drop}
	if changed := e.effective(otherSide(side)); changed != nil && !e.same(e.value[origin], changed) && !e.onlyFollows(otherSide(side)) {
		d.conflict(deletedBy(side), e, side)
	}
	d.tellLostComment(e)
	return d
}

// markSwitch makes one conflict of the struct if a switch made conflicts of its members, for markers: they do not
// combine members of both sides.
func (u union) markSwitch(d *decision, policy Policy) {
	if slices.ContainsFunc(slices.Concat(u.members, u.companions), func(i int) bool { return len(d.children[i].conflicts) > 0 }) && policy.Marks(u.path) {
		d.conflict(BothChanged, u.element, policy.Side(u.path))
	}
}

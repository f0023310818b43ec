package merge

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// form is the way in which an element is decided.
type form int

const (
	// atomic: one value, taken from one side (rules/lists: lists without keys).
	atomic form = iota
	// mapping: key by key (rules/fields: maps).
	mapping
	// associative: a list, element by element (rules/lists: keyed lists); a set is one
	// whose elements are their own keys (rules/lists: sets).
	associative
)

// element is a field, a list element or the resource itself, with the version of each side. Collate builds it; decide
// and emit read it.
type element struct {
	path  *Path
	form  form
	typ   *schema.Type
	rules *ThreeWay
	// key has the key nodes of a field.
	key [3]*yaml.Node
	// value is nil if the side lacks the element.
	value [3]*yaml.Node
	// equal marks a list or map that all sides have, written alike. It is atomic.
	equal bool
	// resource marks a resource: the merged one, or an item of a List.
	resource bool
	// unkeyed marks an element of an associative list without a key, or with a key that its side has more than once.
	// It is on one side only.
	unkeyed bool
	// keys are the fields of the key of an element of a list map.
	keys []schema.Key
	// added marks a resource or list element that both sides added. orphan marks everything below: nobody knows
	// whether the other side omitted a field that one side alone has.
	added, orphan bool
	// contained marks a resource, a list element or a map that both sides added, if one side's version contains the other's.
	// joined marks everything below one of which neither version contains the other, and disputed does so on a branch, but in
	// maps of names.
	contained, joined, disputed bool
	// removable marks a resource or an item of a List that stays removed if local removed it, even if upstream
	// changed it (rules/resources: removed on purpose).
	removable bool
	// guessed marks a list whose keys come from no schema.
	guessed bool
	// rekeyed marks an element that upstream and local gave different keys.
	rekeyed bool
	// keyDefault is the default of a field of a key.
	keyDefault *yaml.Node
	// inferred marks an element that one side removed, and that the other side has under another key, by its likeness.
	inferred bool
	// copied is the element of origin's that upstream deleted and that local's own is equal to, but for its key.
	copied *yaml.Node
	// migration names the side that changed the apiVersion of the element's resource.
	migration migration
	// setters has Renovate's comments above the map around a scalar, if they are about it; nil for others.
	setters *[3]string
	// united marks a list of permissions, whose additions of both sides come (rules/lists: permissions).
	united bool
	// described means that a schema describes the whole value. nullIsValue means that none describes the field, so
	// that a null is a value like any other (rules/fields: null).
	described, nullIsValue bool
	// exclusive marks a map that may have no key in common with one of its siblings.
	exclusive bool
	// foreign marks a field that the new apiVersion does not have.
	foreign bool
	// owned lists the owners of the element, or of something below it.
	owned []owned
	// children are the entries of a map or the elements of an associative list: local's in local's order, then the
	// rest of upstream's, then the rest of origin's.
	children []*element
	// order lists each side's children, as indices, in that side's order.
	order [3][]int
	// known has the decisions about the children that depend on no policy, once some of the others were decided by one; the
	// decisions about the others are zero.
	known []decision
}

func (e *element) has(side identity.Side) bool { return e.value[side] != nil }

// same compares two versions of the element.
func (e *element) same(a, b *yaml.Node) bool { return same(e.typ, a, b) }

// unequal has local's lists and maps in which a side was found to differ: so the values around a difference are not
// compared once more for each map around them.
type unequal map[*yaml.Node]bool

// isEqual reports whether all sides have the same list or map, written alike.
func (u unequal) isEqual(e *element) bool {
	l := e.value[local]
	return u != nil && e.inAll() && len(l.Content) > 0 && u.areEqual(e.value)
}

// areEqual reports whether all sides have the same node, written alike.
func (u unequal) areEqual(sides [3]*yaml.Node) bool {
	o, up, l := sides[origin], sides[upstream], sides[local]
	equal := !u[l] && writtenAlike(o, l) && writtenAlike(up, l) && len(o.Content) == len(l.Content) && len(up.Content) == len(l.Content)
	for i := 0; equal && i < len(l.Content); i++ {
		equal = u.areEqual([3]*yaml.Node{origin: o.Content[i], upstream: up.Content[i], local: l.Content[i]})
	}
	if !equal && len(l.Content) > 0 {
		u[l] = true
	}
	return equal
}

// newNull reports whether side has a null that means deletion: in a field that a schema describes, and for which
// neither origin nor the other side has a null (rules/fields: null).
func (e *element) newNull(side identity.Side) bool {
	if e.nullIsValue || side == origin || !yamlnode.IsNull(e.value[side]) || yamlnode.IsNull(e.value[origin]) {
		return false
	}
	return !yamlnode.IsNull(e.value[otherSide(side)])
}

// effective returns the value that a side wants: nil if it lacks the element, or deletes it with a null.
func (e *element) effective(side identity.Side) *yaml.Node {
	if e.newNull(side) {
		return nil
	}
	return e.value[side]
}

// versions returns the effective values of all sides.
func (e *element) versions() [3]*yaml.Node {
	return [3]*yaml.Node{e.value[origin], e.effective(upstream), e.effective(local)}
}

// kind returns the node kind in which the element's versions merge part by part, 0 if the element is atomic. The
// versions of upstream and local must both have that kind, and one tag; origin's version counts as absent if it has
// another kind. A single version has nothing to merge with, unless splitsAll is set or the map has exclusive siblings.
func (e *element) kind(splitsAll bool) yaml.Kind {
	u, l := e.effective(upstream), e.effective(local)
	one := cmp.Or(u, l)
	if one == nil || u != nil && l != nil && !sameForm(u, l) {
		return 0
	}
	several := u != nil && l != nil
	if o := e.value[origin]; o != nil && o.Kind == one.Kind {
		if !several && !sameForm(o, one) {
			return 0
		}
		several = true
	}
	if !several && !e.exclusive && !splitsAll {
		return 0
	}
	return one.Kind
}

// parts returns the content of a side's value if it has the element's kind.
func (e *element) parts(side identity.Side, kind yaml.Kind) []*yaml.Node {
	if n := e.effective(side); n != nil && n.Kind == kind {
		return n.Content
	}
	return nil
}

// lists returns the elements of each side's list.
func (e *element) lists() [3][]*yaml.Node {
	return [3][]*yaml.Node{e.parts(origin, yaml.SequenceNode), e.parts(upstream, yaml.SequenceNode), e.parts(local, yaml.SequenceNode)}
}

// isRemoved reports whether a side removed a child.
func (e *element) isRemoved(i int, side identity.Side) bool {
	return !e.children[i].unkeyed && e.children[i].has(origin) && !e.children[i].has(side)
}

// isAdded reports whether a side added a child.
func (e *element) isAdded(i int, side identity.Side) bool {
	return !e.children[i].unkeyed && !e.children[i].has(origin) && e.children[i].has(side)
}

// inBoth reports whether upstream and local have the element.
func (e *element) inBoth() bool { return e.has(upstream) && e.has(local) }

// inAll reports whether all sides have the element.
func (e *element) inAll() bool { return e.has(origin) && e.inBoth() }

// setDefaults records the defaults of the fields of an element's key.
func (e *element) setDefaults() {
	for _, field := range e.children {
		for _, key := range e.keys {
			if e.form == mapping && key.Name == field.path.field {
				field.keyDefault = defaultNode(key.Default)
			}
		}
	}
}

// unchanged reports whether a side has an element as origin has it. A default that one of them writes out is not a
// change of a key (rules/lists: re-keyed elements).
func (e *element) unchanged(side identity.Side) bool {
	o, s := e.value[origin], e.value[side]
	return e.same(o, s) || e.same(withDefaults(fullKey(o, e.keys), e.typ), withDefaults(fullKey(s, e.keys), e.typ))
}

const (
	origin   = identity.Origin
	upstream = identity.Upstream
	local    = identity.Local
)

func otherSide(side identity.Side) identity.Side {
	if side == upstream {
		return local
	}
	return upstream
}

func onlyOn(versions [3]*yaml.Node, only identity.Side) bool {
	var alone [3]*yaml.Node
	alone[only] = versions[only]
	return versions[only] != nil && versions == alone
}

// keyIndex lists the keys of maps, each once and in the order of the first map that has it.
type keyIndex struct {
	list  []value
	index map[value]int // nil for a short list
	next  int           // the index of the next key if the maps have the same order
}

// few is the length up to which a list is searched without an index.
const few = 8

// find returns the index of a key, and whether the list has it.
func (n *keyIndex) find(key value) (at int, found bool) {
	if n.next < len(n.list) && n.list[n.next] == key {
		n.next++
		return n.next - 1, true
	}
	if n.index != nil {
		at, found = n.index[key]
	} else {
		at = slices.Index(n.list, key)
		found = at >= 0
	}
	if found {
		n.next = at + 1
	}
	return at, found
}

// add appends a key that the list does not have.
func (n *keyIndex) add(key value) {
	n.list = append(n.list, key)
	n.next = len(n.list)
	if n.index != nil {
		n.index[key] = len(n.list) - 1
	} else if len(n.list) > few {
		n.index = make(map[value]int, 2*len(n.list))
		for i, key := range n.list {
			n.index[key] = i
		}
	}
}

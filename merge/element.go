package merge

import (
	"cmp"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// form says how an element is decided.
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

// element is one place in a resource, with what each side has there: a field,
// a list element, or the resource itself. Collate builds it, decide and emit
// read it.
type element struct {
	path *Path
	form form
	typ  *schema.Type
	// key is the field's key node; nil in a list.
	key [3]*yaml.Node
	// value is nil where the side lacks the element.
	value [3]*yaml.Node
	// resource marks a resource, be it the one that is merged or an item of a List.
	resource bool
	// unkeyed marks an element of an associative list that no key tells apart, because
	// it has none or because a side has the key twice. It is on one side only.
	unkeyed bool
	// keys are the fields of the key of an element of a list map.
	keys []schema.Key
	// added marks a resource or an element of a list that both sides added, orphan what
	// is in one: of what one side alone has there, nobody knows whether the other left it out.
	added, orphan bool
	// removable marks a resource, or an item of a List, that stays removed if local removed
	// it, whatever upstream changed (rules/resources: removed on purpose).
	removable bool
	// localFirst says that of what both sides add at one place local's comes first.
	localFirst bool
	// guessed marks a list whose keys no schema knows.
	guessed bool
	// rekeyed marks an element that upstream and local gave different keys.
	rekeyed bool
	// whole marks an element that both sides replaced by another: one side's is taken.
	whole bool
	// fallback is what a field of a key is where it is not written.
	fallback *yaml.Node
	// migration says which side changed the apiVersion that the element is of.
	migration migration
	// described says that a schema describes all that is in the value, and nullIsValue that
	// none describes the field, so that a null is a value like any other (rules/fields:
	// null).
	described, nullIsValue bool
	// wholeImage says that a container image is one value here.
	wholeImage bool
	// apart marks a map that may have no key in common with one beside it.
	apart bool
	// foreign marks a field that the new apiVersion does not have.
	foreign bool
	// owned is who owns the element, or something below it.
	owned []owned
	// children are the entries of a map or the elements of an associative list: local's
	// in local's order, then what only upstream has, then what only origin has.
	children []*element
	// order lists each side's children, as indices, in that side's order.
	order [3][]int
}

func (e *element) has(side identity.Side) bool { return e.value[side] != nil }

// same compares two versions of the element.
func (e *element) same(a, b *yaml.Node) bool { return same(e.typ, a, b) }

// newNull reports whether side has a null that means deletion: one in a field that a
// schema describes, which origin does not have, nor the other side too (rules/fields:
// null).
func (e *element) newNull(side identity.Side) bool {
	if e.nullIsValue || side == identity.Origin || !yamlnode.IsNull(e.value[side]) || yamlnode.IsNull(e.value[identity.Origin]) {
		return false
	}
	return !yamlnode.IsNull(e.value[identity.Upstream]) || !yamlnode.IsNull(e.value[identity.Local])
}

// effective is what a side wants the element to be: its value, or nil where it
// lacks the element or deletes it with a null.
func (e *element) effective(side identity.Side) *yaml.Node {
	if e.newNull(side) {
		return nil
	}
	return e.value[side]
}

// kind is the node kind in which the element's versions can be merged part by
// part, or 0 if it is atomic. Upstream's and local's version must be of
// that kind and of one tag as far as they are there; origin's counts as absent if it is of
// another kind. With one version alone there is nothing to merge, unless alone says so or
// something beside it has a say.
func (e *element) kind(alone bool) yaml.Kind {
	u, l := e.effective(upstream), e.effective(local)
	one := cmp.Or(u, l)
	if one == nil || u != nil && l != nil && !sameForm(u, l) {
		return 0
	}
	other := u != nil && l != nil
	if o := e.value[origin]; o != nil && o.Kind == one.Kind {
		if !other && !sameForm(o, one) {
			return 0
		}
		other = true
	}
	if !other && !e.apart && !alone {
		return 0
	}
	return one.Kind
}

// parts is a side's value if it is of the element's kind, to be merged part by
// part.
func (e *element) parts(side identity.Side, kind yaml.Kind) []*yaml.Node {
	n := e.effective(side)
	if n == nil || n.Kind != kind {
		return nil
	}
	return n.Content
}

// left and came report whether a child is one that a side lost or has new.
func (e *element) left(i int, side identity.Side) bool {
	return !e.children[i].unkeyed && e.children[i].has(origin) && !e.children[i].has(side)
}

func (e *element) came(i int, side identity.Side) bool {
	return !e.children[i].unkeyed && !e.children[i].has(origin) && e.children[i].has(side)
}

// setFallbacks tells the fields of an element's key what they are where they
// are not written.
func (e *element) setFallbacks() {
	for _, field := range e.children {
		for _, key := range e.keys {
			if e.form == mapping && key.Name == field.path.field {
				field.fallback = defaultNode(key.Default)
			}
		}
	}
}

// unchanged reports whether a side has an element as origin has it. To write out a
// key's default is no change (rules/lists: re-keyed elements).
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
	for _, side := range identity.Sides() {
		if (versions[side] != nil) != (side == only) {
			return false
		}
	}
	return true
}

// names are the keys of maps, each once and in the order in which they come.
type names struct {
	list  []value
	index map[value]int // nil while there are few
	next  int           // where the next name is if the maps have the same order
}

// few is how many names are compared with each other.
const few = 8

// find returns the place of a name, and whether it is there.
func (n *names) find(name value) (at int, found bool) {
	if n.next < len(n.list) && n.list[n.next] == name {
		n.next++
		return n.next - 1, true
	}
	if n.index != nil {
		at, found = n.index[name]
	} else {
		for at = range n.list {
			if found = n.list[at] == name; found {
				break
			}
		}
	}
	if found {
		n.next = at + 1
	}
	return at, found
}

// add adds a name that is not there, as the last.
func (n *names) add(name value) {
	n.list = append(n.list, name)
	n.next = len(n.list)
	if n.index != nil {
		n.index[name] = len(n.list) - 1
	} else if len(n.list) > few {
		n.index = make(map[value]int, 2*len(n.list))
		for i, name := range n.list {
			n.index[name] = i
		}
	}
}

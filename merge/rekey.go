package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// rekeying finds the elements of a list map that a side has under another key than
// origin (rules/lists: replaced elements): a port renumbered, a container or volume
// renamed, a mount moved. Of a set it finds the references that a side has in another
// version.
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

// signature is a text by which an element may be known under another key, "" if
// it says too little for that.
type signature func(*yaml.Node) string

// signatures are those of the elements of a list with these keys (rules/lists: re-keyed
// elements): a second field that is unique in the list, where there is one, and all but
// the key.
func signatures(keys []schema.Key) []signature {
	rest := func(n *yaml.Node) string { return restOf(n, keys) }
	if isPort(keys) {
		return []signature{portName, rest}
	}
	return []signature{rest}
}

// isPort reports whether the elements of a list are ports of a container or
// Service, whose names are unique as well as their numbers.
func isPort(keys []schema.Key) bool { return keys[0].Name == "port" || keys[0].Name == "containerPort" }

// portName is the name of a port.
func portName(n *yaml.Node) string {
	if v := yamlnode.Lookup(n, "name"); v != nil && v.Kind == yaml.ScalarNode {
		return v.Value
	}
	return ""
}

// saysValue reports whether a field gives a value to what the key names: in env
// and parameters, and in a Kustomization's images and replicas.
func saysValue(field string) bool {
	return slices.Contains([]string{"value", "valueFrom", "newName", "newTag", "digest", "count"}, field)
}

// restOf is all of an element but its key, "" where that is nothing, or no more
// than a value: what env and parameters are, their names alone say.
func restOf(n *yaml.Node, keys []schema.Key) string {
	for _, key := range keys {
		n = without(n, strings.Split(key.Name, "."))
	}
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if !saysValue(n.Content[i].Value) {
			return canonical(n)
		}
	}
	return ""
}

// without is a map without the field at a path.
func without(n *yaml.Node, names []string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return n
	}
	out := *n
	out.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		v := n.Content[i+1]
		if n.Content[i].Value == names[0] {
			if len(names) == 1 {
				continue
			}
			v = without(v, names[1:])
		}
		out.Content = append(out.Content, n.Content[i], v)
	}
	return &out
}

// unique finds the elements of a side's list by the signatures that it has once.
func (e *element) unique(side identity.Side, sign signature) map[string]int {
	at := make(map[string]int, len(e.order[side]))
	var twice []string
	for _, i := range e.order[side] {
		text := sign(e.children[i].value[side])
		if _, seen := at[text]; seen || text == "" {
			twice = append(twice, text)
		}
		at[text] = i
	}
	for _, text := range slices.Compact(twice) {
		delete(at, text)
	}
	return at
}

package merge

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// rekeying finds the elements of a list map that a side has under another key than origin (rules/lists: re-keyed
// elements), such as a renumbered port or a renamed container, and the references in a set that a side has in another
// version.
type rekeying struct {
	*element
	keys       []schema.Key
	signatures []signature
	// successors are the children that origin's elements became on each side, by index.
	successors [3]map[int]int
	// joinedInto has the children that were joined already, with the child that they were joined into.
	joinedInto map[int]int
	// inferred are the elements that one side removed and whose successor on the other side was found by its likeness.
	inferred map[int]bool
}

// joinRekeyed makes one child of the versions of each element that a side re-keyed: that side changed the element, and
// the other side's changes stay. It joins elements that both sides added under different keys, too, if a second field
// identifies them.
func joinRekeyed(e *element, keys []schema.Key) {
	isNew := func(i int) bool { return e.isAdded(i, upstream) || e.isAdded(i, local) }
	if !slices.ContainsFunc(e.order[upstream], isNew) && !slices.ContainsFunc(e.order[local], isNew) {
		return
	}
	r := rekeying{element: e, keys: keys, joinedInto: map[int]int{}, inferred: map[int]bool{}}
	switch {
	case len(keys) > 0:
		r.signatures = signaturesFor(keys)
	case e.typ != nil && e.typ.Relation == schema.Set:
		r.signatures = []signature{referenceSignature(), fileSignature}
	default:
		return
	}
	for _, side := range [2]identity.Side{upstream, local} {
		r.successors[side] = r.findSuccessors(side)
	}
	r.forgetCopies()
	r.findDeleted()
	for _, o := range e.order[origin] {
		r.join([3]int{origin: o, upstream: r.childOn(upstream, o), local: r.childOn(local, o)})
	}
	if len(keys) > 0 && isPort(keys) {
		r.joinAddedPorts()
	}
	r.removeJoined()
}

// findSuccessors finds the successors of the elements that a side removed: the only added element with the same
// signature. The other side's version may have it too, so that a merge recognizes an element that an earlier one joined.
func (r rekeying) findSuccessors(side identity.Side) map[int]int {
	removed := slices.DeleteFunc(slices.Clone(r.order[origin]), func(i int) bool { return !r.isRemoved(i, side) })
	if len(removed) == 0 {
		return nil
	}
	successors, taken := map[int]int{}, map[int]bool{}
	for _, sign := range r.signatures {
		origins := r.unique(origin, sign)
		for _, from := range [2]identity.Side{otherSide(side), origin} {
			pairs := r.pairs(from, side, sign)
			for _, i := range removed {
				to, found := pairs[i]
				_, unique := origins[sign(r.children[i].value[origin])]
				if _, done := successors[i]; found && unique && !done && !taken[to] {
					successors[i], taken[to] = to, true
				}
			}
		}
	}
	return successors
}

// pairs pairs the elements of one version with a side's additions of the same signature, which is unique in both.
func (r rekeying) pairs(from, side identity.Side, sign signature) map[int]int {
	there, here := r.unique(from, sign), r.unique(side, sign)
	out := make(map[int]int, len(there))
	for text, i := range there {
		if to, found := here[text]; found && r.isAdded(to, side) {
			out[i] = to
		}
	}
	return out
}

// childOn returns the child of an element of origin on a side, -1 if the side removed it. If the other side re-keyed
// the element, the side may have the new key without having had the old one. Then the new key tells more than a
// signature: the side may have a copy of the element under a third key.
func (r rekeying) childOn(side identity.Side, o int) int {
	if r.children[o].has(side) {
		return o
	}
	if to, found := r.successors[otherSide(side)][o]; found && r.children[to].has(side) {
		return to
	}
	if to, found := r.successors[side][o]; found {
		return to
	}
	return -1
}

// join joins the children of one element, at -1 on a side that lacks it. It does nothing if the list would then have
// a duplicate key, or one element would become two.
func (r rekeying) join(at [3]int) {
	u, l := at[upstream], at[local]
	moved := u >= 0 && u != at[origin] || l >= 0 && l != at[origin]
	if !moved || r.isTaken(at, upstream) || r.isTaken(at, local) {
		return
	}
	into := l
	if l < 0 {
		into = u
	}
	joined := &element{path: r.children[into].path, inferred: r.inferred[at[origin]]}
	for side, i := range at {
		if i >= 0 {
			joined.value[side] = r.children[i].value[side]
			r.joinedInto[i] = into
		}
	}
	if at[origin] >= 0 {
		joined.path = r.children[at[origin]].path
	}
	joined.path = joined.path.knownAs(r.keysAt(at))
	joined.rekeyed = u != l && min(u, l) >= 0 && u != at[origin] && l != at[origin]
	r.children[into] = joined
}

// keysAt returns the keys of some children, which are versions of one element.
func (r rekeying) keysAt(at [3]int) (keys [][]KeyValue) {
	for _, i := range at {
		if i >= 0 {
			keys = append(keys, r.children[i].path.keys)
		}
	}
	return keys
}

// isTaken reports whether the child of an element on a side belongs to another element too.
func (r rekeying) isTaken(at [3]int, side identity.Side) bool {
	i, other := at[side], otherSide(side)
	if i < 0 || i == at[origin] {
		return false
	}
	_, used := r.joinedInto[i]
	return used || i != at[other] && r.children[i].has(other)
}

// joinAddedPorts joins the ports that both sides added with different numbers and one name, which origin lacks.
func (r rekeying) joinAddedPorts() {
	known, both := r.unique(origin, nameField), r.pairs(local, upstream, nameField)
	for _, l := range r.order[local] {
		u, found := both[l]
		if _, old := known[nameField(r.children[l].value[local])]; found && !old && u != l && r.isAdded(l, local) {
			r.join([3]int{origin: -1, upstream: u, local: l})
		}
	}
}

// removeJoined removes the children that were joined into others.
func (r rekeying) removeJoined() {
	if len(r.joinedInto) == 0 {
		return
	}
	index := make([]int, len(r.children))
	var children []*element
	for i, c := range r.children {
		if into, joined := r.joinedInto[i]; !joined || into == i {
			index[i] = len(children)
			children = append(children, c)
		}
	}
	for i, into := range r.joinedInto {
		index[i] = index[into]
	}
	for _, order := range r.order {
		for at, i := range order {
			order[at] = index[i]
		}
	}
	r.children = children
}

// signature returns a text that identifies an element under another key, "" if there is none.
type signature func(*yaml.Node) string

// signaturesFor returns the signatures of the elements of a list (rules/lists: re-keyed elements): a second unique
// field if there is one, and the element without its key.
func signaturesFor(keys []schema.Key) []signature {
	rest := func(n *yaml.Node) string { return restOf(n, keys) }
	switch {
	case isPort(keys):
		return []signature{nameField, rest}
	case keys[0].Name == "path":
		return []signature{func(n *yaml.Node) string { return patchSignature(n, keys) }, targetOfPatch, rest}
	}
	return []signature{rest}
}

// patchSignature returns the name of a patch's file without its directory, with the rest of the patch: a file that moved is
// the same patch.
func patchSignature(n *yaml.Node, keys []schema.Key) string {
	name := fileSignature(yamlnode.Field(n, "path"))
	if name == "" {
		return ""
	}
	return name + "\x00" + canonical(withoutKey(n, keys[:1]))
}

// targetOfPatch returns the target of a patch that has its content from a file: under another name the file is the patch of this
// target, where there is no other one.
func targetOfPatch(n *yaml.Node) string {
	target := yamlnode.Field(n, "target")
	if target == nil || len(target.Content) == 0 || yamlnode.Field(n, "path") == nil {
		return ""
	}
	return canonical(target)
}

// fileSignature returns the name of a file without its directory, as a kustomization lists it, or the key that its content
// gets in a ConfigMap, where the entry has one; "" for any other text.
func fileSignature(n *yaml.Node) string {
	if n == nil || !isString(n) || strings.Contains(n.Value, "://") || strings.Contains(n.Value, "\n") {
		return ""
	}
	key, file, found := strings.Cut(n.Value, "=")
	if !found {
		file, key = n.Value, path.Base(n.Value)
	}
	if path.Ext(path.Base(file)) == "" {
		return ""
	}
	return key
}

// isPort reports whether the elements of a list are ports of a container or Service, which have unique names.
func isPort(keys []schema.Key) bool { return keys[0].Name == "port" || keys[0].Name == "containerPort" }

// isValueField reports whether a field is only the value of its key: in env and parameters, and in a Kustomization's
// images and replicas.
func isValueField(field string) bool {
	return slices.Contains([]string{"value", "valueFrom", "newName", "newTag", "digest", "count"}, field)
}

// restOf returns the text of an element without its key, "" if that has nothing but a value: env and parameters are
// identified by their names alone.
func restOf(n *yaml.Node, keys []schema.Key) string {
	n = withoutKey(n, keys)
	if slices.ContainsFunc(yamlnode.Names(n), func(name string) bool { return !isValueField(name) }) {
		return canonical(n)
	}
	return ""
}

// withoutKey returns an element without the fields of its key.
func withoutKey(n *yaml.Node, keys []schema.Key) *yaml.Node {
	for _, key := range keys {
		n = yamlnode.Set(n, n, nil, strings.Split(key.Name, ".")...)
	}
	return n
}

// unique indexes the elements of a side's list by their signatures, without the signatures of several elements.
func (e *element) unique(side identity.Side, sign signature) map[string]int {
	at := make(map[string]int, len(e.order[side]))
	for _, i := range e.order[side] {
		text := sign(e.children[i].value[side])
		if _, seen := at[text]; seen || text == "" {
			i = -1
		}
		at[text] = i
	}
	maps.DeleteFunc(at, func(_ string, i int) bool { return i < 0 })
	return at
}

// referenceSignature returns the signature of references with a version, such as in the resources of a kustomization:
// the reference without the version, which is in the query or in the path (v1, 1.2, v1.2.3-rc1, a commit's ID).
func referenceSignature() signature {
	version := regexp.MustCompile(`\b(v\d+(\.\d+)*|\d+(\.\d+)+)(-[0-9A-Za-z]+(\.\d+)*)?\b|\b[0-9a-f]{40}\b`)
	return func(n *yaml.Node) string {
		if !isString(n) {
			return ""
		}
		text, query, _ := strings.Cut(n.Value, "?")
		stem := version.ReplaceAllString(text, "\x00")
		if strings.HasPrefix(query, "ref=") || strings.Contains(query, "&ref=") || stem != text && strings.Contains(text, "/") {
			return stem
		}
		return ""
	}
}

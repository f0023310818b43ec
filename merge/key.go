package merge

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// elementKey identifies an element of a list by the parts of an associative key, each with its decoded value.
type elementKey struct {
	text  string // comparable
	parts []KeyValue
}

// identify returns the key of a list's element, and whether it has one.
type identify func(*yaml.Node) (elementKey, bool)

// setKey returns an element of a set as its own key: its value, of whatever kind. Paths show a list or map as
// the text that it is compared by.
func setKey(n *yaml.Node) (elementKey, bool) {
	text := canonical(n)
	if n.Kind != yaml.ScalarNode {
		n = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	}
	return elementKey{text: text, parts: []KeyValue{{Value: n}}}, true
}

// tupleKey reads the parts of a key from an element. A missing part has the schema's default, else absence is
// its value. An element without any part, unless all parts have defaults, and an element that is not a map,
// have no key (rules/lists: parts of keys).
func tupleKey(n *yaml.Node, keys []schema.Key) (elementKey, bool) {
	k := elementKey{parts: make([]KeyValue, 0, len(keys))}
	var text strings.Builder
	found := n.Kind == yaml.MappingNode && !slices.ContainsFunc(keys, func(k schema.Key) bool { return k.Default == nil })
	for _, key := range keys {
		part := yamlnode.Lookup(n, strings.Split(key.Name, ".")...)
		if part != nil && part.Kind != yaml.ScalarNode {
			return elementKey{}, false
		}
		found = found || part != nil
		if part == nil {
			part = defaultNode(key.Default)
		}
		k.parts = append(k.parts, KeyValue{Name: key.Name, Value: part})
		if part != nil {
			text.WriteString(keyPart(valueOf(part)))
		}
		text.WriteByte(0)
	}
	k.text = text.String()
	return k, found
}

// keyOf returns the text of the key that a node has as an element of the list of e, "" if it has none.
func (e *element) keyOf(n *yaml.Node) string {
	if len(e.keys) == 0 {
		return n.Value
	}
	key, ok := tupleKey(n, e.keys)
	if !ok {
		return ""
	}
	return key.text
}

// withDefaults returns a value in which the keys of all elements are written in full: n itself if they are.
func withDefaults(n *yaml.Node, typ *schema.Type) *yaml.Node {
	if n == nil || typ == nil {
		return n
	}
	content := slices.Clone(n.Content)
	for i, c := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode:
			content[i] = withDefaults(fullKey(c, typ.Keys), typ.Element())
		case n.Kind == yaml.MappingNode && i%2 == 1:
			content[i] = withDefaults(c, typ.Field(n.Content[i-1].Value))
		}
	}
	return withContent(n, content)
}

// withContent returns a copy of n with other content: n itself if it has that content.
func withContent(n *yaml.Node, content []*yaml.Node) *yaml.Node {
	if slices.Equal(content, n.Content) {
		return n
	}
	out := *n
	out.Content = content
	return &out
}

// fullKey returns an element with the defaults of all missing parts of its key.
func fullKey(n *yaml.Node, keys []schema.Key) *yaml.Node {
	for _, key := range keys {
		part := defaultNode(key.Default)
		if part != nil && n != nil && n.Kind == yaml.MappingNode && !strings.Contains(key.Name, ".") && yamlnode.Field(n, key.Name) == nil {
			n = withContent(n, append(slices.Clip(n.Content), yamlnode.String(key.Name), part))
		}
	}
	return n
}

// defaultNode returns a default of the schema as a node, nil if there is none.
func defaultNode(v any) *yaml.Node {
	if text, ok := v.(string); ok {
		return yamlnode.String(text)
	}
	n := &yaml.Node{}
	if v == nil || n.Encode(v) != nil {
		return nil
	}
	return n
}

// identifier returns the function that identifies the elements of a list, and their keys in the order of the names;
// nil if the list is decided whole. Where the schema is silent, the owners of elements know the keys
// (rules/server-side-apply: owned fields), or the keys are inferred from the sides (rules/schemas: inference).
func (c collator) identifier(e *element) (identify, []schema.Key) {
	relation, keys, lists := schema.Granular, []schema.Key(nil), e.lists()
	if e.typ != nil {
		relation, keys = e.typ.Relation, e.typ.Keys
	} else if len(e.owned) > 0 {
		relation, keys = e.ownedAs()
	}
	if relation == schema.Resources {
		if id := c.pairResources(lists); id != nil {
			return id, nil
		}
	}
	if (relation == schema.Granular || relation == schema.Resources) && c.kind.Infer {
		keys, e.guessed = schema.InferKeys(lists), true
	}
	keys = slices.SortedFunc(slices.Values(keys), func(x, y schema.Key) int { return strings.Compare(x.Name, y.Name) })
	switch {
	case relation == schema.Functions:
		return pairFunctions(lists), nil
	case relation == schema.Set && e.isAlternative():
		return nil, nil
	case relation == schema.Set:
		return setKey, nil
	case len(keys) > 0:
		return func(n *yaml.Node) (elementKey, bool) { return tupleKey(n, keys) }, keys
	}
	return nil, nil
}

// pairResources identifies the items of a List by their group, kind, namespace and name (rules/schemas: lists
// of resources). Merge comments do not count: no client writes them into a List. An item that local has in
// another namespace has the key of its origin's or upstream's version, as a resource outside of a List does
// (rules/identity: resources without a name). It returns nil if an item has no name.
func (c collator) pairResources(lists [3][]*yaml.Node) identify {
	var entries [3][]identity.Entry
	keys := map[*yaml.Node]elementKey{}
	for side, list := range lists {
		for _, n := range list {
			e := c.item(n)
			if e.Kind == "" || e.Naming == identity.ByPath {
				return nil
			}
			entries[side] = append(entries[side], e)
			keys[n] = resourceKey(e.OwnID())
		}
	}
	// After an error, which says that a side has an item twice, the items keep these keys.
	matches, _ := identity.Match(entries, c.matchItems(lists))
	for _, t := range matches.Triples {
		if t.OtherNamespace {
			n := lists[local][t.At[local]]
			keys[n] = elementKey{text: resourceKey(t.ID).text, parts: keys[n].parts}
		}
	}
	return func(n *yaml.Node) (elementKey, bool) { k, ok := keys[n]; return k, ok }
}

// matchItems returns the options to match the items of Lists: items are alike if they differ in their names only.
func (c collator) matchItems(lists [3][]*yaml.Node) identity.Options {
	return identity.Options{
		Moves: c.rules.Moves,
		Likeness: func(a, b identity.EntryIndex) float64 {
			if SameButNamed(lists[a.Side][a.At], lists[b.Side][b.At]) {
				return 1
			}
			return 0
		},
		Content: func(side identity.Side, at int) int { return itemSize(lists[side][at]) },
	}
}

// itemSize counts the fields of an item besides the ones that identify it.
func itemSize(n *yaml.Node) int {
	return len(slices.DeleteFunc(yamlnode.Names(n), func(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" }))
}

// item returns an item of a List as an entry for package identity.
func (c collator) item(n *yaml.Node) identity.Entry {
	e := identity.Entry{Meta: identity.ReadMeta(n)}
	e.Comment = ""
	if e.Kind == "" {
		e.APIVersion, e.Kind = c.itemKind()
	}
	e.ClusterScoped = c.kind.IsClusterScoped(identity.Group(e.APIVersion), e.Kind)
	return e
}

// resourceKey returns the key of a resource in a List.
func resourceKey(id identity.ID) elementKey {
	k := elementKey{text: strings.Join([]string{id.Group, id.Kind, id.Namespace, id.Name}, "\x00")}
	for _, part := range [3][2]string{{"kind", id.Kind}, {"namespace", id.Namespace}, {"name", id.Name}} {
		if part[1] != "" {
			k.parts = append(k.parts, KeyValue{Name: part[0], Value: defaultNode(part[1])})
		}
	}
	return k
}

// pairFunctions identifies the functions of a Kptfile's pipeline, a list without keys (rules/kptfiles: pipelines):
// by name; else by the image, without tag or digest, or the exec, if no side has it twice; else by the last
// component of the image, if no side has that twice, because functions move between registries. The rest are paired
// by equal content, first where the lists can be laid side by side, so that a merged list pairs as before, and then in
// their order among the functions of one image, and of one last component.
func pairFunctions(lists [3][]*yaml.Node) identify {
	var p pairing
	for _, side := range [3]identity.Side{local, upstream, origin} {
		for _, n := range lists[side] {
			var pair [3]*yaml.Node
			pair[side] = n
			p = append(p, pair)
		}
	}
	for _, key := range [3]signature{nameField, functionSource, functionBase} {
		p = p.joinUnique(key)
	}
	for _, sides := range [3][2]identity.Side{{upstream, local}, {origin, upstream}, {origin, local}} {
		p.joinAligned(lists, sides[0], sides[1])
	}
	p = slices.DeleteFunc(p, func(pair [3]*yaml.Node) bool { return pair == [3]*yaml.Node{} })
	for _, key := range [3]signature{canonical, functionSource, functionBase} {
		p = p.zip(key)
	}
	keys := map[*yaml.Node]elementKey{}
	for i, pair := range p {
		for _, n := range pair {
			keys[n] = elementKey{text: strconv.Itoa(i), parts: functionParts(pair)}
		}
	}
	return func(n *yaml.Node) (elementKey, bool) { k, ok := keys[n]; return k, ok }
}

// functionSource returns the image of a function without tag and digest, or its exec.
func functionSource(n *yaml.Node) string {
	image := scalarField(n, "image")
	if image == "" {
		return scalarField(n, "exec")
	}
	image, _, _ = strings.Cut(image, "@")
	name, _, _ := cutTag(image)
	return name
}

// functionBase returns the last component of a function's image without tag and digest, "" if it has no image.
func functionBase(n *yaml.Node) string {
	if scalarField(n, "image") == "" {
		return ""
	}
	return path.Base(functionSource(n))
}

// functionParts returns the key of a function for its path.
func functionParts(pair [3]*yaml.Node) []KeyValue {
	for _, name := range []string{"name", "image", "exec"} {
		if v := yamlnode.Field(shownVersion(pair), name); v != nil && v.Kind == yaml.ScalarNode {
			return []KeyValue{{Name: name, Value: v}}
		}
	}
	return []KeyValue{}
}

// pairing lists the functions, each with its versions.
type pairing [][3]*yaml.Node

// joined joins two pairs, if no side has both and they do not have different names.
func joined(a, b [3]*yaml.Node) ([3]*yaml.Node, bool) {
	x, y := nameField(shownVersion(a)), nameField(shownVersion(b))
	if x != "" && y != "" && x != y {
		return a, false
	}
	out := a
	for side := range out {
		if a[side] != nil && b[side] != nil {
			return a, false
		}
		out[side] = cmp.Or(a[side], b[side])
	}
	return out, true
}

// joinUnique joins the pairs with one key, if no side has that key twice.
func (p pairing) joinUnique(key signature) pairing {
	at := map[string][3]*yaml.Node{}
	duplicate := map[string]bool{"": true}
	for _, pair := range p {
		k := key(shownVersion(pair))
		whole, ok := joined(at[k], pair)
		if _, seen := at[k]; seen && !ok {
			duplicate[k] = true
		} else {
			at[k] = whole
		}
	}
	var out pairing
	done := map[string]bool{}
	for _, pair := range p {
		switch k := key(shownVersion(pair)); {
		case duplicate[k]:
			out = append(out, pair)
		case !done[k]:
			done[k] = true
			out = append(out, at[k])
		}
	}
	return out
}

// joinAligned joins the functions of two sides that are equal when their lists are laid side by side. A pair that was joined
// into another one is empty.
func (p pairing) joinAligned(lists [3][]*yaml.Node, a, b identity.Side) {
	at := map[*yaml.Node]int{}
	for i, pair := range p {
		for _, n := range pair {
			if n != nil {
				at[n] = i
			}
		}
	}
	ids, _ := numbers(nil, lists)
	for i, j := range align.Pairs(ids[a], ids[b]) {
		if j < 0 {
			continue
		}
		x, y := at[lists[a][i]], at[lists[b][j]]
		if whole, ok := joined(p[x], p[y]); x != y && ok {
			p[x], p[y] = whole, [3]*yaml.Node{}
			for _, n := range whole {
				at[n] = x
			}
		}
	}
}

// zip joins the pairs with one key in their order: origin's with upstream's and local's, and then the additions
// of these two.
func (p pairing) zip(key func(*yaml.Node) string) pairing {
	p = p.zipSides(key, origin, upstream)
	p = p.zipSides(key, origin, local)
	return p.zipSides(key, upstream, local)
}

// zipSides joins the pairs that only a has with the pairs that only b has, each in the order of its list.
func (p pairing) zipSides(key signature, a, b identity.Side) pairing {
	waiting := map[string][]int{}
	for _, i := range p.lacking(a, b) {
		k := key(p[i][b])
		waiting[k] = append(waiting[k], i)
	}
	gone := map[int]bool{}
	for _, i := range p.lacking(b, a) {
		k := key(p[i][a])
		if k == "" || len(waiting[k]) == 0 {
			continue
		}
		if whole, ok := joined(p[waiting[k][0]], p[i]); ok {
			p[waiting[k][0]] = whole
			waiting[k] = waiting[k][1:]
			gone[i] = true
		}
	}
	var out pairing
	for i, pair := range p {
		if !gone[i] {
			out = append(out, pair)
		}
	}
	return out
}

// lacking returns the pairs without one side that have another, in the order of that side's list, which is the
// order of the nodes' positions.
func (p pairing) lacking(side, has identity.Side) []int {
	var out []int
	for i, pair := range p {
		if pair[side] == nil && pair[has] != nil {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(i, j int) int {
		x, y := p[i][has], p[j][has]
		return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	})
	return out
}

// shownVersion returns the version that identifies a pair.
func shownVersion(pair [3]*yaml.Node) *yaml.Node {
	return cmp.Or(pair[local], pair[upstream], pair[origin])
}

func nameField(n *yaml.Node) string { return scalarField(n, "name") }

func scalarField(n *yaml.Node, name string) string { return yamlnode.Text(yamlnode.Field(n, name)) }

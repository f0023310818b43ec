package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// elementKey tells the elements of a list apart: the parts of an associative
// key, each with its decoded value.
type elementKey struct {
	text  string // comparable
	parts []KeyValue
}

// identify returns the key of a list's element, and whether it has one.
type identify func(*yaml.Node) (elementKey, bool)

// setKey makes an element of a set its own key: by its value, whatever kind it
// is of. A list or map shows in paths as the text that it is compared by.
func setKey(n *yaml.Node) (elementKey, bool) {
	text := canonical(n)
	if n.Kind != yaml.ScalarNode {
		n = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	}
	return elementKey{text: text, parts: []KeyValue{{Value: n}}}, true
}

// tupleKey reads the parts of a key from an element. A part that is absent has the
// schema's default, else absent is a value of the tuple; an element that lacks all
// parts, of which not all have a default, or is no map, has no key (rules/lists: parts
// of keys).
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

// withDefaults is a value in which the keys of all elements are written in full: n itself
// if they are.
func withDefaults(n *yaml.Node, typ *schema.Type) *yaml.Node {
	if n == nil || typ == nil || len(n.Content) == 0 {
		return n
	}
	out := n
	put := func(i int, v *yaml.Node) {
		if v == n.Content[i] {
			return
		}
		if out == n {
			changed := *n
			changed.Content = slices.Clone(n.Content)
			out = &changed
		}
		out.Content[i] = v
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			put(i+1, withDefaults(n.Content[i+1], typ.Field(n.Content[i].Value)))
		}
	case yaml.SequenceNode:
		for i, c := range n.Content {
			put(i, withDefaults(fullKey(c, typ.Keys), typ.Element()))
		}
	}
	return out
}

// fullKey is an element with the parts of its key that are not written and have
// a default.
func fullKey(n *yaml.Node, keys []schema.Key) *yaml.Node {
	for _, key := range keys {
		part := defaultNode(key.Default)
		if part == nil || n == nil || n.Kind != yaml.MappingNode || strings.Contains(key.Name, ".") || yamlnode.Field(n, key.Name) != nil {
			continue
		}
		out := *n
		out.Content = append(slices.Clip(n.Content), defaultNode(key.Name), part)
		n = &out
	}
	return n
}

// defaultNode is a default of the schema as the node that it stands in for.
func defaultNode(v any) *yaml.Node {
	if v == nil {
		return nil
	}
	if text, ok := v.(string); ok {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	}
	n := &yaml.Node{}
	if err := n.Encode(v); err != nil {
		return nil
	}
	return n
}

// identifier says how the elements of a list are told apart, and by which keys, in the order of their
// names; nil if they are not and the list is decided whole. Where the schema has no answer, those say
// it who own elements of the list (rules/server-side-apply: owned fields), or the keys may be inferred
// from what the sides have (rules/schemas: inference).
func (c collator) identifier(e *element) (identify, []schema.Key) {
	relation, keys := schema.Granular, []schema.Key(nil)
	if e.typ != nil {
		relation, keys = e.typ.Relation, e.typ.Keys
	} else if len(e.owned) > 0 {
		relation, keys = e.ownedAs()
	}
	lists := [3][]*yaml.Node{e.parts(origin, yaml.SequenceNode), e.parts(upstream, yaml.SequenceNode), e.parts(local, yaml.SequenceNode)}
	if relation == schema.Resources {
		if id := c.pairResources(lists); id != nil {
			return id, nil
		}
	}
	if (relation == schema.Granular || relation == schema.Resources) && c.kind.Infer {
		keys = schema.InferKeys(lists[:]...)
		e.guessed = true
	}
	if byName := func(x, y schema.Key) int { return strings.Compare(x.Name, y.Name) }; !slices.IsSortedFunc(keys, byName) {
		keys = slices.SortedFunc(slices.Values(keys), byName)
	}
	switch {
	case relation == schema.Functions:
		return pairFunctions(lists), nil
	case relation == schema.Set:
		return setKey, nil
	case len(keys) > 0:
		return func(n *yaml.Node) (elementKey, bool) { return tupleKey(n, keys) }, keys
	}
	return nil, nil
}

// pairResources tells the items of a List apart: by group, kind, namespace and name,
// their own (rules/schemas: lists of resources). No client writes merge comments into a
// List. An item that local has under another namespace goes by origin's or upstream's
// key, as a resource outside of a List does (rules/identity: resources without a name).
// It returns nil if an item has no name.
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
	// An error says that a side has an item twice, and then the items go by their own keys.
	matches, _ := identity.Match(entries, identity.Options{
		Moves: c.moves,
		Likeness: func(side identity.Side, at, other int) float64 {
			if SameButNamed(lists[side][at], lists[local][other]) {
				return 1
			}
			return 0
		},
		Content: func(side identity.Side, at int) int { return content(lists[side][at]) },
	})
	for _, t := range matches.Triples {
		if t.OtherNamespace {
			n := lists[local][t.At[local]]
			keys[n] = elementKey{text: resourceKey(t.ID).text, parts: keys[n].parts}
		}
	}
	return func(n *yaml.Node) (elementKey, bool) { k, ok := keys[n]; return k, ok }
}

// content is how many fields an item has beside those that say which one it is.
func content(n *yaml.Node) (count int) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i].Value; k != "apiVersion" && k != "kind" && k != "metadata" {
			count++
		}
	}
	return count
}

// item is an item of a List as matching sees it.
func (c collator) item(n *yaml.Node) identity.Entry {
	e := identity.Entry{Meta: identity.ReadMeta(n)}
	e.Comment = ""
	if e.Kind == "" {
		e.APIVersion, e.Kind = c.itemKind()
	}
	e.ClusterScoped = c.kind.IsClusterScoped(identity.Group(e.APIVersion), e.Kind)
	return e
}

// resourceKey is the key of a resource in a List.
func resourceKey(id identity.ID) elementKey {
	k := elementKey{text: strings.Join([]string{id.Group, id.Kind, id.Namespace, id.Name}, "\x00")}
	for _, part := range [3][2]string{{"kind", id.Kind}, {"namespace", id.Namespace}, {"name", id.Name}} {
		if part[1] != "" {
			k.parts = append(k.parts, KeyValue{Name: part[0], Value: defaultNode(part[1])})
		}
	}
	return k
}

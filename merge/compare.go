package merge

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Comparison compares a field or element of two versions of a resource. Package patch writes patches from it
// (rules/patches: forms).
type Comparison struct {
	Path *Path
	// From and To are nil if the version lacks it. FromKey and ToKey are the key nodes of a field.
	From, To, FromKey, ToKey *yaml.Node
	// Type is the schema's type, nil if there is none.
	Type *schema.Type
	// Keys are the fields of the keys of a list; nil for a list whose elements are their own keys.
	Keys []string
	// Unkeyed marks an element without a unique key. It is in one version only.
	Unkeyed bool
	// Parts are the fields of a map, or the elements of a list with keys, that both versions have: To's in its order,
	// then the rest of From's. Anything else has no parts, and is decided whole.
	Parts []*Comparison
	// FromAt and ToAt are the indices of an element in the lists, -1 if it is not there.
	FromAt, ToAt int
}

// Compare compares two versions of a resource, both mappings. A version that cannot be merged is a Fault.
func Compare(from, to *yaml.Node, kind schema.Resource) (*Comparison, error) {
	prepared, err := expandAll([3]*yaml.Node{origin: from, local: to})
	if err != nil {
		return nil, err
	}
	prepared[upstream] = prepared[origin]
	return compared(collator{kind: kind}.resource(prepared), [3]int{}), nil
}

// compared returns the comparison of an element with the indices at in its list.
func compared(e *element, at [3]int) *Comparison {
	c := &Comparison{
		Path: e.path, From: e.value[origin], To: e.value[local], Type: e.typ, Unkeyed: e.unkeyed,
		FromKey: e.key[origin], ToKey: e.key[local], FromAt: at[origin], ToAt: at[local],
	}
	if c.From == nil || c.To == nil || c.From.Kind != c.To.Kind || e.form == atomic {
		return c
	}
	indices := e.indices()
	c.Parts = make([]*Comparison, len(e.children))
	for i, child := range e.children {
		c.Parts[i] = compared(child, indices[i])
		for _, key := range child.keys {
			if e.form == associative && !slices.Contains(c.Keys, key.Name) {
				c.Keys = append(c.Keys, key.Name)
			}
		}
	}
	return c
}

// indices returns the indices of the children on each side, -1 if the side lacks one.
func (e *element) indices() [][3]int {
	out := make([][3]int, len(e.children))
	for i := range out {
		out[i] = [3]int{-1, -1, -1}
	}
	for side, order := range e.order {
		for n, i := range order {
			out[i][side] = n
		}
	}
	return out
}

// Equal reports whether the values are equal, with quantities compared as text and lists in their order.
func (c *Comparison) Equal() bool { return same(nil, c.From, c.To) }

// Name returns the name of a field, "" for an element.
func (c *Comparison) Name() string {
	if c.Path == nil {
		return ""
	}
	return c.Path.field
}

// IsMap reports whether both versions have a map that has parts.
func (c *Comparison) IsMap() bool { return c.Parts != nil && c.To.Kind == yaml.MappingNode }

// IsList reports whether both versions have a list that has parts.
func (c *Comparison) IsList() bool { return c.Parts != nil && c.To.Kind == yaml.SequenceNode }

// Differences lists the differences of two versions of a resource, with the keys of lists that the schema knows: the
// paths, From and To alone. A field or element that only one version has is one difference, and so is an atomic value,
// and a list map in which only the order differs. They come in the order of to, and then the rest of from. A version
// that cannot be merged is a Fault.
func Differences(from, to *yaml.Node, kind schema.Resource) ([]Comparison, error) {
	prepared, err := expandAll([3]*yaml.Node{origin: from, local: to})
	if err != nil {
		return nil, err
	}
	prepared[upstream] = prepared[origin]
	if prepared[origin] == nil || prepared[local] == nil {
		return differencesIn(&element{value: prepared}), nil
	}
	return differencesIn(collator{kind: kind, rekeys: true}.resource(prepared)), nil
}

// differencesIn returns the differences at an element and below it.
func differencesIn(e *element) []Comparison {
	from, to := e.value[origin], e.value[local]
	whole := []Comparison{{Path: e.path, From: from, To: to}}
	switch {
	case from == nil && to == nil || from != nil && to != nil && e.unchanged(local):
		return nil
	case from == nil || to == nil || e.form == atomic || from.Kind != to.Kind:
		return whole
	}
	var out []Comparison
	for _, child := range e.children {
		if child.unkeyed {
			return whole
		}
		out = append(out, differencesIn(child)...)
	}
	if out == nil {
		return whole
	}
	return out
}

// Same reports whether two values are equal to a merge without a schema. It follows aliases. A value that
// cannot be merged equals nothing.
func Same(a, b *yaml.Node) bool { return sameOf(nil, a, b) }

// sameOf is Same for values of a type of the schema.
func sameOf(typ *schema.Type, a, b *yaml.Node) bool {
	x, errX := Expand(a)
	y, errY := Expand(b)
	return errX == nil && errY == nil && same(typ, x, y)
}

// same reports whether two nodes are equal by kind, tag and decoded value, whatever the order of keys, style
// and comments. nil is absent, and equals only nil. The nodes have no aliases (Expand expands them) and no
// duplicate keys. Kubernetes makes two exceptions (rules/fields: equality): a plain yes is not "yes", and
// quantities, which typ knows if it is not nil, are compared by their amount.
func same(typ *schema.Type, a, b *yaml.Node) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || !sameForm(a, b) || len(a.Content) != len(b.Content) {
		return false
	}
	switch a.Kind {
	case yaml.ScalarNode:
		if a.Tag == b.Tag && a.Value == b.Value && a.Style == b.Style {
			return true
		}
		return scalarValue(typ, a) == scalarValue(typ, b)
	case yaml.MappingNode:
		return sameMaps(typ, a, b)
	}
	return slices.EqualFunc(a.Content, b.Content, func(x, y *yaml.Node) bool { return same(typ.Element(), x, y) })
}

// sameForm reports whether two nodes have one kind, and one tag if they are maps or lists: a tag such as !Sub is part
// of the value (rules/fields: equality).
func sameForm(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && (a.Kind == yaml.ScalarNode || a.Tag == b.Tag || a.ShortTag() == b.ShortTag())
}

// sameMaps compares maps of one length. Most have their keys in one order, so it tries the same index first.
func sameMaps(typ *schema.Type, a, b *yaml.Node) bool {
	var index map[value]*yaml.Node
	for i := 0; i+1 < len(a.Content); i += 2 {
		key := valueOf(a.Content[i])
		other := b.Content[i+1]
		if valueOf(b.Content[i]) != key {
			if index == nil {
				index = mapIndex(b)
			}
			other = index[key]
		}
		if other == nil || !same(typ.Part(a.Content[i].Value), a.Content[i+1], other) {
			return false
		}
	}
	return true
}

func mapIndex(m *yaml.Node) map[value]*yaml.Node {
	index := make(map[value]*yaml.Node, len(m.Content)/2)
	for key, v := range yamlnode.Pairs(m) {
		index[valueOf(key)] = v
	}
	return index
}

// scalarValue returns a scalar in the form in which values are compared.
func scalarValue(typ *schema.Type, n *yaml.Node) value {
	if isWord(n) {
		return value{kind: wordValue, text: n.Value}
	}
	v := valueOf(n)
	if typ != nil && typ.Scalar == schema.Quantity {
		return asAmount(v)
	}
	return v
}

// isWord reports whether a value is a plain word that yaml.v3 reads as a string and kubectl as a boolean: y,
// yes, on, n, no, off.
func isWord(n *yaml.Node) bool {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle | yaml.TaggedStyle
	return yamlnode.IsBooleanWord(n.Value) && n.Style&quoted == 0 && n.ShortTag() == "!!str"
}

// SameButNamed reports whether two resources differ in name and namespace at most (rules/resources: additions
// and deletions). A resource that cannot be merged equals nothing.
func SameButNamed(a, b *yaml.Node) bool { return Same(unnamed(a), unnamed(b)) }

// unnamed returns a resource without its name and namespace.
func unnamed(n *yaml.Node) *yaml.Node {
	metadata := yamlnode.Field(n, "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode {
		return n
	}
	return yamlnode.WithField(n, "metadata", yamlnode.Without(metadata, isName))
}

// standIn returns origin's version of a resource that both sides added: upstream's name and namespace, so that local's
// stay, without comments, so that upstream's come. They are one resource, even if they have different names. On a branch
// names are values like others, and so they are in a document without a kind, such as a chart's values.
func standIn(u *yaml.Node) *yaml.Node {
	metadata := yamlnode.Field(u, "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode {
		return nil
	}
	names := yamlnode.EmptyMap()
	for _, n := range yamlnode.Without(metadata, func(field string) bool { return !isName(field) }).Content {
		bare := *n
		bare.HeadComment, bare.LineComment, bare.FootComment = "", "", ""
		names.Content = append(names.Content, &bare)
	}
	out := yamlnode.EmptyMap()
	out.Content = []*yaml.Node{yamlnode.String("metadata"), names}
	return out
}

// agreeOnNamespace returns origin's version of a cluster-scoped resource, with a namespace that prevents a conflict if
// both sides changed it, because it has no meaning (rules/resources: cluster-scoped kinds): the namespace is removed if
// one side removed it, else it is local's.
func agreeOnNamespace(versions [3]*yaml.Node) *yaml.Node {
	var in [3]*yaml.Node
	for side, n := range versions {
		in[side] = yamlnode.Lookup(n, "metadata", "namespace")
	}
	o, u, l := in[origin], in[upstream], in[local]
	if versions[upstream] == nil || versions[local] == nil || o == nil || u != nil && Same(o, u) || l != nil && Same(o, l) || u == nil && l == nil {
		return versions[origin]
	}
	return yamlnode.Set(versions[origin], nil, cmp.Or(u, l), "metadata", "namespace")
}

// isName reports whether a field of metadata names a resource.
func isName(field string) bool { return field == "name" || field == "namespace" }

package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Same reports whether two values are equal as the merge sees them where no
// schema knows them, aliases followed. A value that could not be merged is the
// same as nothing.
func Same(a, b *yaml.Node) bool { return sameOf(nil, a, b) }

// sameOf is Same for values of a type of the schema.
func sameOf(typ *schema.Type, a, b *yaml.Node) bool {
	x, errX := prepare(a)
	y, errY := prepare(b)
	return errX == nil && errY == nil && same(typ, x, y)
}

// same reports whether two nodes are equal by kind, tag and decoded value, maps without regard to
// key order; style and comments do not count. nil is absent and same only as nil. The nodes have
// no aliases (prepare expands them) and no duplicate keys. Two exceptions, both because
// Kubernetes reads values so (rules/fields: equality): a plain yes is not "yes", and what typ,
// which may be nil, calls a quantity is compared by the amount.
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
	default:
		return sameLists(typ.Element(), a.Content, b.Content)
	}
}

// sameForm reports whether two nodes are of one kind, and of one tag if they are maps or lists: a
// tag such as !Sub is part of the value (rules/fields: equality).
func sameForm(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && (a.Kind == yaml.ScalarNode || a.Tag == b.Tag || a.ShortTag() == b.ShortTag())
}

// sameLists compares elements of a type.
func sameLists(typ *schema.Type, a, b []*yaml.Node) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(typ, a[i], b[i]) {
			return false
		}
	}
	return true
}

// sameMaps compares maps of one length. Most have one order, so keys are first
// looked for at the same place.
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

// mapIndex finds a map's values by key; a key that is no scalar is left out.
func mapIndex(m *yaml.Node) map[value]*yaml.Node {
	index := make(map[value]*yaml.Node, len(m.Content)/2)
	for i := 0; i+1 < len(m.Content); i += 2 {
		index[valueOf(m.Content[i])] = m.Content[i+1]
	}
	return index
}

// scalarValue is a scalar as values are compared.
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

// isWord reports whether a value is one of the plain words that yaml.v3 reads as
// strings and kubectl as booleans: y, yes, on, n, no, off.
func isWord(n *yaml.Node) bool {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle | yaml.TaggedStyle
	return yamlnode.IsBooleanWord(n.Value) && n.Style&quoted == 0 && n.ShortTag() == "!!str"
}

// onlyRenamed reports whether local's version differs from origin's in name and
// namespace at most. These are who the resource is, not what it is: a package
// that a user prefixed and put into a namespace is not thereby customised, and
// what upstream drops from it goes without a conflict.
func onlyRenamed(typ *schema.Type, o, l *yaml.Node) bool {
	return o != nil && l != nil && same(typ, unnamed(o), unnamed(l))
}

// SameButNamed reports whether two resources differ in name and namespace at most
// (rules/resources: additions and deletions). One that could not be merged is the same
// as nothing.
func SameButNamed(a, b *yaml.Node) bool { return Same(unnamed(a), unnamed(b)) }

// unnamed is a resource without its name and namespace.
func unnamed(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = slices.Clone(n.Content)
	for i := 0; i+1 < len(out.Content); i += 2 {
		if m := out.Content[i+1]; out.Content[i].Value == "metadata" && m.Kind == yaml.MappingNode {
			anonymous := *m
			anonymous.Content = nil
			for j := 0; j+1 < len(m.Content); j += 2 {
				if !isName(m.Content[j].Value) {
					anonymous.Content = append(anonymous.Content, m.Content[j], m.Content[j+1])
				}
			}
			out.Content[i+1] = &anonymous
		}
	}
	return &out
}

// standIn is origin's version of a resource that origin lacks and both others
// have: nothing but upstream's name and namespace, so that local's stay. The two
// were told to be one resource, whatever each calls it.
func standIn(u *yaml.Node) *yaml.Node {
	metadata := yamlnode.Lookup(u, "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode {
		return nil
	}
	who := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for i := 0; i+1 < len(metadata.Content); i += 2 {
		if isName(metadata.Content[i].Value) {
			who.Content = append(who.Content, metadata.Content[i], metadata.Content[i+1])
		}
	}
	key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "metadata"}
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{key, who}}
}

// agreeOnNamespace is origin's version of a cluster-scoped resource, with a namespace such
// that upstream's and local's are no conflict where both sides changed it: it says nothing
// (rules/resources: cluster-scoped kinds). It goes if either side dropped it, and else is
// local's.
func agreeOnNamespace(versions [3]*yaml.Node) *yaml.Node {
	var in [3]*yaml.Node
	for side, n := range versions {
		in[side] = yamlnode.Lookup(n, "metadata", "namespace")
	}
	o, u, l := in[origin], in[upstream], in[local]
	if versions[upstream] == nil || versions[local] == nil || o == nil || u != nil && Same(o, u) || l != nil && Same(o, l) || u == nil && l == nil {
		return versions[origin]
	}
	as := u
	if u == nil {
		as = l
	}
	return yamlnode.Set(versions[origin], nil, as, "metadata", "namespace")
}

// isName reports whether a field of metadata says who a resource is.
func isName(field string) bool { return field == "name" || field == "namespace" }

package merge

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Path leads to a field or element of a resource: it has the last step, and the path above it. The nil path is
// the resource.
type Path struct {
	parent *Path
	field  string
	keys   []KeyValue // of an element; nil for a field
}

// KeyValue is one part of an element's key. The name is "" for an element of a set, which is its own key. The
// value is nil if the element lacks the part.
type KeyValue struct {
	Name  string
	Value *yaml.Node
}

// Field returns the path of a field below p.
func (p *Path) Field(name string) *Path { return &Path{parent: p, field: name} }

// Element returns the path of a list element below p. The order of the keys is theirs in the text of the path:
// by name, for resources with the kind first.
func (p *Path) Element(keys []KeyValue) *Path { return &Path{parent: p, keys: keys} }

// String formats the path as structured-merge-diff does (rules/conflicts: paths), with unusual names quoted:
// spec.ports[port=80,protocol="TCP"], metadata.annotations["a.b/c"].
func (p *Path) String() string {
	var b strings.Builder
	p.write(&b)
	return b.String()
}

func (p *Path) write(b *strings.Builder) {
	if p == nil {
		return
	}
	p.parent.write(b)
	switch {
	case p.keys != nil:
		writeKeys(b, p.keys)
	case !isBareName(p.field):
		b.WriteString("[" + strconv.Quote(p.field) + "]")
	default:
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(p.field)
	}
}

func writeKeys(b *strings.Builder, keys []KeyValue) {
	b.WriteByte('[')
	separator := ""
	for _, k := range keys {
		if k.Value != nil {
			b.WriteString(separator + k.Name + "=" + nodeText(k.Value))
			separator = ","
		}
	}
	b.WriteByte(']')
}

// nodeText returns the text of a scalar in a path, with strings quoted.
func nodeText(n *yaml.Node) string {
	if v := valueOf(n); v.kind != stringValue {
		return v.text
	}
	return strconv.Quote(n.Value)
}

// isBareName reports whether a field name needs no quotes in a path.
func isBareName(name string) bool { return isToken(name, "-_") }

// Step is one step of a path: a field, or an element with the parts of its key.
type Step struct {
	Field string
	Keys  []KeyValue
}

// Steps returns the steps of the path, from the resource down.
func (p *Path) Steps() []Step {
	if p == nil {
		return nil
	}
	return append(p.parent.Steps(), Step{Field: p.field, Keys: p.keys})
}

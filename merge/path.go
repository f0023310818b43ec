package merge

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Path is the place of a field or element in a resource: the last step, and
// the path above it. The nil path is the resource itself.
type Path struct {
	parent *Path
	field  string
	keys   []KeyValue // of an element; nil for a field
}

// KeyValue is one part of an element's key. The name is "" for an element of a
// set, which is its own key. The value is nil where the element lacks the part.
type KeyValue struct {
	Name  string
	Value *yaml.Node
}

// Field is the path of a field below p.
func (p *Path) Field(name string) *Path { return &Path{parent: p, field: name} }

// Element is the path of a list element below p. Paths have the parts of its key
// in the order given: by name, and of resources the kind before these.
func (p *Path) Element(keys []KeyValue) *Path { return &Path{parent: p, keys: keys} }

// String writes the path as structured-merge-diff does (rules/conflicts: paths), odd
// names quoted: spec.ports[port=80,protocol="TCP"], metadata.annotations["a.b/c"].
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
	written := 0
	for _, k := range keys {
		if k.Value == nil {
			continue
		}
		if written > 0 {
			b.WriteByte(',')
		}
		written++
		b.WriteString(k.Name + "=" + nodeText(k.Value))
	}
	b.WriteByte(']')
}

// nodeText writes strings quoted and other scalars as they stand.
func nodeText(n *yaml.Node) string {
	if v := valueOf(n); v.kind != stringValue {
		return v.text
	}
	return strconv.Quote(n.Value)
}

// isBareName reports whether a field name needs no quotes in a path.
func isBareName(name string) bool {
	for _, r := range name {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && !('0' <= r && r <= '9') && r != '-' && r != '_' {
			return false
		}
	}
	return name != ""
}

// Step is one step of a path: a field, or an element by the parts of its key.
type Step struct {
	Field string
	Keys  []KeyValue
}

// Steps are the steps of the path, from the resource down.
func (p *Path) Steps() []Step {
	if p == nil {
		return nil
	}
	return append(p.parent.Steps(), Step{Field: p.field, Keys: p.keys})
}

// Find is where the path leads in a resource: the key of a field, or an element.
// Where the path leads to nothing, it is what is nearest above and there, and the
// resource itself at last. whole reports whether the path leads there to its end.
// A Finder finds many paths faster.
func (p *Path) Find(resource *yaml.Node) (at *yaml.Node, whole bool) {
	return (&Finder{resource: resource}).Find(p)
}

// Value is the value that the path leads to in a resource, nil if it leads to nothing.
func (p *Path) Value(resource *yaml.Node) *yaml.Node {
	return (&Finder{resource: resource}).Value(p)
}

// Find is Path.Find in the finder's resource.
func (f *Finder) Find(p *Path) (at *yaml.Node, whole bool) {
	at, _, whole = f.find(p)
	return at, whole
}

// Value is Path.Value in the finder's resource.
func (f *Finder) Value(p *Path) *yaml.Node {
	if _, value, whole := f.find(p); whole {
		return value
	}
	return nil
}

package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

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

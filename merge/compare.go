package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// Comparison is a place in two versions of a resource, as collate lays them side by
// side: what a patch is written from (rules/patches: forms).
type Comparison struct {
	Path *Path
	// From and To are nil where the version lacks the place, and so are FromKey and ToKey,
	// the key nodes of a field. Of an element they are always nil.
	From, To, FromKey, ToKey *yaml.Node
	// Type is what the schema says of the place, nil if nothing.
	Type *schema.Type
	// Keys name the fields that tell the elements of a list apart; nil of a list whose
	// elements are their own keys.
	Keys []string
	// Unkeyed marks an element that no key tells apart. It is in one version only.
	Unkeyed bool
	// Parts are the fields of a map that both versions have, and the elements of a list
	// with keys that both have: those of To in its order, then what From alone has. Of
	// anything else, which is decided whole, they are nil.
	Parts []*Comparison
	// FromAt and ToAt are the indices of an element in the lists, -1 where it is not.
	FromAt, ToAt int
}

// Compare lays two versions of a resource side by side, both mappings. A version that
// cannot be merged is a Fault.
func Compare(from, to *yaml.Node, kind schema.Resource) (*Comparison, error) {
	prepared, err := prepareAll([3]*yaml.Node{origin: from, local: to})
	if err != nil {
		return nil, err
	}
	prepared[upstream] = prepared[origin]
	return compared(collator{kind: kind}.resource(prepared), [3]int{}), nil
}

// compared is the comparison of an element that is at an index of each side's list.
func compared(e *element, at [3]int) *Comparison {
	c := &Comparison{
		Path: e.path, From: e.value[origin], To: e.value[local], Type: e.typ, Unkeyed: e.unkeyed,
		FromKey: e.key[origin], ToKey: e.key[local], FromAt: at[origin], ToAt: at[local],
	}
	if c.From == nil || c.To == nil || c.From.Kind != c.To.Kind || e.form == atomic {
		return c
	}
	places := e.indices()
	c.Parts = make([]*Comparison, len(e.children))
	for i, child := range e.children {
		c.Parts[i] = compared(child, places[i])
		for _, key := range child.keys {
			if e.form == associative && !slices.Contains(c.Keys, key.Name) {
				c.Keys = append(c.Keys, key.Name)
			}
		}
	}
	return c
}

// indices are the places of the children, -1 where a side lacks one.
func (e *element) indices() [][3]int {
	out := e.places()
	for i, child := range e.children {
		for side := range out[i] {
			if child.value[side] == nil {
				out[i][side] = -1
			}
		}
	}
	return out
}

// Equal reports whether the versions have the same there: values, quantities as they
// are written, and the elements of lists in their order.
func (c *Comparison) Equal() bool { return same(nil, c.From, c.To) }

// Name is the name of a field, "" of an element.
func (c *Comparison) Name() string {
	if c.Path == nil {
		return ""
	}
	return c.Path.field
}

// IsMap reports whether both versions have a map that is not decided whole.
func (c *Comparison) IsMap() bool { return c.Parts != nil && c.To.Kind == yaml.MappingNode }

// IsList reports whether both versions have a list whose elements are told apart.
func (c *Comparison) IsList() bool { return c.Parts != nil && c.To.Kind == yaml.SequenceNode }

// Difference is a field or an element in which one version of a resource is not
// what another is. From and To are nil where the version lacks it.
type Difference struct {
	Path     *Path
	From, To *yaml.Node
}

// Differences lists where a version of a resource differs from another, with
// the keys of lists that the schema knows: fields and elements that one alone has
// as wholes, atomic values as wholes, all others field by field. A list map that
// differs in nothing but the order of its elements is one difference. They come in
// the order of to, what only from has after that. A version that cannot be merged
// is a Fault.
func Differences(from, to *yaml.Node, kind schema.Resource) ([]Difference, error) {
	prepared, err := prepareAll([3]*yaml.Node{origin: from, local: to})
	if err != nil {
		return nil, err
	}
	prepared[upstream] = prepared[origin]
	if prepared[origin] == nil || prepared[local] == nil {
		return differing(&element{value: prepared}), nil
	}
	return differing(collator{kind: kind, rekeys: true}.resource(prepared)), nil
}

// differing are the differences at an element and below it.
func differing(e *element) []Difference {
	from, to := e.value[origin], e.value[local]
	whole := []Difference{{Path: e.path, From: from, To: to}}
	switch {
	case from == nil && to == nil || from != nil && to != nil && e.unchanged(local):
		return nil
	case from == nil || to == nil || e.form == atomic || from.Kind != to.Kind:
		return whole
	}
	var out []Difference
	for _, child := range e.children {
		if child.unkeyed {
			return whole
		}
		out = append(out, differing(child)...)
	}
	if out == nil {
		return whole
	}
	return out
}

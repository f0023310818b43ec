package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

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

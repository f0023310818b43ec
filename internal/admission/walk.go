package admission

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// walk looks at an object by its type.
type walk struct {
	found []merge.Conflict
	// strict says that a rolling update excludes deletion by hand, as of a StatefulSet.
	strict bool
	// nulls says to look for nulls in the place of strings, and for nothing else.
	nulls bool
}

func (w *walk) value(typ *schema.Type, at *merge.Path, n *yaml.Node) {
	if typ == nil || n == nil {
		return
	}
	switch n.Kind {
	case yaml.ScalarNode:
		w.scalar(typ, at, n)
	case yaml.MappingNode:
		if !w.nulls {
			w.found = append(w.found, unions(typ, at, n, w.strict)...)
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := n.Content[i].Value
			w.value(typ.Part(name), at.Field(name), n.Content[i+1])
		}
	case yaml.SequenceNode:
		for i, c := range n.Content {
			w.value(typ.Element(), at.Element(keyOf(typ, c, i)), c)
		}
	}
}

// scalar finds a value that is no string in a map of strings.
func (w *walk) scalar(typ *schema.Type, at *merge.Path, n *yaml.Node) {
	if typ.Scalar != schema.String {
		return
	}
	switch tag := n.ShortTag(); {
	case w.nulls && tag == "!!null":
		w.found = append(w.found, refusal(at, n, "a null in a map of strings of a custom resource"))
	case w.nulls:
	case tag == "!!int", tag == "!!float":
		w.found = append(w.found, refusal(at, n, "a number in a map of strings; quote it"))
	case tag == "!!bool":
		w.found = append(w.found, refusal(at, n, "a boolean in a map of strings; quote it"))
	}
}

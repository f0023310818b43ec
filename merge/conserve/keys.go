package conserve

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// Keys says which fields make up the key of a list's elements; none if the
// elements are told apart by their value. path leads to the list, by field
// names and * for any element; lists are the elements that the sides have.
type Keys func(path []string, lists [3][]*yaml.Node) []Key

// Key is a field of a key, or a dotted path to one, with what it is where the
// element lacks it, "" for nothing.
type Key struct{ Name, Default string }

// identified stands for the key of resources, which is who they are.
const identified = "(resource)"

// KeysOf are the keys of a kind's lists. They and ScalarsOf are all that the
// checker knows of schemas.
func KeysOf(kind schema.Resource) Keys {
	return func(path []string, lists [3][]*yaml.Node) []Key {
		typ, infer := kind.Type, kind.Infer
		for i, step := range path {
			if step == "*" {
				typ = typ.Element()
			} else {
				typ = typ.Field(step)
			}
			if pod, ok := kind.PodTemplate(typ); ok && slices.Equal(path[i:min(i+2, len(path))], []string{"template", "spec"}) {
				typ, infer = pod, false
			}
		}
		if typ != nil && typ.Relation == schema.Resources && named(lists) {
			return []Key{{Name: identified}}
		}
		var out []Key
		for _, k := range keysOf(typ, infer, lists) {
			fallback, _ := k.Default.(string)
			out = append(out, Key{Name: k.Name, Default: fallback})
		}
		return out
	}
}

// Scalars says what the scalar at a path stands for.
type Scalars func(path []string) schema.Scalar

// ScalarsOf are the scalars of a kind.
func ScalarsOf(kind schema.Resource) Scalars {
	return func(path []string) schema.Scalar {
		if typ := typeAt(kind.Type, path); typ != nil {
			return typ.Scalar
		}
		return schema.Opaque
	}
}

func typeAt(typ *schema.Type, path []string) *schema.Type {
	for _, step := range path {
		if step == "*" {
			typ = typ.Element()
		} else {
			typ = typ.Field(step)
		}
	}
	return typ
}

// named says whether all elements have the name of a resource.
func named(lists [3][]*yaml.Node) bool {
	return !slices.ContainsFunc(slices.Concat(lists[:]...), func(n *yaml.Node) bool {
		return field(field(n, "metadata"), "name") == nil
	})
}

// keysOf are the keys that a type has, or that may be guessed where it says
// nothing.
func keysOf(typ *schema.Type, infer bool, lists [3][]*yaml.Node) []schema.Key {
	switch {
	case typ != nil && typ.Relation != schema.Granular && typ.Relation != schema.Resources:
		return typ.Keys
	case infer:
		return schema.InferKeys(lists[:]...)
	}
	return nil
}

package mergecheck

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// Keys says which fields make up the key of a list's elements; none if the
// elements are told apart by their value. path leads to the list, by field
// names and, for any element, * and its apiVersion and kind if it has any; lists
// are the elements that the sides have.
type Keys func(path []string, lists [3][]*yaml.Node) []Key

// Key is a field of a key, or a dotted path to one, with its default where the
// element lacks it, "" for none.
type Key struct{ Name, Default string }

// identified stands for the key of resources, which is their identity.
const identified = "(resource)"

// KeysOf are the keys of a kind's lists. They and ScalarsOf are all that the
// checker knows of schemas.
func KeysOf(kind schema.Resource, versions ...*yaml.Node) Keys {
	pods := slices.ContainsFunc(versions, hasPodTemplate)
	return func(path []string, lists [3][]*yaml.Node) []Key {
		typ, infer, whole := known(kind, path, pods)
		if whole {
			return nil
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

// Scalars returns the schema's meaning of the scalar at a path.
type Scalars func(path []string) schema.Scalar

// ScalarsOf are the scalars of a kind.
func ScalarsOf(kind schema.Resource, versions ...*yaml.Node) Scalars {
	pods := slices.ContainsFunc(versions, hasPodTemplate)
	return func(path []string) schema.Scalar {
		if typ, _, _ := known(kind, path, pods); typ != nil {
			return typ.Scalar
		}
		return schema.Opaque
	}
}

// Nulls says whether a new null removes the field at a path.
type Nulls func(path []string) bool

// NullsOf returns the fields of a kind that a null removes: the ones that a schema
// describes (rules/fields: null).
func NullsOf(kind schema.Resource, versions ...*yaml.Node) Nulls {
	pods := slices.ContainsFunc(versions, hasPodTemplate)
	return func(path []string) bool {
		if strings.HasPrefix(path[len(path)-1], "*") {
			return false
		}
		for i := range path {
			typ, _, _ := known(kind, path[:i+1], pods)
			if described := typ.Describes(); described == schema.All || described != schema.Nothing && i == len(path)-1 {
				return true
			}
		}
		return kind.Type.Describes() == schema.All
	}
}

// hasPodTemplate reports whether a template with containers is anywhere in a version
// (rules/unions: pod templates of unknown kinds).
func hasPodTemplate(n *yaml.Node) bool {
	if n == nil {
		return false
	}
	if containers := field(field(field(n, "template"), "spec"), "containers"); containers != nil && containers.Kind == yaml.SequenceNode {
		return true
	}
	return slices.ContainsFunc(n.Content, hasPodTemplate)
}

// known returns the type of the value at a path of a kind, whether keys may be
// guessed there, and whether it is in a value that is decided whole.
func known(kind schema.Resource, path []string, pods bool) (typ *schema.Type, infer, whole bool) {
	of, typ, infer := kind, kind.Type, kind.Infer
	for i, step := range path {
		whole = whole || typ != nil && typ.Relation == schema.Atomic
		if what, element := strings.CutPrefix(step, "*"); !element {
			typ = typ.Part(step)
		} else if typ = typ.Element(); typ != nil && typ.Embedded {
			of = itemKind(kind, what)
			typ, infer = of.Type, of.Infer
		}
		if pod, ok := of.PodTemplate(typ); ok && pods && step == "template" && i+1 < len(path) && slices.Contains([]string{"metadata", "spec"}, path[i+1]) {
			typ, infer = pod, false
		}
	}
	return typ, infer, whole
}

// kindStep is the step of a path to an element, with the element's apiVersion and kind.
func kindStep(n *yaml.Node) string {
	return "*" + strings.TrimSpace(textOf(field(n, "apiVersion"))+" "+textOf(field(n, "kind")))
}

// itemKind returns the schema's knowledge of the kind that an item of a list names.
func itemKind(list schema.Resource, what string) schema.Resource {
	apiVersion, name, _ := strings.Cut(what, " ")
	group, version, found := strings.Cut(apiVersion, "/")
	if !found {
		group, version = "", apiVersion
	}
	return list.Embedded(group, version, name)
}

// named reports whether all elements have the name of a resource.
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
		return schema.InferKeys(lists)
	}
	return nil
}

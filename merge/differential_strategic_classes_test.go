package merge

import (
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smdvalue "sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/resource-merge/resource-merge/identity"
)

// patchTypes are the Go types whose tags tell strategicpatch how to merge.
type patchTypes struct{ *runtime.Scheme }

// classes lists the classes of differences from strategicpatch; the first that
// covers a difference counts.
func (p patchTypes) classes() []class {
	return []class{
		{"re-keyed", "an element with another key and all else the same, or a port of the same name, is that element changed; there one is gone and another new (rules/lists: re-keyed elements)",
			rekeyed},
		{"gone with what held it", "upstream removed a map or list, and what is local's own in it stays; there it goes too (rules/fields: maps)", goneWithHolder},
		{"replaced", "selectors and lists with keys merge by these; there some have no patch strategy or \"replace\", are upstream's, and what local added is lost (rules/schemas: built-in kinds)",
			p.replaced},
		{"list merged", "an atomic list is upstream's if upstream changed it; there its elements merge by one field, and those that have it in common become one (rules/schemas: built-in kinds)",
			p.listMerged},
		{"half a key", "a port's key has the protocol in it, a constraint's whenUnsatisfiable; there it is one field, and of two elements one is lost or takes what is the other's (rules/schemas: columns of the clusters)",
			p.halfKey},
		{"amount", "quantities compare by the amount, so that 1 for \"1\" is no change; there it is one (rules/fields: equality)", sameAmount},
		{"union", "a switch stands, and the loss is a conflict; there members that exclude each other mix (rules/unions: switches)", inUnion},
		{"retained keys", "what local adds to a strategy or volume stays, unless it is another member; there only the fields that upstream has stay (rules/fields: maps; rules/unions: union structs)",
			p.notRetained},
	}
}

// goneWithHolder reports whether the difference is an addition of local to a map
// or list that upstream removed.
func goneWithHolder(a answers, d difference) bool {
	return isLocalsOwn(d) && slices.ContainsFunc(prefixes(d.path), func(holder fieldpath.Path) bool {
		at := a.at(holder)
		return at.origin != nil && at.upstream == nil && at.theirs == nil
	})
}

// isLocalsOwn reports whether a difference is something only local has, and that
// only our answer keeps.
func isLocalsOwn(d difference) bool {
	return d.origin == nil && d.upstream == nil && d.theirs == nil && reflect.DeepEqual(d.ours, d.local)
}

// prefixes are the paths above a path, and itself.
func prefixes(path fieldpath.Path) []fieldpath.Path {
	var out []fieldpath.Path
	for i := range path {
		out = append(out, path[:i+1])
	}
	return out
}

// replaced reports whether the difference is an addition of local to a list or
// struct that strategicpatch does not merge.
func (p patchTypes) replaced(a answers, d difference) bool {
	return isLocalsOwn(d) && slices.ContainsFunc(prefixes(d.path), func(holder fieldpath.Path) bool {
		at, meta := a.at(holder), p.at(a.kind, holder)
		isList := len(holder) < len(d.path) && d.path[len(holder)].FieldName == nil
		whole := isList && !p.merges(a.kind, holder) || slices.Contains(meta.GetPatchStrategies(), "replace")
		return whole && reflect.DeepEqual(at.theirs, at.upstream)
	})
}

// listMerged reports whether the difference is a list that only strategicpatch
// merges.
func (p patchTypes) listMerged(a answers, d difference) bool {
	_, isList := d.upstream.([]any)
	return isList && reflect.DeepEqual(d.ours, d.upstream) && p.merges(a.kind, d.path)
}

// halfKey reports whether the difference is in an element beside which, on some
// side, there is another with the same merge key of strategicpatch.
func (p patchTypes) halfKey(a answers, d difference) bool {
	return asDecided(a, d) && slices.ContainsFunc(prefixes(d.path), func(element fieldpath.Path) bool {
		step, list := element[len(element)-1], element[:len(element)-1]
		if step.Key == nil {
			return false
		}
		meta := p.at(a.kind, list)
		return len(similar(a, list, *step.Key, meta.GetPatchMergeKey())) > 1
	})
}

// similar are the keys, as text, of the elements of a list that have one field
// of a key.
func similar(a answers, list fieldpath.Path, key smdvalue.FieldList, field string) map[string]bool {
	var names []string
	var want any
	for _, part := range key {
		names = append(names, part.Name)
		if part.Name == field {
			want = part.Value.Unstructured()
		}
	}
	found := map[string]bool{}
	for _, side := range identity.Sides() {
		elements, _ := at(a.sides[side], list).([]any)
		for _, element := range elements {
			if own := keyOf(element.(map[string]any), names); own[field] == want {
				found[fmt.Sprint(own)] = true
			}
		}
	}
	return found
}

// notRetained reports whether the difference is an addition of local to a struct
// of which strategicpatch retains only upstream's fields.
func (p patchTypes) notRetained(a answers, d difference) bool {
	return isLocalsOwn(d) && slices.ContainsFunc(prefixes(d.path), func(holder fieldpath.Path) bool {
		if last := holder[len(holder)-1]; last.FieldName == nil {
			holder = holder[:len(holder)-1]
		}
		meta := p.at(a.kind, holder)
		return slices.Contains(meta.GetPatchStrategies(), "retainKeys")
	})
}

// merges reports whether strategicpatch merges the list at a path.
func (p patchTypes) merges(kind kindUnderTest, list fieldpath.Path) bool {
	meta := p.at(kind, list)
	return slices.Contains(meta.GetPatchStrategies(), "merge")
}

// at is what strategicpatch knows about the field at a path.
func (p patchTypes) at(kind kindUnderTest, path fieldpath.Path) strategicpatch.PatchMeta {
	var holder strategicpatch.LookupPatchMeta
	holder, err := strategicpatch.NewPatchMetaFromStruct(typeOf(p.Scheme, kind))
	for i, step := range path {
		switch last := i == len(path)-1; {
		case err != nil:
			return strategicpatch.PatchMeta{}
		case step.FieldName == nil:
		case !last && path[i+1].FieldName == nil:
			holder, _, err = holder.LookupPatchMetadataForSlice(*step.FieldName)
		default:
			var meta strategicpatch.PatchMeta
			if holder, meta, err = holder.LookupPatchMetadataForStruct(*step.FieldName); last && err == nil {
				return meta
			}
		}
	}
	return strategicpatch.PatchMeta{}
}

package merge

import (
	"fmt"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// applied is structured-merge-diff's answer: what upstream changed since
// origin, applied to local.
func applied(kind kindUnderTest, sides [3]any) (*typed.TypedValue, error) {
	var versions [3]*typed.TypedValue
	for side, v := range sides {
		version, err := kind.theirs.FromUnstructured(v)
		if err != nil {
			return nil, fmt.Errorf("side %d: %w", side, err)
		}
		versions[side] = version
	}
	changes, err := versions[origin].Compare(versions[upstream])
	if err != nil {
		return nil, fmt.Errorf("comparing: %w", err)
	}
	merged := versions[local]
	if set := withKeys(changes.Added.Union(changes.Modified).Leaves()); !set.Empty() {
		if merged, err = merged.Merge(versions[upstream].ExtractItems(set)); err != nil {
			return nil, fmt.Errorf("merging: %w", err)
		}
	}
	return merged.RemoveItems(withdrawn(changes.Removed)), nil
}

// withKeys adds the key fields of the elements that the paths lead through.
func withKeys(set *fieldpath.Set) *fieldpath.Set {
	out := set.Copy()
	for path := range set.All() {
		for i, step := range path {
			if step.Key == nil {
				continue
			}
			for _, part := range *step.Key {
				out.Insert(append(path[:i+1:i+1], fieldpath.FieldNameElement(part.Name)))
			}
		}
	}
	return out
}

// withdrawn is what upstream took away: leaves, and elements as wholes. Of a
// map or list that upstream took away, what only local has is to stay.
func withdrawn(removed *fieldpath.Set) *fieldpath.Set {
	out := removed.Leaves()
	for path := range removed.All() {
		if last := path[len(path)-1]; last.FieldName == nil {
			out.Insert(path.Copy())
		}
	}
	return out
}

// mergeSelectorsByKey changes client-go's schema where rules/schemas: built-in kinds
// departs from it: LabelSelector and the maps nodeSelector and selector are not atomic.
func mergeSelectorsByKey(s *smd.Schema) {
	for _, def := range s.Types {
		if def.Map == nil {
			continue
		}
		if strings.HasSuffix(def.Name, ".meta.v1.LabelSelector") {
			def.Map.ElementRelationship = smd.Separable
		}
		for _, f := range def.Map.Fields {
			if m := f.Type.Inlined.Map; m != nil && (f.Name == "selector" || f.Name == "nodeSelector") {
				m.ElementRelationship = smd.Separable
			}
		}
	}
}

package gitdriver

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// followKeys returns the versions with list elements under the keys that one side gave them: a
// container that theirs renamed has its new name in the base and in ours as well. Ours' changes are
// then at the same paths as in the merge. The versions are the base, theirs, ours and the merge.
func followKeys(versions [4]*yaml.Node, kind schema.Resource) [4]*yaml.Node {
	const base, theirs, ours = 0, 1, 2
	for _, sides := range [2][2]int{{theirs, ours}, {ours, theirs}} {
		side, other := sides[0], sides[1]
		all, err := merge.Differences(versions[base], versions[side], kind)
		if err != nil {
			return versions
		}
		for _, d := range all {
			if !isNewKey(d) {
				continue
			}
			if changed := withField(versions[other], d.Path.Steps(), d.To); changed != nil {
				versions[base], versions[other] = withField(versions[base], d.Path.Steps(), d.To), changed
			}
		}
	}
	return versions
}

// isNewKey reports whether a difference changes the key of a list element.
func isNewKey(d merge.Comparison) bool {
	steps := d.Path.Steps()
	if len(steps) < 2 || d.From == nil || d.To == nil {
		return false
	}
	for _, k := range steps[len(steps)-2].Keys {
		if k.Name == steps[len(steps)-1].Field && k.Value != nil {
			return true
		}
	}
	return false
}

// withField returns a version with another value of the field at a path, nil if the version lacks
// the field.
func withField(n *yaml.Node, steps []merge.Step, v *yaml.Node) *yaml.Node {
	step := steps[0]
	if step.Keys == nil {
		child := yamlnode.Field(n, step.Field)
		if child != nil && len(steps) > 1 {
			v = withField(child, steps[1:], v)
		}
		if child == nil || v == nil {
			return nil
		}
		return yamlnode.WithField(n, step.Field, v)
	}
	changed := yamlnode.Each(n, func(e *yaml.Node) *yaml.Node {
		if hasKeys(e, step.Keys) {
			if to := withField(e, steps[1:], v); to != nil {
				return to
			}
		}
		return e
	})
	if changed == n {
		return nil
	}
	return changed
}

// hasKeys reports whether an element has a key.
func hasKeys(e *yaml.Node, keys []merge.KeyValue) bool {
	for _, k := range keys {
		has := yamlnode.Field(e, k.Name)
		if (has == nil) != (k.Value == nil) || has != nil && !merge.Same(has, k.Value) {
			return false
		}
	}
	return true
}

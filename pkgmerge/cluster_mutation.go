package pkgmerge

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// mutated is config in which the fields that get values of other objects when it is
// applied have the values that live has there now: the plan does not know others (design
// 15.6).
func (m *Match) mutated(config *yaml.Node) *yaml.Node {
	s := m.step()
	if s == nil || !m.Has(identity.Local) {
		return config
	}
	for _, mutation := range s.Mutations {
		if path, ok := fieldSteps(mutation.TargetPath); ok {
			config = withLive(config, m.trees[identity.Local], path)
		}
	}
	return config
}

// fieldSteps are the names and indexes of a path such as $.spec.hosts[0].name. Any other
// query finds nothing that is sure.
func fieldSteps(path string) (steps []string, ok bool) {
	path = strings.ReplaceAll(strings.TrimPrefix(path, "$"), "[", ".")
	for step := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		step = strings.Trim(strings.TrimSuffix(step, "]"), `'"`)
		if step == "" || strings.ContainsAny(step, "*?@(]") {
			return nil, false
		}
		steps = append(steps, step)
	}
	return steps, true
}

// withLive is a value with live's at a path, if both have the path.
func withLive(config, live *yaml.Node, path []string) *yaml.Node {
	switch {
	case len(path) == 0:
		return live
	case config == nil || live == nil || config.Kind != live.Kind:
		return config
	}
	to, from := childAt(config, path[0]), childAt(live, path[0])
	if to < 0 || from < 0 {
		return config
	}
	out := *config
	out.Content = slices.Clone(config.Content)
	out.Content[to] = withLive(config.Content[to], live.Content[from], path[1:])
	return &out
}

// childAt is where a field or an element is in the content of a value, -1 if it has none.
func childAt(n *yaml.Node, step string) int {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == step {
				return i + 1
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Content) {
			return i
		}
	}
	return -1
}

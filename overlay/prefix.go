package overlay

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch"
)

// affix is kustomize's namePrefix or nameSuffix: it is in the names of all resources, and in
// what refers to them.
type affix struct {
	field, text string
	// names are those of the base's resources, by kind.
	names map[[2]string]bool
}

// affixes are the prefix and the suffix that the fork has in every name.
func affixes(pairs []*pair) []transformer {
	all := both(pairs)
	if len(all) == 0 {
		return nil
	}
	prefix, suffix, names, plain := "", "", map[[2]string]bool{}, map[string]bool{}
	for _, p := range all {
		was, is := patch.TargetOf(p.base), patch.TargetOf(p.fork)
		if before, after, found := strings.Cut(is.Name, was.Name); found && !keepsName(p.base) {
			prefix, suffix = before, after
		}
		names[[2]string{was.Kind, was.Name}], plain[was.Name] = true, true
	}
	for _, p := range pairs {
		if p.fork != nil && (yamlnode.Field(p.fork, "subjects") != nil || refers(p.fork, "", "", plain)) {
			return nil
		}
	}
	var out []transformer
	for _, a := range []affix{{"namePrefix", prefix, names}, {"nameSuffix", suffix, names}} {
		if a.text != "" {
			out = append(out, a)
		}
	}
	return out
}

// keepsName reports whether kustomize leaves the names of a kind as they are.
func keepsName(n *yaml.Node) bool {
	return slices.Contains([]string{"CustomResourceDefinition", "APIService", "Namespace"}, patch.TargetOf(n).Kind)
}

func (a affix) with(name string) string {
	if a.field == "namePrefix" {
		return a.text + name
	}
	return name + a.text
}

func (a affix) without(name string) string {
	if a.field == "namePrefix" {
		return strings.TrimPrefix(name, a.text)
	}
	return strings.TrimSuffix(name, a.text)
}

func (a affix) apply(n *yaml.Node) *yaml.Node {
	return a.renamed(n, a.with, func(name string) string { return name })
}

func (a affix) undo(fork, _ *yaml.Node) *yaml.Node { return a.renamed(fork, a.without, a.without) }

// renamed is a resource with another name, and with other names in what refers to resources of
// the base. plain is what those call a name.
func (a affix) renamed(n *yaml.Node, change, plain func(string) string) *yaml.Node {
	if knows(patch.TargetOf(n)) {
		n = references(n, "", func(kind, name string) string {
			if a.names[[2]string{kind, plain(name)}] {
				return change(name)
			}
			return name
		})
	}
	if keepsName(n) {
		return n
	}
	return set(n, nil, withText(yamlnode.Lookup(n, "metadata", "name"), change), "metadata", "name")
}

func (a affix) write(k *yaml.Node) {
	k.Content = append(k.Content, yamlnode.String(a.field), yamlnode.String(a.text))
}

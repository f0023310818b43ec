package overlay

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch"
)

// renamesAreSafe reports whether patches may give resources other names: kustomize then gives
// the new name to all that refers to the old one, and in the fork nothing may do so.
func renamesAreSafe(pairs []*pair) bool {
	old := map[string]bool{}
	for _, p := range both(pairs) {
		if was := patch.TargetOf(p.base).Name; was != patch.TargetOf(p.fork).Name {
			old[was] = true
		}
	}
	for _, p := range pairs {
		if p.fork != nil && len(old) > 0 && (old[patch.TargetOf(p.fork).Name] || refers(p.fork, "", "", old)) {
			return false
		}
	}
	return true
}

// followRenames takes out of the sources what kustomize does itself: it gives what refers to a
// resource its new name.
func followRenames(pairs []*pair) {
	was := map[[2]string]string{}
	for _, p := range both(pairs) {
		if old, is := patch.TargetOf(p.base), patch.TargetOf(p.source); old.Name != is.Name && old.Kind == is.Kind {
			was[[2]string{is.Kind, is.Name}] = old.Name
		}
	}
	for _, p := range both(pairs) {
		if len(was) > 0 && knows(p.target()) {
			p.source = references(p.source, "", func(kind, name string) string { return cmp.Or(was[[2]string{kind, name}], name) })
		}
	}
}

// refers reports whether a value may be a reference to one of the names: any that is not
// known to be none. at and above are the fields that it is in.
func refers(n *yaml.Node, at, above string, names map[string]bool) bool {
	switch n.Kind {
	case yaml.ScalarNode:
		return names[n.Value] && !isNoReference(at, above)
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if refers(n.Content[i+1], n.Content[i].Value, at, names) {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(n.Content, func(e *yaml.Node) bool { return refers(e, at, above, names) })
}

// isNoReference reports whether a field is known to name no resource. A list has the name of
// its field.
func isNoReference(at, above string) bool {
	switch above {
	case "labels", "matchLabels", "selector", "data", "stringData":
		return true
	case "containers", "initContainers", "env", "ports", "volumes", "volumeMounts", "metadata":
		return at == "name" || at == "value" || at == "namespace"
	}
	return slices.Contains([]string{"args", "command", "image", "host", "targetPort", "key"}, at)
}

// renamed is the patch of a resource that the fork calls otherwise: changed, which may be
// empty, with the new name.
func renamed(t patch.Target, changed *yaml.Node, name string) *yaml.Node {
	if changed == nil {
		changed = mapOf([2]string{"apiVersion", t.APIVersion}, [2]string{"kind", t.Kind})
	}
	return set(changed, nil, yamlnode.String(name), "metadata", "name")
}

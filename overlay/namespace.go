package overlay

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch"
)

// namespace is kustomize's namespace: that of all resources that have one.
type namespace struct{ name *yaml.Node }

// namespaces is the namespace that all of the fork is in, where the base has it otherwise. Only
// kinds count of which it is known that kustomize sets nothing else in them, and that
// they belong to a namespace.
func namespaces(pairs []*pair) []transformer {
	var found *yaml.Node
	differs := false
	for _, p := range pairs {
		if p.fork == nil {
			continue
		}
		is := yamlnode.Lookup(p.fork, "metadata", "namespace")
		if is == nil || !isPlainlyNamespaced(p.fork) || found != nil && found.Value != is.Value {
			return nil
		}
		found = is
		differs = differs || p.base != nil && yamlnode.Text(yamlnode.Lookup(p.base, "metadata", "namespace")) != is.Value
	}
	if !differs {
		return nil
	}
	return []transformer{namespace{found}}
}

// isPlainlyNamespaced reports whether kustomize's namespace sets metadata.namespace of a
// kind and nothing else.
func isPlainlyNamespaced(n *yaml.Node) bool {
	t := patch.TargetOf(n)
	switch t.APIVersion {
	case "v1":
		return t.Kind != "Namespace" && t.Kind != "PersistentVolume" && t.Kind != "Node" && t.Kind != "List"
	case "apps/v1", "batch/v1", "autoscaling/v1", "policy/v1", "coordination.k8s.io/v1", "discovery.k8s.io/v1":
		return true
	case "networking.k8s.io/v1":
		return t.Kind == "Ingress" || t.Kind == "NetworkPolicy"
	case "rbac.authorization.k8s.io/v1":
		return t.Kind == "Role"
	}
	return false
}

func (s namespace) apply(n *yaml.Node) *yaml.Node {
	return set(n, nil, s.name, "metadata", "namespace")
}

func (s namespace) undo(fork, base *yaml.Node) *yaml.Node {
	return set(fork, base, yamlnode.Lookup(base, "metadata", "namespace"), "metadata", "namespace")
}

func (s namespace) write(k *yaml.Node) {
	k.Content = append(k.Content, yamlnode.String("namespace"), yamlnode.String(s.name.Value))
}

package pkgmerge

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// target is a resource as another one refers to it.
type target struct{ kind, namespace, name string }

func (r target) String() string {
	if r.namespace == "" {
		return r.kind + " " + r.name
	}
	return r.kind + " " + r.namespace + "/" + r.name
}

// ownTarget is how others refer to a resource.
func ownTarget(m identity.Meta) target {
	return target{kind: m.Kind, namespace: m.Namespace, name: m.Name}
}

// namedIn says where a struct names a resource of some kind: in the field at the
// end of a path, in which [] stands for every element of a list.
type namedIn struct{ kind, path string }

// inPod are the references of a pod, and inContainer those of a container.
func inPod() []namedIn {
	return []namedIn{
		{"ServiceAccount", "serviceAccountName"},
		{"Secret", "imagePullSecrets.[].name"},
		{"ConfigMap", "volumes.[].configMap.name"},
		{"Secret", "volumes.[].secret.secretName"},
		{"PersistentVolumeClaim", "volumes.[].persistentVolumeClaim.claimName"},
		{"ConfigMap", "volumes.[].projected.sources.[].configMap.name"},
		{"Secret", "volumes.[].projected.sources.[].secret.name"},
	}
}

func inContainer() []namedIn {
	return []namedIn{
		{"ConfigMap", "envFrom.[].configMapRef.name"},
		{"Secret", "envFrom.[].secretRef.name"},
		{"ConfigMap", "env.[].valueFrom.configMapKeyRef.name"},
		{"Secret", "env.[].valueFrom.secretKeyRef.name"},
	}
}

// inKind are the references of kinds that make no pods, or beside these.
func inKind(kind string) []namedIn {
	switch kind {
	case "StatefulSet":
		return []namedIn{{"Service", "spec.serviceName"}}
	case "Ingress":
		return []namedIn{
			{"Service", "spec.defaultBackend.service.name"},
			{"Service", "spec.rules.[].http.paths.[].backend.service.name"},
			{"Secret", "spec.tls.[].secretName"},
		}
	}
	return nil
}

// references lists what a resource names that lies in its own namespace, or is
// a role or a subject of a binding.
func references(n *yaml.Node) []target {
	kind, namespace := yamlnode.Text(yamlnode.Field(n, "kind")), yamlnode.Text(yamlnode.Lookup(n, "metadata", "namespace"))
	var out []target
	add := func(in *yaml.Node, places []namedIn) {
		for _, place := range places {
			for _, name := range texts(in, strings.Split(place.path, ".")) {
				out = append(out, target{kind: place.kind, namespace: namespace, name: name})
			}
		}
	}
	add(n, inKind(kind))
	pod := podOf(n)
	add(pod.spec, inPod())
	for _, c := range pod.containers() {
		add(c, inContainer())
	}
	switch kind {
	case "HorizontalPodAutoscaler":
		scaled := yamlnode.Lookup(n, "spec", "scaleTargetRef")
		out = append(out, target{kind: yamlnode.Text(yamlnode.Field(scaled, "kind")), namespace: namespace, name: yamlnode.Text(yamlnode.Field(scaled, "name"))})
	case "RoleBinding", "ClusterRoleBinding":
		out = append(out, bound(n, namespace)...)
	}
	return out
}

// bound lists the role and the service accounts of a binding.
func bound(n *yaml.Node, namespace string) []target {
	role := yamlnode.Field(n, "roleRef")
	r := target{kind: yamlnode.Text(yamlnode.Field(role, "kind")), name: yamlnode.Text(yamlnode.Field(role, "name"))}
	if r.kind == "Role" {
		r.namespace = namespace
	}
	out := []target{r}
	for _, s := range yamlnode.Elements(yamlnode.Field(n, "subjects")) {
		if yamlnode.Text(yamlnode.Field(s, "kind")) == "ServiceAccount" {
			out = append(out, target{"ServiceAccount", yamlnode.Text(yamlnode.Field(s, "namespace")), yamlnode.Text(yamlnode.Field(s, "name"))})
		}
	}
	return out
}

// texts are the scalars at the end of a path. What is marked optional may be
// missing.
func texts(n *yaml.Node, path []string) []string {
	switch {
	case n == nil || yamlnode.Text(yamlnode.Field(n, "optional")) == "true":
		return nil
	case len(path) == 0:
		return []string{n.Value}
	case path[0] != "[]":
		return texts(yamlnode.Field(n, path[0]), path[1:])
	}
	var out []string
	for _, e := range yamlnode.Elements(n) {
		out = append(out, texts(e, path[1:])...)
	}
	return out
}

// mention is a reference of a resource of the result, and what it means on the
// sides that have it too: in the namespace that the resource has there.
type mention struct {
	target
	on [3]target // the zero target if the side lacks it
}

// mentionsOf lists what the resource of the result names, each once.
func mentionsOf(trees [3]*yaml.Node, result *yaml.Node) []mention {
	found := references(result)
	if len(found) == 0 {
		return nil
	}
	var on [3]map[target]target
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		on[side] = map[target]target{}
		for _, t := range references(trees[side]) {
			on[side][t.within(trees[side])] = t
		}
	}
	var out []mention
	seen := map[target]bool{}
	for _, t := range found {
		if seen[t] {
			continue
		}
		seen[t] = true
		n, key := mention{target: t.kept()}, t.within(result)
		for side := range n.on {
			n.on[side] = on[side][key].kept()
		}
		out = append(out, n)
	}
	return out
}

// kept is the target without the texts that its parts were read from.
func (t target) kept() target {
	return target{kind: strings.Clone(t.kind), namespace: strings.Clone(t.namespace), name: strings.Clone(t.name)}
}

// within is the target as the resource n sees it: without the namespace, if that
// is n's own.
func (t target) within(n *yaml.Node) target {
	if t.namespace == yamlnode.Text(yamlnode.Lookup(n, "metadata", "namespace")) {
		t.namespace = ""
	}
	return t
}

package function

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
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
	kind, namespace := valueText(fieldOf(n, "kind")), valueText(fieldOf(fieldOf(n, "metadata"), "namespace"))
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
		scaled := fieldOf(fieldOf(n, "spec"), "scaleTargetRef")
		out = append(out, target{kind: valueText(fieldOf(scaled, "kind")), namespace: namespace, name: valueText(fieldOf(scaled, "name"))})
	case "RoleBinding", "ClusterRoleBinding":
		out = append(out, bound(n, namespace)...)
	}
	return out
}

// bound lists the role and the service accounts of a binding.
func bound(n *yaml.Node, namespace string) []target {
	role := fieldOf(n, "roleRef")
	r := target{kind: valueText(fieldOf(role, "kind")), name: valueText(fieldOf(role, "name"))}
	if r.kind == "Role" {
		r.namespace = namespace
	}
	out := []target{r}
	for _, s := range elements(fieldOf(n, "subjects")) {
		if valueText(fieldOf(s, "kind")) == "ServiceAccount" {
			out = append(out, target{"ServiceAccount", valueText(fieldOf(s, "namespace")), valueText(fieldOf(s, "name"))})
		}
	}
	return out
}

// texts are the scalars at the end of a path. What is marked optional may be
// missing.
func texts(n *yaml.Node, path []string) []string {
	switch {
	case n == nil || valueText(fieldOf(n, "optional")) == "true":
		return nil
	case len(path) == 0:
		return []string{n.Value}
	case path[0] != "[]":
		return texts(fieldOf(n, path[0]), path[1:])
	}
	var out []string
	for _, e := range elements(n) {
		out = append(out, texts(e, path[1:])...)
	}
	return out
}

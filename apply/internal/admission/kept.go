package admission

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Updated returns the result of an apply as a server stores it over a live object, from which it keeps the values that it
// has chosen itself: the addresses and ports of a Service, and the finalizers of a Namespace (rules/apply: defaults).
// live is nil for a created object.
func (f *Fields) Updated(kind schema.Resource, live, result *yaml.Node) *yaml.Node {
	if live != nil && result != nil {
		switch groupKindOf(kind) {
		case groupKind{"", "Service"}:
			result = withAddresses(live, result)
		case groupKind{"", "Namespace"}:
			result = withField(result, live, "spec", "finalizers")
		}
	}
	return f.Stored(kind, result)
}

// withField returns an object with a field of another one, unless it has the field with a value.
func withField(n, from *yaml.Node, path ...string) *yaml.Node {
	value := yamlnode.Lookup(from, path...)
	if has := yamlnode.Lookup(n, path...); value == nil || has != nil && !isZero(has) {
		return n
	}
	return yamlnode.Set(n, nil, value, path...)
}

// withAddresses returns a Service with the addresses and ports of the live one.
func withAddresses(live, result *yaml.Node) *yaml.Node {
	typeOf := func(n *yaml.Node) string { return yamlnode.Text(yamlnode.Lookup(n, "spec", "type")) }
	from, to := typeOf(live), typeOf(result)
	if from == "ExternalName" || to == "ExternalName" {
		return result
	}
	const policy = "externalTrafficPolicy"
	isLocal := func(n *yaml.Node) bool { return yamlnode.Text(yamlnode.Lookup(n, "spec", policy)) == "Local" }
	for _, name := range [4]string{"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"} {
		result = withField(result, live, "spec", name)
	}
	hasPorts := func(kind string) bool { return kind == "NodePort" || kind == "LoadBalancer" }
	if !hasPorts(from) || !hasPorts(to) {
		return result
	}
	if from == "LoadBalancer" && to == from && isLocal(live) && isLocal(result) {
		result = withField(result, live, "spec", "healthCheckNodePort")
	}
	ports := yamlnode.Lookup(result, "spec", "ports")
	if ports == nil {
		return result
	}
	same := func(a, b *yaml.Node) bool {
		protocol := func(n *yaml.Node) string {
			if text := yamlnode.Text(yamlnode.Field(n, "protocol")); text != "" {
				return text
			}
			return "TCP"
		}
		return protocol(a) == protocol(b) && yamlnode.Text(yamlnode.Field(a, "port")) == yamlnode.Text(yamlnode.Field(b, "port"))
	}
	return yamlnode.Set(result, nil, yamlnode.Each(ports, func(port *yaml.Node) *yaml.Node {
		for _, was := range yamlnode.Elements(yamlnode.Lookup(live, "spec", "ports")) {
			if same(was, port) {
				return withField(port, was, "nodePort")
			}
		}
		return port
	}), "spec", "ports")
}

// Knows reports whether the fields of an object's kind are known: of Kubernetes, or by a CRD.
func (f *Fields) Knows(kind schema.Resource, object *yaml.Node) bool {
	group, name := kind.GroupKind()
	_, exact := kind.OpenAPI()
	return exact || f.kinds[group+" "+name+" "+identity.Version(yamlnode.Text(yamlnode.Field(object, "apiVersion")))] != ""
}

// IsChosen reports whether the server or a controller of Kubernetes chooses the value of a field that nobody applied,
// such as the address of a Service.
func IsChosen(kind schema.Resource, at *merge.Path) bool {
	chosen := ""
	switch groupKindOf(kind) {
	case groupKind{"", "Service"}:
		chosen = "spec.clusterIP spec.clusterIPs spec.ipFamilies spec.ipFamilyPolicy spec.ports.nodePort spec.healthCheckNodePort spec.loadBalancerIP"
	case groupKind{"", "PersistentVolumeClaim"}:
		chosen = "spec.volumeName spec.storageClassName spec.dataSource spec.dataSourceRef"
	case groupKind{"", "PersistentVolume"}:
		chosen = "spec.claimRef"
	case groupKind{"", "Namespace"}:
		chosen = "spec.finalizers metadata.labels"
	case groupKind{"", "ServiceAccount"}:
		chosen = "secrets imagePullSecrets"
	case groupKind{"batch", "Job"}:
		chosen = "spec.selector spec.template.metadata.labels metadata.labels"
	case groupKind{"", "Pod"}:
		chosen = "spec.nodeName spec.tolerations spec.volumes spec.containers.volumeMounts spec.initContainers.volumeMounts spec.priority spec.serviceAccountName spec.serviceAccount spec.preemptionPolicy"
	}
	var names []string
	for _, step := range at.Steps() {
		if step.Keys == nil {
			names = append(names, step.Field)
		}
	}
	path := strings.Join(names, ".")
	return names[0] == "status" || slices.ContainsFunc(strings.Fields(chosen), func(field string) bool {
		return path == field || strings.HasPrefix(path, field+".")
	})
}

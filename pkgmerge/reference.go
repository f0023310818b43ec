package pkgmerge

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// target is the name by which a resource refers to another one.
type target struct{ kind, namespace, name string }

func (r target) String() string {
	if r.namespace == "" {
		return r.kind + " " + r.name
	}
	return r.kind + " " + r.namespace + "/" + r.name
}

// ownTarget returns the name by which others refer to a resource.
func ownTarget(m identity.Meta) target {
	return target{kind: m.Kind, namespace: m.Namespace, name: m.Name}
}

// namedIn is a field with the name of a resource of a kind. In its path, [] stands for every element of a list.
type namedIn struct{ kind, path string }

// inPod returns the references of a pod, and inContainer the ones of a container.
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

// inKind returns the references of a kind outside of its pods.
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

// references lists the resources that a resource names in its own namespace, or in a binding.
func references(n *yaml.Node) []target {
	kind, namespace := yamlnode.Text(yamlnode.Field(n, "kind")), yamlnode.Text(yamlnode.Lookup(n, "metadata", "namespace"))
	var out []target
	add := func(in *yaml.Node, fields []namedIn) {
		for _, f := range fields {
			for _, name := range texts(in, strings.Split(f.path, ".")) {
				out = append(out, target{kind: f.kind, namespace: namespace, name: name})
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
		out = append(out, scaled(n, namespace))
	case "RoleBinding", "ClusterRoleBinding":
		out = append(out, bound(n, namespace)...)
	}
	return out
}

// scaled returns the target of an autoscaler.
func scaled(n *yaml.Node, namespace string) target {
	ref := yamlnode.Lookup(n, "spec", "scaleTargetRef")
	return target{kind: yamlnode.Text(yamlnode.Field(ref, "kind")), namespace: namespace, name: yamlnode.Text(yamlnode.Field(ref, "name"))}
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

// texts returns the scalars at the end of a path, except for optional references.
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

// mention is a reference of a resource of the result, with its target on the sides that have it too.
type mention struct {
	target
	on [3]target // the zero target if the side lacks it
}

// mentionsOf lists the references of the resource of the result, each once.
func mentionsOf(trees [3]*yaml.Node, result *yaml.Node) []mention {
	found := references(result)
	if len(found) == 0 {
		return nil
	}
	on := [3]map[target]target{
		identity.Upstream: referencesWithin(trees[identity.Upstream]),
		identity.Local:    referencesWithin(trees[identity.Local]),
	}
	var out []mention
	seen := map[target]bool{}
	for _, t := range found {
		if seen[t] {
			continue
		}
		seen[t] = true
		n, key := mention{target: t.clone()}, t.within(result)
		for side := range n.on {
			n.on[side] = on[side][key].clone()
		}
		out = append(out, n)
	}
	return out
}

// referencesWithin returns the references of a resource by their targets relative to it.
func referencesWithin(tree *yaml.Node) map[target]target {
	out := map[target]target{}
	for _, t := range references(tree) {
		out[t.within(tree)] = t
	}
	return out
}

// clone returns the target with copied strings, which do not keep the text in memory.
func (t target) clone() target {
	return target{kind: strings.Clone(t.kind), namespace: strings.Clone(t.namespace), name: strings.Clone(t.name)}
}

// within returns the target relative to the resource n: without the namespace, if that is n's own.
func (t target) within(n *yaml.Node) target {
	if t.namespace == yamlnode.Text(yamlnode.Lookup(n, "metadata", "namespace")) {
		t.namespace = ""
	}
	return t
}

// newContradictions describes the contradictions within a resource of the result that neither local nor
// upstream has, and that a cluster would refuse (rules/conflicts: dangling references).
func newContradictions(trees [3]*yaml.Node, result *yaml.Node) []string {
	found := contradictions(result)
	if len(found) == 0 {
		return nil
	}
	known := map[string]bool{}
	for _, tree := range trees[identity.Upstream:] {
		for _, text := range contradictions(tree) {
			known[text] = true
		}
	}
	return slices.DeleteFunc(found, func(text string) bool { return known[text] })
}

// contradictions describes the fields of a resource that contradict others: a mount whose volume is
// missing, and fields that the type of a Service forbids.
func contradictions(n *yaml.Node) []string {
	if yamlnode.Text(yamlnode.Field(n, "kind")) == "Service" {
		return serviceContradictions(yamlnode.Field(n, "spec"))
	}
	pod := podOf(n)
	volumes := map[string]bool{}
	for _, list := range []*yaml.Node{yamlnode.Field(pod.spec, "volumes"), yamlnode.Lookup(n, "spec", "volumeClaimTemplates")} {
		for _, v := range yamlnode.Elements(list) {
			volumes[yamlnode.Text(yamlnode.Field(v, "name"))] = true
			volumes[yamlnode.Text(yamlnode.Lookup(v, "metadata", "name"))] = true
		}
	}
	var out []string
	for _, c := range pod.containers() {
		for _, list := range []string{"volumeMounts", "volumeDevices"} {
			for _, mount := range yamlnode.Elements(yamlnode.Field(c, list)) {
				if name := yamlnode.Text(yamlnode.Field(mount, "name")); !volumes[name] {
					out = append(out, fmt.Sprintf("container %s mounts volume %q, which the pod does not have", yamlnode.Text(yamlnode.Field(c, "name")), name))
				}
			}
		}
	}
	return out
}

func serviceContradictions(spec *yaml.Node) []string {
	var out []string
	kind := yamlnode.Text(yamlnode.Field(spec, "type"))
	if yamlnode.Text(yamlnode.Field(spec, "clusterIP")) == "None" && (kind == "NodePort" || kind == "LoadBalancer") {
		out = append(out, fmt.Sprintf("spec.clusterIP is None, which spec.type %s forbids", kind))
	}
	for _, port := range yamlnode.Elements(yamlnode.Field(spec, "ports")) {
		if node := yamlnode.Text(yamlnode.Field(port, "nodePort")); node != "" && (kind == "" || kind == "ClusterIP") {
			out = append(out, fmt.Sprintf("a port has nodePort %s, which spec.type ClusterIP forbids", node))
		}
	}
	return out
}

// pod has the labels and the spec of a Pod, or of the pods of a workload; both nil for another resource.
type pod struct{ labels, spec *yaml.Node }

// podOf finds the pod of a resource: the resource itself, spec.template, or the same in spec.jobTemplate.
func podOf(n *yaml.Node) pod {
	if yamlnode.Text(yamlnode.Field(n, "kind")) != "Pod" {
		if job := yamlnode.Lookup(n, "spec", "jobTemplate"); job != nil {
			n = job
		}
		n = yamlnode.Lookup(n, "spec", "template")
	}
	spec := yamlnode.Field(n, "spec")
	if yamlnode.Field(spec, "containers") == nil {
		return pod{}
	}
	return pod{labels: yamlnode.Lookup(n, "metadata", "labels"), spec: spec}
}

// containers lists the containers of all kinds.
func (p pod) containers() (out []*yaml.Node) {
	for _, list := range []string{"containers", "initContainers", "ephemeralContainers"} {
		out = append(out, yamlnode.Elements(yamlnode.Field(p.spec, list))...)
	}
	return out
}

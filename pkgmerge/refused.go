package pkgmerge

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

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

// podOf finds the pod of a resource: the resource itself, spec.template, or the same in
// spec.jobTemplate.
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

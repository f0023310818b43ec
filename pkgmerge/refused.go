package pkgmerge

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// refusals says what the merge leaves within a resource that a cluster refuses
// (rules/conflicts: dangling references): what the result has, and neither local nor
// upstream.
func refusals(trees [3]*yaml.Node, result *yaml.Node) []string {
	found := refused(result)
	if len(found) == 0 {
		return nil
	}
	before := map[string]bool{}
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		for _, text := range refused(trees[side]) {
			before[text] = true
		}
	}
	return slices.DeleteFunc(found, func(text string) bool { return before[text] })
}

// refused says what of a resource contradicts something else in it: a mount
// whose volume is not there, and fields that the type of a Service forbids.
func refused(n *yaml.Node) []string {
	if yamlnode.Text(yamlnode.Field(n, "kind")) == "Service" {
		return refusedOfService(yamlnode.Field(n, "spec"))
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

func refusedOfService(spec *yaml.Node) []string {
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

// pod is what a workload, or a Pod itself, makes pods of; both nil if it makes
// none.
type pod struct{ labels, spec *yaml.Node }

// podOf finds the pod of a resource by where pods are in all kinds that have
// them: spec of a Pod, spec.template, and that of a spec.jobTemplate.
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

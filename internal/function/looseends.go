package function

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// looseEnds says what the merge leaves within a resource that a cluster refuses
// (DESIGN 5): what the result has, and neither local nor upstream.
func (m *merged) looseEnds() []string {
	if m.Node == nil || m.Node == m.nodes[identity.Local] {
		return nil
	}
	found := refused(m.Node)
	if len(found) == 0 {
		return nil
	}
	before := map[string]bool{}
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		for _, text := range refused(m.nodes[side]) {
			before[text] = true
		}
	}
	return slices.DeleteFunc(found, func(text string) bool { return before[text] })
}

// refused says what of a resource contradicts something else in it: a mount
// whose volume is not there, and fields that the type of a Service forbids.
func refused(n *yaml.Node) []string {
	if valueText(fieldOf(n, "kind")) == "Service" {
		return refusedOfService(fieldOf(n, "spec"))
	}
	pod := podOf(n)
	volumes := map[string]bool{}
	for _, list := range []*yaml.Node{fieldOf(pod.spec, "volumes"), fieldOf(fieldOf(n, "spec"), "volumeClaimTemplates")} {
		for _, v := range elements(list) {
			volumes[valueText(fieldOf(v, "name"))] = true
			volumes[valueText(fieldOf(fieldOf(v, "metadata"), "name"))] = true
		}
	}
	var out []string
	for _, c := range pod.containers() {
		for _, list := range []string{"volumeMounts", "volumeDevices"} {
			for _, mount := range elements(fieldOf(c, list)) {
				if name := valueText(fieldOf(mount, "name")); !volumes[name] {
					out = append(out, fmt.Sprintf("container %s mounts volume %q, which the pod does not have", valueText(fieldOf(c, "name")), name))
				}
			}
		}
	}
	return out
}

func refusedOfService(spec *yaml.Node) []string {
	var out []string
	kind := valueText(fieldOf(spec, "type"))
	if valueText(fieldOf(spec, "clusterIP")) == "None" && (kind == "NodePort" || kind == "LoadBalancer") {
		out = append(out, fmt.Sprintf("spec.clusterIP is None, which spec.type %s forbids", kind))
	}
	for _, port := range elements(fieldOf(spec, "ports")) {
		if node := valueText(fieldOf(port, "nodePort")); node != "" && (kind == "" || kind == "ClusterIP") {
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
	if valueText(fieldOf(n, "kind")) != "Pod" {
		if job := fieldOf(fieldOf(n, "spec"), "jobTemplate"); job != nil {
			n = job
		}
		n = fieldOf(fieldOf(n, "spec"), "template")
	}
	spec := fieldOf(n, "spec")
	if fieldOf(spec, "containers") == nil {
		return pod{}
	}
	return pod{labels: fieldOf(fieldOf(n, "metadata"), "labels"), spec: spec}
}

// containers lists the containers of all kinds.
func (p pod) containers() (out []*yaml.Node) {
	for _, list := range []string{"containers", "initContainers", "ephemeralContainers"} {
		out = append(out, elements(fieldOf(p.spec, list))...)
	}
	return out
}

// elements are the elements of a list, nil if n is none.
func elements(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

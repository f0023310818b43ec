package apply

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// inLiveVersion returns config in the apiVersion in which the live object is recorded, as a server serves every object in
// every version. ok is false if the two versions differ by more than names (rules/apply: other versions).
func (r *reading) inLiveVersion(config *yaml.Node) (n *yaml.Node, ok bool) {
	from, to := apiVersionOf(config), apiVersionOf(r.trees[identity.Local])
	if config == nil || to == "" || from == to || from == "" {
		return config, true
	}
	kind := groupKind{r.match.ID.Group, r.match.ID.Kind}
	renamed := yamlnode.Put(config, nil, "apiVersion", yamlnode.String(to))
	crd := r.run.crds[kind]
	switch {
	case identity.Group(from) != identity.Group(to):
		return config, false
	case kind == groupKind{"autoscaling", "HorizontalPodAutoscaler"}:
		return r.autoscaler(renamed, identity.Version(from), identity.Version(to))
	case crd != nil:
		return renamed, crd.keepsFields
	}
	return renamed, r.run.fields.SameIn(kind.group, kind.kind, identity.Version(from), identity.Version(to))
}

// autoscaler converts an autoscaler between v1, which has a target for the CPU, and v2, where it is the only metric.
func (r *reading) autoscaler(n *yaml.Node, from, to string) (out *yaml.Node, ok bool) {
	live := yamlnode.Field(r.trees[identity.Local], "spec")
	switch {
	case from == "v1" && to == "v2":
		if metrics := yamlnode.Field(live, "metrics"); metrics != nil && cpuTarget(metrics) == nil {
			return n, false
		}
		target := yamlnode.Lookup(n, "spec", "targetCPUUtilizationPercentage")
		n = yamlnode.Set(n, nil, nil, "spec", "targetCPUUtilizationPercentage")
		if target != nil {
			n = yamlnode.Set(n, nil, cpuMetrics(target), "spec", "metrics")
		}
		return n, yamlnode.Annotation(n, "autoscaling.alpha.kubernetes.io/metrics") == ""
	case from == "v2" && to == "v1":
		metrics := yamlnode.Lookup(n, "spec", "metrics")
		if yamlnode.Lookup(n, "spec", "behavior") != nil || metrics != nil && cpuTarget(metrics) == nil {
			return n, false
		}
		n = yamlnode.Set(n, nil, nil, "spec", "metrics")
		if metrics != nil {
			n = yamlnode.Set(n, nil, cpuTarget(metrics), "spec", "targetCPUUtilizationPercentage")
		}
		return n, true
	}
	return n, false
}

// cpuTarget returns the utilization of the CPU that is the only metric of a list, nil for any other list.
func cpuTarget(metrics *yaml.Node) *yaml.Node {
	list := yamlnode.Elements(metrics)
	if len(list) != 1 {
		return nil
	}
	value := yamlnode.Lookup(list[0], "resource", "target", "averageUtilization")
	if value == nil || !merge.Same(cpuMetrics(value).Content[0], list[0]) {
		return nil
	}
	return value
}

// cpuMetrics returns the metrics of v2 for a target of v1.
func cpuMetrics(target *yaml.Node) *yaml.Node {
	if yamlnode.IsNull(target) {
		return target
	}
	object := func(fields ...*yaml.Node) *yaml.Node { return yamlnode.PutAll(yamlnode.EmptyMap(), fields) }
	text := yamlnode.String
	metric := object(text("resource"), object(text("name"), text("cpu"),
		text("target"), object(text("averageUtilization"), target, text("type"), text("Utilization"))), text("type"), text("Resource"))
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{metric}}
}

// otherVersion describes an object that is recorded in a version that cannot be compared with config's.
func (r *reading) otherVersion(config *yaml.Node) string {
	want := apiVersionOf(config)
	return fmt.Sprintf("not compared: it is recorded as %s, and config is %s; record it with kubectl get %s.%s.%s",
		apiVersionOf(r.trees[identity.Local]), want, r.match.ID.Kind, identity.Version(want), identity.Group(want))
}

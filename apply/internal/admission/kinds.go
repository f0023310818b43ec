package admission

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// faults returns the reasons of a kind of its own for which a server refuses an object.
func faults(kind groupKind, object *yaml.Node) []merge.Conflict {
	switch kind {
	case groupKind{"", "Service"}:
		return serviceFaults(object)
	case groupKind{"autoscaling", "HorizontalPodAutoscaler"}:
		return metricFaults(object)
	case groupKind{"apiextensions.k8s.io", "CustomResourceDefinition"}:
		return versionFaults(object)
	case groupKind{"flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"}:
		return levelFaults(object)
	}
	return nil
}

// levelFaults finds the fields of a priority level that do not go with its type, and those of its response to too many
// requests.
func levelFaults(n *yaml.Node) (out []merge.Conflict) {
	check := func(of, name, with string, path ...string) {
		field := yamlnode.Lookup(n, append(path, name)...)
		switch typ := textAt(n, append(path, "type")...); {
		case typ == with || typ == "" || field == nil:
		default:
			out = append(out, refusal(at(append(path, name)...), field, fmt.Sprintf("%s of type %s has no %s", of, typ, name)))
		}
	}
	check("a priority level", "limited", "Limited", "spec")
	check("a priority level", "exempt", "Exempt", "spec")
	check("a response", "queuing", "Queue", "spec", "limited", "limitResponse")
	typ := textAt(n, "spec", "type")
	if typ == "Limited" && yamlnode.Lookup(n, "spec", "limited") == nil {
		out = append(out, refusal(at("spec", "limited"), nil, "a priority level of type Limited needs limited"))
	}
	if typ != "" && (typ == "Exempt") != (textAt(n, "metadata", "name") == "exempt") {
		out = append(out, refusal(at("spec", "type"), yamlnode.Lookup(n, "spec", "type"), "the priority level with the name exempt is of type Exempt, and no other one"))
	}
	if response := yamlnode.Lookup(n, "spec", "limited", "limitResponse"); textAt(response, "type") == "Queue" && yamlnode.Field(response, "queuing") == nil {
		out = append(out, refusal(at("spec", "limited", "limitResponse", "queuing"), nil, "a response of type Queue needs queuing"))
	}
	return out
}

// changeFaults returns the reasons of a kind of its own for which a server refuses a change. Both objects are as the
// server stores them.
func changeFaults(kind groupKind, live, result *yaml.Node) []merge.Conflict {
	if live == nil {
		return nil
	}
	switch kind {
	case groupKind{"", "Service"}:
		return serviceChanges(live, result)
	case groupKind{"batch", "Job"}:
		return completionChanges(live, result)
	}
	return nil
}

func at(names ...string) (path *merge.Path) {
	for _, name := range names {
		path = path.Field(name)
	}
	return path
}

func textAt(n *yaml.Node, names ...string) string { return yamlnode.Text(yamlnode.Lookup(n, names...)) }

// serviceFaults finds a Service without an address whose type needs one.
func serviceFaults(n *yaml.Node) []merge.Conflict {
	typ := textAt(n, "spec", "type")
	if textAt(n, "spec", "clusterIP") != "None" || typ != "NodePort" && typ != "LoadBalancer" {
		return nil
	}
	return []merge.Conflict{refusal(at("spec", "clusterIP"), yamlnode.Lookup(n, "spec", "clusterIP"), "a Service of type "+typ+" needs an address, and clusterIP is None")}
}

// serviceChanges finds changes of fields that are immutable while a Service keeps its type.
func serviceChanges(live, result *yaml.Node) (out []merge.Conflict) {
	const balancer = "LoadBalancer"
	isBoth := func(value string, names ...string) bool {
		return textAt(live, names...) == value && textAt(result, names...) == value
	}
	check := func(name string, from, to *yaml.Node, reason string) {
		if from != nil && (to == nil || !merge.Same(from, to)) {
			c := refusal(at("spec", name), to, reason)
			out = append(out, c)
		}
	}
	field := func(n *yaml.Node, name string) *yaml.Node { return yamlnode.Lookup(n, "spec", name) }
	if isBoth(balancer, "spec", "type") {
		check("loadBalancerClass", field(live, "loadBalancerClass"), field(result, "loadBalancerClass"), "spec.loadBalancerClass is immutable once it is set")
		if isBoth("Local", "spec", "externalTrafficPolicy") {
			check("healthCheckNodePort", field(live, "healthCheckNodePort"), field(result, "healthCheckNodePort"), "spec.healthCheckNodePort is immutable")
		}
	}
	was, is := yamlnode.Elements(field(live, "ipFamilies")), yamlnode.Elements(field(result, "ipFamilies"))
	if len(was) > 0 && len(is) > 0 && textAt(result, "spec", "type") != "ExternalName" {
		check("ipFamilies", was[0], is[0], "the first of spec.ipFamilies is immutable")
	}
	return out
}

// completionChanges finds new completions of an indexed Job that are not its parallelism.
func completionChanges(live, result *yaml.Node) []merge.Conflict {
	was, is := yamlnode.Lookup(live, "spec", "completions"), yamlnode.Lookup(result, "spec", "completions")
	if textAt(result, "spec", "completionMode") != "Indexed" || was == nil || is == nil || merge.Same(was, is) || textAt(result, "spec", "parallelism") == is.Value {
		return nil
	}
	return []merge.Conflict{refusal(at("spec", "completions"), is, "the completions of an Indexed Job change only together with its parallelism, to the same number")}
}

// metricFaults finds metrics of an autoscaler with another source than that of their type.
func metricFaults(n *yaml.Node) (out []merge.Conflict) {
	sources := map[string]string{"Object": "object", "Pods": "pods", "Resource": "resource", "ContainerResource": "containerResource", "External": "external"}
	for i, metric := range yamlnode.Elements(yamlnode.Lookup(n, "spec", "metrics")) {
		typ := textAt(metric, "type")
		own, known := sources[typ]
		for _, name := range yamlnode.Names(metric) {
			if known && name != own && slices.Contains([]string{"object", "pods", "resource", "containerResource", "external"}, name) {
				path := at("spec", "metrics").Element(keysAt(nil, metric, i)).Field(name)
				out = append(out, refusal(path, yamlnode.Field(metric, name), fmt.Sprintf("a metric of type %s has no %s", typ, name)))
			}
		}
	}
	return out
}

// versionFaults finds a CustomResourceDefinition that stores no version or several, or that lacks a version in which
// objects are stored.
func versionFaults(n *yaml.Node) (out []merge.Conflict) {
	versions := yamlnode.Lookup(n, "spec", "versions")
	names, stored := map[string]bool{}, 0
	for _, v := range yamlnode.Elements(versions) {
		names[textAt(v, "name")] = true
		if textAt(v, "storage") == "true" {
			stored++
		}
	}
	if stored != 1 && len(names) > 0 {
		out = append(out, refusal(at("spec", "versions"), versions, fmt.Sprintf("%d versions have storage: true, and one must have it", stored)))
	}
	var missing []string
	for _, v := range yamlnode.Elements(yamlnode.Lookup(n, "status", "storedVersions")) {
		if !names[v.Value] {
			missing = append(missing, v.Value)
		}
	}
	if len(missing) > 0 && len(names) > 0 {
		out = append(out, refusal(at("spec", "versions"), versions, "status.storedVersions has "+strings.Join(missing, ", ")+", which a server may still store; keep the version, or migrate its objects first"))
	}
	return out
}

package pkgmerge

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// serving is what a Service or a workload says of ports.
type serving struct {
	namespace string
	labels    map[string]string // what a Service selects, or what a pod has
	ports     map[string]bool   // the names of a Service's targetPorts, or of a pod's ports
	service   bool
}

// servings are what the versions of a resource say of ports, nil where there is
// none: the sides' and the result's. Origin's does not matter.
type servings [inResult + 1]*serving

// inResult stands beside the sides for what comes out.
const inResult = identity.Local + 1

func servingsOf(versions [3]*yaml.Node, merged *yaml.Node) servings {
	return servings{
		identity.Upstream: servingOf(versions[identity.Upstream]),
		identity.Local:    servingOf(versions[identity.Local]),
		inResult:          servingOf(merged),
	}
}

// servingOf is nil for a resource that neither is a Service nor makes pods. What
// is kept of n is copied, so that its text need not be.
func servingOf(n *yaml.Node) *serving {
	s := &serving{namespace: strings.Clone(yamlnode.Text(yamlnode.Lookup(n, "metadata", "namespace"))), ports: map[string]bool{}}
	if yamlnode.Text(yamlnode.Field(n, "kind")) == "Service" {
		s.service, s.labels = true, textsOf(yamlnode.Lookup(n, "spec", "selector"))
		for _, p := range yamlnode.Elements(yamlnode.Lookup(n, "spec", "ports")) {
			if name := yamlnode.Field(p, "targetPort"); name != nil && name.ShortTag() == "!!str" {
				s.ports[strings.Clone(name.Value)] = true
			}
		}
		return s
	}
	pod := podOf(n)
	if pod.spec == nil {
		return nil
	}
	s.labels = textsOf(pod.labels)
	for _, c := range pod.containers() {
		for _, p := range yamlnode.Elements(yamlnode.Field(c, "ports")) {
			s.ports[strings.Clone(yamlnode.Text(yamlnode.Field(p, "name")))] = true
		}
	}
	return s
}

func textsOf(mapping *yaml.Node) map[string]string {
	out := map[string]string{}
	field := yamlnode.Fields(mapping)
	for _, name := range yamlnode.Names(mapping) {
		out[strings.Clone(name)] = strings.Clone(yamlnode.Text(field(name)))
	}
	return out
}

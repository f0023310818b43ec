package cluster

import (
	"fmt"
	"strings"
	"testing"
)

// change draws the package of a round.
func (s *sequence) change(t *testing.T, round int) {
	t.Helper()
	s.docs, s.maps = nil, nil
	for i := range 4 {
		if !s.oneIn(3) {
			s.add("v1", "ConfigMap", s.home(), fmt.Sprintf("c%d", i), "data: {k: v}\n")
			s.maps = append(s.maps, i)
		}
	}
	s.changeSecond(t, round)
	if !s.oneIn(3) {
		s.add("rbac.authorization.k8s.io/v1", "ClusterRole", "", fmt.Sprintf("shop:%d", s.number), "rules: []\n")
	}
	if s.oneIn(2) {
		s.add("example.com/v1", fmt.Sprintf("Gadget%d", s.number), s.home(), "g", "")
		s.add("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", s.plural(), s.definition())
	}
	s.random.Shuffle(len(s.docs), func(i, j int) { s.docs[i], s.docs[j] = s.docs[j], s.docs[i] })
}

// changeSecond draws the second namespace, and what is in it. The package may still have
// something in a namespace that it has no more.
func (s *sequence) changeSecond(t *testing.T, round int) {
	t.Helper()
	_, gone := cluster.Get(t.Context(), "/api/v1/namespaces/"+s.second())
	has := round == 0 || !s.oneIn(3)
	if has {
		s.add("v1", "Namespace", "", s.second(), "")
	}
	for _, kind := range []string{"ConfigMap", "Secret"} {
		if (has || gone == nil && s.oneIn(2)) && !s.oneIn(3) {
			s.add("v1", kind, s.second(), "d", "")
		}
	}
}

func (s *sequence) definition() string {
	return fmt.Sprintf(`spec:
  group: example.com
  names: {kind: Gadget%[1]d, plural: gadget%[1]ds, singular: gadget%[1]d}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`, s.number)
}

// add adds a resource with drawn annotations.
func (s *sequence) add(apiVersion, kind, namespace, name, rest string) {
	annotations := ""
	switch s.random.IntN(8) {
	case 0:
		annotations = "cli-utils.sigs.k8s.io/on-remove: keep"
	case 1:
		annotations = "client.lifecycle.config.k8s.io/deletion: detach"
	case 2:
		annotations = "client.lifecycle.config.k8s.io/deletion: keep"
	case 3, 4, 5:
		annotations = s.dependsOn()
	}
	if namespace != "" {
		namespace = "\n  namespace: " + namespace
	}
	s.docs = append(s.docs, fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata:\n  name: %q%s\n  annotations: {%s}\n%s", apiVersion, kind, name, namespace, annotations, rest))
}

// dependsOn draws a dependency on a ConfigMap that the package has so far, and seldom on
// one that it may lack.
func (s *sequence) dependsOn() string {
	to := s.random.IntN(4)
	if !s.oneIn(12) {
		if len(s.maps) == 0 {
			return ""
		}
		to = s.maps[s.random.IntN(len(s.maps))]
	}
	return fmt.Sprintf("config.kubernetes.io/depends-on: /namespaces/%s/ConfigMap/c%d", s.home(), to)
}

// interfere draws what somebody else does to the cluster.
func (s *sequence) interfere(t *testing.T) {
	t.Helper()
	name := fmt.Sprintf("c%d", s.random.IntN(4))
	owner := "config.k8s.io/owning-inventory"
	var args []string
	switch s.random.IntN(6) {
	case 0:
		args = []string{"create", "configmap", name}
	case 1:
		args = []string{"delete", "configmap", name}
	case 2:
		args = []string{"annotate", "--overwrite", "configmap", name, owner + "=other"}
	case 3:
		args = []string{"annotate", "configmap", name, owner + "-"}
	default:
		return
	}
	said := cluster.Kubectl(t.Context(), "", append(args, "--namespace="+s.home())...)
	if said.Refused() && !strings.Contains(said.Stderr, "not found") && !strings.Contains(said.Stderr, "already exists") {
		t.Fatal(said)
	}
}

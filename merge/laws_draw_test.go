package merge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/tests/kinddraw"
)

// lawKindNames are the built-in kinds for the laws, besides the templates' kinds: the kinds that people keep in
// packages.
func lawKindNames() []string {
	return []string{
		"apps/v1 Deployment", "apps/v1 StatefulSet", "apps/v1 DaemonSet", "apps/v1 ReplicaSet",
		"batch/v1 Job", "batch/v1 CronJob", "v1 Pod", "v1 PodTemplate", "v1 ReplicationController",
		"v1 Service", "v1 ServiceAccount", "v1 ConfigMap", "v1 Secret", "v1 PersistentVolume", "v1 PersistentVolumeClaim",
		"v1 Namespace", "v1 Node", "v1 LimitRange", "v1 ResourceQuota", "v1 Endpoints",
		"networking.k8s.io/v1 Ingress", "networking.k8s.io/v1 NetworkPolicy", "networking.k8s.io/v1 IngressClass",
		"rbac.authorization.k8s.io/v1 Role", "rbac.authorization.k8s.io/v1 RoleBinding",
		"rbac.authorization.k8s.io/v1 ClusterRole", "rbac.authorization.k8s.io/v1 ClusterRoleBinding",
		"autoscaling/v1 HorizontalPodAutoscaler", "autoscaling/v2 HorizontalPodAutoscaler", "policy/v1 PodDisruptionBudget",
		"storage.k8s.io/v1 StorageClass", "storage.k8s.io/v1 CSIDriver", "scheduling.k8s.io/v1 PriorityClass",
		"discovery.k8s.io/v1 EndpointSlice", "resource.k8s.io/v1 ResourceClaimTemplate",
		"admissionregistration.k8s.io/v1 MutatingWebhookConfiguration", "admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration",
		"admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy",
	}
}

// lawKinds returns the kinds of lawKindNames; none in a short run, which does not read client-go's source.
func lawKinds(t *testing.T) []kinddraw.Kind {
	if testing.Short() {
		return nil
	}
	var kinds []kinddraw.Kind
	for _, kind := range kinddraw.Kinds(t, true) {
		if slices.Contains(lawKindNames(), kind.String()) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) != len(lawKindNames()) {
		t.Fatalf("client-go has %d of the %d kinds", len(kinds), len(lawKindNames()))
	}
	return append(kinds, likeDeployment(kinds, "example.com/v1", "Fleet"), likeDeployment(kinds, "argoproj.io/v1alpha1", "Rollout"))
}

// likeDeployment returns a kind that is drawn like a Deployment, but has no schema, or one from a CRD.
func likeDeployment(kinds []kinddraw.Kind, apiVersion, kind string) kinddraw.Kind {
	i := slices.IndexFunc(kinds, func(k kinddraw.Kind) bool { return k.Name == "Deployment" })
	k := kinds[i]
	k.APIVersion, k.Name = apiVersion, kind
	k.Ours = schema.New(nil, nil, true).Resource(identity.Group(apiVersion), identity.Version(apiVersion), kind)
	return k
}

// drawer draws versions for the laws.
type drawer struct{ kinddraw.Drawer }

// drawVersions draws three versions of a resource: every fifth time, whole values that merge in parts; every third of
// the other times, a template; else a kind along its schema. Half of these, and all templates, also get changes
// without regard to the schema. law is the number of a law, which gives it versions of its own.
func drawVersions(t *rapid.T, kinds []kinddraw.Kind, law int) [3]*yaml.Node {
	seed := rapid.Uint64()
	d := drawer{kinddraw.Drawer{Rand: rand.New(rand.NewPCG(seed.Draw(t, "seed")+uint64(law), seed.Draw(t, "more seed")))}}
	var v [3]*yaml.Node
	if d.IntN(5) == 0 {
		v = d.wholes(t)
	} else if len(kinds) == 0 || d.IntN(3) == 0 {
		v[origin] = drawOrigin(t)
		v[upstream], v[local] = drawEdits(t, v[origin], "upstream"), drawEdits(t, v[origin], "local")
	} else {
		v = d.versions(kinds[d.IntN(len(kinds))])
		if d.IntN(2) == 0 {
			v[upstream], v[local] = drawEdits(t, v[upstream], "upstream"), drawEdits(t, v[local], "local")
		}
	}
	if d.IntN(6) == 0 {
		d.migrate(v[d.IntN(2)+1])
	}
	for _, side := range identity.Sides() {
		if d.IntN(6) == 0 {
			d.anchor(v[side])
		}
		v[side] = readBack(t, v[side])
	}
	if deletesWithNulls(v) {
		for _, side := range identity.Sides() {
			v[side] = mapNodes(v[side], withoutNulls)
		}
	}
	return v
}

// deletesWithNulls reports whether a merge that a law makes of versions has a new null, or is impossible. The laws
// are not about these (docs/testing.md). A null that both sides have is not new, but becomes new if a law replaces a
// side by origin.
func deletesWithNulls(v [3]*yaml.Node) bool {
	o, u, l := v[origin], v[upstream], v[local]
	return slices.ContainsFunc([][3]*yaml.Node{v, {o, o, l}, {o, u, o}}, newNulls)
}

// migrate gives a version the apiVersion of another version of its kind.
func (d drawer) migrate(n *yaml.Node) {
	others := map[string]string{
		"Deployment": "extensions/v1beta1", "StatefulSet": "apps/v1beta1", "CronJob": "batch/v1beta1",
		"Ingress": "extensions/v1beta1", "NetworkPolicy": "extensions/v1beta1",
		"PodDisruptionBudget": "policy/v1beta1", "Widget": "example.com/v2",
	}
	v := yamlnode.Lookup(n, "apiVersion")
	other := others[kindOf(n)[1]]
	if kindOf(n)[1] == "HorizontalPodAutoscaler" {
		other = []string{"autoscaling/v1", "autoscaling/v2", "autoscaling/v2beta2"}[d.IntN(3)]
	}
	if v != nil && other != "" {
		v.Value = other
	}
}

// newNulls reports whether upstream or local has a null that means deletion, or
// cannot be merged at all.
func newNulls(v [3]*yaml.Node) bool {
	prepared, err := expandAll(v)
	if err != nil {
		return true
	}
	var below func(e *element) bool
	below = func(e *element) bool {
		return e.newNull(upstream) || e.newNull(local) || slices.ContainsFunc(e.children, below)
	}
	kind := kindOfAll(v)
	return below(collator{kind: kind, rekeys: true, nulls: true}.resource(prepared))
}

func withoutNulls(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return
	}
	var content []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !yamlnode.IsNull(n.Content[i+1]) {
			content = append(content, n.Content[i], n.Content[i+1])
		}
	}
	n.Content = content
}

// readBack returns a version as read from a file. A comment in a place where yaml.v3 cannot write it removes all
// comments.
func readBack(t *rapid.T, n *yaml.Node) *yaml.Node {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text(t, n)), &doc); err == nil && Same(doc.Content[0], n) {
		return doc.Content[0]
	}
	return parse(t, text(t, mapNodes(n, withoutComments)))
}

func withoutComments(n *yaml.Node) { n.HeadComment, n.LineComment, n.FootComment = "", "", "" }

// mapNodes returns a copy with a change to every node.
func mapNodes(n *yaml.Node, change func(*yaml.Node)) *yaml.Node {
	out := clone(n)
	var walk func(*yaml.Node)
	walk = func(n *yaml.Node) {
		change(n)
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(out)
	return out
}

// versions draws an object of a kind and two changed copies, in the style of people: the unchanged parts of the
// copies are written as in origin.
func (d drawer) versions(k kinddraw.Kind) [3]*yaml.Node {
	d.Schema = k.Schema
	object := d.Resource(k)
	o := writer{d, true}.node(object, nil)
	w := writer{d, false}
	return [3]*yaml.Node{
		origin: o, upstream: w.node(d.Edits(k, object), o), local: w.node(d.Edits(k, object), o),
	}
}

// anchor writes a value that a version has twice as an anchor and an alias, a map
// also as a merge key.
func (d drawer) anchor(n *yaml.Node) {
	first := map[string]*yaml.Node{}
	anchors := 0
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		for i, c := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 0 {
				continue
			}
			text := canonical(c)
			twin := first[text]
			if twin == nil || len(c.Content) == 0 || d.IntN(2) == 0 {
				if len(c.Content) > 0 {
					first[text] = c
				}
				walk(c)
				continue
			}
			if twin.Anchor == "" {
				anchors++
				twin.Anchor = fmt.Sprintf("shared%d", anchors)
			}
			n.Content[i] = d.alias(c, twin)
		}
	}
	walk(n)
}

// alias returns an alias for a value with a twin; half of the maps get a merge key.
func (d drawer) alias(n, twin *yaml.Node) *yaml.Node {
	alias := &yaml.Node{Kind: yaml.AliasNode, Value: twin.Anchor, Alias: twin}
	if n.Kind != yaml.MappingNode || d.IntN(2) == 0 {
		return alias
	}
	key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!merge", Value: "<<"}
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{key, alias}}
}

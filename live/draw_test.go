package live_test

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/live"
)

// universe are the resources that packages are drawn from: few, so that they meet.
func universe() []identity.ID {
	ids := []identity.ID{
		{Kind: "Namespace", Name: "shop"}, {Kind: "Namespace", Name: "prod"},
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition", Name: "gadgets.example.com"},
		{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "system:shop"},
		{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration", Name: "v"},
	}
	for _, namespace := range []string{"shop", "prod", "other"} {
		for _, kind := range [][2]string{{"", "ConfigMap"}, {"", "Secret"}, {"apps", "Deployment"}, {"example.com", "Gadget"}} {
			ids = append(ids, identity.ID{Group: kind[0], Kind: kind[1], Namespace: namespace, Name: "a"})
		}
	}
	return ids
}

// drawInput draws a package, an earlier version of it in the cluster with what somebody
// did to that, and an inventory that lists some of it.
func drawInput(t *rapid.T) live.Input {
	var in live.Input
	in.Policy = rapid.SampledFrom([]live.Policy{live.Strict, live.Adopt}).Draw(t, "policy")
	in.MayBeEmpty = rapid.Bool().Draw(t, "may be empty")
	var listed []identity.ID
	for _, id := range rapid.Permutation(universe()).Draw(t, "universe") {
		switch rapid.SampledFrom([]string{"", "config", "config", "both", "both", "live", "gone"}).Draw(t, id.String()) {
		case "config":
			in.Config = append(in.Config, object(id, drawDependsOn(t, id)))
		case "both":
			in.Config = append(in.Config, object(id, drawDependsOn(t, id)))
			in.Live = append(in.Live, object(id, drawLive(t)))
			listed = append(listed, id)
		case "live":
			in.Live = append(in.Live, object(id, drawDependsOn(t, id)+drawLive(t)))
			listed = append(listed, id)
		case "gone":
			listed = append(listed, id)
		}
	}
	in.Inventory = &live.Inventory{
		Object: identity.ID{Group: "kpt.dev", Kind: "ResourceGroup", Namespace: "inventory", Name: "inventory"},
		ID:     "ID-shop", Live: true, Resources: listed,
	}
	return in
}

// drawDependsOn draws the annotation depends-on. Most dependencies lead upwards in the
// universe, so that few packages have circles.
func drawDependsOn(t *rapid.T, id identity.ID) string {
	ids := universe()
	above := ids[:slices.Index(ids, id)+1]
	if rapid.IntRange(0, 30).Draw(t, "downwards") == 0 {
		above = ids
	}
	count := rapid.SampledFrom([]int{0, 0, 0, 0, 1, 2}).Draw(t, "dependencies")
	if count == 0 || len(above) < 3 {
		return ""
	}
	names := rapid.SliceOfNDistinct(rapid.SampledFrom(above), count, count, identity.ID.String).Draw(t, "depends on")
	var refs []string
	for _, name := range names {
		refs = append(refs, referenceOf(name))
	}
	return fmt.Sprintf("%s: %q, ", live.DependsOn, strings.Join(refs, ", "))
}

func referenceOf(id identity.ID) string {
	if id.Namespace == "" {
		return strings.Join([]string{id.Group, id.Kind, id.Name}, "/")
	}
	return strings.Join([]string{id.Group, "namespaces", id.Namespace, id.Kind, id.Name}, "/")
}

// drawLive draws the annotations that tell whose a live object is, and whether it stays.
func drawLive(t *rapid.T) string {
	mine := live.OwningInventory + ": ID-shop, "
	return rapid.SampledFrom([]string{
		mine, mine, mine, mine, "", live.OwningInventory + ": other, ",
		mine + live.OnRemove + ": keep, ", mine + live.Deletion + ": detach, ", mine + live.Deletion + ": keep, ",
	}).Draw(t, "live")
}

// object is a resource with annotations in flow style.
func object(id identity.ID, annotations string) live.Object {
	text := fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {name: %q, annotations: {%s}}, spec: {group: example.com, names: {kind: Gadget}}}",
		strings.TrimPrefix(id.Group+"/v1", "/"), id.Kind, id.Name, annotations)
	if id.Namespace != "" {
		text = strings.Replace(text, "metadata: {", "metadata: {namespace: "+id.Namespace+", ", 1)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		panic(err) // of this function's own making
	}
	return live.Object{ID: id, Node: doc.Content[0]}
}

func annotation(o live.Object, name string) (value string, found bool) {
	v := yamlnode.Field(yamlnode.Annotations(o.Node), name)
	return yamlnode.Text(v), v != nil
}

// drawnDependencies are those of a drawn object that its annotation lists.
func drawnDependencies(o live.Object) (ids []identity.ID) {
	text, _ := annotation(o, live.DependsOn)
	for _, id := range universe() {
		if slices.Contains(strings.Split(text, ", "), referenceOf(id)) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Package livedraw draws packages, clusters and inventories for tests of plans. Only
// tests use it.
package livedraw

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Universe are the resources that packages are drawn from: few, so that they meet.
func Universe() []identity.ID {
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

// Object is a resource of the config or of the cluster.
type Object struct {
	ID   identity.ID
	Node *yaml.Node
}

// Situation is a package, a cluster, and the entries of the package's inventory.
type Situation struct {
	Config, Live      []Object
	Listed            []identity.ID
	Adopt, MayBeEmpty bool
	Refused           func(identity.ID) bool
}

// The names of annotations.
const (
	dependsOn       = "config.kubernetes.io/depends-on"
	mutations       = "config.kubernetes.io/apply-time-mutation"
	owningInventory = "config.k8s.io/owning-inventory"
	onRemove        = "cli-utils.sigs.k8s.io/on-remove"
	deletion        = "client.lifecycle.config.k8s.io/deletion"
)

// Inventory is the object of the inventory.
func Inventory() identity.ID {
	return identity.ID{Group: "kpt.dev", Kind: "ResourceGroup", Namespace: "other", Name: "inventory"}
}

// InventoryID is the id of the inventory.
const InventoryID = "ID-shop"

// Draw draws a package, an earlier version of it in the cluster with somebody's changes, and an
// inventory that lists some of it.
func Draw(t *rapid.T) Situation {
	in := Situation{Adopt: rapid.Bool().Draw(t, "adopt"), MayBeEmpty: rapid.Bool().Draw(t, "may be empty")}
	d := drawing{t: t, where: map[identity.ID]string{}, faulty: rapid.IntRange(0, 4).Draw(t, "faulty") == 0}
	for _, id := range Universe() {
		d.where[id] = rapid.SampledFrom([]string{"nowhere", "config", "both", "live", "gone", "both", "live"}).Draw(t, id.String())
	}
	refused := map[identity.ID]bool{}
	in.Refused = func(id identity.ID) bool { return refused[id] }
	for _, id := range rapid.Permutation(Universe()).Draw(t, "order") {
		where := d.where[id]
		if where == "config" || where == "both" {
			in.Config = append(in.Config, NewObject(id, d.dependencies(id)...))
			refused[id] = rapid.IntRange(0, 15).Draw(t, "refused") == 0
		}
		if where == "live" || where == "both" {
			in.Live = append(in.Live, NewObject(id, slices.Concat(d.dependencies(id), d.owner())...))
		}
		if where != "nowhere" && where != "config" {
			in.Listed = append(in.Listed, id)
		}
	}
	return in
}

// drawing is the state of a drawn package: the place of each resource, and whether
// its dependencies may be wrong.
type drawing struct {
	t      *rapid.T
	where  map[identity.ID]string
	faulty bool
}

// dependencies draws the annotations depends-on and apply-time-mutation. They lead to
// resources that come before in the universe, and that the plan has, if the package
// is not faulty.
func (d drawing) dependencies(id identity.ID) []Annotation {
	ids := Universe()
	if !d.faulty {
		ids = slices.DeleteFunc(ids[:slices.Index(ids, id)], func(id identity.ID) bool {
			return d.where[id] == "nowhere" || d.where[id] == "gone"
		})
	}
	if len(ids) < 3 {
		return nil
	}
	some := func(label string) []identity.ID {
		if d.faulty {
			return rapid.SliceOfN(rapid.SampledFrom(ids), 1, 2).Draw(d.t, label)
		}
		return rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 1, 2, identity.ID.String).Draw(d.t, label)
	}
	switch draw := rapid.IntRange(0, 29).Draw(d.t, "dependencies"); {
	case draw < 4:
		return []Annotation{DependsOn(some("depends on")...)}
	case draw < 6:
		return []Annotation{mutation(some("sources"))}
	case draw == 6:
		return []Annotation{DependsOn(some("depends on")...), mutation(some("sources"))}
	case draw == 7 && d.faulty:
		malformed := rapid.SampledFrom([]string{"", "a", "/ConfigMap/", "a/b/c/d", "/namespaces/shop/ConfigMap/a/b", "x/y/z,"})
		return []Annotation{{dependsOn, malformed.Draw(d.t, "malformed")}}
	}
	return nil
}

// Annotation is the name of an annotation and its value.
type Annotation [2]string

// DependsOn is the annotation that lists these.
func DependsOn(ids ...identity.ID) Annotation {
	var refs []string
	for _, id := range ids {
		refs = append(refs, Reference(id))
	}
	return Annotation{dependsOn, strings.Join(refs, ", ")}
}

func mutation(sources []identity.ID) Annotation {
	var list strings.Builder
	for _, id := range sources {
		list.WriteString(entry(id))
	}
	return Annotation{mutations, list.String()}
}

// entry is the entry for a source in an annotation apply-time-mutation.
func entry(id identity.ID) string {
	return fmt.Sprintf("- sourceRef: {group: %q, kind: %s, namespace: %q, name: %q}\n  sourcePath: $.data.a\n  targetPath: $.data.b\n",
		id.Group, id.Kind, id.Namespace, id.Name)
}

// Reference is an ID as annotations write it.
func Reference(id identity.ID) string {
	if id.Namespace == "" {
		return strings.Join([]string{id.Group, id.Kind, id.Name}, "/")
	}
	return strings.Join([]string{id.Group, "namespaces", id.Namespace, id.Kind, id.Name}, "/")
}

// owner draws the annotations that tell whose a live object is, and whether it stays.
func (d drawing) owner() []Annotation {
	mine := Annotation{owningInventory, InventoryID}
	return rapid.SampledFrom([][]Annotation{
		{mine}, {mine}, {mine}, {mine}, {mine}, {mine}, nil, {{owningInventory, "other"}},
		{mine, {onRemove, "keep"}}, {mine, {deletion, "detach"}}, {mine, {deletion, "keep"}},
	}).Draw(d.t, "owner")
}

// NewObject returns a resource with annotations. All have the fields of a CRD of Gadgets.
func NewObject(id identity.ID, annotations ...Annotation) Object {
	metadata := [][2]string{{"name", id.Name}}
	if id.Namespace != "" {
		metadata = append(metadata, [2]string{"namespace", id.Namespace})
	}
	var pairs [][2]string
	for _, a := range annotations {
		pairs = append(pairs, a)
	}
	node := texts([2]string{"apiVersion", strings.TrimPrefix(id.Group+"/v1", "/")}, [2]string{"kind", id.Kind})
	node = yamlnode.Put(node, nil, "metadata", yamlnode.Put(texts(metadata...), nil, "annotations", texts(pairs...)))
	spec := yamlnode.Put(texts([2]string{"group", "example.com"}), nil, "names", texts([2]string{"kind", "Gadget"}))
	return Object{ID: id, Node: yamlnode.Put(node, nil, "spec", spec)}
}

// texts is a map of strings.
func texts(pairs ...[2]string) *yaml.Node {
	out := yamlnode.EmptyMap()
	for _, p := range pairs {
		out.Content = append(out.Content, yamlnode.String(p[0]), yamlnode.String(p[1]))
	}
	return out
}

// Value is the value of an annotation, and whether the object has it.
func Value(o Object, name string) (value string, found bool) {
	v := yamlnode.Field(yamlnode.Annotations(o.Node), name)
	return yamlnode.Text(v), v != nil
}

// Dependencies returns the dependencies that the annotations of a drawn object list.
func Dependencies(o Object) (ids []identity.ID) {
	listed, _ := Value(o, dependsOn)
	sources, _ := Value(o, mutations)
	for _, id := range Universe() {
		if slices.Contains(strings.Split(listed, ", "), Reference(id)) || strings.Contains(sources, entry(id)) {
			ids = append(ids, id)
		}
	}
	return ids
}

package main

import (
	"slices"
	"testing"

	"github.com/resource-merge/resource-merge/merge/schema"
)

func TestFilesOfProject(t *testing.T) {
	p := project{module: "example.com/a@v1.0.0", files: []string{"config/crd/*.yaml", "deploy/*-crd.yaml"}}
	tests := map[string]bool{
		"example.com/a@v1.0.0/config/crd/things.yaml":      true,
		"example.com/a@v1.0.0/deploy/things-crd.yaml":      true,
		"example.com/a@v1.0.0/config/crd/test/things.yaml": false,
		"example.com/a@v1.0.0/deploy/things.yaml":          false,
		"example.com/a@v1.0.1/config/crd/things.yaml":      false,
	}
	for name, want := range tests {
		if got := p.wants(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestTypesThatAreAlikeHaveOneNode(t *testing.T) {
	list := func() *schema.Type {
		return &schema.Type{Relation: schema.ListMap, Keys: []schema.Key{{Name: "port"}, {Name: "protocol", Default: "TCP"}}}
	}
	spec := &schema.Type{Fields: map[string]*schema.Type{
		"a": list(), "b": list(), "plain": {}, "map": {Elem: &schema.Type{Embedded: true}},
	}}
	root := &schema.Type{Fields: map[string]*schema.Type{"spec": spec, "status": list(), "metadata": list()}}
	c := custom{graph: &graph{nodes: map[string]*node{}}}
	c.root(root, kind{group: "g", kind: "K", version: "v1"})
	c.graph.share(nil)
	want := []string{"", "g.K.v1", "g.K.v1.spec", "g.K.v1.spec.a", "g.K.v1.spec.map", "g.K.v1.spec.map[]"}
	if got := c.graph.names(); !slices.Equal(got, want) {
		t.Errorf("the nodes are %q, want %q", got, want)
	}
	if fields := c.graph.nodes["g.K.v1.spec"].fields; !slices.Equal(fields, []edge{
		{"a", "g.K.v1.spec.a"}, {"b", "g.K.v1.spec.a"}, {"map", "g.K.v1.spec.map"},
	}) {
		t.Errorf("spec has the fields %v", fields)
	}
}

func TestImageOfUnknownField(t *testing.T) {
	g := &graph{nodes: map[string]*node{apiPrefix + "core.v1.Container": {fields: []edge{{field: "name"}}}}}
	for _, f := range []imageField{{"core.v1.Container", "image"}, {"core.v1.Other", "image"}} {
		if err := g.addImages([]imageField{f}); err == nil {
			t.Errorf("%v: no error", f)
		}
	}
}

func TestScopeByMarker(t *testing.T) {
	source := []byte(`
// +genclient
// +genclient:nonNamespaced

// Node is not namespaced.
type Node struct {
}

// +genclient

// Pod is.
type Pod struct {
`)
	for name, want := range map[string]bool{"Node": true, "Pod": false} {
		if got, err := marked(source, name); err != nil || got != want {
			t.Errorf("%s: %t, %v", name, got, err)
		}
	}
	if _, err := marked(source, "Other"); err == nil {
		t.Error("a type that is not there has a scope")
	}
}

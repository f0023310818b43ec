package main

import (
	"bytes"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/tests/seed"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestTablesAreUpToDate(t *testing.T) {
	seed.Long(t) // it needs the modules that the tables are made of
	for name, generate := range tables() {
		want, err := generate()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what go generate writes", name)
		}
	}
}

func TestUnionOfUnknownName(t *testing.T) {
	structure := &mapping{Fields: []field{{Name: "value"}, {Name: "type"}}}
	doc := &document{Types: []*definition{{Name: apiPrefix + "core.v1.Thing", Map: structure}}}
	tests := map[string]unionRule{
		"struct":        {structs: []string{"core.v1.Other"}, members: []string{"value"}},
		"member":        {structs: []string{"core.v1.Thing"}, members: []string{"value", "valueFrom"}},
		"no member":     {structs: []string{"core.v1.Thing"}, members: nil},
		"discriminator": {structs: []string{"core.v1.Thing"}, members: []string{"value"}, discriminator: "kind"},
	}
	for name, rule := range tests {
		if err := doc.addUnions([]unionRule{rule}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if len(structure.Unions) != 0 {
		t.Errorf("unions were added: %v", structure.Unions)
	}
}

func TestVersionPriority(t *testing.T) {
	want := []string{"v2", "v1", "v11beta2", "v2beta2", "v1beta2", "v1beta1", "v2alpha1", "v1alpha1", "foo"}
	got := slices.Clone(want)
	slices.Sort(got)
	slices.SortFunc(got, func(a, b string) int { return -schema.CompareVersions(a, b) })
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestKindOfUnknownPackage(t *testing.T) {
	for _, name := range []string{"io.k8s.api.new.v1.Kind", "io.k8s.api.core.Kind", "Kind"} {
		if k, err := newKind(name); err == nil {
			t.Errorf("%s is %v, want an error", name, k)
		}
	}
}

func TestPruneKeepsCyclesAndDropsTheRest(t *testing.T) {
	g := &graph{nodes: map[string]*node{
		"Kind":      {relation: "Granular", fields: []edge{{"spec", "Spec"}, {"plain", "Plain"}, {"loop", "Loop"}}},
		"Spec":      {relation: "Granular", fields: []edge{{"not", "Spec"}, {"list", "list"}}},
		"list":      {relation: "ListMap", elem: "Plain"},
		"Plain":     {relation: "Granular"},
		"Loop":      {relation: "Granular", elem: "Loop"},
		"Elsewhere": {relation: "Atomic"},
	}}
	pruned := g.prune([]kind{{name: "Kind"}})
	if got := strings.Join(pruned.names(), " "); got != " Kind Spec list" {
		t.Errorf("the graph has the nodes%s", got)
	}
	if elem := pruned.nodes["list"].elem; elem != "" {
		t.Errorf("the list leads to %s, which was pruned", elem)
	}
	if g.nodes["list"].elem != "Plain" || len(g.nodes["Kind"].fields) != 3 {
		t.Error("pruning changed the graph it was given")
	}
}

func TestDefaultsOfKeysAreThoseOfTheSchema(t *testing.T) {
	elem := &mapping{Fields: []field{
		{Name: "name", Default: ""}, {Name: "port", Default: 0}, {Name: "protocol", Default: "TCP"}, {Name: "uid"},
	}}
	got := keyLiteral([]key{newKey("name", elem), newKey("port", elem), newKey("protocol", elem), newKey("uid", elem)})
	want := `[]Key{{Name: "name", Default: ""}, {Name: "port", Default: 0}, {Name: "protocol", Default: "TCP"}, {Name: "uid"}}`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

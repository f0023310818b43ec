package merge

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// TestServerSide has cases without a recorded answer (rules/server-side-apply: managers). managedFields list the
// owners of fields.
func TestServerSide(t *testing.T) {
	text := &schema.Type{Scalar: schema.String, NoNull: true}
	kind := schema.Resource{Type: &schema.Type{Fields: map[string]*schema.Type{
		"whole": {Relation: schema.Atomic, Fields: map[string]*schema.Type{"a": nil}},
		"keyed": {Relation: schema.ListMap, Keys: []schema.Key{{Name: "id"}}, Elem: &schema.Type{Fields: map[string]*schema.Type{"args": {Relation: schema.Atomic}}}},
		"texts": {Elem: text}, "set": {Relation: schema.Set},
		"cpu": {Scalar: schema.Quantity},
	}}}
	for name, test := range map[string]struct {
		m, other, config, live, want, owned string
		conflicts                           []string
	}{
		"what became atomic is owned as a whole": {
			m: `{"f:whole":{"f:a":{}}}`, other: `{"f:whole":{"f:b":{}}}`, config: "whole: {a: 2}", live: "whole: {a: 1, b: 1}",
			want: "whole: {a: 1, b: 1}", conflicts: []string{`owned whole "other"`},
		},
		"keys of which no schema knows": {
			m: `{"f:list":{"k:{\"id\":1}":{".":{},"f:id":{}},"k:{\"id\":2}":{".":{},"f:id":{}}}}`, config: "list: [{id: 2, x: 1}]",
			live: "list: [{id: 1}, {id: 2}, {id: 3}]", want: "list: [{id: 2, x: 1}, {id: 3}]",
			owned: `{"f:list":{"k:{\"id\":2}":{".":{},"f:id":{},"f:x":{}}}}`,
		},
		"a set of which no schema knows": {
			m: `{"f:list":{"v:\"a\"":{},"v:\"b\"":{}}}`, config: "list: [b]", live: "list: [a, b, c]", want: "list: [b, c]",
			owned: `{"f:list":{"v:\"b\"":{}}}`,
		},
		"a null that is not allowed": {
			m: `{"f:texts":{"f:a":{}}}`, config: "texts: {a: null}", live: `texts: {a: "1"}`, want: `texts: {a: "1"}`, conflicts: []string{"refused texts.a"},
		},
		"a value that is stored alike is owned otherwise": {
			m: `{"f:x":{}}`, other: `{"f:cpu":{}}`, config: "cpu: 0.5", live: "cpu: 500m", want: "cpu: 500m", conflicts: []string{`owned cpu "other"`},
		},
		"a key twice in live, once in config": {
			other: `{"f:keyed":{"k:{\"id\":1}":{}}}`, config: "keyed: [{id: 1, x: 1}]", live: "keyed: [{id: 1, x: 1}, {id: 2}, {id: 1, x: 2}]",
			want: "keyed: [{id: 1, x: 1}, {id: 2}, {id: 1, x: 2}]", conflicts: []string{`owned keyed[id=1] "other"`},
		},
		"a key twice in live, once in config, owned by nobody": {
			other: `{"f:cpu":{}}`, config: "keyed: [{id: 1, x: 1}]", live: "keyed: [{id: 1, x: 1}, {id: 2}, {id: 1, x: 2}]",
			want: "keyed: [{id: 1, x: 1}, {id: 2}]", owned: `{"f:keyed":{"k:{\"id\":1}":{".":{},"f:id":{},"f:x":{}}}}`,
		},
		"a set stays as config has it": {
			m: `{"f:set":{"v:\"a\"":{}}}`, config: "set: [b, a]", live: "set: [a, c]", want: "set: [b, a, c]", owned: `{"f:set":{"v:\"a\"":{},"v:\"b\"":{}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			const thing = "apiVersion: v1, kind: Thing, "
			live := withEntries(t, flow(t, thing+test.live), test.m, test.other)
			out, err := ResourceBy(ServerSide{}, [3]*yaml.Node{upstream: flow(t, thing+test.config), local: live}, kind, Prefer(PreferUpstream))
			if err != nil {
				t.Fatal(err)
			}
			if want, got := flow(t, thing+test.want), yamlnode.Without(out.Node, func(name string) bool { return name == "metadata" }); !Same(want, got) {
				t.Errorf("it is %s, want %s", textOfNode(t, got), test.want)
			}
			entries, err := managed.ReadEntries(yamlnode.Lookup(out.Node, "metadata", managedFields))
			if err != nil {
				t.Fatal(err)
			}
			owned := "{}"
			for _, e := range entries {
				if e.Same(managed.Owner{Manager: "kubectl", Operation: managed.Apply}) {
					owned = e.Fields.JSON()
				}
			}
			if test.owned != "" && owned != test.owned {
				t.Errorf("M owns %s, want %s", owned, test.owned)
			}
			var conflicts []string
			for _, c := range out.Conflicts {
				said := string(c.Kind) + " " + c.Path.String()
				for _, m := range c.Managers {
					said += " " + m
				}
				conflicts = append(conflicts, said)
			}
			if diff := cmp.Diff(test.conflicts, conflicts); diff != "" {
				t.Errorf("conflicts (-want +got):\n%s", diff)
			}
		})
	}
}

// withEntries returns a live object in which M and another manager own fields by Apply.
func withEntries(t *testing.T, live *yaml.Node, fields ...string) *yaml.Node {
	t.Helper()
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for i, manager := range []string{"kubectl", "other"} {
		if fields[i] != "" {
			text := "manager: " + manager + ", operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: " + fields[i]
			list.Content = append(list.Content, flow(t, text))
		}
	}
	return yamlnode.Put(live, nil, "metadata", yamlnode.Put(yamlnode.EmptyMap(), nil, managedFields, list))
}

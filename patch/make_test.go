package patch_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/patch"
)

// TestMake has a case of each rule of rules/patches: null; rules/patches: JSON patches;
// rules/patches: patches for kustomize that is not in the laws.
func TestMake(t *testing.T) {
	const service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"
	const custom = "apiVersion: example.com/v1\nkind: Shop\nmetadata: {name: web}\n"
	for name, test := range map[string]struct {
		form          patch.Form
		before, after string
		want, err     string
	}{
		"custom resources get merge patches": {
			before: custom + "spec: {list: [{name: a}], old: 1}", after: custom + "spec: {list: [{name: b}]}",
			want: "apiVersion: example.com/v1\nkind: Shop\nmetadata:\n  name: web\nspec:\n  list: [{name: b}]\n  old: null\n",
		},
		"a folded text with an indented line": {
			before: custom, after: custom + "spec:\n  rule: >-\n    all(\n\n      shops)\n  city: Rome\n",
			want: "apiVersion: example.com/v1\nkind: Shop\nmetadata:\n  name: web\nspec:\n  rule: |-\n    all(\n\n      shops)\n  city: Rome\n",
		},
		"nothing differs": {before: custom + "spec: {a: 1}", after: custom + "spec: {a: 0x1}"},
		"a null that must stay": {
			before: custom, after: custom + "spec: {a: {b: null}}",
			err: "spec.a.b: a merge patch cannot express it: the result has a null there, and a null in a patch deletes",
		},
		"a null in json": {
			form: patch.JSON, before: custom, after: custom + "spec: {a/b: null}",
			want: "- op: add\n  path: /spec\n  value: {a/b: null}\n",
		},
		"a name in json": {
			form: patch.JSON, before: custom, after: strings.Replace(custom, "web", "shop", 1),
			want: "- op: replace\n  path: /metadata/name\n  value: shop\n",
		},
		"another name": {
			before: custom, after: strings.Replace(custom, "web", "shop", 1),
			err: "metadata.name: a merge patch cannot express it: the patch finds the resource by it",
		},
		"elements of a list in json": {
			form:   patch.JSON,
			before: service + "spec: {ports: [{port: 80}, {port: 81, protocol: UDP}]}",
			after:  service + "spec: {ports: [{port: 79}, {port: 80, name: a}, {port: 82}]}",
			want: `- op: add
  path: /spec/ports/-
  value: {port: 82}
- op: test
  path: /spec/ports/1/port
  value: 81
- op: test
  path: /spec/ports/1/protocol
  value: UDP
- op: remove
  path: /spec/ports/1
- op: test
  path: /spec/ports/0/port
  value: 80
- op: add
  path: /spec/ports/0/name
  value: a
- op: add
  path: /spec/ports/0
  value: {port: 79}
`,
		},
		"an element that moves in json": {
			form:   patch.JSON,
			before: service + "spec: {ports: [{port: 80}, {port: 81}, {port: 82, name: a}]}",
			after:  service + "spec: {ports: [{port: 81}, {port: 82, name: b}, {port: 80}]}",
			want: `- op: add
  path: /spec/ports/-
  value: {port: 80}
- op: test
  path: /spec/ports/2/port
  value: 82
- op: replace
  path: /spec/ports/2/name
  value: b
- op: test
  path: /spec/ports/0/port
  value: 80
- op: remove
  path: /spec/ports/0
`,
		},
		"most elements move in json": {
			form:   patch.JSON,
			before: service + "spec: {ports: [{port: 80}, {port: 81}, {port: 82}]}", after: service + "spec: {ports: [{port: 82}, {port: 81}, {port: 80}]}",
			want: "- op: replace\n  path: /spec/ports\n  value: [{port: 82}, {port: 81}, {port: 80}]\n",
		},
		"a comment goes along": {
			before: service + "spec:\n  # theirs\n  type: ClusterIP",
			after:  service + "spec:\n  # ours\n  type: NodePort # why",
			want:   "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  # ours\n  type: NodePort # why\n",
		},
		"kustomize has no directives but delete": {
			form:   patch.Kustomize,
			before: service + "spec: {ports: [{port: 80, name: a}, {port: 81}]}",
			after:  service + "spec: {ports: [{port: 82}, {port: 80, name: b}]}",
			want:   "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  ports:\n  - {port: 82}\n  - port: 80\n    name: b\n  - port: 81\n    $patch: delete\n",
		},
		"kustomize finds ports by their protocol too": {
			form:   patch.Kustomize,
			before: service + "spec: {ports: [{port: 80, protocol: TCP}]}", after: service + "spec: {ports: [{port: 80, protocol: TCP, name: b}]}",
			want: "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  ports:\n  - port: 80\n    protocol: TCP\n    name: b\n",
		},
		"kustomize mistakes ports of which some have a protocol": {
			form:   patch.Kustomize,
			before: service + "spec: {ports: [{port: 80}]}", after: service + "spec: {ports: [{port: 80}, {port: 53, protocol: UDP}]}",
			err: "spec.ports: a kustomize patch cannot express it: kustomize finds its elements by protocol too, which some have and some lack",
		},
		"kustomize has no order": {
			form:   patch.Kustomize,
			before: service + "spec: {ports: [{port: 80}, {port: 81}]}", after: service + "spec: {ports: [{port: 81}, {port: 80}]}",
		},
		"kustomize removes no finalizer": {
			form: patch.Kustomize, before: strings.Replace(custom, "web", "web, finalizers: [a, b]", 1), after: strings.Replace(custom, "web", "web, finalizers: [a]", 1),
			want: "apiVersion: example.com/v1\nkind: Shop\nmetadata:\n  name: web\n  finalizers: [a]\n",
		},
		"kustomize loses one of two elements with one key, whatever the patch is about": {
			form:   patch.Kustomize,
			before: service + "spec: {ports: [{port: 53, protocol: UDP}, {port: 53}]}", after: service + "spec: {ports: [{port: 53, protocol: UDP}, {port: 53}], type: NodePort}",
			err: "spec.ports: a kustomize patch cannot express it: kustomize takes two elements for one, since they have the same key",
		},
		"kustomize keeps ports of one number whose protocols differ": {
			form:   patch.Kustomize,
			before: service + "spec: {ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]}", after: service + "spec: {ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}], type: NodePort}",
			want: "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  type: NodePort\n",
		},
		"a null is no key": {
			form:   patch.Strategic,
			before: service + "spec: {ports: [{port: null, name: a}]}", after: service + "spec: {ports: [{port: null, name: b}]}",
			err: "spec.ports: a strategic patch cannot express it: an element lacks the key port",
		},
		"a key in quotes is written in another way": {
			form:   patch.Strategic,
			before: "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {topologySpreadConstraints: [{topologyKey: on, maxSkew: 1}]}",
			after:  "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {topologySpreadConstraints: [{topologyKey: \"on\", maxSkew: 1}]}",
			err:    `spec.topologySpreadConstraints[topologyKey="on"]: a strategic patch cannot express it: it writes the key topologyKey in another way`,
		},
		"a text that begins with a tab is one that kubectl reads": {
			form:   patch.Merge,
			before: custom, after: custom + "data: {Caddyfile: \"\\tlog\\n\", Makefile: \"all:\\n\\tgo build\\n\"}",
			want: "apiVersion: example.com/v1\nkind: Shop\nmetadata:\n  name: web\ndata: {Caddyfile: \"\\tlog\\n\", Makefile: \"all:\\n\\tgo build\\n\"}\n",
		},
		"a name that YAML 1.1 reads as a boolean": {
			form:   patch.Merge,
			before: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"on\", namespace: \"no\"}", after: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"on\", namespace: \"no\"}\ndata: {\"y\": \"1\"}",
			want: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: \"on\"\n  namespace: \"no\"\ndata: {\"y\": \"1\"}\n",
		},
		"a field that is named as a directive": {
			form: patch.Strategic, before: service, after: service + "spec: {$patch: a}",
			err: `spec["$patch"]: a strategic patch cannot express it: the field has the name of a directive`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, differs, err := patch.New(patch.Options{Form: test.form}).Make(parse(test.before), parse(test.after))
			if test.err != "" {
				if !errors.Is(err, patch.ErrInexpressible) || err.Error() != test.err {
					t.Errorf("the error is %v, want %s", err, test.err)
				}
				return
			}
			if err != nil || differs != (test.want != "") {
				t.Fatalf("differs is %t, the error %v", differs, err)
			}
			if !differs {
				return
			}
			text, err := p.YAML()
			if diff := cmp.Diff(test.want, string(text)); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestCommentsBelow: a comment at the end of a map stays there, whatever field follows.
func TestCommentsBelow(t *testing.T) {
	for _, want := range []string{
		"spec:\n  a:\n    b: 1\n    # below b\n  # below a\n  list: []\n",
		"spec:\n  a:\n    b: 1\n    # below b\n  c:\n    d: 1\n",
		"spec:\n- a: 1\n  # below a\n- b: 1\n",
	} {
		document, err := manifest.Document([]byte(want))
		if err != nil {
			t.Fatal(err)
		}
		got, err := patch.Patch{Node: document.Root()}.YAML()
		if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

// TestPrecondition has the version of base in the patch, whatever the result says
// (rules/patches: patches for kustomize).
func TestPrecondition(t *testing.T) {
	for form, want := range map[patch.Form]string{
		patch.Merge: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  resourceVersion: \"7\"\ndata:\n  k: w\n",
		patch.JSON:  "- op: replace\n  path: /metadata/resourceVersion\n  value: \"7\"\n- op: replace\n  path: /data/k\n  value: w\n",
	} {
		maker := patch.New(patch.Options{Form: form, Precondition: true})
		base := parse("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, resourceVersion: \"7\"}\ndata: {k: v}\n")
		result := parse("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: w}\n")
		p, differs, err := maker.Make(base, result)
		if err != nil || !differs {
			t.Fatal(err)
		}
		text, err := p.YAML()
		if diff := cmp.Diff(want, string(text)); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", form, err, diff)
		}
		if _, _, err := maker.Make(result, base); err == nil || !strings.Contains(err.Error(), "no metadata.resourceVersion") {
			t.Errorf("%s: the error of a base without a version is %v", form, err)
		}
	}
}

func TestFault(t *testing.T) {
	var fault *merge.Fault
	twice := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for range 2 {
		twice.Content = append(twice.Content, parse("a"), parse("b"))
	}
	if _, _, err := patch.New(patch.Options{}).Make(twice, twice); !errors.As(err, &fault) {
		t.Errorf("the error of a key that is there twice is %v", err)
	}
}

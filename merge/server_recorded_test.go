package merge

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// recorded is a situation with the answers of a real server.
type recorded struct {
	Name         string
	Config       string
	FieldManager string `yaml:"field-manager"`
	Flags        string
	ServerSide   *answer `yaml:"server-side"`
	Forced       *answer `yaml:"server-side-force"`
}

// answer has the server's object before and after, and its message. Result is "as live" if nothing changed.
type answer struct {
	Live, Result yaml.Node
	Exit         int
	Says         string
}

// widget is the custom resource of the situations.
const widget = `
spec:
  group: example.com
  names: {kind: Widget}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              level: {type: integer, default: 3}
              items: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, properties: {name: {type: string}, size: {type: integer}}}}
              ports: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port, protocol], items: {type: object, properties: {port: {type: integer}, protocol: {type: string, default: TCP}, label: {type: string}}}}
              steps: {type: array, items: {type: string}}
              frozen: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}}
              options: {type: object, additionalProperties: {type: string}}
              anything: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

// defaulted has the paths that the server's defaults add to the result of a situation: a
// field that an apply removes is absent here (rules/apply: fields).
func defaulted() map[string][]string {
	container := func(name string) []string {
		var out []string
		for _, field := range []string{"imagePullPolicy", "resources", "terminationMessagePath", "terminationMessagePolicy"} {
			out = append(out, `spec.template.spec.containers[name="`+name+`"].`+field)
		}
		return out
	}
	return map[string][]string{
		"null-for-configured":       {"spec.replicas"},
		"containers-of-the-seed":    container("c"),
		"env-value-to-valuefrom":    {`spec.template.spec.containers[name="web"].env[name="A"].valueFrom.fieldRef`},
		"service-port-number":       {`spec.ports[port=8080,protocol="TCP"].nodePort`, `spec.ports[port=8080,protocol="TCP"].protocol`, `spec.ports[port=8080,protocol="TCP"].targetPort`},
		"service-type-to-clusterip": {"spec.externalTrafficPolicy", `spec.ports[port=80,protocol="TCP"].nodePort`, "spec.type"},
		"crd-default":               {"spec.level"},
		"element-removed-live":      container("helper"),
	}
}

// invalid lists the situations in which the server finds the result invalid, which ServerSide does not foresee
// (rules/apply: refused objects).
func invalid() []string {
	return []string{
		"volume-source-switched-live", "struct-removed-drifted", "ssa-element-shared-removed", "selector-immutable", "job-template-immutable",
		"config-resource-version-stale", "number-in-string-map",
	}
}

// TestRecordedServerSide: the object, its managedFields and the conflicts are the same as recorded on a real server.
func TestRecordedServerSide(t *testing.T) {
	data, err := os.ReadFile("../testdata/recorded/kubectl-apply.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Situations []recorded }
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for _, s := range file.Situations {
		for name, a := range map[string]*answer{"": s.ServerSide, "/force": s.Forced} {
			if a != nil {
				t.Run(s.Name+name, func(t *testing.T) {
					s.replay(t, a, ServerSide{Manager: s.FieldManager, Force: name != "" || s.Flags == "--force-conflicts"})
				})
			}
		}
	}
}

func (s recorded) replay(t *testing.T, a *answer, rules ServerSide) {
	out := serve(t, rules, configOf(t, s.Config), liveOf(&a.Live))
	if a.Exit != 0 && !strings.Contains(a.Says, "conflict") {
		if slices.ContainsFunc(out.Conflicts, func(c Conflict) bool { return c.Kind == Refused }) {
			return
		}
		if !slices.Contains(invalid(), s.Name) {
			t.Errorf("the server refused it: %s", a.Says)
		}
		return
	}
	var conflicts []string
	for _, c := range out.Conflicts {
		if c.Kind == Owned && !rules.Force {
			conflicts = append(conflicts, c.Managers[0]+": ."+strings.ReplaceAll(c.Path.String(), `"`, ""))
		}
	}
	if diff := cmp.Diff(said(a.Says), conflicts, cmp.Transformer("sorted", sorted)); diff != "" {
		t.Errorf("conflicts (-server +ours):\n%s", diff)
	}
	want := liveOf(&a.Result)
	if want == nil {
		want = liveOf(&a.Live)
	}
	got, gotOwners := splitOwners(t, out.Node)
	wanted, wantOwners := splitOwners(t, want)
	if diff := cmp.Diff(wantOwners, gotOwners, cmp.Transformer("sorted", sorted)); diff != "" {
		t.Errorf("managedFields (-server +ours):\n%s", diff)
	}
	if again := serve(t, rules, configOf(t, s.Config), out.Node); again.Node != out.Node || len(again.Conflicts) != len(conflicts) {
		t.Errorf("applying again changes it: %v\n%s", again.Conflicts, textOfNode(t, again.Node))
	}
	var different []string
	differences, err := Differences(wanted, got, structured(t, got))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range differences {
		different = append(different, p.Path.String())
	}
	if diff := cmp.Diff(defaulted()[s.Name], different); diff != "" {
		t.Errorf("differs at (-want +got):\n%s\ngot\n%s\nwant\n%s", diff, textOfNode(t, got), textOfNode(t, wanted))
	}
}

// serve applies config with rules.
func serve(t *testing.T, rules ServerSide, config, live *yaml.Node) Outcome {
	t.Helper()
	versions := [3]*yaml.Node{upstream: config, local: live}
	out, err := ResourceBy(rules, versions, structured(t, config), Prefer(PreferUpstream))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// structured returns the server's schema of a resource's kind.
func structured(t *testing.T, n *yaml.Node) schema.Resource {
	t.Helper()
	of := kindOf(n)
	known := schema.NewColumn(schema.Structured, schema.Trees(flowDocument(t, widget)))
	return known.Resource(identity.Group(of[0]), identity.Version(of[0]), of[1])
}

func flowDocument(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Content[0]
}

// configOf returns config as kubectl sends it: in its namespace, without status.
func configOf(t *testing.T, text string) *yaml.Node {
	n := yamlnode.Without(flowDocument(t, text), func(name string) bool { return name == "status" })
	metadata := yamlnode.Put(yamlnode.Field(n, "metadata"), nil, "namespace", yamlnode.String("shop"))
	return yamlnode.Put(n, nil, "metadata", metadata)
}

// liveOf returns a recorded object, nil for none.
func liveOf(n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	return n
}

// said returns the conflicts in a message of kubectl.
func said(message string) []string {
	var out []string
	manager := ""
	for _, line := range strings.Split(message, "\n") {
		if m := regexp.MustCompile(`1 conflict: conflict with (.*): (\..*)`).FindStringSubmatch(line); m != nil {
			return []string{m[1] + ": " + m[2]}
		}
		if m := regexp.MustCompile(`conflicts with (.*):$`).FindStringSubmatch(line); m != nil {
			manager = m[1]
		}
		if field, found := strings.CutPrefix(line, "- "); found {
			out = append(out, manager+": "+field)
		}
	}
	return out
}

func sorted(in []string) []string { return slices.Sorted(slices.Values(in)) }

// splitOwners returns an object without its managedFields, and the managedFields without their times.
func splitOwners(t *testing.T, n *yaml.Node) (*yaml.Node, []string) {
	t.Helper()
	metadata := yamlnode.Field(n, "metadata")
	entries, err := managed.ReadEntries(yamlnode.Field(metadata, "managedFields"))
	if err != nil {
		t.Fatal(err)
	}
	var owners []string
	for _, e := range entries {
		owners = append(owners, e.Operation+" "+e.Owner.String()+" "+e.APIVersion+" "+e.Fields.JSON())
	}
	return yamlnode.Put(n, nil, "metadata", yamlnode.Without(metadata, func(name string) bool { return name == "managedFields" })), owners
}

func textOfNode(t *testing.T, n *yaml.Node) string {
	t.Helper()
	out, err := yaml.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

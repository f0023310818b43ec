package tests

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/tests/caselist"
)

// situation is one that was recorded on a real API server: testdata/recorded/kubectl-apply.yaml
// says how.
type situation struct {
	Name, Config string
	FieldManager string `yaml:"field-manager"`
	Flags        string
	Apply        *recorded `yaml:"kubectl-apply"`
	ServerSide   *recorded `yaml:"server-side"`
	Forced       *recorded `yaml:"server-side-force"`
}

// recorded is a live object, with the answers of kubectl and the server.
type recorded struct {
	Live, Result any
	Exit         int
	Says         string
}

// situations returns the recorded situations.
func situations(t *testing.T) []situation {
	t.Helper()
	text, err := os.ReadFile("testdata/recorded/kubectl-apply.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Situations []situation }
	if err := yaml.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all.Situations
}

// The reasons why the result may differ from the server's answer. Each occurs.
const (
	isDefault   = "Defaults are the server's: what is removed is absent in the result."
	isDependent = "What depends on the type of a Service is the server's: it goes with the type."
	isOrder     = "An element of live's own follows its neighbour in live; kubectl places it by its index."
)

// TestRecordedApply merges each recorded situation, and compares the result with the
// server's: each difference has a known reason (rules/apply: fields), and the function
// refuses the configs that the server refused.
func TestRecordedApply(t *testing.T) {
	reasons := map[string]int{}
	count := 0
	for _, s := range situations(t) {
		if s.Apply == nil {
			continue
		}
		count++
		t.Run(s.Name, func(t *testing.T) {
			out, err := command.Function(s.list(t, s.Apply, "strategy: apply, apply: {namespace: shop}"))
			if s.Apply.Exit != 0 {
				s.checkRefused(t, out, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range differences("", s.Apply.Result, mergedObject(t, out)) {
				reason := d.reason(s)
				if reason == "" {
					t.Errorf("%s: the server has %v, the result %v", d.path, d.server, d.ours)
				}
				reasons[reason]++
			}
		})
	}
	if count < 40 {
		t.Errorf("found %d situations; are there so few?", count)
	}
	for _, reason := range []string{isDefault, isDependent, isOrder} {
		if reasons[reason] == 0 {
			t.Errorf("no situation differs by this reason: %s", reason)
		}
	}
}

// TestApplyAgain applies the config once more to what came out of each situation: nothing
// changes, by either strategy. Of elements with one key kubectl changes the first in each client-side apply.
func TestApplyAgain(t *testing.T) {
	for _, s := range situations(t) {
		for config, from := range map[string]*recorded{
			"strategy: apply, apply: {namespace: shop}": s.Apply,
			fmt.Sprintf("strategy: server-side-apply, apply: {namespace: shop, fieldManager: %q, force: true}", cmp.Or(s.FieldManager, "kubectl")): s.ServerSide,
		} {
			if from == nil || from.Exit != 0 || from == s.Apply && strings.HasSuffix(s.Name, "tcp-udp") {
				continue
			}
			t.Run(s.Name+"/"+config[:len("strategy: apply")], func(t *testing.T) {
				in := bytes.Replace(s.list(t, from, config), []byte(", sources: {keep: false}"), nil, 1)
				once, err := command.Function(in)
				if err != nil {
					t.Fatal(err)
				}
				again, err := command.Function(once)
				if err != nil {
					t.Fatal(err)
				}
				want, _, _ := bytes.Cut(once, []byte("\nresults:"))
				got, _, _ := bytes.Cut(again, []byte("\nresults:"))
				if diff := gocmp.Diff(string(want), string(got)); diff != "" {
					t.Errorf("applied again it changed (-once +again):\n%s", diff)
				}
			})
		}
	}
}

// checkRefused finds that a refusal of the server's was not foreseen. An annotation
// last-applied that is no JSON is an error of ours as of kubectl's.
func (s situation) checkRefused(t *testing.T, out []byte, err error) {
	t.Helper()
	foreseen := "conflict: refused"
	if strings.Contains(s.Apply.Says, "invalid JSON document") {
		foreseen = "last-applied-configuration: it is not JSON"
	}
	if err == nil || !bytes.Contains(out, []byte(foreseen)) {
		t.Errorf("kubectl failed with %.200s\nbut the result is %v:\n%s", s.Apply.Says, err, out)
	}
	if diff := gocmp.Diff(s.Apply.Live, mergedObject(t, out)); diff != "" {
		t.Errorf("the live object did not come out as it was (-want +got):\n%s", diff)
	}
}

// TestRecordedServerSide does the same for server-side apply. Package merge's tests compare
// its managed fields.
func TestRecordedServerSide(t *testing.T) {
	refused, count := 0, 0
	for _, s := range situations(t) {
		for _, forced := range []bool{false, true} {
			want := s.ServerSide
			if forced {
				want = s.Forced
			}
			if want == nil {
				continue
			}
			count++
			if want.Exit != 0 {
				refused++
			}
			t.Run(fmt.Sprintf("%s/forced=%t", s.Name, forced), func(t *testing.T) { s.checkServerSide(t, want, forced) })
		}
	}
	if count < 60 || refused < 10 {
		t.Errorf("found %d situations, of which %d were refused; are there so few?", count, refused)
	}
}

func (s situation) checkServerSide(t *testing.T, want *recorded, forced bool) {
	t.Helper()
	manager, forced := cmp.Or(s.FieldManager, "kubectl"), forced || strings.Contains(s.Flags, "--force-conflicts")
	config := fmt.Sprintf("strategy: server-side-apply, apply: {namespace: shop, fieldManager: %q, force: %t}", manager, forced)
	out, err := command.Function(s.list(t, want, config))
	if strings.Contains(want.Says, "Required value") {
		return // what has to be there is not validated
	}
	if want.Exit != 0 {
		if err == nil || !bytes.Contains(out, []byte("conflict: owned")) && !bytes.Contains(out, []byte("conflict: refused")) {
			t.Errorf("kubectl failed with %.300s\nbut the result is %v:\n%s", want.Says, err, out)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	result, there := want.Result.(map[string]any)
	if !there {
		result = want.Live.(map[string]any)
	}
	for _, d := range differences("", result, mergedObject(t, out)) {
		if d.reason(s) == "" && !strings.HasPrefix(d.path, ".metadata.managedFields") {
			t.Errorf("%s: the server has %v, the result %v", d.path, d.server, d.ours)
		}
	}
}

// list is the situation as a ResourceList.
func (s situation) list(t *testing.T, from *recorded, config string) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig:\n" +
		"  {apiVersion: fn.kpt.dev/v1alpha1, kind: ResourceMerge, " + config + ", sources: {keep: false}}\nitems:\n")
	if live, is := from.Live.(map[string]any); is {
		if strings.Contains(s.Config, "${rv}") {
			live["metadata"].(map[string]any)["resourceVersion"] = "7"
		}
		text, err := yaml.Marshal(live)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(caselist.Indent(string(text), "- ", "  "))
	}
	b.WriteString(caselist.Indent(annotate(t, s.Config, "upstream"), "- ", "  "))
	if strings.Contains(s.Config, "kind: Widget") {
		b.WriteString(caselist.Indent(widget, "- ", "  "))
	}
	return b.Bytes()
}

// widget defines the custom resource of the situations.
const widget = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
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

// mergedObject is the object that came out.
func mergedObject(t *testing.T, out []byte) any {
	t.Helper()
	var list struct{ Items []any }
	if err := yaml.Unmarshal(out, &list); err != nil || len(list.Items) == 0 {
		t.Fatalf("%v, and the list has %d items:\n%s", err, len(list.Items), out)
	}
	return list.Items[0]
}

// answer is a place where the server has something else than the result.
type answer struct {
	path         string
	server, ours any
}

// differences compares two values, map by map and element by element.
func differences(path string, server, ours any) []answer {
	a, isMap := server.(map[string]any)
	b, both := ours.(map[string]any)
	if isMap && both {
		var out []answer
		keys := slices.Sorted(maps.Keys(a))
		for _, key := range slices.Sorted(maps.Keys(b)) {
			if _, found := a[key]; !found {
				keys = append(keys, key)
			}
		}
		for _, key := range keys {
			out = append(out, differences(path+"."+key, a[key], b[key])...)
		}
		return out
	}
	x, isList := server.([]any)
	y, both := ours.([]any)
	if isList && both && len(x) == len(y) && sameNames(x, y) {
		var out []answer
		for i := range x {
			out = append(out, differences(fmt.Sprintf("%s[%d]", path, i), x[i], y[i])...)
		}
		return out
	}
	if gocmp.Equal(server, ours) {
		return nil
	}
	return []answer{{path, server, ours}}
}

// sameNames reports whether the elements of two lists have the same names in the same
// order.
func sameNames(a, b []any) bool {
	name := func(v any) any {
		m, _ := v.(map[string]any)
		return m["name"]
	}
	return slices.EqualFunc(a, b, func(x, y any) bool { return name(x) == name(y) })
}

// reason says why the server's answer is another than the result, "" if it should not be.
func (d answer) reason(s situation) string {
	x, isList := d.server.([]any)
	y, both := d.ours.([]any)
	switch {
	case d.ours == nil:
		return isDefault
	case strings.Contains(s.Config, "kind: Service") && d.server == nil && (strings.HasSuffix(d.path, ".nodePort") || d.path == ".spec.externalTrafficPolicy"):
		return isDependent
	case isList && both && isPermutation(x, y):
		return isOrder
	}
	return ""
}

// isPermutation reports whether two lists have the same elements.
func isPermutation(a, b []any) bool {
	for _, x := range a {
		if !slices.ContainsFunc(b, func(y any) bool { return gocmp.Equal(x, y) }) {
			return false
		}
	}
	return len(a) == len(b)
}

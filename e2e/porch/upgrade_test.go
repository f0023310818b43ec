package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/e2e/porch/fleet"
	"github.com/resource-merge/resource-merge/e2e/porch/variant"
	"github.com/resource-merge/resource-merge/e2e/porch/wrapper"
)

const packages = 500

// TestFleet brings a new version of one upstream to 500 packages, and compares the one
// report over them with the teams' known changes. docs/fleet.md shows it.
func TestFleet(t *testing.T) {
	server := startServer(t)
	all, err := upgrade(t.Context(), server, packages)
	if err != nil {
		t.Fatal(err)
	}
	text, err := reportOf(t.Context(), programs.Function, all, "json")
	if err != nil {
		t.Fatal(err)
	}
	var got reported
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(expected(t), got.conflicts()); diff != "" {
		t.Errorf("the conflicts are others (-want +got):\n%s", diff)
	}
	if text, err = reportOf(t.Context(), programs.Function, all, "text"); err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile("../../docs/fleet.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(document), text) {
		t.Errorf("docs/fleet.md shows another report than\n%s", text)
	}
}

// reported has the fields of the report that the test reads.
type reported struct {
	Conflicts []struct {
		Path     string
		Resource struct{ Kind string }
		Local    []struct {
			Value    string
			Packages []string
		}
	}
	Failures []struct{ Packages []string }
}

// conflicts are the packages by the value that collides: "Kind path value". Those that
// failed are under "failed".
func (r reported) conflicts() map[string][]string {
	out := map[string][]string{}
	add := func(what string, names []string) {
		out[what] = append(out[what], names...)
		slices.Sort(out[what])
		out[what] = slices.Compact(out[what])
	}
	for _, c := range r.Conflicts {
		for _, local := range c.Local {
			add(c.Resource.Kind+" "+c.Path+" "+local.Value, local.Packages)
		}
	}
	for _, failure := range r.Failures {
		add("failed", failure.Packages)
	}
	return out
}

// expected are the conflicts that are to be reported, read off the texts of the copies.
func expected(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for i := range packages {
		name := fmt.Sprintf("edge/team-%05d", i)
		conflicts := conflictsOf(t, i)
		switch config := configOf(i); {
		case strings.Contains(config, "fial"), config != "" && len(conflicts) > 0:
			conflicts = []string{"failed"}
		}
		for _, conflict := range conflicts {
			out[conflict] = append(out[conflict], name)
		}
	}
	return out
}

// conflictsOf are the conflicts of a copy, each once.
func conflictsOf(t *testing.T, number int) (out []string) {
	t.Helper()
	files, err := fleet.Variant(number, componentsOfFleet)
	if err != nil {
		t.Fatal(err)
	}
	const server = `Deployment spec.template.spec.containers[name="server"].`
	for _, c := range []struct{ file, text, conflict string }{
		{"deployment.yaml", "memory: 512Mi", server + "resources.limits.memory 512Mi"},
		{"deployment.yaml", "memory: 1Gi", server + "resources.limits.memory 1Gi"},
		{"deployment.yaml", "periodSeconds: 20", server + "livenessProbe.periodSeconds 20"},
		{"deployment.yaml", "periodSeconds: 60", server + "livenessProbe.periodSeconds 60"},
		{"deployment.yaml", "value: debug", server + `env[name="LOG_LEVEL"].value debug`},
		{"config.yaml", "timeout: 60s", "ConfigMap data.timeout 60s"},
		{"config.yaml", "timeout: 90s", "ConfigMap data.timeout 90s"},
	} {
		if slices.ContainsFunc(files.Names(), func(name string) bool {
			return strings.HasSuffix(name, c.file) && strings.Contains(files[name], c.text)
		}) {
			out = append(out, c.conflict)
		}
	}
	for i := range componentsOfFleet {
		dir := fmt.Sprintf("shop-%03d/", i)
		if !strings.Contains(files[dir+"deployment.yaml"], "name: metrics") {
			out = append(out, `Deployment spec.template.spec.containers[name="metrics"] (absent)`)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestPorchReadsResults has that Porch does not take a number as the value of a result,
// and takes it with text-values. If the first fails, textValues may go.
func TestPorchReadsResults(t *testing.T) {
	local, err := fleet.Upstream("v1", 1)
	if err != nil {
		t.Fatal(err)
	}
	const file = "shop-000/deployment.yaml"
	local[file] = strings.Replace(local[file], "periodSeconds: 10", "periodSeconds: 20", 1)
	for config, want := range map[string]string{
		"conflicts: local\n":                        "cannot unmarshal number",
		"conflicts: local\ntext-values: \"true\"\n": "",
	} {
		list, err := fleet.List(local, 1, config)
		if err != nil {
			t.Fatal(err)
		}
		v, err := variant.Merged("a", alone(t, list))
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", config, err)
		}
		if want != "" {
			continue
		}
		field := v.Status.DownstreamTargets[0].RenderStatus.Result.Items[0].Results[1].Field
		if field.CurrentValue != "20" || field.ProposedValue != "15" {
			t.Errorf("Porch reads %+v", field)
		}
	}
}

// TestAgain sends what came out of a merge once more, as a pipeline does that is rendered
// again or retried: it stays as it is.
func TestAgain(t *testing.T) {
	server := startServer(t)
	for i := range 50 {
		list, err := fleet.Numbered(i, 1+i%4, "", "keep-sources: \"true\"\n")
		if err != nil {
			t.Fatal(err)
		}
		first := withoutResults(t, server, list)
		if again := withoutResults(t, server, first); !bytes.Equal(first, again) {
			t.Errorf("copy %d is another one:\n%s", i, cmp.Diff(string(first), string(again)))
		}
	}
}

// withoutResults is the answer to a request, but for its results.
func withoutResults(t *testing.T, server *wrapper.Server, list []byte) []byte {
	t.Helper()
	answer, err := server.Evaluate(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	items, _, found := bytes.Cut(answer.ResourceList, []byte("\nresults:\n"))
	if !found {
		t.Fatal("the answer has no results")
	}
	return append(items, '\n')
}

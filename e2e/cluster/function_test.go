package cluster

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

// side is the annotation that says on which side an item is.
const side = "config.kubernetes.io/merge-source"

// result is the function's output.
type result struct {
	object   server.Object // the object that the server would hold
	findings []finding
	stderr   string
}

// finding is one of the function's results.
type finding struct {
	Message  string
	Severity string
	Field    struct{ Path string }
	Tags     map[string]string
}

// decides reports whether the finding is an error about a field, as the server's would be.
func (f finding) decides() bool { return f.Severity == "error" && f.Tags["conflict"] != "" }

// of lists the findings of conflicts of one kind.
func (r result) of(conflict string) []finding {
	var some []finding
	for _, f := range r.findings {
		if f.Tags["conflict"] == conflict {
			some = append(some, f)
		}
	}
	return some
}

// paths lists the fields of the conflicts of one kind, sorted.
func (r result) paths(conflict string) []string {
	paths := []string{}
	for _, f := range r.of(conflict) {
		paths = append(paths, f.Field.Path)
	}
	slices.Sort(paths)
	return paths
}

// merged runs the function and reads its output.
func merged(t *testing.T, p place, recorded []string, config server.Object, settings string) result {
	t.Helper()
	return read(t, run(t, p, recorded, config, settings), config)
}

// run runs the function on what was recorded in a place, with the settings of its config.
func run(t *testing.T, p place, recorded []string, config server.Object, settings string) server.Answer {
	t.Helper()
	var items strings.Builder
	for _, text := range recorded {
		items.WriteString(item(text))
	}
	items.WriteString(item(document(t, p.object(t, marked(t, config)))))
	input := fmt.Sprintf(`apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: ResourceMerge
%sitems:
%s`, indent(settings), items.String())
	return server.Run(exec.CommandContext(t.Context(), function), input)
}

// read finds the object in the function's output.
func read(t *testing.T, answer server.Answer, config server.Object) result {
	t.Helper()
	var list struct {
		Items   []server.Object
		Results []finding
	}
	if err := yaml.Unmarshal([]byte(answer.Stdout), &list); err != nil {
		t.Fatalf("%v\n%s", err, answer.Stderr)
	}
	r := result{findings: list.Results, stderr: answer.Stderr}
	for _, item := range list.Items {
		annotations, _ := item["metadata"].(server.Object)["annotations"].(server.Object)
		if item["kind"] == config["kind"] && annotations[side] != "upstream" {
			r.object = item
			break
		}
	}
	if answer.Refused() && !slices.ContainsFunc(r.findings, finding.decides) {
		t.Fatalf("the function failed: %v\n%s", answer.Err, answer.Stderr)
	}
	if r.object == nil && r.of("refused") == nil {
		t.Fatalf("the function wrote no %s: %v\n%s", config["kind"], answer.Err, answer.Stderr)
	}
	return r
}

// marked is a config with the mark of an item of upstream's.
func marked(t *testing.T, config server.Object) server.Object {
	t.Helper()
	var copied server.Object
	if err := json.Unmarshal([]byte(manifest(config)), &copied); err != nil {
		t.Fatal(err)
	}
	metadata := copied["metadata"].(server.Object)
	annotations, ok := metadata["annotations"].(server.Object)
	if !ok {
		annotations = server.Object{}
		metadata["annotations"] = annotations
	}
	annotations[side] = "upstream"
	return copied
}

// item is a document as an element of the items.
func item(text string) string {
	return "- " + strings.TrimPrefix(indent(text), "  ")
}

func indent(text string) string {
	var lines strings.Builder
	for line := range strings.Lines(strings.TrimSuffix(text, "\n") + "\n") {
		lines.WriteString("  " + line)
	}
	return lines.String()
}

package cluster

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

var keep = flag.String("cluster.keep", filepath.Join(os.TempDir(), "resource-merge-situations"), "a directory that gets what differs, as files")

// comparison is a situation in two places: here kubectl applies the config, there the
// server gets the function's result for the recorded object.
type comparison struct {
	situation   situation
	here, there place
	recorded    []string
	answer      server.Answer // kubectl's
	ours        result
	class       string       // of a difference that is meant
	differences []difference // the ones that are not meant
	flags       []string     // of the command apply, which makes the patches
	ends        []string     // how the patches ended
}

// difference is a point on which kubectl and the function do not agree.
type difference struct {
	about string // conflicts, managers, refused, object or the patch of a form
	says  string // kubectl's, or of a patch the result's, with -, the function's with +
}

// newComparison makes a situation in both places and records it.
func newComparison(t *testing.T, s situation, test string, i int) *comparison {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("again: " + again(t.Name()))
		}
	})
	c := &comparison{situation: s}
	c.here, c.there = replayTwice(t, s, test, i)
	c.recorded = c.there.recorded(t, s)
	return c
}

// apply applies the config here with kubectl, and there with the function.
func (c *comparison) apply(t *testing.T, settings string, args ...string) {
	t.Helper()
	c.flags = args[1:]
	c.ours = merged(t, c.there, c.recorded, c.situation.config, settings)
	c.answer = c.here.kubectl(t, step{args: append(args, "-f", "-"), stdin: manifest(c.situation.config)})
}

// differ notes a difference.
func (c *comparison) differ(about, says string) {
	if says != "" {
		c.differences = append(c.differences, difference{about: about, says: says})
	}
}

// held compares the refusals, and the objects that the server then holds.
func (c *comparison) held(t *testing.T) {
	t.Helper()
	refused := c.ours.of("refused")
	switch {
	case c.answer.Refused() && len(refused) > 0:
		return
	case c.answer.Refused():
		c.differ("refused", "- "+c.answer.Stderr)
		return
	case len(refused) > 0:
		c.differ("refused", fmt.Sprintf("+ %v", refused))
		return
	}
	patched := c.patched(t)
	if err := c.there.put(t, c.ours.object); err != nil {
		c.differ("refused", "+ the server says of the result: "+err.Error())
		return
	}
	here, there := normal(t, c.here, c.here.held(t)), normal(t, c.there, c.there.held(t))
	for _, form := range forms() {
		if made := patched[form]; made != nil {
			c.differ("patch of form "+form, cmp.Diff(there, normal(t, c.there, made)))
		}
	}
	diff := cmp.Diff(here, there)
	if diff != "" {
		c.class = c.classOf(here, there)
	}
	if c.class == "" {
		c.differ("object", diff)
	}
}

// puttable is an object as the server takes it in place of the one that it holds.
func puttable(object, held server.Object) server.Object {
	metadata := object["metadata"].(server.Object)
	delete(metadata, "managedFields")
	for _, field := range []string{"uid", "resourceVersion"} {
		metadata[field] = held["metadata"].(server.Object)[field]
	}
	return object
}

// report counts how the comparison ended. A difference that is not meant fails.
func (c *comparison) report(t *testing.T, counted *tally) {
	t.Helper()
	counted.add(all)
	switch {
	case len(c.differences) > 0:
		counted.add("different")
	case c.class != "":
		counted.add(asMeant + c.class)
	case c.answer.Refused():
		counted.add("refused by both")
	default:
		counted.add("the same")
	}
	for _, end := range c.ends {
		counted.add(end)
	}
	for _, d := range c.differences {
		t.Errorf("%s: kubectl (-) and the function (+):\n%s", d.about, d.says)
	}
	if len(c.differences) > 0 {
		dir := filepath.Join(*keep, fmt.Sprint(*seed), strings.ReplaceAll(t.Name(), "/", "-"))
		c.keep(t, dir)
		t.Errorf("the situation is kept in %s", dir)
	}
}

// again is the command that runs a test again, with the same situations.
func again(test string) string {
	return fmt.Sprintf("(cd e2e/cluster && go test . -run '^%s$' -cluster.seed %d -cluster.situations %d)",
		strings.ReplaceAll(test, "/", "$/^"), *seed, *situations)
}

// keep writes the situation into files of a directory.
func (c *comparison) keep(t *testing.T, dir string) {
	t.Helper()
	var steps, differences, says strings.Builder
	fmt.Fprintln(&steps, "# "+again(t.Name()))
	for _, step := range c.situation.steps {
		fmt.Fprintf(&steps, "kubectl -n %s %q\n%s\n", c.here.name, step.args, step.stdin)
	}
	for _, d := range c.differences {
		fmt.Fprintf(&differences, "%s:\n%s\n", d.about, d.says)
	}
	fmt.Fprintf(&says, "%s%s\n%v\n", c.answer.Stdout, c.answer.Stderr, c.ours.stderr)
	for _, f := range c.ours.findings {
		fmt.Fprintf(&says, "%+v\n", f)
	}
	kept := c.here.held(t)
	for name, text := range map[string]string{
		"steps": steps.String(), "differences": differences.String(), "says": says.String(),
		"live.yaml": strings.Join(c.recorded, "\n---\n"), "config.yaml": document(t, c.situation.config),
		"kubectl.yaml": document(t, kept), "function.yaml": document(t, c.ours.object),
	} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// document is an object as YAML.
func document(t *testing.T, object server.Object) string {
	t.Helper()
	text, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

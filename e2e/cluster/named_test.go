package cluster

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

// named is a situation that somebody thought of, because a rule is about it.
type named struct {
	Name string
	// Before is the config that is applied first, and Config the one after it.
	Before, Config server.Object
	// Steps are the runs of kubectl in between.
	Steps []struct {
		Args  []string
		Stdin string
	}
	// Manager applies on the server, kubectl if that is empty. Client says that only
	// client-side apply is tested, Server that only server-side apply is; First has the
	// arguments that apply Before, if they differ from Config's.
	Manager        string
	Client, Server bool
	First          []string
	// Drift has the paths of the live values that client-side apply overwrites, sorted. If it is not given, they do not
	// matter.
	Drift []string
}

// variants are named situations of one object in a table: Before and Config of each are JSON merge patches of the base, in
// which the text NULL stands for a null that the object keeps.
type variants struct {
	Base       server.Object
	Situations []named
}

// namedSituations reads the named situations: the ones that are written out, and the ones in tables.
func namedSituations(t *testing.T) []named {
	t.Helper()
	var all []named
	readYAML(t, "testdata/named.yaml", &all)
	var tables []variants
	readYAML(t, "testdata/variants.yaml", &tables)
	for _, table := range tables {
		for _, n := range table.Situations {
			n.Before, n.Config = variant(t, table.Base, n.Before), variant(t, table.Base, n.Config)
			all = append(all, n)
		}
	}
	return all
}

// readYAML reads a file of testdata.
func readYAML(t *testing.T, file string, into any) {
	t.Helper()
	text, err := testdata.ReadFile(file)
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// variant is the base with a JSON merge patch applied.
func variant(t *testing.T, base, patch server.Object) (out server.Object) {
	t.Helper()
	if patch == nil {
		patch = server.Object{}
	}
	text, err := jsonpatch.MergePatch([]byte(manifest(base)), []byte(manifest(patch)))
	if err == nil {
		err = json.Unmarshal(bytes.ReplaceAll(text, []byte(`"NULL"`), []byte("null")), &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestNamed: what kubectl and the function make of named situations is the same, applied by
// either.
func TestNamed(t *testing.T) {
	all := namedSituations(t)
	counted := newTally(t, 2*len(all))
	for i, n := range all {
		t.Run(n.Name, func(t *testing.T) {
			t.Parallel()
			if !n.Server {
				t.Run("apply", func(t *testing.T) { n.clientSide(t, i, counted) })
			}
			if !n.Client {
				t.Run("server-side", func(t *testing.T) { n.serverSide(t, i, counted) })
			}
		})
	}
}

// situation is a named situation that begins with an apply.
func (n named) situation(first ...string) situation {
	s := situation{
		name: n.Name, apiVersion: n.Config["apiVersion"].(string), kind: n.Config["kind"].(string),
		object: n.Config["metadata"].(server.Object)["name"].(string), manager: n.Manager, config: n.Config,
	}
	if n.First != nil {
		first = n.First
	}
	s.steps = []step{{args: append(first, "-f", "-"), stdin: manifest(n.Before)}}
	for _, other := range n.Steps {
		s.steps = append(s.steps, step{args: other.Args, stdin: other.Stdin})
	}
	return s
}

// sampled is the situation of an index. In every fourth one kubectl itself reads the object and sends the patches.
func (n named) sampled(i int, first ...string) situation {
	s := n.situation(first...)
	s.byKubectl = i%4 == 0
	return s
}

func (n named) clientSide(t *testing.T, i int, counted *tally) {
	c := newComparison(t, n.sampled(i, "apply"), "named", i)
	c.apply(t, "strategy: apply\napply: {namespace: "+c.there.name+"}", "apply")
	if n.Drift != nil {
		c.differ("drift", cmp.Diff(n.Drift, c.ours.paths("drift")))
	}
	c.held(t)
	c.report(t, counted)
}

func (n named) serverSide(t *testing.T, i int, counted *tally) {
	if n.Manager == "" {
		n.Manager = "kubectl"
	}
	by := []string{"apply", "--server-side", "--field-manager=" + n.Manager}
	c := newComparison(t, n.sampled(i, by...), "namedserver", i)
	settings := "strategy: server-side-apply\napply:\n  namespace: " + c.there.name + "\n  fieldManager: " + n.Manager + "\n"
	c.applyServerSide(t, settings, by)
	c.held(t)
	c.report(t, counted)
}

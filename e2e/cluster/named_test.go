package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

// named is a situation that somebody thought of, because a rule is about it.
type named struct {
	Name string
	// Before is the config that is applied first, and Config the one after it.
	Before, Config server.Object
	// Steps is what happens in between: runs of kubectl.
	Steps []struct {
		Args  []string
		Stdin string
	}
	// Manager applies on the server, kubectl if that is empty. Client says that only
	// client-side apply is asked, Server that only server-side apply is; First is how Before
	// is applied, where that is otherwise than Config.
	Manager        string
	Client, Server bool
	First          []string
	// Drift has the paths of the live values that client-side apply overwrites, sorted. If it is not given, they do not
	// matter.
	Drift []string
}

// TestNamed: what kubectl and the function make of named situations is the same, applied by
// either.
func TestNamed(t *testing.T) {
	text, err := testdata.ReadFile("testdata/named.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []named
	if err := yaml.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
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
		object: n.Config["metadata"].(server.Object)["name"].(string), manager: n.Manager, config: n.Config, named: true,
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

func (n named) clientSide(t *testing.T, i int, counted *tally) {
	c := newComparison(t, n.situation("apply"), "named", i)
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
	c := newComparison(t, n.situation(by...), "namedserver", i)
	settings := "strategy: server-side-apply\napply:\n  namespace: " + c.there.name + "\n  fieldManager: " + n.Manager + "\n"
	c.applyServerSide(t, settings, by)
	c.held(t)
	c.report(t, counted)
}

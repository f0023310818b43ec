package merge

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/tests/caselist"
)

var traced = flag.String("case", "", "a case below testdata: show what collate and decide make of its first resource")

// TestTrace shows the elements and decisions of a case, to find the cause of a wrong value:
//
//	go test ./merge -run TestTrace -v -case keyed-lists/worked-example
//
// The trace uses the built-in schemas and the policy upstream. Without -case it compares the worked resource's
// elements and decisions with docs/architecture.md.
func TestTrace(t *testing.T) {
	const worked = "keyed-lists/worked-example"
	if *traced != "" {
		t.Log("\n" + trace(t, *traced))
		return
	}
	page, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```text\n(element .*?)```").FindSubmatch(page)
	if shown == nil {
		t.Fatal("docs/architecture.md shows no elements")
	}
	if diff := cmp.Diff(string(shown[1]), trace(t, worked)); diff != "" {
		t.Errorf("(-shown +now)\n%s", diff)
	}
}

// trace returns a table of the elements of the first resource of a case.
func trace(t *testing.T, name string) string {
	t.Helper()
	cases, err := caselist.Read("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(cases, func(c caselist.Case) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("testdata has no case %s", name)
	}
	var versions [3]*yaml.Node
	for _, side := range identity.Sides() {
		var document yaml.Node
		if err := yaml.Unmarshal(cases[i].Files[side.String()+".yaml"], &document); err != nil {
			t.Fatal(err)
		}
		if len(document.Content) > 0 {
			versions[side] = document.Content[0]
		}
	}
	prepared, err := expandAll(versions)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ThreeWay{}.collator(kindOfAll(prepared), &prepared)
	if err != nil {
		t.Fatal(err)
	}
	e := c.resource(prepared)
	var b strings.Builder
	fmt.Fprintf(&b, "%-56s %-12s %-8s %s\n", "element", "form", "sides", "decision")
	writeTrace(&b, e, decideIdentified(e, Prefer(PreferUpstream)))
	return b.String()
}

// writeTrace writes the lines of an element and of the elements below it.
func writeTrace(b *strings.Builder, e *element, d decision) {
	sides := ""
	for _, side := range identity.Sides() {
		if e.has(side) {
			sides += side.String()[:1] + " "
		} else {
			sides += "- "
		}
	}
	said := [...]string{"undecided", "drop", "local's", "upstream's", "merge", "made of both"}[d.verdict]
	for _, c := range d.conflicts {
		said += ", conflict " + string(c.Kind)
	}
	form := [...]string{"atomic", "mapping", "associative"}[e.form]
	path := e.path.String()
	if path == "" {
		path = "(the resource)"
	}
	fmt.Fprintf(b, "%-56s %-12s %-8s %s\n", path, form, strings.TrimSpace(sides), said)
	for i, child := range d.children {
		writeTrace(b, e.children[i], child)
	}
}

package merge

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// TestDifferentialMerge3Comments counts the elements of lists that lose the
// comment above them, where every element on every side has one: with
// merge.Resource none may, with merge3 some do.
func TestDifferentialMerge3Comments(t *testing.T) {
	var cases, elements, swallowed int
	eachDrawn(t, 20, hasType(goTypes()), func(_ drawer, c drawn) {
		versions := encode(c.sides)
		for side, n := range versions {
			remark(n, "")
			versions[side] = parse(t, text(t, n))
		}
		theirs, err := mergeBy3(versions)
		if err != nil {
			return // TestDifferentialMerge3 says why
		}
		ours, err := Resource(versions, c.kind.ours, Prefer(PreferUpstream))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if lost := countElements(ours.Node) - countRemarks(t, ours.Node); lost != 0 {
			t.Errorf("%s: %d elements lost their comments:\n%s", c.name, lost, text(t, ours.Node))
		}
		cases++
		elements += countElements(theirs)
		swallowed += countElements(theirs) - countRemarks(t, theirs)
	})
	t.Logf("%d cases, %d elements in merge3's answers", cases, elements)
	t.Logf("%5d swallowed comments: 3.6: a comment comes and goes with its element; there an element that upstream added comes without", swallowed)
	if swallowed == 0 {
		t.Error("no comment was swallowed")
	}
}

// remarkText begins every comment of remark.
const remarkText = "# about "

// remark gives every map in a list a comment, the same on each side that has it,
// and another than everywhere else: where upstream and local have one text at
// two places, it comes out once.
func remark(n *yaml.Node, path string) {
	for i, child := range n.Content {
		below := path
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			below += n.Content[i-1].Value + "."
		}
		if isElement(n, child) {
			below += remarkOn(child)
			child.HeadComment = remarkText + below
		}
		remark(child, below)
	}
}

func isElement(list, child *yaml.Node) bool {
	return list.Kind == yaml.SequenceNode && child.Kind == yaml.MappingNode
}

// remarkOn is what the comment says of an element, whatever its list's key is.
func remarkOn(element *yaml.Node) string {
	for _, field := range []string{"uid", "name", "containerPort", "port", "mountPath", "devicePath", "ip", "topologyKey", "type"} {
		if v := yamlnode.Field(element, field); v != nil {
			return field + " " + v.Value
		}
	}
	return canonical(element)
}

// countElements counts the maps in lists.
func countElements(n *yaml.Node) (count int) {
	for _, child := range n.Content {
		if isElement(n, child) {
			count++
		}
		count += countElements(child)
	}
	return count
}

// countRemarks counts the comments of remark in a node's text.
func countRemarks(t *testing.T, n *yaml.Node) int {
	t.Helper()
	return strings.Count(text(t, n), remarkText)
}

package merging

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge3"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	smdvalue "sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/tests/kinddraw"
)

// TestDifferentialMerge3 compares merge.Resource under policy upstream with
// kyaml's merge3 on the kinds of goTypes, whatever the sides changed. Every
// difference must be of a class that is intended, and every class must occur.
func TestDifferentialMerge3(t *testing.T) {
	tally := map[string]int{}
	compare := func(_ drawer, c drawn) {
		a, err := ask(c, merged3)
		switch {
		case err == nil:
			explain(t, a, merge3Classes(), tally)
		case strings.Contains(err.Error(), "wrong node kind"):
			tally["refused"]++
		case strings.Contains(err.Error(), ".port: expected numeric"):
			tally["key of another type"]++
		default:
			t.Errorf("%s: %v", c.name, err)
		}
	}
	eachDrawn(t, 40, hasType(goTypes()), compare)
	eachDrawn(t, 460, isService, compare)
	report(t, tally, append(merge3Classes(), unanswered()...))
}

// unanswered lists the classes of cases to which merge3 has no valid answer.
func unanswered() []class {
	return []class{
		{name: "refused", reason: "where the sides' kinds differ they are whole values; there that is an error (counts cases) (rules/fields: whole values)"},
		{name: "key of another type", reason: "a key never changes its type; there a port's number comes out as a string (counts cases) (rules/lists: keyed lists)"},
	}
}

// isService chooses the kind that is mostly ports.
func isService(kind kinddraw.Kind) bool { return kind.Name == "Service" }

// merged3 is the answer of kyaml's merge3, which kpt pkg update merges with.
func merged3(kind kindUnderTest, sides [3]any) (*typed.TypedValue, error) {
	n, err := mergeBy3(kinddraw.Nodes(sides))
	if err != nil {
		return nil, err
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return nil, fmt.Errorf("decoding the answer: %w", err)
	}
	return kind.theirs.FromUnstructured(v, typed.AllowDuplicates)
}

// mergeBy3 has kyaml merge copies of nodes, since it alters its arguments.
func mergeBy3(versions [3]*yaml.Node) (*yaml.Node, error) {
	var copies [3]*kyaml.RNode
	for side, n := range versions {
		copies[side] = kyaml.NewRNode(clone(n))
	}
	merged, err := merge3.Merge(copies[local], copies[origin], copies[upstream])
	if err != nil {
		return nil, fmt.Errorf("merge3: %w", err)
	}
	return merged.YNode(), nil
}

// merge3Classes lists the classes of differences from merge3; the first that
// covers a difference counts.
func merge3Classes() []class {
	return []class{
		{"re-keyed", "an element with another key and all else the same, or a port of the same name, is that element changed; there one is gone and another new (rules/lists: re-keyed elements)",
			rekeyed},
		{"emptied", "a map or list that a side removed, and in which the other changed nothing, is gone; there it stays or comes back, empty (rules/fields: maps)",
			backEmpty},
		{"half an element", "an element that a side deleted is gone as a whole; there its key comes back, with what the other side changed (rules/lists: keyed lists)",
			halfElement},
		{"union", "members that exclude each other never come out together, a switch stands, and the loss is a conflict; there they mix (rules/unions: switches)",
			inUnion},
		{"kept away", "a union struct that a side removed is gone as a whole, and the other side's changes to it are a conflict; there these come back (rules/unions: switches)",
			keptAway},
		{"gone with what held it", "upstream removed a list, and local's own elements stay; there they go too (rules/lists: keyed lists)", goneWithHolder},
		{"replaced", "a list with keys merges by them; kyaml's schema is that of Kubernetes 1.21, and a list that it does not know is upstream's (rules/schemas: where keys come from)",
			replacedByUpstreams},
		{"merged", "an atomic struct or list is one side's value; there fields and elements merge, often to one that neither side wrote (rules/lists: lists without keys; rules/schemas: built-in kinds)",
			wholeMerged},
		{"amount", "quantities compare by the amount, so that a number and the string of its digits are one value, and local's stays; there upstream's comes (rules/fields: equality)", sameAmount},
		{"port lost", "a port's protocol is TCP where none is written; there TCP and none are two, so that ports run together or lose fields (rules/schemas: where keys come from)", portLost},
		{"twice", "elements that local has twice stay as local has them; there one of them goes (rules/lists: duplicate keys)", keptTwice},
		contained(),
	}
}

// keptTwice reports whether the difference is in a list in which local has an element
// twice, and so does our result.
func keptTwice(a answers, d difference) bool {
	return slices.ContainsFunc(append(prefixes(d.path), d.path), func(list fieldpath.Path) bool {
		at := a.at(list)
		local, inLocal := at.local.([]any)
		ours, inOurs := at.ours.([]any)
		return inLocal && inOurs && slices.ContainsFunc(local, func(e any) bool {
			return count(local, e) > 1 && count(ours, e) == count(local, e)
		})
	})
}

func count(list []any, e any) (n int) {
	for _, other := range list {
		if reflect.DeepEqual(other, e) {
			n++
		}
	}
	return n
}

// backEmpty reports whether the difference is an empty map or list that a side
// removed.
func backEmpty(_ answers, d difference) bool {
	return hollow(d.theirs) && d.ours == nil && d.origin != nil && (d.upstream == nil || d.local == nil)
}

// halfElement reports whether the difference is in an element that a side deleted
// and that only merge3 has.
func halfElement(a answers, d difference) bool {
	return slices.ContainsFunc(prefixes(d.path), func(element fieldpath.Path) bool {
		at := a.at(element)
		deleted := at.origin != nil && (at.upstream == nil || at.local == nil)
		return element[len(element)-1].FieldName == nil && deleted && at.ours == nil && at.theirs != nil
	})
}

// replacedByUpstreams reports whether the difference is in a list with keys that
// local changed and that is upstream's for merge3.
func replacedByUpstreams(a answers, d difference) bool {
	return asDecided(a, d) && slices.ContainsFunc(prefixes(d.path), func(list fieldpath.Path) bool {
		at := a.at(list)
		_, isList := at.theirs.([]any)
		return isList && len(list) < len(d.path) && reflect.DeepEqual(at.theirs, at.upstream) && !reflect.DeepEqual(at.local, at.origin)
	})
}

// wholeMerged reports whether the difference is a map or list that is compared as
// one value.
func wholeMerged(a answers, d difference) bool {
	return asDecided(a, d) && isCollection(d.ours) && isCollection(d.theirs)
}

// asDecided reports whether ours has what rules/fields: whole values says of a value
// under policy upstream, or reports a conflict there.
func asDecided(a answers, d difference) bool {
	want := d.upstream
	if reflect.DeepEqual(d.upstream, d.origin) {
		want = d.local
	}
	return reflect.DeepEqual(d.ours, want) || reported(a, d.path)
}

func isCollection(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// portLost reports whether the difference is in a port of whose number there are
// others, or which has its protocol written on one side and not on another.
func portLost(a answers, d difference) bool {
	for i, step := range d.path {
		if step.Key != nil && len(writtenPorts(a, d.path[:i], *step.Key)) > 1 {
			return asDecided(a, d) || fieldsAsDecided(a, d)
		}
	}
	return false
}

// fieldsAsDecided reports whether ours is a map in which each field is as decided.
func fieldsAsDecided(a answers, d difference) bool {
	ours, isMap := d.ours.(map[string]any)
	if !isMap {
		return false
	}
	for _, version := range []any{d.origin, d.upstream, d.local} {
		fields, _ := version.(map[string]any)
		for name := range fields {
			field := a.at(append(d.path.Copy(), fieldpath.FieldNameElement(name)))
			if !asDecided(a, field) {
				return false
			}
		}
	}
	return len(ours) > 0
}

// writtenPorts are the protocols, as the sides have them, of the ports of a list
// that have the number of a key.
func writtenPorts(a answers, list fieldpath.Path, key smdvalue.FieldList) map[any]bool {
	protocols := map[any]bool{}
	for _, part := range key {
		if part.Name != "port" && part.Name != "containerPort" {
			continue
		}
		for _, side := range identity.Sides() {
			ports, _ := at(a.sides[side], list).([]any)
			for _, port := range ports {
				if fields := port.(map[string]any); fields[part.Name] == part.Value.Unstructured() {
					protocols[fields["protocol"]] = true
				}
			}
		}
	}
	return protocols
}

// TestDifferentialMerge3Comments counts the elements of lists that lose the
// comment above them, where every element on every side has one: with
// merge.Resource none may, with merge3 some do.
func TestDifferentialMerge3Comments(t *testing.T) {
	var cases, elements, swallowed int
	eachDrawn(t, 20, hasType(goTypes()), func(_ drawer, c drawn) {
		versions := kinddraw.Nodes(c.sides)
		for side, n := range versions {
			remark(n, "")
			versions[side] = parse(t, textOfNode(t, n))
		}
		theirs, err := mergeBy3(versions)
		if err != nil {
			return // TestDifferentialMerge3 says why
		}
		ours, err := merge.Resource(versions, c.kind.Ours, merge.Prefer(merge.PreferUpstream))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if lost := countElements(ours.Node) - countRemarks(t, ours.Node); lost != 0 {
			t.Errorf("%s: %d elements lost their comments:\n%s", c.name, lost, textOfNode(t, ours.Node))
		}
		cases++
		elements += countElements(theirs)
		swallowed += countElements(theirs) - countRemarks(t, theirs)
	})
	t.Logf("%d cases, %d elements in merge3's answers", cases, elements)
	t.Logf("%5d swallowed comments: a comment comes and goes with its element; there an element that upstream added comes without (rules/comments-and-text: added text)", swallowed)
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

// remarkOn returns the element's part of its comment, for a list of any key.
func remarkOn(element *yaml.Node) string {
	for _, field := range []string{"uid", "name", "containerPort", "port", "mountPath", "devicePath", "ip", "topologyKey", "type"} {
		if v := yamlnode.Field(element, field); v != nil {
			return field + " " + v.Value
		}
	}
	var v any
	if err := element.Decode(&v); err != nil {
		panic(err) // it was encoded from a value
	}
	return fmt.Sprint(v)
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
	return strings.Count(textOfNode(t, n), remarkText)
}

package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/tests/mergecheck"
	"github.com/resource-merge/resource-merge/tests/mergecheck/ways"
)

// TestLawAddedWithoutOrigin: two additions of one value come out as one of them, if they are equal or if one contains the
// other, and without a conflict; any other result is named, in any way out: by a conflict or an info at the path, above it or
// below it. In the driver it is a conflict (rules/laws: added without an origin).
func TestLawAddedWithoutOrigin(t *testing.T) {
	tally := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SampledFrom(placesOfAdditions()).Draw(t, "place")
		words := &wordCounter{t: t}
		short := words.value(at.kind, 0)
		var u, l *yaml.Node
		relation := rapid.SampledFrom([]string{"equal", "longer upstream", "longer local", "other"}).Draw(t, "relation")
		switch u, l = short, short; relation {
		case "longer upstream":
			u = words.lengthened(short)
		case "longer local":
			l = words.lengthened(short)
		case "other":
			u, l = words.lengthened(short), words.lengthened(short)
		}
		p := mergecheck.Package{Origin: at.file(nil), Upstream: at.file(u), Local: at.file(l)}
		for _, way := range ways.All() {
			all, err := ways.Merge(t.Context(), way, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range all {
				if m.Unchecked != "" {
					tally[way+": "+m.Unchecked]++
					continue
				}
				tally[way]++
				fail := func(what string) {
					t.Fatalf("%s: %s, %s, %d conflicts, told %v\n--- upstream\n%s--- local\n%s--- result\n%s", what, way, relation, m.Named, m.Told,
						p.Upstream[at.name], p.Local[at.name], m.Result[at.name])
				}
				isNamed := m.Named > 0 || !(way == ways.Driver) && slices.ContainsFunc(m.Told, func(told mergecheck.Told) bool { return isRelated(told.Path, at.path) })
				if relation != "other" {
					want := p.Upstream[at.name]
					if relation == "longer local" {
						want = p.Local[at.name]
					}
					if m.Named > 0 || !sameText(t, m.Result[at.name], want) {
						fail("not the addition that contains the other")
					}
				} else if !isNamed && !sameText(t, m.Result[at.name], p.Upstream[at.name]) && !sameText(t, m.Result[at.name], p.Local[at.name]) {
					fail("a value that no side has, without a word")
				}
			}
		}
	})
	for _, way := range ways.All() {
		if tally[way] == 0 {
			t.Errorf("did not occur: %s", way)
		}
	}
}

// placeOfAddition is a field that both sides add to a file, and the kind of its value.
type placeOfAddition struct {
	name, path string
	kind       string // map, list, text or schema
	// head is the text of the file with the field, and without is the text without it; VALUE is the value on one line.
	head, without string
}

// file writes the file with a value, or without the field.
func (p placeOfAddition) file(value *yaml.Node) map[string]string {
	if value == nil {
		return map[string]string{p.name: p.without}
	}
	text, err := yaml.Marshal(value)
	if err != nil {
		panic(err)
	}
	at := strings.Index(p.head, "VALUE")
	line := p.head[strings.LastIndexByte(p.head[:at], '\n')+1 : at]
	indent := strings.Repeat(" ", len(line)-len(strings.TrimLeft(line, " "))+2)
	if value.Kind == yaml.ScalarNode { // the mark of a text's style stands on the line of the field
		return map[string]string{p.name: strings.Replace(p.head, "VALUE", strings.ReplaceAll(strings.TrimSpace(string(text)), "\n    ", "\n"+indent), 1)}
	}
	block := "\n" + indent + strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "\n"+indent)
	return map[string]string{p.name: strings.Replace(p.head, " VALUE", block, 1)}
}

// placesOfAdditions are the fields that the law adds: of built-in kinds, of a custom resource, of Helm's values, of a file
// without a kind, and of the schema of a CRD.
func placesOfAdditions() (out []placeOfAddition) {
	add := func(name, path, kind, head string, line string) {
		out = append(out, placeOfAddition{name, path, kind, head + line + " VALUE\n", head})
	}
	pod := "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - name: web\n    image: web:1\n"
	thing := "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: web\nspec:\n  first: 1\n"
	crd := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: things.example.com\nspec:\n  group: example.com\n" +
		"  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n        type: object\n"
	values := "web:\n  first: 1\n"
	add("a.yaml", `spec.containers[name="web"].args`, "list", pod, "    args:")
	add("a.yaml", `spec.containers[name="web"].securityContext`, "map", pod, "    securityContext:")
	add("a.yaml", "spec.more", "map", thing, "  more:")
	add("a.yaml", "spec.steps", "list", thing, "  steps:")
	add("a.yaml", "spec.script", "text", thing, "  script:")
	add("values.yaml", "web.more", "map", values, "  more:")
	add("values.yaml", "web.list", "list", values, "  list:")
	add("a.yaml", `spec.versions[name="v1"].schema.openAPIV3Schema.properties`, "schema", crd, "        properties:")
	add("a.yaml", `spec.versions[name="v1"].schema.openAPIV3Schema.required`, "list", crd, "        required:")
	add("a.yaml", `spec.versions[name="v1"].schema.openAPIV3Schema.enum`, "list", crd, "        enum:")
	return out
}

// wordCounter draws values of words that no other value has.
type wordCounter struct {
	t *rapid.T
	n int
}

// next returns a word.
func (w *wordCounter) next() string {
	w.n++
	return fmt.Sprintf("w%da", w.n)
}

// value draws a value of a kind.
func (w *wordCounter) value(kind string, depth int) *yaml.Node {
	t := w.t
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	switch kind {
	case "text":
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.LiteralStyle, Value: "set -e\necho " + w.next() + "\necho " + w.next() + "\n"}
	case "list":
		for range rapid.IntRange(1, 3).Draw(t, "elements") {
			n.Content = append(n.Content, word(w.next()))
		}
		return n
	}
	n.Kind, n.Tag = yaml.MappingNode, "!!map"
	for range rapid.IntRange(1, 3).Draw(t, "fields") {
		var value *yaml.Node
		switch {
		case kind == "schema":
			value = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{word("type"), word("string")}}
		case depth < 2 && rapid.IntRange(0, 2).Draw(t, "deeper") == 0:
			value = w.value("map", depth+1)
		default:
			value = word(w.next())
		}
		n.Content = append(n.Content, word(w.next()), value)
	}
	return n
}

// lengthened returns a value with a field, an element or a line more, somewhere in it.
func (w *wordCounter) lengthened(n *yaml.Node) *yaml.Node {
	t := w.t
	out := *n
	out.Content = slices.Clone(n.Content)
	switch n.Kind {
	case yaml.ScalarNode:
		lines := strings.SplitAfter(strings.TrimSuffix(n.Value, "\n"), "\n")
		at := rapid.IntRange(1, len(lines)-1).Draw(t, "line")
		out.Value = strings.Join(lines[:at], "") + "echo " + w.next() + "\n" + strings.Join(lines[at:], "") + "\n"
	case yaml.SequenceNode:
		out.Content = slices.Insert(out.Content, rapid.IntRange(0, len(out.Content)).Draw(t, "element"), word(w.next()))
	default:
		at := 2 * rapid.IntRange(0, len(out.Content)/2).Draw(t, "field")
		if at < len(out.Content) && out.Content[at+1].Kind == yaml.MappingNode && rapid.Bool().Draw(t, "within") {
			out.Content[at+1] = w.lengthened(out.Content[at+1])
			return &out
		}
		value := word(w.next())
		if len(n.Content) > 0 && n.Content[1].Kind == yaml.MappingNode && len(n.Content[1].Content) > 0 && n.Content[1].Content[0].Value == "type" {
			value = n.Content[1]
		}
		out.Content = slices.Insert(out.Content, at, word(w.next()), value)
	}
	return &out
}

func word(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

// isRelated reports whether one of two paths leads to the other.
func isRelated(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// sameText reports whether two texts have equal documents; a text with markers equals none.
func sameText(t *rapid.T, a, b string) bool {
	var x, y yaml.Node
	if err := yaml.Unmarshal([]byte(b), &y); err != nil {
		t.Fatal(err)
	}
	return yaml.Unmarshal([]byte(a), &x) == nil && merge.Same(x.Content[0], y.Content[0])
}

package manifest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/tests/seed"
)

// check compares a skimmed item with the parser's reading.
func check(t rapid.TB, text string, column int) {
	skimmed := SkimItem([]byte(text), column)
	checkBodies(t, text, column)
	if skimmed == nil {
		return
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte("items:\n"+text), &doc); err != nil {
		t.Fatalf("it is not plain: %v\n%s", err, text)
	}
	list := doc.Content[0].Content[1]
	if len(doc.Content[0].Content) != 2 || len(list.Content) != 1 || list.Content[0].Kind != yaml.MappingNode {
		t.Fatalf("it is not one item\n%s", text)
	}
	node := list.Content[0]
	if diff := cmp.Diff(facts(node, "apiVersion", "kind", "metadata"), facts(skimmed.Head(), "apiVersion", "kind", "metadata")); diff != "" {
		t.Fatalf("%s\n%s", diff, text)
	}
	if !skimmed.Null && hasNull(node) {
		t.Fatalf("it has a null\n%s", text)
	}
}

func hasNull(n *yaml.Node) bool {
	return n.ShortTag() == "!!null" || slices.ContainsFunc(n.Content, hasNull)
}

// facts lists the named fields of an item, as a head has them.
func facts(n *yaml.Node, names ...string) []string {
	var out []string
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case !slices.Contains(names, key.Value):
		case key.Value == "metadata":
			out = append(out, "metadata: "+key.LineComment+value.LineComment)
			out = append(out, facts(value, "name", "namespace", "generateName", "annotations")...)
		case key.Value == "annotations":
			for j := 0; j < len(value.Content); j += 2 {
				out = append(out, "annotation "+value.Content[j].Value+": "+value.Content[j+1].Value)
			}
		default:
			out = append(out, key.Value+": "+value.Value)
		}
	}
	slices.Sort(out)
	return out
}

// TestSkimAgrees: a plain text is YAML, and the parser reads the same as the skim.
func TestSkimAgrees(t *testing.T) {
	plain := 0
	rapid.Check(t, func(t *rapid.T) {
		column := 2 * rapid.IntRange(0, 1).Draw(t, "column")
		text := drawItem(t, column)
		if SkimItem([]byte(text), column) != nil {
			plain++
		}
		check(t, text, column)
	})
	if plain < 10/seed.Step(4) {
		t.Errorf("only %d items were plain", plain)
	}
}

// TestSameAgrees: if the texts of two items are the same, so are their nodes, without the dropped annotations.
func TestSameAgrees(t *testing.T) {
	drop := func(name string) bool { return strings.HasPrefix(name, "x/") }
	rapid.Check(t, func(t *rapid.T) {
		a := drawItem(t, 0)
		lines := strings.SplitAfter(a, "\n")
		for range rapid.IntRange(0, 2).Draw(t, "changes") {
			i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
			j := min(i+rapid.IntRange(0, 1).Draw(t, "by"), len(lines)-1)
			lines[i], lines[j] = lines[j], strings.Replace(lines[i], "x/", rapid.SampledFrom([]string{"x/", "x/y", "z"}).Draw(t, "name"), 1)
		}
		b := strings.Join(lines, "")
		if Same(SkimItem([]byte(a), 0), SkimItem([]byte(b), 0), Ignored{Annotation: drop, Comment: func(string) bool { return false }}) {
			if diff := cmp.Diff(writtenText(a, drop), writtenText(b, drop)); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

// writtenText writes an item's nodes, with style and comments, without the dropped annotations.
func writtenText(text string, drop func(string) bool) string {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte("items:\n"+text), &doc); err != nil {
		return err.Error()
	}
	var b strings.Builder
	var write func(n *yaml.Node, depth int)
	write = func(n *yaml.Node, depth int) {
		fmt.Fprintf(&b, "%*s%d %d %q %q %q %q\n", depth, "", n.Kind, n.Style, n.Value, n.HeadComment, n.LineComment, n.FootComment)
		for i, c := range n.Content {
			if n.Kind == yaml.MappingNode && drop(n.Content[i&^1].Value) {
				continue
			}
			write(c, depth+1)
		}
	}
	write(&doc, 0)
	return b.String()
}

// drawItem draws an item that is often plain.
func drawItem(t *rapid.T, column int) string {
	g := drawer{t: t}
	g.b.WriteString(strings.Repeat(" ", column) + "- ")
	g.b.WriteString("kind: " + g.one("A", "'B'", "\"C\"", "D") + g.comment() + "\n")
	in := strings.Repeat(" ", column+2)
	g.noise(column + 2)
	if g.n(20) != 13 {
		g.b.WriteString(in + "metadata:" + g.one("", "", " # kpt-merge: a/b", " # c  ", " ") + "\n")
		g.noise(column + g.n(5))
		for _, name := range []string{"name", "namespace", "labels"} {
			g.b.WriteString(in + "  " + name + ": " + g.scalar(column+4))
		}
		if g.n(3) > 0 {
			g.b.WriteString(in + "  annotations:" + g.one("", "", "", "", "", " {}", " # c") + "\n" + g.one("", "", "", "", "", in+"    {}\n"))
			for range 1 + g.n(4) {
				g.noise(column + 6)
				g.b.WriteString(in + "    " + g.one("x/a", "x/b", "c", "d") + g.one("", "e", "f", "g") + ": " + g.scalar(column+6))
			}
		}
	}
	g.mapping(column+2, 2)
	return g.b.String()
}

type drawer struct {
	t *rapid.T
	b strings.Builder
}

func (g *drawer) n(limit int) int            { return rapid.IntRange(0, limit-1).Draw(g.t, "n") }
func (g *drawer) one(texts ...string) string { return texts[g.n(len(texts))] }

func (g *drawer) comment() string { return g.one("", "", "", "", " # c", "  # d: e") }

func (g *drawer) noise(indent int) {
	switch g.n(40) {
	case 21, 22:
		g.b.WriteString(strings.Repeat(" ", indent) + "# c\n")
	case 23, 24:
		g.b.WriteString("\n")
	case 25:
		g.b.WriteString(strings.Repeat(" ", max(0, indent-2+g.n(5))) + "# d\n")
	}
}

func (g *drawer) mapping(indent, depth int) {
	for i := range 1 + g.n(3) {
		g.noise(indent)
		fmt.Fprintf(&g.b, "%*s", indent, "")
		g.field(indent, depth, i)
	}
}

func (g *drawer) field(indent, depth, i int) {
	name := g.one("a", "b", "cd", "e.f/g", "null", "h-i", "f:j", ".", "k:{\"l\":\"m\",\"n\":1}", g.signs()) + fmt.Sprint(i)
	if g.n(10) == 5 {
		quote := g.one("'", "\"")
		name = quote + name + g.one("", " x", "''") + quote
	}
	g.b.WriteString(name + ":")
	switch {
	case depth > 0 && g.n(3) == 0:
		g.b.WriteString(g.comment() + "\n")
		g.mapping(indent+1+g.n(3), depth-1)
	case depth > 0 && g.n(3) == 0:
		g.b.WriteString(g.comment() + "\n")
		g.sequence(indent+g.n(3), depth-1)
	default:
		g.b.WriteString(g.one(" ", "  ") + g.scalar(indent))
	}
}

// signs draws signs that may be in a key.
func (g *drawer) signs() string {
	return "o" + rapid.StringMatching(`[-:#'"{}\[\],&*!|>%@?\\\^+=~<;()]{1,3}`).Draw(g.t, "signs")
}

func (g *drawer) sequence(indent, depth int) {
	for i := range 1 + g.n(3) {
		g.noise(indent)
		fmt.Fprintf(&g.b, "%*s-", indent, "")
		if g.n(10) == 5 {
			g.b.WriteString(g.one("\n", " \n", " # d\n", "  # d\n\n") + g.one("", fmt.Sprintf("%*sa: b\n", indent+1+g.n(3), "")))
			continue
		}
		g.b.WriteString(" ")
		if g.n(2) == 0 {
			g.b.WriteString(g.scalar(indent))
			continue
		}
		g.field(indent+2, depth, i)
		if g.n(2) == 0 {
			g.mapping(indent+2, depth)
		}
	}
}

// scalar draws a scalar or a flow collection and the end of its line.
func (g *drawer) scalar(indent int) string {
	in := strings.Repeat(" ", indent+1+g.n(3))
	nice := g.one("v", "a b", "a:b", "a#b", "-1", "--x", "'it''s'", "\"a\\\"b\"", "'# a'", "\"b: c\"", "http://a/b?c=d&e", "0x1f", "a, [b] {c}", "é") + g.comment() + "\n"
	switch g.n(80) { // middling numbers are the rare ones
	case 41, 42, 43:
		return g.one("|", "|-", "|+", ">", ">-", "|2", "|1-", ">+3") + "\n" + g.one("", "\n", in+" \n") + in + "x\n" + g.one("", "\n", in+"  y\n", in+"# z\n", in+"\tw\n", "  \n")
	case 44:
		return g.one("a", "'a", "\"a", "\"a\\", "'", "\" ", "[a", "{'b': c", "[a, [\"b\"], {c: -d}") + g.one("\n", "  \n", ",\n", "\n\n", " # c\n") + in + g.one("b", "# d", "- e", "''", "\\ f", "g: h", "i #j", "{k: l}") + g.one("", "\n"+in+" m", "\n"+in[1:]+"n", "\\\\\n"+in+"o") + g.one("", "'", "\"", " \"", "]", "}", "\n\n"+in+"]", "\n]") + g.comment() + "\n"
	case 45:
		return g.one("\n", " # c\n", "\n\n") + in + g.one("a", "'a b'", "\"c\n"+in+" d\"", "[]", "{e: f}", "g\n"+in+"  h", "&i j", "|\n"+in+" k", "null") + g.comment() + "\n"
	case 46:
		return g.one("\"\\x41\"", "\"\\u00e9\\u2028\"", "\"\\ud83d\"", "\"\\ a\\ \"", "\"\\/\"", "[-a, --b, c:d, e f, g=h, i*]", "[a  b , c]", "?a", ":b", "{\"a b\": c}") + g.comment() + "\n"
	case 47:
		return g.one("a\n"+in+"b", "\"a\n"+in+"b\"", "[a,\n"+in+"b]", "!t a", "&x a", "*x", "? a", "a: b", "- a", "@", "'a' b", "\"\\x41\"", "a\tb", "|", "%a", "{a}", "[a b]", "a #b") + "\n"
	case 53, 54, 55:
		return g.one("[]", "{}", "[a, 'b']", "{a: b, c: [d]}", "{a: {b: c}}", "[null]", "{null: a}", "[-a]", "[a, {b: ~}]") + g.comment() + "\n"
	case 59:
		return g.one("", "~", "null", "NULL", "nul") + g.comment() + "\n"
	}
	return nice
}

func FuzzRead(f *testing.F) {
	f.Add(item, 0)
	for _, text := range notPlain() {
		f.Add(text, 0)
	}
	for _, fields := range plain() {
		f.Add("- kind: A\n  metadata:\n    name: b\n"+fields, 0)
	}
	f.Fuzz(func(t *testing.T, text string, column int) {
		if column < 0 || column > 10 || strings.Contains(text, "\n---") || strings.Contains(text, "\n...") || !strings.HasPrefix(text, strings.Repeat(" ", column)+"- ") {
			return
		}
		check(t, text, column)
	})
}

// TestLawDoubtful: a plain document without a doubt has no key twice.
func TestLawDoubtful(t *testing.T) {
	known := [3]int{} // documents that are not plain, doubtful, certain
	rapid.Check(t, func(t *rapid.T) {
		text := drawMapping(t, 0, 0)
		var doc yaml.Node
		if yaml.Unmarshal([]byte(text), &doc) != nil {
			return
		}
		skimmed := SkimDocument([]byte(text))
		switch {
		case skimmed == nil:
			known[0]++
		case skimmed.Doubtful:
			known[1]++
		case hasKeyTwice(&doc):
			t.Fatalf("it has a key twice\n%s", text)
		default:
			known[2]++
		}
	})
	if min(known[1], known[2]) < 8/seed.Step(4) {
		t.Errorf("documents that are not plain, doubtful and certain: %v", known)
	}
	var long strings.Builder
	for n := range 1000 {
		fmt.Fprintf(&long, "key-%d:\n  a: {b: 1, c: [{b: 2}, {b: 3}]}\n", n)
	}
	if s := SkimDocument([]byte(long.String())); s == nil || s.Doubtful {
		t.Error("a long document without a key twice is doubtful")
	}
	if s := SkimDocument([]byte(long.String() + "key-500: 1\n")); s == nil || !s.Doubtful {
		t.Error("a key that is there twice raises no doubt")
	}
}

// drawMapping draws the lines of a mapping whose keys are often the same.
func drawMapping(t *rapid.T, column, depth int) string {
	var b strings.Builder
	for range rapid.IntRange(1, 4).Draw(t, "fields") {
		key := rapid.SampledFrom([]string{"a", "b", "c", "data", `"a"`, "'b'", "1", "0x1", "true", "True", "~", "null", "a.b/c"}).Draw(t, "key")
		b.WriteString(strings.Repeat(" ", column) + key + ":")
		switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
		case kind == 0 && depth < 3:
			b.WriteString("\n" + drawMapping(t, column+2, depth+1))
		case kind == 1 && depth < 3:
			b.WriteString("\n" + strings.Repeat(" ", column) + "- " + strings.TrimLeft(drawMapping(t, column+2, depth+1), " "))
		case kind == 2:
			b.WriteString(" {a: 1, " + key + ": [{b: 1, c: 2}, {" + key + ": 3}]}\n")
		default:
			b.WriteString(" x\n")
		}
	}
	return b.String()
}

// hasKeyTwice reports whether a mapping has a key twice, or two of one number, truth value or null.
func hasKeyTwice(n *yaml.Node) bool {
	seen := map[string]bool{}
	for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		key := n.Content[i]
		var value any
		_ = key.Decode(&value) // a scalar
		typed := fmt.Sprintf("%T %v", value, value)
		if seen[key.Value] || seen[typed] {
			return true
		}
		seen[key.Value], seen[typed] = true, true
	}
	return slices.ContainsFunc(n.Content, hasKeyTwice)
}

package tests

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/tests/caselist"
)

// resource is an item that holds what is hostile below spec, and a size.
func resource(side, name, size, text string) string {
	return "- apiVersion: example.com/v1\n  kind: Tree\n  metadata: # kpt-merge: /" + name + "\n    name: " + name +
		"\n    annotations:\n      config.kubernetes.io/merge-source: " + side + "\n  size: " + size + "\n  spec:\n    stays: here\n" + indented(text, "    ")
}

// indented puts margin before every line.
func indented(text, margin string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(margin + line)
	}
	return b.String()
}

// listOf is a list of items, below which stands more.
func listOf(more string, items ...string) []byte {
	return []byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" + strings.Join(items, "") + more)
}

// change returns a resource whose size upstream changed.
func change() []string {
	return []string{resource("local", "plain", "1", ""), resource("origin", "plain", "1", ""), resource("upstream", "plain", "2", "")}
}

// TestHostilePassesThrough puts each into a resource that only local has, beside one
// that is merged: it comes out byte for byte, whatever it is, as long as the list can
// be taken apart (rules/input: what passes through).
func TestHostilePassesThrough(t *testing.T) {
	for _, h := range hostiles() {
		t.Run(h.name, func(t *testing.T) {
			item := withoutSide(resource("local", "hostile", "1", h.text), "local")
			in := listOf("", append(change(), item)...)
			out, err := command.Function(in)
			checkError(t, in, out, err, h.through, 4)
			switch {
			case err != nil:
			case h.isRelaid():
				checkValues(t, itemNodes(t, out)[1], item)
			default:
				contains(t, out, item, withoutSide(change()[2], "upstream"))
			}
		})
	}
}

// checkValues checks that a node has the values of an item.
func checkValues(t *testing.T, got *yaml.Node, item string) {
	t.Helper()
	if got, want := valuesOf(got), valuesOf(itemNodes(t, listOf("", item))[0]); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// withoutSide is an item without the annotation that names its side, and with
// the map of annotations that held nothing else.
func withoutSide(item, side string) string {
	return strings.Replace(item, "\n    annotations:\n      config.kubernetes.io/merge-source: "+side, "", 1)
}

// TestHostileIsMerged puts each into a resource that upstream changed, into one
// of the three versions and into all: the error names the resource, or the
// result has what local and upstream have.
func TestHostileIsMerged(t *testing.T) {
	for _, h := range hostiles() {
		for _, where := range []string{"origin", "upstream", "local", "all sides"} {
			t.Run(h.name+"/"+where, func(t *testing.T) {
				in := listOf("", hostileTriple(h.text, where)...)
				out, err := command.Function(in)
				checkError(t, in, out, err, h.merged, 3)
				switch {
				case err != nil && h.merged != notYAML:
					contains(t, []byte(err.Error()), "example.com/Tree hostile")
				case err == nil:
					checkMerged(t, out, h.text, where != "origin")
				}
			})
		}
	}
}

// hostileTriple is a resource whose size upstream changed, with a text in one
// version or in all.
func hostileTriple(text, where string) []string {
	var triple []string
	for _, side := range []string{"local", "origin", "upstream"} {
		size, more := "1", ""
		if side == "upstream" {
			size = "2"
		}
		if where == side || where == "all sides" {
			more = text
		}
		triple = append(triple, resource(side, "hostile", size, more))
	}
	return triple
}

// checkMerged checks that the one item of a list has upstream's size, and
// below spec the values of a text or, if it is not wanted, nothing of it.
func checkMerged(t *testing.T, out []byte, text string, wanted bool) {
	t.Helper()
	if !wanted {
		text = ""
	}
	items := itemNodes(t, out)
	if len(items) != 1 {
		t.Fatalf("got %d items, want 1\n%s", len(items), out)
	}
	checkValues(t, items[0], withoutSide(resource("local", "hostile", "2", text), "local"))
}

// TestHostileAroundItems puts each into the list itself, below a field that the
// function does not know, and into the function config, where it is an error.
func TestHostileAroundItems(t *testing.T) {
	for _, h := range hostiles() {
		t.Run(h.name, func(t *testing.T) {
			in := listOf("extra:\n"+indented(h.text, "    "), change()...)
			out, err := command.Function(in)
			checkError(t, in, out, err, h.list, 3)
			if err == nil {
				contains(t, out, withoutSide(change()[2], "upstream"))
			}
		})
		t.Run(h.name+"/config", func(t *testing.T) {
			in := listOf("functionConfig:\n    apiVersion: fn.kpt.dev/v1alpha1\n    kind: ResourceMerge\n"+indented(h.text, "    "), change()...)
			out, err := command.Function(in)
			want := "functionConfig: "
			if h.list == notYAML {
				want = notYAML
			}
			checkError(t, in, out, err, want, 3)
		})
	}
}

// checkError checks that err is the one that is wanted, none if want is "",
// and what holds for every run that fails: the list has the error among its
// results, and all items as they came, or none if the input is no list.
func checkError(t *testing.T, in, out []byte, err error, want string, items int) {
	t.Helper()
	if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Fatalf("got error %v, want %q\n%s", err, want, out)
	}
	got := len(itemNodes(t, out))
	switch {
	case err == nil:
	case want == notYAML:
		contains(t, out, "\nitems: []\n", "severity: error")
	case got != items:
		t.Errorf("got %d items, want %d as they came\n%s", got, items, out)
	default:
		contains(t, out, itemsText(in), "severity: error")
	}
}

// contains checks that texts are in out.
func contains(t *testing.T, out []byte, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(string(out), text) {
			t.Errorf("there is no\n%s\nin\n%s", text, out)
		}
	}
}

// itemsText is the text of the items of a list, with LF for every line break.
func itemsText(list []byte) string {
	_, items, _ := strings.Cut(string(list), "\nitems:\n")
	items = strings.ReplaceAll(items, "\r", "\n")
	for _, below := range []string{"\nextra:\n", "\nfunctionConfig:\n"} {
		if at := strings.Index(items, below); at >= 0 {
			return items[:at+1]
		}
	}
	return items
}

// itemNodes is the items of a list, which has to be a ResourceList.
func itemNodes(t *testing.T, list []byte) []*yaml.Node {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal(list, &doc); err != nil {
		t.Fatalf("what came out is not YAML: %v\n%s", err, list)
	}
	if kind := caselist.MapField(doc.Content[0], "kind").Value; kind != "ResourceList" {
		t.Fatalf("what came out is a %q\n%s", kind, list)
	}
	return caselist.MapField(doc.Content[0], "items").Content
}

// valuesOf writes the value of a node: aliases and merge keys followed, and
// comments, style and the order of keys left out. A node without a value, such as
// a number that is none, is written by its tag and text.
func valuesOf(n *yaml.Node) string {
	var v any
	if err := n.Decode(&v); err == nil {
		return fmt.Sprintf("%#v", v)
	}
	text := n.ShortTag() + " " + n.Value
	for _, child := range n.Content {
		text += " (" + valuesOf(child) + ")"
	}
	return text
}

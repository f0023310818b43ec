package resourcelist

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// TestNewDocument: a document of a file keeps its text in the list, if the text has the same values and comments.
func TestNewDocument(t *testing.T) {
	const list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- kind: A\n  metadata:\n    name: x\n"
	const file = "# Licence.\n\nkind:   A # odd\nmetadata: { name: a }\ndata:\n    b: >-\n        folded\n        text\n\n    c: [ 1,  2 ]\n"
	const plainFile = "kind: A\nmetadata:\n  name: a\ndata:\n   b: 1   # one\n"
	for _, tt := range []struct{ name, list, document, text, want string }{
		{"odd", list, file, file, "- # Licence.\n\n  kind:   A # odd\n"},
		{"plain", list, plainFile, plainFile, "     b: 1   # one\n"},
		{"no line break at the end", list, plainFile + "   c: 2", plainFile + "   c: 2", "     c: 2\n"},
		{"another value", list, plainFile, strings.Replace(plainFile, "1", "2", 1), ""},
		{"another comment", list, plainFile, strings.Replace(plainFile, "# one", "# two", 1), ""},
		{"a line break is part of it", list, plainFile + "   c: |\n    d", plainFile + "   c: |\n    d", ""},
		{"no YAML", list, plainFile, "a: b: c\n", ""},
		{"in brackets", `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[{"kind":"A","metadata":{"name":"x"}}]}`, plainFile, plainFile, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := Read([]byte(tt.list))
			if err != nil {
				t.Fatal(err)
			}
			var node yaml.Node
			if err := yaml.Unmarshal([]byte(tt.document), &node); err != nil {
				t.Fatal(err)
			}
			path := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "a.yaml", Style: yaml.SingleQuotedStyle}
			annotations := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{yamlnode.String("p"), path}}
			root := node.Content[0]
			node.Content[0] = yamlnode.Put(root, nil, "metadata", yamlnode.Put(yamlnode.Field(root, "metadata"), nil, "annotations", annotations))
			it := l.NewDocument(&node, []byte(tt.text))
			if got := string(it.Text()); !strings.Contains(got, tt.want) || (tt.want == "") != (got == "") {
				t.Errorf("got %q, want %q in it", got, tt.want)
			}
			if it.Annotation("p") != "a.yaml" {
				t.Error("it lacks its annotation")
			}
			full, err := it.Parsed()
			if err != nil || !saysSame(full.Node, NewItem(&node).Node) {
				t.Errorf("%v: it says something else", err)
			}
		})
	}
}

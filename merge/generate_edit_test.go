package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// rekey gives an element another key and leaves everything else.
func rekey(t *rapid.T, element *yaml.Node, label string) {
	for i := 0; i+1 < len(element.Content); i += 2 {
		v := element.Content[i+1]
		switch element.Content[i].Value {
		case "mountPath", "name", "ip", "topologyKey":
			v.Value = rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, label+" new key")
			return
		case "port", "containerPort":
			v.Value = rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, label+" new key")
			return
		}
	}
}

// writeDefault writes out the protocol of a port.
func writeDefault(t *rapid.T, element *yaml.Node) {
	if element.Kind == yaml.MappingNode && yamlnode.Field(element, "protocol") == nil && (yamlnode.Field(element, "port") != nil || yamlnode.Field(element, "containerPort") != nil) {
		element.Content = append(element.Content, parse(t, "protocol"), parse(t, "TCP"))
	}
}

// editLine changes, removes or adds a line of a string, below the first.
func editLine(t *rapid.T, n *yaml.Node, label string) {
	lines := strings.SplitAfter(n.Value, "\n")
	at := rapid.IntRange(1, len(lines)-1).Draw(t, label+" line")
	added := rapid.SampledFrom([]string{"other\n", "wait\n", "\n"}).Draw(t, label+" other line")
	switch rapid.IntRange(0, 2).Draw(t, label+" line edit") {
	case 0:
		lines[at] = added
	case 1:
		lines = slices.Delete(lines, at, at+1)
	case 2:
		lines = slices.Insert(lines, at, added)
	}
	n.Value = strings.Join(lines, "")
}

func addSibling(t *rapid.T, n *yaml.Node, pick int, label string) {
	name := rapid.SampledFrom([]string{"n1", "n2", "n3"}).Draw(t, label+" name")
	if n.Kind == yaml.MappingNode {
		if yamlnode.Field(n, name) == nil {
			n.Content = append(n.Content, parse(t, name), parse(t, rapid.SampledFrom([]string{"1", "{}", "{k: v}", "[1]"}).Draw(t, label+" added")))
		}
		return
	}
	added := clone(n.Content[pick])
	for i := 1; i < len(added.Content); i += 2 {
		if added.Content[i].Kind == yaml.ScalarNode && rapid.Bool().Draw(t, label+" other key") {
			added.Content[i].Value += "9"
			added.Content[i].Tag = ""
			added.Content[i].Tag = added.Content[i].ShortTag()
		}
	}
	n.Content = append(n.Content[:pick:pick], append([]*yaml.Node{added}, n.Content[pick:]...)...)
}

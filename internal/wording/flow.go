package wording

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Flow writes a list or map as one line of YAML, without comments.
func Flow(n *yaml.Node) string {
	text, err := yaml.Marshal(flowNode(n))
	if err != nil {
		return "(not shown: " + err.Error() + ")"
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

func flowNode(n *yaml.Node) *yaml.Node {
	out := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
		out.Style = n.Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle)
	} else {
		out.Style = yaml.FlowStyle
	}
	for _, c := range n.Content {
		out.Content = append(out.Content, flowNode(c))
	}
	return out
}

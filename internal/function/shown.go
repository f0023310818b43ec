package function

import (
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// shown is a value as results carry it: a scalar decoded, a list or map as a
// line of YAML, at most 256 bytes of either; nil where absent.
func shown(n *yaml.Node) any {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.ScalarNode {
		return cut(flow(n), maxValue)
	}
	var v any
	if err := n.Decode(&v); err != nil || len(n.Value) > maxValue {
		return cut(n.Value, maxValue)
	}
	switch v.(type) {
	case string, time.Time: // a timestamp is a string
		return cut(n.Value, maxValue)
	}
	return v
}

// shownText is shown as a tag carries it, which is a string.
func shownText(n *yaml.Node) string {
	if v := shown(n); v != nil {
		return fmt.Sprint(v)
	}
	return "null"
}

// flow writes a list or map as one line of YAML, without comments.
func flow(n *yaml.Node) string {
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

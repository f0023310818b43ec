package patch

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// operations is a JSON patch as it grows: at is the JSON pointer of the place that is
// compared.
type operations struct {
	all *yaml.Node
	at  string
}

// operation is one operation; v is nil for remove.
func operation(op, pointer string, v *yaml.Node) *yaml.Node {
	out := yamlnode.EmptyMap()
	entry(out, "op", yamlnode.String(op))
	entry(out, "path", yamlnode.String(pointer))
	if v != nil {
		entry(out, "value", quoted(v))
	}
	return out
}

// quoted is a value whose texts are texts to every reader of a JSON patch: kustomize reads
// one as YAML 1.1, in which a plain y is true.
func quoted(n *yaml.Node) *yaml.Node {
	out := *n
	if n.Kind == yaml.ScalarNode && n.Style == 0 && n.ShortTag() == "!!str" && isWord(n.Value) {
		out.Style = yaml.DoubleQuotedStyle
	}
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = quoted(c)
	}
	return &out
}

// below are the operations of a part.
func (o operations) below(step string) operations {
	return operations{all: o.all, at: o.at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(step)}
}

func (o operations) add(op string, v *yaml.Node) {
	o.all.Content = append(o.all.Content, operation(op, o.at, v))
}

// test makes sure that the element at an index is the one that is meant: each part of its
// key is tested, or a scalar itself.
func (o operations) test(of, c *merge.Comparison) {
	if of.Keys == nil {
		o.add("test", plain(c.From))
	}
	for _, name := range of.Keys {
		at := o
		steps := strings.Split(name, ".")
		for _, step := range steps {
			at = at.below(step)
		}
		if v := yamlnode.Lookup(c.From, steps...); v != nil {
			at.add("test", plain(v))
		}
	}
}

// plain is a scalar without comments.
func plain(n *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: n.Tag, Value: n.Value, Style: n.Style}
}

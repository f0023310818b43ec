package history

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge"
)

// Agree reports whether two texts say the same: they have the same values, in
// documents of any order, or the same bytes where they are not YAML.
func Agree(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, ok := documents(a)
	y, fine := documents(b)
	return ok && fine && slices.EqualFunc(x, y, merge.Same)
}

// documents are the documents of a text, in an order of their own.
func documents(text []byte) (out []*yaml.Node, ok bool) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		n := new(yaml.Node)
		if err := decoder.Decode(n); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, false
		}
		if len(n.Content) == 1 && n.Content[0].Tag != "!!null" {
			out = append(out, n.Content[0])
		}
	}
	names := map[*yaml.Node]string{}
	for _, n := range out {
		names[n] = sorted(n)
	}
	slices.SortFunc(out, func(a, b *yaml.Node) int { return strings.Compare(names[a], names[b]) })
	return out, true
}

// Documents returns the documents of a text, nil if it is not YAML.
func Documents(text []byte) []*yaml.Node {
	out, _ := documents(text)
	return out
}

// Alike reports whether two texts say the same, whatever the order of lists.
func Alike(a, b []byte) bool {
	x, ok := documents(a)
	y, fine := documents(b)
	return ok && fine && slices.EqualFunc(x, y, func(a, b *yaml.Node) bool { return sorted(a) == sorted(b) })
}

// sorted is a text of a value that has lists and maps in an order of their own.
func sorted(n *yaml.Node) string {
	var parts []string
	switch n.Kind {
	case yaml.AliasNode:
		return sorted(n.Alias)
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			parts = append(parts, n.Content[i].Value+": "+sorted(n.Content[i+1]))
		}
	case yaml.SequenceNode:
		for _, c := range n.Content {
			parts = append(parts, sorted(c))
		}
	default:
		return n.ShortTag() + " " + strings.TrimSpace(n.Value)
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ",\n") + "}"
}

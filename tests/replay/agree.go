package main

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge"
)

// agree reports whether two texts say the same: they have the same values, in
// documents of any order; of what is no YAML, the same bytes.
func agree(a, b []byte) bool {
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
	name := func(n *yaml.Node) string {
		text, _ := yaml.Marshal(n)
		return string(text)
	}
	names := map[*yaml.Node]string{}
	for _, n := range out {
		names[n] = name(n)
	}
	slices.SortFunc(out, func(a, b *yaml.Node) int { return strings.Compare(names[a], names[b]) })
	return out, true
}

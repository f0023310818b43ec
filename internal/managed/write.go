package managed

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// JSON is the set as a server stores it: compact, steps in their order.
func (s *Set) JSON() string {
	var b strings.Builder
	s.write(&b, false)
	return b.String()
}

func (s *Set) write(b *strings.Builder, self bool) {
	b.WriteByte('{')
	first := true
	entry := func(name string) {
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.WriteString(quote(name) + ":")
	}
	if self && s.Member() && s.HasBelow() {
		entry(".")
		b.WriteString("{}")
	}
	for step, below := range s.Children() {
		entry(step.String())
		below.write(b, true)
	}
	b.WriteByte('}')
}

// Node is the set as a YAML map, as kubectl prints it.
func (s *Set) Node() *yaml.Node { return s.node(false) }

func (s *Set) node(self bool) *yaml.Node {
	n := yamlnode.EmptyMap()
	if self && s.Member() && s.HasBelow() {
		n.Content = append(n.Content, yamlnode.String("."), (*Set)(nil).node(false))
	}
	for step, below := range s.Children() {
		n.Content = append(n.Content, yamlnode.String(step.String()), below.node(true))
	}
	if len(n.Content) == 0 {
		n.Style = yaml.FlowStyle
	}
	return n
}

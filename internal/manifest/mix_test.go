package manifest

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// mixer decides a result of two sides by bits: for parts on both sides it takes either or none, for parts on one side
// it takes or drops them.
type mixer struct {
	bits   []byte
	at     int
	budget int
}

func (m *mixer) bit(of int) int {
	if len(m.bits) == 0 {
		return 0
	}
	m.at++
	return int(m.bits[m.at%len(m.bits)]>>(m.at/len(m.bits)%7)) % of
}

// expanded copies n with aliases and merge keys written out, as the merge does before it decides; nil if the copy
// would be too large.
func (m *mixer) expanded(n *yaml.Node, depth int) *yaml.Node {
	if m.budget--; m.budget < 0 || depth > 200 {
		m.budget = -1
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	}
	c := *yamlnode.Resolve(n)
	c.HeadComment, c.LineComment, c.FootComment = n.HeadComment, n.LineComment, n.FootComment
	c = *flattened(&c)
	c.Anchor = ""
	content := c.Content
	c.Content = nil
	for _, k := range content {
		c.Content = append(c.Content, m.expanded(k, depth+1))
	}
	return &c
}

// part mixes two entries; either may be missing.
func (m *mixer) part(l, u Entry) Part {
	p := Part{Local: l, Upstream: u, From: parts.Local}
	own := l
	if l.Value == nil || u.Value != nil && m.bit(3) == 1 {
		p.From, own = parts.Upstream, u
	}
	if own.Key != nil {
		key := *own.Key
		p.Key = &key
	}
	v := *own.Value
	p.Value = &v
	if l.Value == nil || u.Value == nil || l.Value.Kind != u.Value.Kind || !isCollection(&v) || m.bit(5) == 1 {
		return p
	}
	v = *l.Value
	v.Content, p.From = nil, parts.Local
	if l.Key != nil {
		*p.Key = *l.Key
	}
	if v.Kind == yaml.MappingNode {
		m.fields(&p)
	} else {
		m.elements(&p)
	}
	for _, k := range p.Parts {
		if k.Key != nil {
			v.Content = append(v.Content, k.Key)
		}
		v.Content = append(v.Content, k.Value)
	}
	return p
}

func (m *mixer) fields(p *Part) {
	l, u := p.Local.Value.Content, p.Upstream.Value.Content
	index := map[string]int{}
	for i := 0; i+1 < len(u); i += 2 {
		index[u[i].Value] = i
	}
	for i := 0; i+1 < len(l); i += 2 {
		other := Entry{}
		if j, has := index[l[i].Value]; has {
			other = Entry{Key: u[j], Value: u[j+1], At: j / 2}
			delete(index, l[i].Value)
		}
		if m.bit(4) != 1 {
			p.Parts = append(p.Parts, m.part(Entry{Key: l[i], Value: l[i+1], At: i / 2}, other))
		}
	}
	for i := 0; i+1 < len(u); i += 2 {
		if _, left := index[u[i].Value]; left && m.bit(3) != 1 {
			p.Parts = append(p.Parts, m.part(Entry{}, Entry{Key: u[i], Value: u[i+1], At: i / 2}))
		}
	}
}

func (m *mixer) elements(p *Part) {
	l, u := p.Local.Value.Content, p.Upstream.Value.Content
	for i := range max(len(l), len(u)) {
		var a, b Entry
		if i < len(l) {
			a = Entry{Value: l[i], At: i}
		}
		if i < len(u) {
			b = Entry{Value: u[i], At: i}
		}
		if m.bit(4) != 1 {
			p.Parts = append(p.Parts, m.part(a, b))
		}
	}
}

// isMergeable reports whether the merge would merge n: its keys are scalars, no two alike, and the nesting is not too
// deep.
func isMergeable(n *yaml.Node, depth int) bool {
	if depth > 100 {
		return false
	}
	seen := map[string]bool{}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			key := yamlnode.Resolve(c)
			if key.Kind != yaml.ScalarNode || seen[key.Value] {
				return false
			}
			seen[key.Value] = true
		}
		if !isMergeable(c, depth+1) {
			return false
		}
	}
	return true
}

package manifest

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// drawnChange is one change of upstream's in a resource.
type drawnChange struct {
	kind string
	// in is the collection with the change, thing its changed place.
	in, thing *model
	// whole is the id of the list taken whole, -1 for none.
	whole int
}

// changed returns m with one change.
func (d *drawing) changed(m *model) (*model, drawnChange) {
	r := m.clone()
	var all, maps []*model
	r.each(func(k *model) {
		if len(k.kids) > 0 {
			maps = append(maps, k)
		}
		all = append(all, k)
	})
	in := maps[d.n(len(maps))]
	c := drawnChange{in: in, whole: -1}
	at := d.n(len(in.kids))
	c.thing = in.kids[at]
	c.kind = d.one("scalar", "scalar", "kind", "comment", "remove", "add", "add", "move", "whole")
	switch c.kind {
	case "scalar":
		d.scalar(c.thing)
		c.thing.kind, c.thing.kids, c.thing.foot = yaml.ScalarNode, nil, ""
	case "kind":
		c.thing.kind, c.thing.kids, c.thing.foot = []yaml.Kind{yaml.MappingNode, yaml.SequenceNode}[d.n(2)], nil, ""
		if d.n(3) > 0 {
			d.fill(c.thing, 1)
		}
		if in.kind == yaml.SequenceNode && len(c.thing.kids) > 0 {
			c.thing.line = ""
		}
	case "comment":
		switch {
		case d.n(3) == 0 && len(in.kids) > 0 && in != r:
			c.thing, in.foot = in, d.comment(3)
		case d.n(2) == 0 && !(in.kind == yaml.SequenceNode && len(c.thing.kids) > 0):
			c.thing.line = d.comment(1)
		default:
			c.thing.head = d.comment(3)
		}
	case "remove":
		if len(in.kids) > 1 {
			in.kids = slices.Delete(in.kids, at, at+1)
		}
	case "add":
		c.thing = d.child(in, 2)
		if c.thing.key = ""; in.kind == yaml.MappingNode {
			c.thing.key = d.one("new", "é.y/z")
		}
		in.kids = slices.Insert(in.kids, d.n(len(in.kids)+1), c.thing)
	case "move":
		in.kids = slices.Delete(in.kids, at, at+1)
		in.kids = slices.Insert(in.kids, d.n(len(in.kids)+1), c.thing)
	case "whole":
		if in.kind == yaml.SequenceNode && c.thing.kind == yaml.ScalarNode {
			d.scalar(c.thing)
			c.whole = in.id
		}
	}
	return r, c
}

// decider makes the parts of a result.
type decider struct {
	local, upstream map[int]Entry
	drawnChange
}

// sides finds the nodes of two texts.
func sides(l, u *model, local, upstream *Text, c drawnChange) *decider {
	d := &decider{map[int]Entry{}, map[int]Entry{}, c}
	l.at(local.root, d.local, 0, nil)
	u.at(upstream.root, d.upstream, 0, nil)
	return d
}

// part returns the part for a place of the result.
func (d *decider) part(r *model) Part {
	p := Part{Local: d.local[r.id], Upstream: d.upstream[r.id], From: parts.Local}
	from := p.Local
	if from.Value == nil {
		p.From, p.Key, p.Value = parts.Upstream, p.Upstream.Key, p.Upstream.Value
		return p
	}
	v := *from.Value
	if r.id == d.whole || r == d.thing && (d.kind == "scalar" || d.kind == "kind") {
		p.From = parts.Upstream
		v = *p.Upstream.Value
		if r.id == d.whole {
			v.Style = from.Value.Style
		}
	}
	if from.Key != nil {
		key := *from.Key
		p.Key = &key
	}
	p.Value = &v
	line, head := lineOf(from.Key, from.Value), headOf(from.Key, from.Value)
	foot := footOf(from.Key, from.Value)
	if up := p.Upstream; r == d.thing && (d.kind == "comment" || d.kind == "kind") {
		foot = footOf(up.Key, up.Value)
		if d.kind == "comment" {
			head = headOf(up.Key, up.Value)
			line = lineOf(up.Key, up.Value)
		}
	}
	if d.kind == "scalar" && r == d.thing {
		foot = ""
	}
	if p.Key == nil && yamlnode.IsBlock(p.Value) && p.From == parts.Upstream {
		line = ""
	}
	setComments(&p, head, line, foot)
	if p.From == parts.Upstream {
		return p
	}
	v.Content = nil
	p.Parts = make([]Part, len(r.kids))
	for i, k := range r.kids {
		p.Parts[i] = d.part(k)
		if p.Parts[i].Key != nil {
			v.Content = append(v.Content, p.Parts[i].Key)
		}
		v.Content = append(v.Content, p.Parts[i].Value)
	}
	if len(r.kids) == 0 {
		p.Parts = nil
	}
	return p
}

// setComments writes the decided comments to the nodes of a part.
func setComments(p *Part, head, line, foot string) {
	p.Value.HeadComment, p.Value.LineComment, p.Value.FootComment = head, line, foot
	if p.Key == nil {
		return
	}
	p.Key.HeadComment, p.Value.HeadComment, p.Key.LineComment = head, "", ""
	if yamlnode.IsBlock(p.Value) {
		p.Key.LineComment, p.Value.LineComment = line, ""
	}
}

package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// Entry is a field or an element of one side: Key is nil in a list, Value where
// the side lacks it. At is the element's index in the side's list.
type Entry struct {
	Key, Value *yaml.Node
	At         int
}

// Part is one place of a result, and what it was made of: so that the result can
// be written as local's text with edits (DESIGN 3.6).
type Part struct {
	// Key and Value are what was decided, comments and all. Key is nil in a list.
	Key, Value *yaml.Node
	// Local and Upstream are what the place stands for on the two sides.
	Local, Upstream Entry
	// Parts are the fields or elements of Value in its order, where it was merged
	// part by part; nil where Value is From's, apart from comments. From origin is what
	// the merge made of both.
	Parts []Part
	From  identity.Side
}

// madeOf says what an element's result was made of: key and v are what was
// emitted for it.
func madeOf(e *element, d decision, key, v *yaml.Node, at [3]int) Part {
	p := Part{Key: key, Value: v, From: local}
	p.Local = Entry{Key: e.key[local], Value: e.value[local], At: at[local]}
	p.Upstream = Entry{Key: e.key[upstream], Value: e.value[upstream], At: at[upstream]}
	switch d.verdict {
	case takeUpstream:
		p.From = upstream
		return p
	case takeMade:
		p.From = origin
		return p
	case takeLocal:
		return p
	}
	places := e.places()
	p.Parts = make([]Part, len(d.order))
	for n, i := range d.order {
		if e.form == mapping {
			p.Parts[n] = madeOf(e.children[i], d.children[i], v.Content[2*n], v.Content[2*n+1], places[i])
		} else {
			p.Parts[n] = madeOf(e.children[i], d.children[i], nil, v.Content[n], places[i])
		}
	}
	return p
}

// places are the indices that the children have on the sides.
func (e *element) places() [][3]int {
	places := make([][3]int, len(e.children))
	for _, side := range identity.Sides() {
		for n, i := range e.order[side] {
			places[i][side] = n
		}
	}
	return places
}

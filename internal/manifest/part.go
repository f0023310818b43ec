package manifest

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

// Part is one place of a result and what it was made of.
type Part struct {
	// Key and Value are what was decided, comments and all. Key is nil in a list.
	Key, Value *yaml.Node
	// Local and Upstream are what the place stands for on the two sides.
	Local, Upstream Entry
	// Parts are the fields or elements of Value in its order, where it was merged
	// part by part. Where they are nil Value is From's, apart from comments; from
	// origin is what the merge made of both.
	Parts []Part
	From  identity.Side
}

// head is the decided comment above p.
func (p *Part) head() string {
	if p.Key == nil {
		return p.Value.HeadComment
	}
	return joined("\n", p.Key.HeadComment, p.Value.HeadComment)
}

// line is the decided comment at the end of p's line.
func (p *Part) line() string { return lineOf(p.Key, p.Value) }

// foot is the decided comment below what is in p.
func (p *Part) foot() string { return footOf(p.Key, p.Value) }

func lineOf(key, value *yaml.Node) string {
	if key == nil {
		return value.LineComment
	}
	return joined(" ", key.LineComment, value.LineComment)
}

func footOf(key, value *yaml.Node) string {
	if key == nil {
		return value.FootComment
	}
	return joined("\n", value.FootComment, key.FootComment)
}

// joined joins two comments, either of which may be missing.
func joined(between, a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + between + b
}

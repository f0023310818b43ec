package patch

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge"
)

// rfc6902 is the JSON patch of a resource (design 16.3): add, replace and remove, in an
// order in which they apply. The indices of elements are the base's.
func rfc6902(c *merge.Comparison) (*yaml.Node, error) {
	o := operations{all: list()}
	o.mapping(c)
	return o.all, nil
}

// mapping patches a map field by field.
func (o operations) mapping(c *merge.Comparison) {
	for _, part := range c.Parts {
		o.below(part.Name()).field(part)
	}
}

// field patches one field. A comment of a field goes to its operation.
func (o operations) field(c *merge.Comparison) {
	before := len(o.all.Content)
	var elements []*merge.Comparison
	if c.IsList() && !c.Equal() {
		elements = patchable(c)
	}
	switch {
	case c.Equal():
	case c.To == nil:
		o.add("remove", nil)
	case c.From == nil:
		o.add("add", value(c))
	case c.IsMap():
		o.mapping(c)
	case elements != nil:
		o.list(c, elements)
	default:
		o.add("replace", value(c))
	}
	if len(o.all.Content) > before && c.ToKey != nil {
		o.all.Content[before].HeadComment = ownComments(c.ToKey, c.FromKey).HeadComment
	}
}

// list patches a list from its end, so that no operation moves what a later one is
// about: what is new at the end, then from the last element of base to the first what is
// new before it, and what differs in it.
func (o operations) list(c *merge.Comparison, parts []*merge.Comparison) {
	before, atEnd := arrivals(parts)
	for _, part := range atEnd {
		o.below("-").add("add", value(part))
	}
	byIndex := make([]*merge.Comparison, len(c.From.Content))
	for _, part := range parts {
		if part.FromAt >= 0 {
			byIndex[part.FromAt] = part
		}
	}
	for i, part := range slices.Backward(byIndex) {
		at := o.below(integer(i))
		if len(before[i]) == 0 && part.Equal() {
			continue
		}
		at.test(c, part)
		switch {
		case part.To == nil:
			at.add("remove", nil)
		case part.IsMap():
			at.mapping(part)
		case !part.Equal():
			at.add("replace", value(part))
		}
		for _, arrival := range slices.Backward(before[i]) {
			at.add("add", value(arrival))
		}
	}
}

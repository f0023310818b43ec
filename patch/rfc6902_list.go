package patch

import (
	"github.com/resource-merge/resource-merge/merge"
)

// isOrdered reports whether a list can be patched element by element: each is told apart,
// by keys or as a scalar, some stay, and these keep their order.
func isOrdered(c *merge.Comparison) bool {
	last := -1
	for _, part := range c.Parts {
		switch {
		case part.Unkeyed, c.Keys == nil && !(isScalar(part.From) || isScalar(part.To)):
			return false
		case part.From == nil || part.To == nil:
		case part.FromAt < last:
			return false
		default:
			last = part.FromAt
		}
	}
	return last >= 0
}

// arrivals are the new elements of a list: before which element of base, by its index,
// and at the end.
func arrivals(c *merge.Comparison) (before map[int][]*merge.Comparison, atEnd []*merge.Comparison) {
	before = map[int][]*merge.Comparison{}
	for _, part := range c.Parts {
		switch {
		case part.From == nil:
			atEnd = append(atEnd, part)
		case part.To != nil && len(atEnd) > 0:
			before[part.FromAt], atEnd = atEnd, nil
		}
	}
	return before, atEnd
}

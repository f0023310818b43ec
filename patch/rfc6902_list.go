package patch

import (
	"slices"

	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/merge"
)

// patchable are the elements of a list as they are patched one by one, nil if the list is to
// be replaced: where an element is not told apart by keys or as a scalar, where none stays,
// and where most would have to move. An element that moves goes and comes again.
func patchable(c *merge.Comparison) []*merge.Comparison {
	var places []int // base's, of elements that both have, in the result's order
	for _, part := range c.Parts {
		if part.Unkeyed || c.Keys == nil && !(isScalar(part.From) || isScalar(part.To)) {
			return nil
		}
		if part.From != nil && part.To != nil {
			places = append(places, part.FromAt)
		}
	}
	stays, staying := inOrder(places), 0
	var out, gone []*merge.Comparison
	for _, part := range c.Parts {
		switch {
		case part.From == nil || part.To == nil:
			out = append(out, part)
		case stays[part.FromAt]:
			staying++
			out = append(out, part)
		default:
			comes, goes := *part, *part
			comes.From, comes.FromAt, comes.Parts = nil, -1, nil
			goes.To, goes.ToAt, goes.Parts = nil, -1, nil
			out, gone = append(out, &comes), append(gone, &goes)
		}
	}
	if staying == 0 || 2*staying < len(places) {
		return nil
	}
	return append(out, gone...)
}

// inOrder are as many of some places as can be of which each is behind the one before.
func inOrder(places []int) map[int]bool {
	sorted, stays := slices.Sorted(slices.Values(places)), map[int]bool{}
	for i, at := range align.Pairs(sorted, places) {
		if at >= 0 {
			stays[sorted[i]] = true
		}
	}
	return stays
}

// arrivals are the new elements of a list: before which element of base that stays, by its
// index, and at the end.
func arrivals(parts []*merge.Comparison) (before map[int][]*merge.Comparison, atEnd []*merge.Comparison) {
	before = map[int][]*merge.Comparison{}
	for _, part := range parts {
		switch {
		case part.From == nil:
			atEnd = append(atEnd, part)
		case part.To != nil && len(atEnd) > 0:
			before[part.FromAt], atEnd = atEnd, nil
		}
	}
	return before, atEnd
}

package patch

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// rfc6902 returns the JSON patch of a resource (rules/patches: JSON patches): add, replace and remove,
// in an order in which they apply. The indices of elements are the base's.
func rfc6902(c *merge.Comparison) *yaml.Node {
	o := operations{all: list()}
	o.mapping(c)
	return o.all
}

// mapping patches a map field by field.
func (o operations) mapping(c *merge.Comparison) {
	for _, part := range c.Parts {
		o.below(part.Name()).field(part)
	}
}

// field patches one field. A comment of a field goes to its operation.
func (o operations) field(c *merge.Comparison) {
	first := len(o.all.Content)
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
	if len(o.all.Content) > first && c.ToKey != nil {
		o.all.Content[first].HeadComment = newComments(c.ToKey, c.FromKey).HeadComment
	}
}

// list patches a list from its end, so that no operation moves the element of a later one: first the new elements at
// the end, then from base's last element to its first the changes of it and the new elements before it.
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
		at := o.below(strconv.Itoa(i))
		if len(before[i]) == 0 && part.Equal() {
			continue
		}
		at.element(c, part)
		for _, arrival := range slices.Backward(before[i]) {
			at.add("add", value(arrival))
		}
	}
}

// element patches an element of a list.
func (o operations) element(c, part *merge.Comparison) {
	o.test(c, part)
	switch {
	case part.To == nil:
		o.add("remove", nil)
	case part.IsMap():
		o.mapping(part)
	case !part.Equal():
		o.add("replace", value(part))
	}
}

// patchable returns the elements of a list to patch one by one, nil if the list is to be replaced:
// because an element has neither a unique key nor is a scalar, because none stays, or because most
// would have to move. An element that moves is removed and added again.
func patchable(c *merge.Comparison) []*merge.Comparison {
	indices, ok := commonIndices(c)
	if !ok {
		return nil
	}
	stays, staying := inOrder(indices), 0
	var out, gone []*merge.Comparison
	for _, part := range c.Parts {
		switch {
		case part.From == nil || part.To == nil:
			out = append(out, part)
		case stays[part.FromAt]:
			staying++
			out = append(out, part)
		default:
			comes, goes := move(part)
			out, gone = append(out, comes), append(gone, goes)
		}
	}
	if staying == 0 || 2*staying < len(indices) {
		return nil
	}
	return append(out, gone...)
}

// commonIndices returns the indices in base of the elements that both lists have, in the result's order. It reports false
// if an element has neither a unique key nor is a scalar.
func commonIndices(c *merge.Comparison) (indices []int, ok bool) {
	for _, part := range c.Parts {
		if part.Unkeyed || c.Keys == nil && !(isScalar(part.From) || isScalar(part.To)) {
			return nil, false
		}
		if part.From != nil && part.To != nil {
			indices = append(indices, part.FromAt)
		}
	}
	return indices, true
}

// move returns the addition and the removal of an element that moves.
func move(part *merge.Comparison) (comes, goes *merge.Comparison) {
	added, removed := *part, *part
	added.From, added.FromAt, added.Parts = nil, -1, nil
	removed.To, removed.ToAt, removed.Parts = nil, -1, nil
	return &added, &removed
}

// inOrder returns a longest increasing subsequence as a set.
func inOrder(indices []int) map[int]bool {
	sorted, stays := slices.Sorted(slices.Values(indices)), map[int]bool{}
	for i, at := range align.Pairs(sorted, indices) {
		if at >= 0 {
			stays[sorted[i]] = true
		}
	}
	return stays
}

// arrivals returns the new elements of a list, by the index of the element of base that stays behind
// them, and those at the end.
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

// operations builds a JSON patch; at is the JSON pointer of the compared field.
type operations struct {
	all *yaml.Node
	at  string
}

// operation returns one operation; v is nil for remove.
func operation(op, pointer string, v *yaml.Node) *yaml.Node {
	out := yamlnode.EmptyMap()
	entry(out, "op", yamlnode.String(op))
	entry(out, "path", yamlnode.String(pointer))
	if v != nil {
		entry(out, "value", quoted(v))
	}
	return out
}

// below returns the operations of a part.
func (o operations) below(step string) operations {
	return operations{all: o.all, at: o.at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(step)}
}

func (o operations) add(op string, v *yaml.Node) {
	o.all.Content = append(o.all.Content, operation(op, o.at, v))
}

// test adds a test that the index has the expected element: of each part of its key, or of a scalar.
func (o operations) test(of, c *merge.Comparison) {
	if of.Keys == nil {
		o.add("test", plain(c.From))
	}
	for _, name := range of.Keys {
		at := o
		steps := strings.Split(name, ".")
		for _, step := range steps {
			at = at.below(step)
		}
		if v := yamlnode.Lookup(c.From, steps...); v != nil {
			at.add("test", plain(v))
		}
	}
}

// rfc7386 returns the JSON merge patch of a map: maps entry by entry, a null for a removed entry, and
// any other value whole. The API server drops nulls from the values that it sets, also within lists,
// so a null that must stay in one is inexpressible.
func rfc7386(c *merge.Comparison) (*yaml.Node, error) {
	out := yamlnode.EmptyMap()
	for _, part := range c.Parts {
		switch {
		case part.Equal():
		case part.To == nil:
			put(out, part, null())
		case part.IsMap():
			inner, err := rfc7386(part)
			if err != nil {
				return nil, err
			}
			put(out, part, inner)
		default:
			if err := checkValue(Merge, part.Path, part.To); err != nil {
				return nil, err
			}
			put(out, part, value(part))
		}
	}
	return out, nil
}

package patch

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// rfc6902 is the JSON patch of a resource (rules/patches: JSON patches): add, replace
// and remove, in an order in which they apply. The indices of elements are the base's.
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

// operations is a JSON patch as it grows: at is the JSON pointer of the place that is
// compared.
type operations struct {
	all *yaml.Node
	at  string
}

// operation is one operation; v is nil for remove.
func operation(op, pointer string, v *yaml.Node) *yaml.Node {
	out := yamlnode.EmptyMap()
	entry(out, "op", yamlnode.String(op))
	entry(out, "path", yamlnode.String(pointer))
	if v != nil {
		entry(out, "value", quoted(v))
	}
	return out
}

// quoted is a value whose texts are texts to every reader of a JSON patch: kustomize reads
// one as YAML 1.1, in which a plain y is true.
func quoted(n *yaml.Node) *yaml.Node {
	out := *n
	if n.Kind == yaml.ScalarNode && n.Style == 0 && n.ShortTag() == "!!str" && yamlnode.IsBooleanWord(n.Value) {
		out.Style = yaml.DoubleQuotedStyle
	}
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = quoted(c)
	}
	return &out
}

// below are the operations of a part.
func (o operations) below(step string) operations {
	return operations{all: o.all, at: o.at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(step)}
}

func (o operations) add(op string, v *yaml.Node) {
	o.all.Content = append(o.all.Content, operation(op, o.at, v))
}

// test makes sure that the element at an index is the one that is meant: each part of its
// key is tested, or a scalar itself.
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

// plain is a scalar without comments.
func plain(n *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: n.Tag, Value: n.Value, Style: n.Style}
}

// rfc7386 is the JSON merge patch of a map: what differs in maps, entry by entry, a null for
// what goes, and any other value whole. The API server drops nulls out of what it sets, also
// within lists, so one that must stay anywhere in a value that is set is Unsayable.
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
			if err := writable(Merge, part.Path, part.To); err != nil {
				return nil, err
			}
			put(out, part, value(part))
		}
	}
	return out, nil
}

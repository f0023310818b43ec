// Package kptids chooses the ids of kpt that a merged item is returned with (rules/function: ids of kpt).
//
// kpt gives each item that it sends an id. To an item that comes back with an id, kpt copies comments from the item
// that it sent, of map keys by name and of list elements by index, and restores its order of keys. So an id does harm
// if the merge moved an element or removed a comment. An id is worth keeping because kpt does not send every comment:
// it restores a header with an empty line below it, such as a licence, only for an item with an id. With upstream's
// id it restores upstream's header, which is the original of local's.
package kptids

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Has reports whether an item came with an id of kpt.
func Has(i *resourcelist.Item) bool {
	return i.Annotation(bookkeeping.ID) != "" || i.Annotation(bookkeeping.LegacyID) != ""
}

// In reports whether an item's node has an id of kpt.
func In(n *yaml.Node) bool {
	return yamlnode.Annotation(n, bookkeeping.ID) != "" || yamlnode.Annotation(n, bookkeeping.LegacyID) != ""
}

// With gives an item the ids of an item that kpt sent.
func With(n, sent *yaml.Node) *yaml.Node {
	for _, name := range []string{bookkeeping.ID, bookkeeping.LegacyID} {
		if id := yamlnode.Annotation(sent, name); id != "" {
			n = yamlnode.Annotate(n, name, id)
		}
	}
	return n
}

// Without removes the ids of an item.
func Without(n *yaml.Node) *yaml.Node {
	return yamlnode.DropAnnotations(n, func(name string) bool { return name == bookkeeping.ID || name == bookkeeping.LegacyID })
}

// Sent are the versions of a resource that kpt sent; Upstream is nil if kpt sent none.
type Sent struct{ Local, Upstream *resourcelist.Item }

// Rewritten returns the merged item of a text with ids that do no harm, as far as the YAML parser's reading of the
// texts shows: local's, which the item already has, upstream's, or none.
func (s Sent) Rewritten(merged *resourcelist.Item) (*resourcelist.Item, error) {
	own, err := s.Local.Parsed()
	if err != nil {
		return nil, err
	}
	result, err := merged.InList()
	if err != nil {
		return nil, err
	}
	owner := s.choose(func(sent *resourcelist.Item) effect { return replayed(sent, result, own.Node) })
	if owner == s.Local {
		return merged, nil
	}
	full, err := merged.Parsed()
	if err != nil {
		return nil, err
	}
	n, err := s.identify(full.Node, owner)
	if err != nil {
		return nil, err
	}
	return full.Rewritten(n)
}

// choose returns the version whose ids a merged item gets, nil for none: harmless ids, preferably ids that move no
// key at all, and preferably local's.
func (s Sent) choose(effectOf func(sent *resourcelist.Item) effect) *resourcelist.Item {
	var owner *resourcelist.Item
	least := harm
	for _, sent := range [2]*resourcelist.Item{s.Local, s.Upstream} {
		if least == nothing || sent == nil || !Has(sent) {
			continue
		}
		if found := effectOf(sent); found < least {
			owner, least = sent, found
		}
	}
	return owner
}

// identify gives a merged item, which has local's ids, the ids of owner; none if owner is nil.
func (s Sent) identify(merged *yaml.Node, owner *resourcelist.Item) (*yaml.Node, error) {
	switch owner {
	case s.Local:
		return merged, nil
	case nil:
		return Without(merged), nil
	}
	full, err := owner.Parsed()
	if err != nil {
		return nil, err
	}
	return With(merged, full.Node), nil
}

// replayed returns kpt's effect on result, if it had the ids of sent. own is local's version. Some comments that end
// a list are placed by their indentation, as in kpt's memory, and others by the lines below them: the worse of both
// effects counts.
func replayed(sent *resourcelist.Item, result, own *yaml.Node) effect {
	onWire, err := sent.ByIndentation()
	if err != nil {
		return harm
	}
	inMemory, err := sent.InFile()
	if err != nil {
		return harm
	}
	return max(replay(onWire, result, own), replay(inMemory, result, own))
}

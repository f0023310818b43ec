// Package kptids chooses the ids of kpt's that a merged item comes back with (rules/function: ids of kpt).
//
// kpt gives each item that it sends an id. For an item that comes back with one, kpt copies comments from
// the item that it sent, of map keys by name and of list elements by index, and restores its order of
// keys. So an id does harm where the merge moved an element or took a comment away. An id is worth keeping
// because kpt does not send every comment: a header with an empty line below it, as licences have, comes back
// only with an id. With upstream's id that is upstream's header, which local's is a copy of.
package kptids

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Has reports whether an item came with an id of kpt's.
func Has(i *resourcelist.Item) bool {
	return i.Annotation(bookkeeping.ID) != "" || i.Annotation(bookkeeping.LegacyID) != ""
}

// In reports whether an item's node has an id of kpt's.
func In(n *yaml.Node) bool {
	return yamlnode.Annotation(n, bookkeeping.ID) != "" || yamlnode.Annotation(n, bookkeeping.LegacyID) != ""
}

// With gives an item the ids of the one that kpt sent.
func With(n, sent *yaml.Node) *yaml.Node {
	for _, name := range []string{bookkeeping.ID, bookkeeping.LegacyID} {
		if id := yamlnode.Annotation(sent, name); id != "" {
			n = yamlnode.Annotate(n, name, id)
		}
	}
	return n
}

// Without takes the ids off an item.
func Without(n *yaml.Node) *yaml.Node {
	return yamlnode.DropAnnotations(n, func(name string) bool { return name == bookkeeping.ID || name == bookkeeping.LegacyID })
}

// Sent are the versions of a resource that kpt sent; upstream's is nil where kpt sent none.
type Sent struct{ Local, Upstream *resourcelist.Item }

// Rewritten returns the merged item of a text with the ids that do no harm, as the YAML parser reads the
// texts: local's, which the item has, upstream's, or none.
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

// choose returns the version whose ids a merged item gets, nil for none: ids that do no harm, of two such
// the ids that move no key at all, and local's first.
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

// identify gives a merged item, which has local's ids, the ids of the owner; none if that is nil.
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

// replayed returns kpt's effect on the result if that had the ids of sent. On the wire some comments that end a
// list are where they are in kpt's memory by their indentation, and some by the lines below them: the worse of both
// counts. own is local's version.
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

package function

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
)

// identified encodes a merged item with the ids by which kpt finds the item that
// it sent (DESIGN 1.2): local's, upstream's, or none. For an item with ids kpt
// copies comments from what it sent and restores the order of keys. The ids do
// no harm exactly if that changes no comment, meets no difference of kind, and
// moves no key of local's. Of two that do no harm, the one is taken that moves
// no key at all, and local's first.
//
// An id is worth keeping because kpt does not send every comment: a header with
// an empty line below it, as licences have, comes back only with an id. With
// upstream's id that is upstream's header, which local's is a copy of. For the
// same reason an added item has upstream's ids; without them it would lose its
// licence, and get it in the next run, which must change nothing.
func (m *merged) identified(merged *resourcelist.Item, list *resourcelist.List) (*resourcelist.Item, error) {
	if !hasID(merged.Node) {
		return list.Encoded(merged)
	}
	encoded, err := encodedApart(merged, list)
	if err != nil {
		return nil, err
	}
	result, err := encoded.InList()
	if err != nil {
		return nil, err
	}
	best, least := identity.Origin, harm
	for _, side := range [2]identity.Side{identity.Local, identity.Upstream} {
		if effect := m.replayed(side, result); effect < least {
			best, least = side, effect
		}
	}
	switch best {
	case identity.Local:
		return encoded, nil
	case identity.Upstream:
		return encodedApart(merged.WithNode(withIDs(merged.Node, m.full[identity.Upstream].Node)), list)
	}
	return encodedApart(merged.WithNode(withoutIDs(merged.Node)), list)
}

// encodedApart encodes an item so that kpt finds its comments where they are.
func encodedApart(it *resourcelist.Item, list *resourcelist.List) (*resourcelist.Item, error) {
	encoded, err := list.Encoded(it)
	if err != nil {
		return nil, err
	}
	return encoded.Apart(), nil
}

// replayed is what kpt would do to the result if that had a side's ids. On the
// wire some comments that end a list are where they are in kpt's memory by their
// indentation, and some by what is below them: the worse of both counts.
func (m *merged) replayed(side identity.Side, result *yaml.Node) effect {
	full := m.full[side]
	if full == nil || !hasID(full.Node) {
		return harm
	}
	own := m.full[identity.Local].Node
	sent, err := full.InFile()
	if err != nil {
		return harm
	}
	return max(replay(full.Node, result, own), replay(sent, result, own))
}

// hasID reports whether an item has an id of kpt's.
func hasID(n *yaml.Node) bool {
	return annotation(n, idAnnotation) != "" || annotation(n, legacyID) != ""
}

// withIDs gives an item the ids of the one that kpt sent.
func withIDs(n, sent *yaml.Node) *yaml.Node {
	for _, name := range []string{idAnnotation, legacyID} {
		if id := annotation(sent, name); id != "" {
			n = annotate(n, name, id)
		}
	}
	return n
}

// withoutIDs takes the ids off an item.
func withoutIDs(n *yaml.Node) *yaml.Node {
	a := annotations(n)
	if a == nil {
		return n
	}
	kept := without(a, func(name string) bool { return name == idAnnotation || name == legacyID })
	return withField(n, "metadata", withField(fieldOf(n, "metadata"), "annotations", kept))
}

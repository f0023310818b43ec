package krmfunction

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// identified gives a merged item, encoded, the ids by which kpt finds the item that it
// sent (rules/function: ids of kpt): local's, which the item has, upstream's, or none.
// For an item with ids kpt copies comments from what it sent and restores the order of
// keys. The ids do no harm exactly if that changes no comment, meets no difference of
// kind, and moves no key of local's. Of two that do no harm, the one is taken that
// moves no key at all, and local's first.
//
// An id is worth keeping because kpt does not send every comment: a header with
// an empty line below it, as licences have, comes back only with an id. With
// upstream's id that is upstream's header, which local's is a copy of. For the
// same reason an added item has upstream's ids; without them it would lose its
// licence, and get it in the next run, which must change nothing.
func identified(it *resourcelist.Item, c *pkgmerge.Change) (*resourcelist.Item, error) {
	local := c.Versions[identity.Local]
	if !isIdentified(local) {
		return it, nil
	}
	l, err := local.Tree()
	if err != nil {
		return nil, err
	}
	it = it.Apart()
	result, err := it.InList()
	if err != nil {
		return nil, err
	}
	best, least := identity.Origin, harm
	for _, side := range [2]identity.Side{identity.Local, identity.Upstream} {
		if effect := replayed(c.Versions[side], result, l); effect < least {
			best, least = side, effect
		}
	}
	if best == identity.Local {
		return it, nil
	}
	full, err := it.Parsed()
	if err != nil {
		return nil, err
	}
	n := withoutIDs(full.Node)
	if best == identity.Upstream {
		u, err := c.Versions[identity.Upstream].Tree()
		if err != nil {
			return nil, err
		}
		n = withIDs(full.Node, u)
	}
	encoded, err := full.Rewritten(n)
	if err != nil {
		return nil, err
	}
	return encoded.Apart(), nil
}

// unidentified takes the ids off a live object that has changed: by them kpt would bring
// its order of keys back, and comments by the index of elements.
func unidentified(it *resourcelist.Item, live *pkgmerge.Resource) (*resourcelist.Item, error) {
	if !isIdentified(live) {
		return it, nil
	}
	full, err := it.Parsed()
	if err != nil {
		return nil, err
	}
	return full.Rewritten(withoutIDs(full.Node))
}

// replayed is what kpt would do to the result if that had the ids of sent. On the
// wire some comments that end a list are where they are in kpt's memory by their
// indentation, and some by what is below them: the worse of both counts. own is
// local's version.
func replayed(sent *pkgmerge.Resource, result, own *yaml.Node) effect {
	if sent == nil || !isIdentified(sent) {
		return harm
	}
	onWire, err := sent.Item().ByIndentation()
	if err != nil {
		return harm
	}
	inMemory, err := sent.Item().InFile()
	if err != nil {
		return harm
	}
	return max(replay(onWire, result, own), replay(inMemory, result, own))
}

// isIdentified reports whether a resource came with an id of kpt's.
func isIdentified(r *pkgmerge.Resource) bool {
	return r.Item().Annotation(bookkeeping.ID) != "" || r.Item().Annotation(bookkeeping.LegacyID) != ""
}

// hasID reports whether an item has an id of kpt's.
func hasID(n *yaml.Node) bool {
	return yamlnode.Annotation(n, bookkeeping.ID) != "" || yamlnode.Annotation(n, bookkeeping.LegacyID) != ""
}

// withIDs gives an item the ids of the one that kpt sent.
func withIDs(n, sent *yaml.Node) *yaml.Node {
	for _, name := range []string{bookkeeping.ID, bookkeeping.LegacyID} {
		if id := yamlnode.Annotation(sent, name); id != "" {
			n = annotate(n, name, id)
		}
	}
	return n
}

// withoutIDs takes the ids off an item.
func withoutIDs(n *yaml.Node) *yaml.Node {
	return withoutAnnotations(n, func(name string) bool { return name == bookkeeping.ID || name == bookkeeping.LegacyID })
}

// effectOf says what kpt did to an item: before and after are the item, own is
// local's version of it. Where that is not known, every key counts as local's.
func effectOf(before, after, own *yaml.Node) effect {
	if !sameComments(before, after) {
		return harm
	}
	worst := nothing
	switch before.Kind {
	case yaml.MappingNode:
		worst = effectOnOrder(yamlnode.Names(before), yamlnode.Names(after), own)
		ownField := yamlnode.Fields(own)
		eachEntry(before, after, func(key, keyAfter, value, valueAfter *yaml.Node) bool {
			if !sameComments(key, keyAfter) {
				worst = harm
			}
			worst = max(worst, effectOf(value, valueAfter, ownField(key.Value)))
			return worst != harm
		})
	case yaml.SequenceNode:
		mine := newAlikeIndex(yamlnode.Elements(own))
		for i, e := range before.Content {
			worst = max(worst, effectOf(e, after.Content[i], mine.first(e)))
		}
	}
	return worst
}

// effectOnOrder compares the order of keys: it is harm if those of local's are
// in another one among themselves.
func effectOnOrder(before, after []string, own *yaml.Node) effect {
	if slices.Equal(before, after) {
		return nothing
	}
	mine := yamlnode.Fields(own)
	foreign := func(key string) bool { return own != nil && mine(key) == nil }
	if slices.Equal(slices.DeleteFunc(before, foreign), slices.DeleteFunc(after, foreign)) {
		return moves
	}
	return harm
}

func sameComments(a, b *yaml.Node) bool {
	return a.HeadComment == b.HeadComment && a.LineComment == b.LineComment && a.FootComment == b.FootComment
}

// effect is what kpt does to an item that has ids, from nothing to harm.
type effect int

const (
	// nothing: neither a comment nor the place of a key changes.
	nothing effect = iota
	// moves: only keys that local does not have get another place.
	moves
	// harm: a comment changes, a key of local's moves, or kpt fails.
	harm
)

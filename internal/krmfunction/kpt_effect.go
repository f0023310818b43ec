package krmfunction

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

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

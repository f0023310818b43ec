package resourcelist

import "go.yaml.in/yaml/v3"

// fallback is something to try where a node does not come out as it was meant. It
// changes the style of the node and what is below it, never a value, and tells
// whether it did (the first one: that there is something to try at all).
type fallback struct {
	apply     func(*yaml.Node) bool
	forValues bool // not worth it where only comments differ
}

// fallbacks returns what is tried, one after the other.
func fallbacks() []fallback {
	return []fallback{{asItIs, false}, {openCommented, false}, {openAll, false}, {quoteBlocks, true}, {quoteStrings, true}, {liftComments, true}}
}

// asItIs changes nothing.
func asItIs(*yaml.Node) bool { return true }

// openCommented makes block collections of flow collections with comments in
// them: yaml.v3 loses some of these, or writes what is not YAML.
func openCommented(n *yaml.Node) bool {
	changed, _ := openIf(n)
	return changed
}

// openIf is openCommented, and whether there are comments on n or below it.
func openIf(n *yaml.Node) (changed, commented bool) {
	for _, child := range n.Content {
		open, has := openIf(child)
		changed, commented = changed || open, commented || has
	}
	if commented && n.Style&yaml.FlowStyle != 0 {
		n.Style &^= yaml.FlowStyle
		changed = true
	}
	return changed, commented || n.HeadComment+n.LineComment+n.FootComment != ""
}

// openAll makes block collections of all flow collections. It leaves alone what
// is nested so deep that the indentation would fill the memory.
func openAll(n *yaml.Node) bool {
	if depth(n) > maxDepth {
		return false
	}
	changed := false
	walk(n, func(n *yaml.Node) {
		if n.Style&yaml.FlowStyle != 0 {
			n.Style &^= yaml.FlowStyle
			changed = true
		}
	})
	return changed
}

// quoteBlocks double-quotes literal and folded scalars.
func quoteBlocks(n *yaml.Node) bool {
	changed := false
	walk(n, func(n *yaml.Node) {
		if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			changed = quote(n) || changed
		}
	})
	return changed
}

// quoteStrings double-quotes all strings that are not.
func quoteStrings(n *yaml.Node) bool {
	changed := false
	walk(n, func(n *yaml.Node) { changed = quote(n) || changed })
	return changed
}

// liftComments moves all comments within a top-level field above its key, where
// nothing can go wrong with them. It is better than to fail for a comment.
func liftComments(n *yaml.Node) bool {
	if n.Kind == yaml.DocumentNode {
		n = n.Content[0]
	}
	lifted := false
	for i := 0; i+1 < len(n.Content); i += 2 {
		var comments []string
		take := func(n *yaml.Node) {
			comments = append(comments, n.HeadComment, n.LineComment, n.FootComment)
			n.HeadComment, n.LineComment, n.FootComment = "", "", ""
		}
		walk(n.Content[i], take)
		walk(n.Content[i+1], take)
		n.Content[i].HeadComment = joinComments("\n", comments...)
		lifted = lifted || n.Content[i].HeadComment != ""
	}
	return lifted
}

// quote double-quotes a scalar, if that keeps its meaning and it is not yet. Of
// other types than string, a null that shows as nothing gets its word.
func quote(n *yaml.Node) bool {
	if n.Kind == yaml.ScalarNode && n.Value == "" && n.ShortTag() == "!!null" {
		n.Value = "null"
		return true
	}
	if n.Kind != yaml.ScalarNode || n.Style&yaml.DoubleQuotedStyle != 0 ||
		tagOf(n) != "!!str" && n.Style&yaml.TaggedStyle == 0 {
		return false
	}
	n.Style = n.Style&yaml.TaggedStyle | yaml.DoubleQuotedStyle
	return true
}

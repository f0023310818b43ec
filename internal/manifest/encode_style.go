package manifest

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// fallback is a change of style to try if a node does not read as intended. apply changes styles of the node and of
// the nodes below it, never a value, and reports whether it changed one (asItIs always does).
type fallback struct {
	apply     func(*yaml.Node) bool
	forValues bool // skipped if only comments differ
}

// fallbacks returns the fallbacks in the order of trying them.
func fallbacks() []fallback {
	return []fallback{{asItIs, false}, {openCommented, false}, {openAll, false}, {quoteBlocks, true}, {quoteStrings, true}, {liftComments, true}}
}

// asItIs changes nothing.
func asItIs(*yaml.Node) bool { return true }

// openCommented turns flow collections with comments in them into block collections: yaml.v3 loses some of these
// comments, or writes invalid YAML.
func openCommented(n *yaml.Node) bool {
	changed, _ := openIf(n)
	return changed
}

// openIf is openCommented. commented reports whether there are comments on n or below it.
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

// openAll turns all flow collections into block collections, unless n is nested so deep that the indentation would
// fill the memory.
func openAll(n *yaml.Node) bool {
	if depth(n) > maxDepth {
		return false
	}
	return restyle(n, func(n *yaml.Node) bool {
		was := n.Style
		n.Style &^= yaml.FlowStyle
		return n.Style != was
	})
}

// quoteBlocks double-quotes literal and folded scalars.
func quoteBlocks(n *yaml.Node) bool {
	return restyle(n, func(n *yaml.Node) bool { return n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 && quote(n) })
}

// quoteStrings double-quotes all strings.
func quoteStrings(n *yaml.Node) bool { return restyle(n, quote) }

// restyle changes n and the nodes below it, and reports whether that changed one.
func restyle(n *yaml.Node, change func(*yaml.Node) bool) (changed bool) {
	yamlnode.Walk(n, func(n *yaml.Node) { changed = change(n) || changed })
	return changed
}

// liftComments moves all comments within a top-level field above its key, where every text keeps them: a misplaced
// comment is better than an error.
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
		yamlnode.Walk(n.Content[i], take)
		yamlnode.Walk(n.Content[i+1], take)
		n.Content[i].HeadComment = yamlnode.JoinComments("\n", comments...)
		lifted = lifted || n.Content[i].HeadComment != ""
	}
	return lifted
}

// quote double-quotes a scalar, if that keeps its meaning, and reports whether it changed it. An empty null becomes
// the word null. A plain `on` stays plain: readers of YAML 1.1 take it for a boolean (see sameScalar).
func quote(n *yaml.Node) bool {
	if n.Kind == yaml.ScalarNode && n.Value == "" && n.ShortTag() == "!!null" {
		n.Value = "null"
		return true
	}
	if n.Kind != yaml.ScalarNode || n.Style&yaml.DoubleQuotedStyle != 0 || n.Style == 0 && yamlnode.IsBooleanWord(n.Value) ||
		yamlnode.Tag(n) != "!!str" && n.Style&yaml.TaggedStyle == 0 {
		return false
	}
	n.Style = n.Style&yaml.TaggedStyle | yaml.DoubleQuotedStyle
	return true
}

// depth returns the depth of nesting of n; a scalar has depth 1.
func depth(n *yaml.Node) int {
	deepest := 0
	for _, child := range n.Content {
		deepest = max(deepest, depth(child))
	}
	return deepest + 1
}

// quoteKept double-quotes block scalars that keep the line breaks at their end: empty lines below would become part
// of them.
func quoteKept(n *yaml.Node) {
	yamlnode.Walk(n, func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 && strings.HasSuffix("\n"+n.Value, "\n\n") {
			n.Style = n.Style&yaml.TaggedStyle | yaml.DoubleQuotedStyle
		}
	})
}

// yaml.v3 double-quotes a literal block if a line ends with a space, and also a scalar with a character beyond
// U+FFFF, such as an emoji, which it escapes: a whole embedded file becomes one line. So unused characters stand for
// these while n is written, and are replaced in the text.

// withMarks returns a copy of n with a mark for each of these characters, and the replacer that restores them; n
// itself and nil if it has none, or if too few marks are free.
func withMarks(n *yaml.Node) (*yaml.Node, *strings.Replacer) {
	odd := oddCharacters(n)
	marks := freeMarks(n, len(odd))
	if len(marks) == 0 {
		return n, nil
	}
	var there, back []string
	for i, r := range odd {
		back = append(back, marks[i], string(r))
		if r != ' ' {
			there = append(there, string(r), marks[i])
		}
	}
	spaces, characters := regexp.MustCompile(`(?m) +$`), strings.NewReplacer(there...)
	n = yamlnode.Clone(n)
	yamlnode.Walk(n, func(n *yaml.Node) {
		if endsLineWithSpace(n) {
			n.Value = spaces.ReplaceAllStringFunc(n.Value, func(run string) string { return strings.Repeat(marks[0], len(run)) })
		}
		if !isEscaped(n) {
			n.Value = characters.Replace(n.Value)
		}
	})
	return n, strings.NewReplacer(back...)
}

// oddCharacters returns the characters beyond U+FFFF in n and below it, and the space if a block has one before a line
// break, in order.
func oddCharacters(n *yaml.Node) (odd []rune) {
	yamlnode.Walk(n, func(n *yaml.Node) {
		if endsLineWithSpace(n) {
			odd = append(odd, ' ')
		}
		for _, r := range n.Value {
			if r > '\uFFFF' && !isEscaped(n) {
				odd = append(odd, r)
			}
		}
	})
	slices.Sort(odd)
	return slices.Compact(odd)
}

// isEscaped reports whether yaml.v3 escapes every character of n, marks too: its text begins with a byte order mark.
func isEscaped(n *yaml.Node) bool { return strings.HasPrefix(n.Value, "\uFEFF") }

// endsLineWithSpace reports whether n is a literal block with a space before a line break. A block whose last line
// ends with a space but no line break is quoted.
func endsLineWithSpace(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style&yaml.LiteralStyle != 0 && strings.Contains(n.Value, " \n")
}

// freeMarks returns count private-use characters that do not occur in n, nil if there are too few.
func freeMarks(n *yaml.Node, count int) []string {
	taken := map[rune]bool{}
	if count > 0 {
		yamlnode.Walk(n, func(n *yaml.Node) {
			for _, r := range n.Value + n.HeadComment + n.LineComment + n.FootComment + n.Tag {
				taken[r] = true
			}
		})
	}
	var marks []string
	for mark := '\uE000'; mark <= '\uF8FF' && len(marks) < count; mark++ {
		if !taken[mark] {
			marks = append(marks, string(mark))
		}
	}
	if len(marks) < count {
		return nil
	}
	return marks
}

// PlaceComments puts the comments of n and of the nodes below it where the encoder writes and the parser finds them,
// so that they can be compared: their place depends on whether a collection is block or flow. It also removes the tag
// of plain `<<` keys, beside which yaml.v3 would write quotes.
func PlaceComments(n *yaml.Node) {
	placeCommentsBelow(n, false)
	placeElementComments(n, false)
}

// placeCommentsBelow places the comments of n and of the nodes below it. flow is true inside a flow collection.
func placeCommentsBelow(n *yaml.Node, flow bool) {
	n.HeadComment, n.LineComment, n.FootComment = tidy(n.HeadComment), oneLine(n.LineComment), tidy(n.FootComment)
	if yamlnode.Tag(n) == "!!merge" && n.Style&^yaml.TaggedStyle == 0 {
		n.Tag, n.Style = "", 0
	}
	flow = flow || n.Style&yaml.FlowStyle != 0
	for i, child := range n.Content {
		placeCommentsBelow(child, flow)
		switch {
		case n.Kind == yaml.SequenceNode:
			placeElementComments(child, flow)
		case n.Kind == yaml.MappingNode && i%2 == 1:
			placeFieldComments(n.Content[i-1], child, flow)
		}
	}
}

// placeFieldComments places the comments of a field, after those of its key and value. A field has one line comment:
// on the key if the value is a block collection that is not empty, else on the value (rules/comments-and-text:
// anchors and aliases); but beside an anchor or a tag, or behind a key that is a collection, yaml.v3 cannot write one.
// The comment below a field is the key's.
func placeFieldComments(key, value *yaml.Node, flow bool) {
	comment := yamlnode.JoinComments(" ", key.LineComment, value.LineComment)
	key.LineComment, value.LineComment = "", ""
	if !flow && yamlnode.IsBlock(value) {
		placeFootComment(value)
	}
	key.FootComment = yamlnode.JoinComments("\n", value.FootComment, key.FootComment)
	value.FootComment = ""
	switch {
	case flow || !yamlnode.IsBlock(value):
		value.LineComment = comment
	case yamlnode.IsMarked(value) || isCollection(key):
		key.HeadComment = yamlnode.JoinComments("\n", key.HeadComment, comment)
	default:
		key.LineComment = comment
	}
	if !flow {
		placeHeadComment(key, value)
	}
}

// placeHeadComment moves the head comment of a value to a node with a line of its own: the first node of a block
// collection, else the key.
func placeHeadComment(key, value *yaml.Node) {
	if yamlnode.IsBlock(value) {
		first := value.Content[0]
		first.HeadComment = yamlnode.JoinComments("\n", value.HeadComment, first.HeadComment)
	} else {
		key.HeadComment = yamlnode.JoinComments("\n", key.HeadComment, value.HeadComment)
	}
	value.HeadComment = ""
}

// placeElementComments places the comments of a block collection that is not the value of a field: the comment behind
// its dash goes above its first node, and the comment below it to its last node.
func placeElementComments(n *yaml.Node, flow bool) {
	if flow || !yamlnode.IsBlock(n) || n.Kind == yaml.DocumentNode {
		return
	}
	first := n.Content[0]
	first.HeadComment, n.LineComment = yamlnode.JoinComments("\n", n.LineComment, first.HeadComment), ""
	placeFootComment(n)
}

// placeFootComment moves the comment below the content of a block collection to its last node.
func placeFootComment(n *yaml.Node) {
	if n.FootComment == "" {
		return
	}
	last := n.Content[len(n.Content)-1]
	if n.Kind == yaml.MappingNode {
		last = n.Content[len(n.Content)-2]
	}
	last.FootComment, n.FootComment = yamlnode.JoinComments("\n", last.FootComment, n.FootComment), ""
	if n.Kind == yaml.SequenceNode {
		placeElementComments(last, false)
	}
}

// tidy returns a comment in the form that the parser gives it: every line begins with `#`, and there are no empty
// lines around it.
func tidy(text string) string {
	if text == "" {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, l := range lines {
		lines[i] = comment(l)
	}
	return strings.Join(lines, "\n")
}

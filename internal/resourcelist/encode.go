package resourcelist

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// form is how one kind of text is written and read: an item in its list, or the shell.
type form struct {
	write func(*yaml.Node) ([]byte, error)
	read  func([]byte) (*yaml.Node, error)
}

// encodeItem encodes n as an item of a list with dashes in the given column.
// It is an error if no text can be found that gives the values of n.
func encodeItem(n *yaml.Node, wide bool, column int) ([]byte, error) {
	return exact(n, form{
		write: func(n *yaml.Node) ([]byte, error) {
			list := &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{n}}
			text, err := encode(list, wide)
			return indented(text, column), err
		},
		read: func(text []byte) (*yaml.Node, error) { return parseItem(text) },
	})
}

// exact encodes n such that reading the text gives the same kinds, values, tags, anchors and comments
// (rules/comments-and-text: anchors and aliases). Where yaml.v3 fails to, it changes the style of a copy of n, as
// little as will do. It is an error if nothing gives the same values; where only comments differ, the text that
// loses the fewest, and moves the fewest, is taken.
func exact(n *yaml.Node, f form) ([]byte, error) {
	n = yamlnode.Clone(n)
	var best []byte
	lost, moved := -1, 0
	for _, next := range fallbacks() {
		if best != nil && (lost+moved == 0 || next.forValues) || !next.apply(n) {
			continue
		}
		text, d := f.attempt(n)
		if !d.sameValues() {
			continue
		}
		if l := lostComments(n, text, d); best == nil || l < lost || l == lost && d.comments < moved {
			best, lost, moved = text, l, d.comments
		}
	}
	if best == nil {
		return nil, errors.New("no YAML text found that reads back as the merged value")
	}
	return best, nil
}

// attempt writes n and compares what is read with it. Scalars that come out different are double-quoted in n.
func (f form) attempt(n *yaml.Node) ([]byte, difference) {
	placeComments(n)
	text, d := f.once(n)
	if d.structure || !slices.ContainsFunc(d.scalars, quote) {
		return text, d
	}
	for _, s := range d.scalars {
		quote(s)
	}
	return f.once(n)
}

// once writes n and compares what is read with it.
func (f form) once(n *yaml.Node) ([]byte, difference) {
	text, err := f.write(n)
	if err != nil {
		return nil, difference{structure: true}
	}
	got, err := f.read(text)
	if err != nil {
		return nil, difference{structure: true}
	}
	placeComments(got)
	return text, compare(n, got)
}

// encode writes n with an indentation of two.
func encode(n *yaml.Node, wide bool) (text []byte, err error) {
	defer recovered(&err)
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if wide {
		encoder.DefaultSeqIndent()
	} else {
		encoder.CompactSeqIndent()
	}
	n, mark := markTrailingSpaces(n)
	if err = encoder.Encode(n); err != nil {
		return nil, err
	}
	if err = encoder.Close(); err != nil {
		return nil, err
	}
	return unmarkTrailingSpaces(b.Bytes(), mark), nil
}

// indented puts spaces before every line that is not empty, and an empty line
// after a last comment that would else go to the item below.
func indented(text []byte, column int) []byte {
	margin := strings.Repeat(" ", column)
	var b bytes.Buffer
	for l := range bytes.Lines(text) {
		if column > 0 && len(l) > 1 {
			b.WriteString(margin)
		}
		b.Write(l)
	}
	if bytes.HasPrefix(lastLine(text), []byte("#")) && !bytes.HasSuffix(text, []byte("\n\n")) {
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// itemError says which item an error is about.
func itemError(number int, item *Item, err error) error {
	if item.Line > 0 {
		return fmt.Errorf("line %d: item %d, %s: %w", item.Line, number, resourceName(item.Head()), err)
	}
	return fmt.Errorf("item %d, %s: %w", number, resourceName(item.Head()), err)
}

// fallback is something to try where a node does not come out as it was meant. It changes the style of the node and
// what is below it, never a value, and tells whether it did (the first one: that there is something to try at all).
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
		n.Content[i].HeadComment = yamlnode.JoinComments("\n", comments...)
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

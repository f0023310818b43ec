package manifest

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

var errNoText = errors.New("no YAML text found that reads back as the merged value")

// encoded returns the lines of an entry that has no text, at a column.
func (e *editor) encoded(part *Part, column int) []byte {
	n := &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{ready(part.Value)}}
	if part.Key != nil {
		n = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{ready(part.Key), ready(part.Value)}}
	}
	out, err := encode(n, e.layout)
	if err != nil {
		return nil // what is read again shows that it lacks
	}
	out, _ = shifted(out, column, e.eol)
	return out
}

// isUnfolding reports whether upstream's resource is in brackets, and local's in lines: the
// styles of what comes from upstream are its form's, and not anybody's.
func (e *editor) isUnfolding() bool {
	return e.base == parts.Local && e.other != nil && e.other.inBrackets() && !e.text.inBrackets()
}

// inBrackets reports whether the resource is in brackets.
func (t *Text) inBrackets() bool {
	return len(t.top.entries) > 0 && t.top.entries[0].value.form == flow
}

// inLines is a value from brackets as it is written in lines: collections as blocks, texts
// plain where they can be, and in literal blocks where they have several lines.
func inLines(n *yaml.Node) *yaml.Node {
	c := *n
	if c.Style &^= yaml.FlowStyle; c.Kind == yaml.ScalarNode {
		c.Style &^= yaml.DoubleQuotedStyle
		if strings.Contains(strings.TrimRight(c.Value, "\n"), "\n") {
			c.Style |= yaml.LiteralStyle
		}
	}
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, k := range n.Content {
		c.Content[i] = inLines(k)
	}
	return &c
}

// encodeWhole writes the whole resource anew, at the place of its text. It is an
// error if that does not read as the values that were decided.
func encodeWhole(t *Text, result *Part) ([]byte, error) {
	if t.json || t.kyaml || t.inList {
		w := t.flowWriter()
		start, end := t.brackets()
		w.value(result.Value, t.outer())
		if out := slices.Concat(t.Bytes()[:start], w.out, t.Bytes()[end:]); !w.failed && t.reads(out, result) {
			return out, nil
		}
	}
	if t.inList {
		return nil, errNoText
	}
	n, column := ready(result.Value), 0
	if t.item {
		n = &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{n}}
		for column < len(t.bytes) && t.bytes[column] == ' ' {
			column++
		}
	}
	l := layoutOf(t)
	out, err := encode(n, l)
	if err != nil {
		return nil, err
	}
	out, _ = shifted(out, column, l.eol)
	if plain := (Text{item: t.item}); !plain.reads(out, result) {
		return nil, errNoText
	}
	return out, nil
}

// reads reports whether a text in the place of t has the values of a result. JSON
// has ways of its own to say some, so that it is YAML is enough.
func (t *Text) reads(out []byte, result *Part) bool {
	read := Document
	if t.item {
		read = Item
	}
	got, err := read(out)
	return err == nil && (t.json || sameValue(flattened(result.Value), flattened(got.root)))
}

// encode writes n, and scalars double-quoted that come out different.
func encode(n *yaml.Node, l layout) ([]byte, error) {
	for range 2 {
		out, err := marshal(n, l)
		if err != nil {
			return nil, err
		}
		got, err := parse(out)
		if err == nil && !quoteChanged(n, got.Content[0]) {
			return out, nil
		}
		if err != nil {
			quoteAll(n)
		}
	}
	return marshal(n, l)
}

func marshal(n *yaml.Node, l layout) (out []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = errNoText
		}
	}()
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	if encoder.SetIndent(l.unit); l.wide || hasFoot(n) {
		encoder.DefaultSeqIndent()
	} else {
		encoder.CompactSeqIndent()
	}
	if err = encoder.Encode(n); err == nil {
		err = encoder.Close()
	}
	return b.Bytes(), err
}

// hasFoot reports whether there is a comment below what is in a list: it needs a column of its own.
func hasFoot(n *yaml.Node) bool {
	return n.Kind == yaml.SequenceNode && len(n.Content) > 0 && n.Content[len(n.Content)-1].FootComment != "" || slices.ContainsFunc(n.Content, hasFoot)
}

// quoteChanged double-quotes the scalars below want that got has otherwise, and reports whether there are any.
func quoteChanged(want, got *yaml.Node) bool {
	if want.Kind == yaml.ScalarNode && (got.Kind != want.Kind || !sameScalar(want, got)) {
		return quote(want)
	}
	if want.Kind != got.Kind || len(want.Content) != len(got.Content) {
		return quoteAll(want)
	}
	changed := false
	for i := range want.Content {
		changed = quoteChanged(want.Content[i], got.Content[i]) || changed
	}
	return changed
}

func quoteAll(n *yaml.Node) bool {
	changed := quote(n)
	for _, c := range n.Content {
		changed = quoteAll(c) || changed
	}
	return changed
}

// quote double-quotes a text, and reports whether it was not yet. A null that shows as nothing gets its word.
func quote(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode {
		return false
	}
	if n.Value == "" && n.ShortTag() == "!!null" {
		n.Value = "null"
		return true
	}
	if n.Style&yaml.DoubleQuotedStyle != 0 || n.ShortTag() != "!!str" && n.Style&yaml.TaggedStyle == 0 {
		return false
	}
	n.Style = n.Style&yaml.TaggedStyle | yaml.DoubleQuotedStyle
	return true
}

// isCommented reports whether there is a comment at n or below.
func isCommented(n *yaml.Node) bool {
	return hasRemarks(n) || slices.ContainsFunc(n.Content, isCommented)
}

// ready copies n for the encoder, which writes the comment below a collection as that of its last entry, the one
// behind a dash as that above the first entry, writes a plain `<<` with a tag if it has one, and has no place for
// comments in brackets: what holds some comes in lines.
func ready(n *yaml.Node) *yaml.Node {
	c := *n
	if n.Style&yaml.FlowStyle != 0 && slices.ContainsFunc(n.Content, isCommented) {
		c.Style &^= yaml.FlowStyle
	}
	if isMergeKey(n) {
		c.Tag = ""
	}
	if n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 && strings.HasSuffix("\n"+n.Value, "\n\n") {
		c.Style = n.Style&yaml.TaggedStyle | yaml.DoubleQuotedStyle // empty lines below would be in it
	}
	c.Content = slices.Clone(n.Content)
	for i := range c.Content {
		c.Content[i] = ready(c.Content[i])
		if k := c.Content[i]; c.Kind == yaml.SequenceNode && yamlnode.IsBlock(k) {
			first := k.Content[0] // a copy
			first.HeadComment, k.LineComment = yamlnode.JoinComments("\n", k.LineComment, first.HeadComment), ""
		}
	}
	if c.FootComment != "" && yamlnode.IsBlock(&c) {
		last := c.Content[len(c.Content)-1]
		if c.Kind == yaml.MappingNode {
			last = c.Content[len(c.Content)-2]
		}
		last.FootComment, c.FootComment = yamlnode.JoinComments("\n", last.FootComment, c.FootComment), ""
	}
	return &c
}

// Encoding is something that came out of the encoder, as no text has it.
type Encoding struct {
	// What is "resource", or the kind of a field or an element: "scalar", "map" or "list".
	What string
	// Why is the reason.
	Why string
}

// The reasons.
const (
	notUnderstood = "the layout is not understood"
	notEdited     = "no edit reads back as the merged value"
	notRead       = "the edit does not read back as the merged value"
	noSource      = "the merge made it, no side has it"
	inBrackets    = "upstream has it in brackets, local in lines"
	isAnchored    = "an anchor or an alias"
	ofUpstream    = "upstream added it, local has a different value"
	notTaken      = "upstream's lines cannot stand there"
)

// tell notes that a part is encoded.
func (e *editor) tell(part *Part, why string) {
	what := "scalar"
	switch yamlnode.Resolve(part.Value).Kind {
	case yaml.MappingNode:
		what = "map"
	case yaml.SequenceNode:
		what = "list"
	}
	e.told = append(e.told, Encoding{what, why})
}

// whyNot is why the text of the other side cannot stand in a place, or "".
func (e *editor) whyNot(from source) string {
	switch {
	case e.isForced():
		return notRead
	case from.entry == nil:
		return noSource
	case e.base == parts.Upstream:
		return ofUpstream
	case from.in.form != block:
		return inBrackets
	}
	return ""
}

package manifest

import (
	"bytes"
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/parts"
)

// attempts limits the number of wrongly read fields that are encoded one by one, before the whole resource is.
const attempts = 8

// Edit returns the text of result: local's with edits (rules/comments-and-text: unchanged text), and the parts that
// had to be encoded, with the reasons. upstream is nil if there is no such text. It is an error if no text reads as
// the decided values.
func Edit(local, upstream *Text, result Part) (out []byte, encodings []Encoding, err error) {
	pieces, encodings, err := EditInPieces(local, upstream, nil, result)
	return bytes.Join(pieces, nil), encodings, err
}

// EditInPieces is [Edit] with the text in pieces. The pieces of local's text are parts of it, and take no memory of
// their own. If origin is not nil, upstream's changes of empty lines are among the edits
// (rules/comments-and-text: empty lines).
func EditInPieces(local, upstream, origin *Text, result Part) (pieces [][]byte, encodings []Encoding, err error) {
	pieces, encodings, err = editInPieces(local, upstream, &result)
	if err == nil && origin != nil {
		pieces = spaced(origin, upstream, local, pieces, &result)
	}
	return pieces, encodings, err
}

func editInPieces(local, upstream *Text, result *Part) (pieces [][]byte, encodings []Encoding, err error) {
	why := notUnderstood
	if result.Value == local.Root() {
		return [][]byte{local.Bytes()}, nil, nil
	}
	if len(local.top.entries) > 0 {
		if pieces, encodings := edited(local, upstream, result); pieces != nil {
			return pieces, encodings, nil
		}
		why = notEdited
	}
	out, err := encodeWhole(local, result)
	return [][]byte{out}, []Encoding{{What: "resource", Why: why}}, err
}

// edited returns local's text with edits, nil if none reads as the decided values. If a comment has no place, the
// result is the first attempt that only moves comments.
func edited(local, upstream *Text, result *Part) (moved [][]byte, encodings []Encoding) {
	next := editor{base: parts.Local, text: local, other: upstream}
	for range attempts {
		e := next
		pieces := e.run(result)
		if e.mustEncode || !e.doubt {
			return pieces, e.encodings
		}
		pieces, f := e.checked(pieces, result)
		if f.right {
			return pieces, e.encodings
		}
		if f.moved && moved == nil {
			moved, encodings = pieces, e.encodings
		}
		if !next.adapt(&e, f) {
			break
		}
	}
	return moved, encodings
}

// checked checks a text. If local's last line has no line break, the text may need one, which is part of a block
// scalar.
func (e *editor) checked(pieces [][]byte, result *Part) ([][]byte, finding) {
	out := bytes.Join(pieces, nil)
	f := e.check(out, result)
	if e.text.broken && !f.right {
		if g := e.check(append(out, '\n'), result); g.right {
			return append(pieces, []byte("\n")), g
		}
	}
	return pieces, f
}

// adapt prepares the next attempt after one with a fault, and reports whether there is one.
func (e *editor) adapt(last *editor, f finding) bool {
	switch {
	case last.named != nil && e.planted == nil:
		e.planted = last.named
	case f.unread && last.named != nil:
		e.expands = true
	case f.unread && !e.bare && e.text.marked:
		e.bare = true
	default:
		e.forced = force(e.forced, f.at)
		return e.forced != nil
	}
	return true
}

// force adds a path to the encoded ones: the path of a fault, or the nearest path around it that is not encoded yet;
// nil if that is the path of the resource.
func force(forced [][]int, at []int) [][]int {
	for len(at) > 0 && slices.ContainsFunc(forced, func(f []int) bool { return slices.Equal(f, at) }) {
		at = at[:len(at)-1]
	}
	if len(at) == 0 {
		return nil
	}
	return append(slices.Clone(forced), slices.Clone(at))
}

// change is an edit: the bytes from start to end become text.
type change struct {
	start, end int
	text       []byte
}

// editor makes edits of the text of the side base, which is upstream if upstream's changes are added to local's
// text.
type editor struct {
	base        parts.Side
	text, other *Text
	changes     []change
	// doubt reports whether the text must be read again.
	doubt bool
	// decided is the result. resultLines and upstreamLines count the comment lines of the result and of upstream; nil before their
	// first use.
	decided                    *yaml.Node
	resultLines, upstreamLines map[string]int
	// left are comments that stay although the entry below them is gone.
	left []string
	// path is the editor's position as indices; forced are the paths to encode.
	path   []int
	forced [][]int
	layout
	// anchors are the decided values of anchors; bare removes all aliases, because one names a removed anchor.
	anchors map[string]*yaml.Node
	bare    bool
	// expands forbids lines of upstream with an anchor or an alias. named are the aliases in lines taken from
	// upstream, and planted the anchors that local gets for them.
	expands        bool
	named, planted map[string]bool
	// encodings are the encoded parts.
	encodings []Encoding
	// mustEncode reports whether the resource must be encoded.
	mustEncode bool
	// above is the last entry that stays above the edited one in its collection, nil if there is none.
	above *entry
	// arrived is the last arrival from the other side, for the empty lines below it.
	arrived arrival
	// open are the parts without a comma behind them: the last ones of flow collections.
	open map[*Part]bool
	// home edits local's text, if this editor edits lines of upstream's; these move by away columns afterwards. columns has the columns of local's lines of comments; nil before its first use.
	home    *editor
	away    int
	columns map[string]int
}

// run returns the pieces of the edited text, nil if the resource must be encoded.
func (e *editor) run(result *Part) [][]byte {
	t := e.text
	e.decided = result.Value
	e.layout, e.doubt = layoutOf(t), t.marked || t.broken && !t.json || e.other != nil && e.other.broken
	from := source{}
	if e.other != nil && len(e.other.top.entries) > 0 {
		from = source{in: e.other.top, entry: &e.other.top.entries[0]}
	}
	e.entry(t.top, &t.top.entries[0], from, result)
	if e.mustEncode {
		return nil
	}
	if t.broken {
		return [][]byte{t.asFile(applied(t.bytes, 0, len(t.bytes), e.changes))}
	}
	return piecesOf(t.bytes, 0, len(t.bytes), e.changes)
}

// applied returns the bytes of text from start to end with the changes made.
func applied(text []byte, start, end int, changes []change) []byte {
	return bytes.Join(piecesOf(text, start, end, changes), nil)
}

// piecesOf returns the pieces of text from start to end with the changes made, which do not overlap.
func piecesOf(text []byte, start, end int, changes []change) [][]byte {
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	pieces, at := make([][]byte, 0, 2*len(changes)+1), start
	for _, c := range changes {
		pieces = append(pieces, text[at:max(at, c.start)], c.text)
		at = max(at, c.end)
	}
	return append(pieces, text[at:end])
}

// change replaces the bytes from start to end.
func (e *editor) change(start, end int, text []byte) {
	e.changes = append(e.changes, change{start, end, text})
}

// source is the counterpart of an entry in the other text, if there is one.
type source struct {
	in    *place
	entry *entry
}

// value returns the place of the counterpart's value, nil if there is none.
func (s source) value() *place {
	if s.entry == nil {
		return nil
	}
	return s.entry.value
}

// isForced reports whether the editor's entry must be encoded.
func (e *editor) isForced() bool {
	return len(e.forced) > 0 && slices.ContainsFunc(e.forced, func(f []int) bool { return slices.Equal(f, e.path) })
}

// entry edits an entry of a collection over lines.
func (e *editor) entry(in *place, le *entry, from source, part *Part) {
	was, encodings := len(e.changes), len(e.encodings)
	if !e.isForced() && e.head(in, le, from, part) && e.value(in, le, from, part) && e.lineComment(in, le, from.entry, part) && e.foot(in, le, from, part) {
		e.comma(in, le, part)
		return
	}
	e.changes, e.encodings = e.changes[:was], e.encodings[:encodings]
	if in == e.text.top && (!e.text.item || e.other == nil || !e.other.item) {
		e.mustEncode = true
		return
	}
	e.replace(in, le, from, part)
}

// value edits the value of an entry, and reports whether it could.
func (e *editor) value(in *place, le *entry, from source, part *Part) bool {
	lp, d := le.value, part.Value
	e.noteAnchor(le, from.value(), d)
	e.doubt = e.doubt || le.question
	switch {
	case e.isKept(le, from.value(), part):
		return true
	case le.key != nil && isMergeKey(le.key) && lp.node == d: // its anchor may have changed: its text has not
		return true
	case lp.node.Kind == yaml.AliasNode:
		return e.alias(lp.node, part) || d.Kind == yaml.ScalarNode && !le.odd && e.scalar(in, le, from, part) ||
			in.form == flow && e.inMember(in, le, from, d)
	case lp.odd:
		own, _ := e.entries(part)
		return own.Value != nil && sameTree(d, own.Value) || own.Value == nil && sameTree(d, lp.node)
	case d.Kind == yaml.AliasNode:
		return false
	case in.form == flow && (!sameForm(d, lp.node) || isCollection(d) && (len(d.Content) == 0) != (len(lp.node.Content) == 0)):
		return e.inMember(in, le, from, d)
	case !sameForm(d, lp.node):
		return false
	case d.Kind == yaml.ScalarNode:
		return e.scalar(in, le, from, part)
	case len(d.Content) == 0 && lp.form == block && le.comment >= 0 && !lp.isMarked():
		e.empty(in, le, from.value(), part)
		return true
	case len(d.Content) == 0 || len(lp.node.Content) == 0:
		return len(d.Content) == len(lp.node.Content)
	case lp.form == block || lp.lines:
		return e.block(in, lp, from.value(), part)
	}
	return e.flow(lp, from.value(), part)
}

// isKept reports whether the value of an entry certainly needs no edits: it is the text's own, and the other side has
// the same text or none.
func (e *editor) isKept(le *entry, up *place, part *Part) bool {
	own := le.value
	return own.node == part.Value && le.key == part.Key && len(e.forced) == 0 && !e.text.marked &&
		(up == nil || bytes.Equal(e.text.bytes[own.start:own.end], e.other.bytes[up.start:up.end]))
}

// replace writes an entry of a block collection anew: from the other side's lines, else encoded.
func (e *editor) replace(in *place, le *entry, from source, part *Part) {
	start, float := le.lead, le.inline(e.text.bytes)
	if hasComment(e.text.bytes[le.float:max(le.float, le.lead)]) || from.entry != nil && hasComment(e.other.bytes[from.entry.float:max(from.entry.float, from.entry.lead)]) {
		start, float = le.float, true
	}
	lines := e.lines(in, from, part, float)
	if n := len(e.changes); n > 0 && e.changes[n-1].end == start && isBelowBlank(e.changes[n-1].text, len(e.changes[n-1].text)) {
		lines = lines[skipBlankLines(lines, 0):]
	}
	if le.inline(e.text.bytes) {
		start, lines = e.inlined(le.start, lines)
	}
	e.change(start, le.end, lines)
	e.arrive(le.end, from.entry, lines)
}

// hasComment reports whether there is a comment in lines between entries.
func hasComment(lines []byte) bool { return bytes.IndexByte(lines, '#') >= 0 }

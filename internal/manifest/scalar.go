package manifest

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/align"
)

// written is the text of a scalar: the part in the line of its key, and the lines below of a block scalar.
type written struct {
	head, body []byte
	block      bool
}

// scalar edits a scalar in a collection of lines: its token, or the lines of a block scalar.
func (e *editor) scalar(in *place, le *entry, from source, part *Part) bool {
	lp := le.value
	if lp.node.Kind == yaml.ScalarNode && sameScalar(part.Value, lp.node) && part.Value.Anchor == "" {
		return true
	}
	if in.form == flow {
		return e.inMember(in, le, from, part.Value)
	}
	if _, ok := lp.content(e.text.bytes); !ok {
		return false
	}
	w, ok := e.written(in, lp, from, part)
	if !ok || len(w.head) == 0 && lp.node.Anchor != "" {
		return false
	}
	e.doubt = e.doubt || le.odd
	e.put(le, w)
	return true
}

// written returns the text of a scalar in place of another one: the other side's, else the value encoded.
func (e *editor) written(in, lp *place, from source, part *Part) (w written, ok bool) {
	d, why := part.Value, noSource
	if e.isUnfolding() && d.Style&yaml.DoubleQuotedStyle != 0 {
		d, why = inLines(d), inBrackets
		d.Style |= lp.node.Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle)
	}
	if w, ok = e.taking(in, lp, from, d); ok {
		return w, true
	}
	if w, ok = e.writing(in, lp, d); ok {
		e.noteEncoding(part, why)
		e.doubt = true
	}
	return w, ok
}

// put replaces a scalar, whose anchor stays.
func (e *editor) put(le *entry, w written) {
	lp := le.value
	start, _ := lp.content(e.text.bytes)
	switch {
	case lp.form == literal:
		e.change(start, lp.head, w.head)
		e.change(lp.body, lp.end, w.body)
		return
	case lp.form == empty:
		if len(w.head) > 0 {
			e.change(lp.start, lp.start, append([]byte(" "), w.head...))
		}
	case len(w.head) == 0:
		e.change(le.mark, lp.end, nil)
	default:
		e.change(start, lp.end, w.head)
	}
	if w.block {
		e.change(le.end, le.end, w.body)
	}
}

// taking takes the text of a scalar from the other side.
func (e *editor) taking(in, lp *place, from source, d *yaml.Node) (written, bool) {
	u := from.value()
	if u == nil || u.node.Kind != yaml.ScalarNode || u.node.Style != d.Style || !sameScalar(d, u.node) || isMergeKey(d) {
		return written{}, false
	}
	text := e.other.bytes
	start, ok := u.content(text)
	if !ok {
		return written{}, false
	}
	if u.form == empty {
		return written{}, true
	}
	if u.form == literal {
		return e.takingBlock(in, lp, from, u)
	}
	token := text[start:u.end:u.end]
	if bytes.IndexByte(token, '\n') >= 0 {
		e.doubt = true
		first := bytes.IndexByte(token, '\n') + 1
		rest, exact := shifted(token[first:], in.column-from.in.column)
		if from.in.form == flow || !exact {
			return written{}, false
		}
		token = slices.Concat(token[:first], rest)
	}
	return written{head: token}, true
}

// takingBlock takes a block scalar, with its lines at the column of the replaced ones.
func (e *editor) takingBlock(in, lp *place, from source, u *place) (written, bool) {
	e.doubt = true
	column := u.indent + in.column - from.in.column
	if lp.form == literal {
		column = lp.indent
	}
	own := max(in.column, 0)
	start, _ := u.content(e.other.bytes)
	head := e.other.bytes[start:u.head]
	if at := bytes.IndexAny(head[u.bare-start:], "123456789"); at >= 0 {
		at += u.bare - start
		if column-own > 9 {
			return written{}, false
		}
		head = append(append(bytes.Clone(head[:at]), strconv.Itoa(column-own)...), head[at+1:]...)
	}
	body, _ := shifted(e.other.bytes[u.body:u.end], column-u.indent)
	return written{head: head, body: body, block: true}, true
}

// writing encodes a scalar: as a block or in single quotes over lines if it was so and can be so, else in one line.
func (e *editor) writing(in, lp *place, d *yaml.Node) (written, bool) {
	if d.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		column := in.column + e.unit
		if lp.form == literal {
			column = lp.indent
		}
		if w, ok := e.blockOf(in, d, column); ok {
			w.head = e.indicator(lp, d, w.head)
			if lp.form == literal {
				w.body = withSpacesOf(e.text.bytes[lp.body:lp.end], w.body)
			}
			return w, true
		}
	}
	if token, ok := e.quotedLines(lp, d); ok {
		return written{head: token}, true
	}
	n := *d
	n.HeadComment, n.LineComment, n.FootComment, n.Anchor = "", "", "", ""
	token, err := encodeScalar(&n)
	return written{head: token}, err == nil
}

// quotedLines writes a text in single quotes over lines, where one stood in single quotes over lines: lines of the text that
// it had too are folded as they were, and others are in one line each.
func (e *editor) quotedLines(lp *place, d *yaml.Node) ([]byte, bool) {
	if lp.form != token || lp.node.Style != yaml.SingleQuotedStyle || d.Style != yaml.SingleQuotedStyle || d.Anchor != "" || !strings.Contains(d.Value, "\n") {
		return nil, false
	}
	quoted := strings.Split(string(e.text.bytes[lp.bare+1:lp.end-1]), "\n")
	if len(quoted) == 1 {
		return nil, false
	}
	const spaces = " \t"
	folded, margin := map[string]string{}, quoted[1][:len(quoted[1])-len(strings.TrimLeft(quoted[1], spaces))]
	text, line, empty := quoted[0], strings.TrimRight(quoted[0], spaces), 0
	for i, next := range quoted[1:] {
		switch next = strings.TrimLeft(next, spaces); {
		case next == "" && i+2 < len(quoted):
			empty++
			continue
		case empty == 0: // a folded line goes on
			text, line = text+"\n"+quoted[i+1], line+" "+strings.TrimRight(next, spaces)
			continue
		}
		folded[strings.ReplaceAll(line, "''", "'")] = text
		margin = quoted[i+1][:len(quoted[i+1])-len(next)]
		text, line, empty = next, strings.TrimRight(next, spaces), 0
	}
	folded[strings.ReplaceAll(line, "''", "'")] = text
	out, lines := "'", strings.Split(d.Value, "\n")
	for i, line := range lines {
		if strings.Trim(line, spaces) != line || strings.ContainsFunc(line, isUnfit) {
			return nil, false
		}
		text, known := folded[line]
		if !known {
			text = strings.ReplaceAll(line, "'", "''")
		}
		switch {
		case i == 0:
			out += text
		case line == "" && i+1 < len(lines):
			out += "\n"
		default:
			out += "\n\n" + margin + text
		}
	}
	return []byte(out + "'"), true
}

// blockOf writes a literal or a folded block, with an indentation indicator if its first text begins with a space. A folded
// block has each line of the text in one line, with an empty line between two.
func (e *editor) blockOf(in *place, d *yaml.Node, column int) (written, bool) {
	text := strings.TrimRight(d.Value, "\n")
	deeper := column - max(in.column, 0)
	if text == "" || deeper < 1 || deeper > 9 || strings.ContainsFunc(text, isUnfit) || d.Style&yaml.TaggedStyle != 0 || d.Anchor != "" {
		return written{}, false
	}
	head, lines := "|", d.Value
	if d.Style&yaml.FoldedStyle != 0 {
		if strings.ContainsRune(text, '\t') || strings.Contains("\n"+text, "\n ") || text[0] == '\n' {
			return written{}, false // lines that begin with spaces are not folded
		}
		head, lines = ">", strings.ReplaceAll(text, "\n", "\n\n")+d.Value[len(text):]
	}
	if strings.HasPrefix(strings.TrimLeft(text, "\n"), " ") {
		head += strconv.Itoa(deeper)
	}
	head += [3]string{"-", "", "+"}[min(2, len(d.Value)-len(text))]
	body, _ := shifted([]byte(lines), column)
	if !bytes.HasSuffix(body, []byte("\n")) {
		body = append(body, '\n')
	}
	return written{head: []byte(head), body: body, block: true}, true
}

// withSpacesOf returns the lines of a block with the spaces that the block in its place has in its empty lines, where those lines
// stayed.
func withSpacesOf(was, body []byte) []byte {
	lines := func(text []byte) (lines, bare []string) {
		for line := range strings.Lines(string(text)) {
			lines = append(lines, line)
			if strings.TrimLeft(line, " ") == "\n" {
				line = "\n"
			}
			bare = append(bare, line)
		}
		return lines, bare
	}
	own, bareOwn := lines(was)
	out, bare := lines(body)
	for i, j := range align.Lines(bareOwn, bare) {
		if j >= 0 && out[j] == "\n" {
			out[j] = own[i]
		}
	}
	return []byte(strings.Join(out, ""))
}

// indicator returns the indicator of a literal block in place of another one: that one's, if it says the same of the new
// text, such as `|+` of one line break at the end.
func (e *editor) indicator(lp *place, d *yaml.Node, head []byte) []byte {
	if lp.form != literal || lp.node.Style != d.Style {
		return head
	}
	own := e.text.bytes[lp.bare:lp.head:lp.head]
	isMissing := func(c rune) bool { return !bytes.ContainsRune(own, c) }
	if bytes.ContainsFunc(head, isMissing) || bytes.IndexByte(own, '-') >= 0 && bytes.IndexByte(head, '-') < 0 {
		return head
	}
	return own
}

// isUnfit reports whether a literal block cannot have a character: YAML forbids it or takes it for a line break.
func isUnfit(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || strings.ContainsRune("\x7f\u0085\u2028\u2029\uFEFF", r)
}

// encodeScalar writes a scalar in one line: in its style, or double-quoted.
func encodeScalar(n *yaml.Node) ([]byte, error) {
	quoted := *n
	quoted.Style = n.Style&yaml.TaggedStyle | yaml.DoubleQuotedStyle
	for _, form := range [2]*yaml.Node{n, &quoted} {
		out, err := yaml.Marshal(form)
		if out = bytes.TrimRight(out, "\n"); err == nil && bytes.IndexByte(out, '\n') < 0 {
			return out, nil
		}
	}
	return nil, errNoText
}

// empty writes `{}` or `[]` in place of a block collection below its key. The comments that stay are in lines below.
func (e *editor) empty(in *place, le *entry, up *place, part *Part) {
	brackets := " {}"
	if part.Value.Kind == yaml.SequenceNode {
		brackets = " []"
	}
	lp := le.value
	e.change(le.mark, le.mark, []byte(brackets))
	e.remove(lp, slices.Repeat([]bool{true}, len(lp.entries)), nil, part)
	e.tail(in, lp, up, nil, part)
	e.doubtCommentsBelow(le.end)
}

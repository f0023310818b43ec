package manifest

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// flow edits a flow collection, and reports whether it could. A collection with comments keeps all its entries, and
// one that is not understood stays unchanged.
func (e *editor) flow(lp, up *place, part *Part) bool {
	switch {
	case lp.hasComments && sameTree(part.Value, lp.node):
		return true
	case e.text.kyaml && lp.node.Kind == yaml.SequenceNode && isCuddled(lp.node) && !isCuddled(part.Value):
		return false // each element has lines of its own now
	}
	children := e.children(lp, up, part)
	gone := goneOf(lp, children)
	if lp.odd || lp.pair && (len(children) != 1 || gone[0]) || slices.Contains(gone, true) && lp.hasComments || !e.text.json && footOf(part.Key, part.Value) != lp.node.FootComment ||
		e.text.marked && lp.mergeKey() >= 0 {
		return sameTree(part.Value, lp.node)
	}
	last, ok := -1, true
	for i := 0; i < len(children) && ok; i++ {
		k := &children[i]
		e.path = append(e.path, k.index)
		if k.stays {
			last = k.at
			ok = e.member(lp, k, e.sourceOf(up, k))
		} else {
			ok = !lp.hasComments && e.insert(lp, up, last, k, gone)
		}
		e.path = e.path[:len(e.path)-1]
	}
	if ok {
		e.cut(lp, gone)
	}
	return ok
}

// member edits an entry of a flow collection that stays.
func (e *editor) member(lp *place, k *child, from source) bool {
	le := &lp.entries[k.at]
	if e.isForced() || !e.text.json && !(sameText(headOf(k.part.Key, k.part.Value), le.named().HeadComment) && sameText(lineOf(k.part.Key, k.part.Value), lineOf(le.key, le.value.node))) {
		return false
	}
	return e.value(lp, le, from, k.part)
}

// inMember replaces a value in a flow collection, whose anchor stays, and reports whether it could.
func (e *editor) inMember(in *place, le *entry, from source, d *yaml.Node) bool {
	v := le.value
	if d.Kind == yaml.AliasNode || v.node.Anchor != "" && d.Kind != yaml.ScalarNode {
		return false
	}
	start, own := v.content(e.text.bytes)
	text, ok := e.inFlow(d, v, from.value(), in)
	if ok && v.form == empty {
		text = append([]byte(" "), text...)
	}
	e.change(start, v.end, text)
	e.doubt = e.doubt || !e.text.json
	return ok && own
}

// inFlow returns the text of a value in a flow collection, in place of was unless that is nil: the other side's
// token, else the value encoded.
func (e *editor) inFlow(d *yaml.Node, was, u, in *place) ([]byte, bool) {
	if e.isUnfolding() && !slices.ContainsFunc(in.entries, func(le entry) bool { return le.value.node.Style&yaml.DoubleQuotedStyle != 0 }) {
		d = inLines(d)
	}
	if u != nil && u.form == token && u.node.Kind == yaml.ScalarNode && sameScalar(d, u.node) && u.node.Style == d.Style {
		start, own := u.content(e.other.bytes)
		if text := e.other.bytes[start:u.end:u.end]; own && fitsFlow(text, u.node) && (!e.text.json || e.other.json) && (!e.text.kyaml || e.other.kyaml) {
			return text, true
		}
	}
	w, margin := e.writerIn(in)
	w.unfolded = was != nil && was.form == token && was.node.Kind == yaml.ScalarNode && strings.Contains(was.node.Value, "\n") &&
		bytes.IndexByte(e.text.bytes[was.start:was.end], '\n') < 0
	w.value(d, margin)
	return w.out, !w.failed
}

// fitsFlow reports whether a token of one line can stand in a flow collection.
func fitsFlow(text []byte, n *yaml.Node) bool {
	if n.Style&^yaml.TaggedStyle != 0 {
		return bytes.IndexByte(text, '\n') < 0
	}
	return !bytes.ContainsAny(text, ",[]{}?\n") && !bytes.HasSuffix(text, []byte(":")) && !bytes.HasPrefix(text, []byte(":"))
}

// marginOf returns the white space behind the comma between two entries of a flow collection: a space, or a line
// break and the indentation.
func (e *editor) marginOf(lp *place) string {
	text := e.text.bytes
	if len(lp.entries) > 1 {
		if gap := text[lp.entries[0].end:lp.entries[1].start]; bytes.IndexByte(gap, ',') >= 0 {
			return string(gap[bytes.IndexByte(gap, ',')+1:])
		}
	}
	if gap := text[lp.bare+1 : lp.entries[0].start]; bytes.IndexByte(gap, '\n') >= 0 && len(bytes.TrimSpace(gap)) == 0 {
		return string(gap)
	}
	return e.text.flowWriter().comma[1:]
}

// insert puts an entry behind the remaining entry with index last, or before all entries.
func (e *editor) insert(lp, up *place, last int, k *child, gone []bool) bool {
	p := k.part
	if !e.text.json && headOf(p.Key, p.Value)+lineOf(p.Key, p.Value) != "" || p.Key != nil && isMarked(p.Key) || isMarked(p.Value) {
		return false
	}
	margin := e.marginOf(lp)
	text, ok := e.memberText(p, e.sourceOf(up, k).value(), lp)
	if !ok {
		return false
	}
	e.doubt = e.doubt || !e.text.json
	at := lp.entries[0].start
	switch {
	case last >= 0:
		at, text = lp.entries[last].end, append([]byte(","+margin), text...)
	case slices.Contains(gone, false):
		text = append(append(text, ','), margin...)
	case k.index > 0: // all other entries go
		text = append([]byte(","+margin), text...)
	}
	e.change(at, at, text)
	return true
}

// memberText writes an entry of a flow collection.
func (e *editor) memberText(p *Part, u, in *place) ([]byte, bool) {
	value, ok := e.inFlow(p.Value, nil, u, in)
	w := e.text.flowWriter()
	if p.Key != nil {
		w.key(p.Key)
	}
	return append(w.out, value...), ok && !w.failed
}

// cut removes entries from a flow collection, each with one comma.
func (e *editor) cut(lp *place, gone []bool) {
	for i := 0; i < len(gone); i++ {
		if !gone[i] {
			continue
		}
		first := i
		for i+1 < len(gone) && gone[i+1] {
			i++
		}
		start, end := lp.entries[first].start, lp.entries[i].end
		if i+1 < len(gone) {
			end = lp.entries[i+1].start
		} else if first > 0 {
			start = lp.entries[first-1].end
		}
		e.change(start, end, nil)
	}
}

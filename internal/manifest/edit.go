package manifest

import (
	"bytes"
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// attempts limits the number of wrongly read fields that are encoded one by one, before the whole resource is.
const attempts = 8

// Edit returns the text of result: local's with edits (rules/comments-and-text: unchanged text), and the parts that
// had to be encoded, with the reasons. upstream is nil if there is no such text. It is an error if no text reads as
// the decided values.
func Edit(local, upstream *Text, result Part) (out []byte, told []Encoding, err error) {
	why := notUnderstood
	if len(local.top.entries) > 0 {
		if out, told := edited(local, upstream, &result); out != nil {
			return out, told, nil
		}
		why = notEdited
	}
	out, err = encodeWhole(local, &result)
	return out, []Encoding{{What: "resource", Why: why}}, err
}

// edited returns local's text with edits, nil if none reads as the decided values. If a comment has no place, the
// result is the first attempt that only moves comments.
func edited(local, upstream *Text, result *Part) (moved []byte, told []Encoding) {
	var forced [][]int
	var planted map[string]bool
	bare, expands := false, false
	for range attempts {
		e := editor{base: parts.Local, text: local, other: upstream, forced: forced, bare: bare, expands: expands, planted: planted}
		out := e.run(result)
		if e.hopeless || !e.doubt {
			return out, e.told
		}
		f := e.check(out, result)
		if local.broken && !f.right { // the last line break is part of a block scalar
			longer := append(out, '\n')
			if g := e.check(longer, result); g.right {
				return longer, e.told
			}
		}
		if f.right {
			return out, e.told
		}
		if f.moved && moved == nil {
			moved, told = out, e.told
		}
		switch {
		case e.named != nil && planted == nil:
			planted = e.named
			continue
		case f.unread && e.named != nil:
			expands = true
			continue
		case f.unread && !bare && local.marked:
			bare = true
			continue
		}
		if forced = force(forced, f.at); forced == nil {
			break
		}
	}
	return moved, told
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

// editor makes edits of one text, the one of side base. It is upstream's if upstream's changes are added to local's
// text.
type editor struct {
	base        parts.Side
	text, other *Text
	changes     []change
	// doubt reports whether the text must be read again.
	doubt bool
	// decided is the result. said and heard count the comment lines of the result and of upstream; nil before their
	// first use.
	decided     *yaml.Node
	said, heard map[string]int
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
	// told are the encoded parts.
	told []Encoding
	// hopeless reports whether the resource must be encoded.
	hopeless bool
	// arrived is the last arrival from the other side, for the empty lines below it.
	arrived arrival
	// open are the parts without a comma behind them: the last ones of flow collections.
	open map[*Part]bool
	// fresh is the position behind the first new entry of a flow collection that lost all its entries.
	fresh int
}

// run returns the edited text, nil if the resource must be encoded.
func (e *editor) run(result *Part) []byte {
	t := e.text
	e.decided = result.Value
	e.layout, e.doubt = layoutOf(t), t.marked || t.broken && !t.json || e.other != nil && e.other.broken
	from := source{}
	if e.other != nil && len(e.other.top.entries) > 0 {
		from = source{in: e.other.top, entry: &e.other.top.entries[0]}
	}
	e.entry(t.top, &t.top.entries[0], from, result)
	if e.hopeless {
		return nil
	}
	if len(e.changes) == 0 {
		return t.Bytes()
	}
	return t.asFile(applied(t.bytes, 0, len(t.bytes), e.changes))
}

// applied returns the bytes of text from start to end with the changes made, which do not overlap.
func applied(text []byte, start, end int, changes []change) []byte {
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	size := end - start
	for _, c := range changes {
		size += len(c.text)
	}
	out := make([]byte, 0, size)
	at := start
	for _, c := range changes {
		if c.start > at {
			out = append(out, text[at:c.start]...)
		}
		out = append(out, c.text...)
		at = max(at, c.end)
	}
	return append(out, text[at:end]...)
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

// entry edits an entry of a block collection.
func (e *editor) entry(in *place, le *entry, from source, part *Part) {
	was, told := len(e.changes), len(e.told)
	if !e.isForced() && e.head(in, le, from, part) && e.value(in, le, from, part) && e.lineComment(in, le, part) {
		e.comma(in, le, part)
		return
	}
	e.changes, e.told = e.changes[:was], e.told[:told]
	if in == e.text.top && (!e.text.item || e.other == nil || !e.other.item) {
		e.hopeless = true
		return
	}
	e.replace(in, le, from, part)
}

// value edits the value of an entry of a block collection, and reports whether it could.
func (e *editor) value(in *place, le *entry, from source, part *Part) bool {
	lp, d := le.value, part.Value
	e.learn(le, from.value(), d)
	switch {
	case lp.node.Kind == yaml.AliasNode:
		return e.alias(lp.node, part) || d.Kind == yaml.ScalarNode && !le.odd && e.scalar(in, le, from, part)
	case lp.odd:
		own, _ := e.entries(part)
		return own.Value != nil && sameTree(d, own.Value) || own.Value == nil && sameTree(d, lp.node)
	case d.Kind == yaml.AliasNode:
		return false
	case in.lines && (!sameForm(d, lp.node) || isCollection(d) && (len(d.Content) == 0) != (len(lp.node.Content) == 0)):
		return e.inMember(in, le, from, d)
	case !sameForm(d, lp.node):
		return false
	case d.Kind == yaml.ScalarNode:
		return e.scalar(in, le, from, part)
	case len(d.Content) == 0 && lp.form == block && le.comment >= 0 && !lp.isMarked():
		e.empty(le, d.Kind)
		return true
	case len(d.Content) == 0 || len(lp.node.Content) == 0:
		return len(d.Content) == len(lp.node.Content)
	case lp.form == block || lp.lines:
		return e.block(in, lp, from.value(), part)
	}
	return e.flow(lp, from.value(), part)
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

// learn records the decided value of an anchor. If lines taken from upstream have an alias of an anchor of
// upstream's, local gets the anchor.
func (e *editor) learn(le *entry, u *place, d *yaml.Node) {
	p := le.value
	if p.node.Anchor == "" && p.node.Kind != yaml.AliasNode && u != nil && e.planted[u.node.Anchor] && sameValue(d, u.node) {
		if p.form == block && le.key != nil {
			e.change(le.mark, le.mark, []byte(" &"+u.node.Anchor))
		} else if p.form != block && p.form != empty {
			e.change(p.start, p.start, []byte("&"+u.node.Anchor+" "))
		}
	}
	if p.node.Anchor == "" {
		return
	}
	if e.anchors == nil {
		e.anchors = map[string]*yaml.Node{}
	}
	e.anchors[p.node.Anchor] = d
}

// names reports whether a key of the text still has the decided name. It may not if it is an alias.
func (e *editor) names(key, decided *yaml.Node) bool {
	if key == nil || key.Kind != yaml.AliasNode {
		return true
	}
	d, known := e.anchors[key.Value]
	return !known || d.Value == yamlnode.Resolve(decided).Value
}

// aliased finds the fields whose keys are aliases, by the decided values of their anchors.
func (e *editor) aliased(p *place) map[string]int {
	if !e.text.marked || e.bare || p == nil {
		return nil
	}
	at := map[string]int{}
	for i := range p.entries {
		if key := p.entries[i].key; key != nil && key.Kind == yaml.AliasNode {
			if d, known := e.anchors[key.Value]; known && d.Kind == yaml.ScalarNode {
				at[d.Value] = i
			}
		}
	}
	return at
}

// isMarked reports whether there is an anchor, an alias or a merge key in an entry of the other text.
func (e *editor) isMarked(from *entry) bool {
	return e.other.marked && (isMarked(from.value.node) || from.key != nil && isMarked(from.key))
}

// asTheyStand reports whether the lines of upstream's entry, which have anchors, aliases or merge keys, read as the
// decided entry. If so, they are taken unchanged.
func (e *editor) asTheyStand(from *entry, part *Part) bool {
	if e.expands {
		return false
	}
	var c checker
	c.entry(part.Key, part.Value, from.key, from.value.node, false)
	if c.wrong != nil || c.remark != nil {
		return false
	}
	if e.named == nil {
		e.named = map[string]bool{}
	}
	note := func(n *yaml.Node) {
		if n.Kind == yaml.AliasNode {
			e.named[n.Value] = true
		}
	}
	if yamlnode.Walk(from.value.node, note); from.key != nil {
		note(from.key)
	}
	return true
}

// alias reports whether the anchor of an alias has the decided value of the part.
func (e *editor) alias(n *yaml.Node, part *Part) bool {
	at, known := e.anchors[n.Value]
	return known && !e.bare && sameValue(part.Value, at)
}

// inherited removes from kids the fields that come from a merge key, and reports whether the map has all of them. Those
// with another value stay beside the merge key, which takes the place of the first; if all fields are written out, it stays
// in its own place.
func (e *editor) inherited(lp *place, part *Part, kids []kid) ([]kid, bool) {
	at := lp.mergeKey()
	if at < 0 {
		return kids, true
	}
	own := part.Local.Value
	if e.base != parts.Local || own == nil || own.Kind != yaml.MappingNode {
		return nil, false
	}
	given, same := e.given(lp, at)
	var out []kid
	count, overridden, mergeKey := 0, false, kid{part: &Part{Key: lp.entries[at].key, Value: lp.entries[at].value.node}, at: at, up: -1, index: len(kids)}
	for i := range kids {
		k := &kids[i]
		name := yamlnode.Resolve(k.part.Key).Value
		value := given[name]
		if k.at >= 0 || value == nil {
			out = append(out, *k)
			continue
		}
		if delete(given, name); !same(k.part.Value, value) {
			out, overridden = append(out, *k), true
			continue
		}
		if count++; count == 1 {
			mergeKey.index = k.index
			out = append(out, mergeKey)
		}
	}
	if len(given) > 0 || overridden && count == 0 {
		return nil, false
	}
	if count == 0 {
		behind := slices.IndexFunc(out, func(k kid) bool { return k.at > at })
		if behind < 0 {
			behind = len(out)
		}
		out = slices.Insert(out, behind, mergeKey)
	}
	markStaying(e.text.bytes, lp, out)
	return out, true
}

// given returns the values of the fields that the merge key of a map gives it, with the decided values of anchors, and
// a function that compares them with decided fields: an anchor that changed has its comments.
func (e *editor) given(lp *place, at int) (fields map[string]*yaml.Node, same func(a, b *yaml.Node) bool) {
	sources, same := []*yaml.Node{lp.entries[at].value.node}, sameTree
	if sources[0].Kind == yaml.SequenceNode {
		sources = slices.Clone(sources[0].Content)
	}
	for i, n := range sources {
		if decided, known := e.anchors[n.Value]; known && n.Kind == yaml.AliasNode {
			sources[i], same = decided, sameValue
		}
	}
	fields = map[string]*yaml.Node{}
	for _, n := range sources {
		n = flattened(yamlnode.Resolve(n))
		for i := 0; i+1 < len(n.Content); i += 2 {
			if name := yamlnode.Resolve(n.Content[i]).Value; fields[name] == nil {
				fields[name] = n.Content[i+1]
			}
		}
	}
	for _, le := range lp.entries {
		if le.key != nil && !isMergeKey(le.key) {
			delete(fields, yamlnode.Resolve(le.key).Value)
		}
	}
	return fields, same
}

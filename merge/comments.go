package merge

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// merge merges the comments of a field or element slot by slot, three-way like scalars (rules/comments-and-text: owners
// of comments). If local's line comment is the merge comment, the line comments of the others belong above it, where
// local's user wrote them or would (rules/identity: merge comments).
func (m emitter) merge(s [3]slots, path *Path) slots {
	o, u, l := s[origin], s[upstream], s[local]
	if bookkeeping.IsMergeComment(l.line) {
		o, u = o.withoutMergeComment(), u.withoutMergeComment()
	}
	return slots{
		head: m.mergeSlot(o.head, u.head, l.head, path),
		line: m.mergeSlot(o.line, u.line, l.line, path),
		foot: m.mergeSlot(o.foot, u.foot, l.foot, path),
		tail: m.mergeSlot(o.tail, u.tail, l.tail, path),
	}
}

// mergeSlot merges one comment. If both sides changed adjacent lines of it, that is a conflict, like the
// conflict of a value (rules/conflicts: comments in conflict). The merge comment is identity, not content:
// upstream's is ignored, and local's is never rewritten.
func (m emitter) mergeSlot(o, u, l string, path *Path) string {
	if o == u && u == l || bookkeeping.IsMergeComment(l) {
		return l
	}
	if bookkeeping.IsMergeComment(o) {
		o = ""
	}
	if bookkeeping.IsMergeComment(u) {
		u = ""
	}
	switch {
	case u == o || withoutEmptyLines(u) == withoutEmptyLines(l):
		return l
	case withoutEmptyLines(l) == withoutEmptyLines(o):
		return u
	case withoutEmptyLines(u) == withoutEmptyLines(o):
		return l
	case extends(l, u, o):
		return l
	case extends(u, l, o):
		return u
	}
	if strings.Contains(o, "\n") && u != "" && l != "" {
		return m.mergeCommentLines([3]string{origin: o + "\n", upstream: u + "\n", local: l + "\n"}, path)
	}
	chosen := m.policy.Side(path)
	m.commentConflict([3]string{origin: o, upstream: u, local: l}, "", path, chosen)
	if chosen == local {
		return l
	}
	return u
}

// commentConflict adds a conflict of versions of a comment, or of lines of it.
func (m emitter) commentConflict(versions [3]string, part string, path *Path, chosen identity.Side) {
	c := Conflict{Kind: CommentChanged, Part: part, Path: path, Chosen: chosen}
	for side, text := range versions {
		c.Values[side] = textNode(strings.TrimSuffix(text, "\n"))
	}
	*m.conflicts = append(*m.conflicts, c)
}

// MergeComment merges a comment that belongs to a resource as a whole, such as the comment above its document. conflicts
// has the conflict, at the resource's own path, if both sides changed lines that touch.
func MergeComment(versions [3]string, policy Policy) (merged string, conflicts []Conflict) {
	m := emitter{policy: policy, conflicts: &conflicts}
	return m.mergeSlot(versions[origin], versions[upstream], versions[local], nil), conflicts
}

// extends reports whether a comment is another one with lines added around it, and none of these is origin's, or another
// version of a line of origin's that the other one lacks: then it has all of the other side's changes. Empty lines are
// layout.
func extends(comment, other, o string) bool {
	comment, other = "\n"+withoutEmptyLines(comment)+"\n", "\n"+withoutEmptyLines(other)+"\n"
	above, below, found := strings.Cut(comment, other)
	if !found || other == "\n\n" {
		return false
	}
	removed := slices.DeleteFunc(strings.Split(o, "\n"), func(line string) bool { return !hasWords(line) || hasBlock(other, line) })
	for line := range strings.Lines(above + "\n" + below) {
		line = strings.TrimSuffix(line, "\n")
		changed := func(was string) bool { return resemble(textNode(line), textNode(was)) }
		if hasWords(line) && (hasBlock(o, line) || slices.ContainsFunc(removed, changed)) {
			return false
		}
	}
	return true
}

// withoutEmptyLines returns a comment without its empty lines.
func withoutEmptyLines(comment string) string {
	for strings.Contains(comment, "\n\n") {
		comment = strings.ReplaceAll(comment, "\n\n", "\n")
	}
	return comment
}

// hasBlock reports whether a comment contains the consecutive lines of another one.
func hasBlock(comment, block string) bool {
	return block != "" && strings.Contains("\n"+comment+"\n", "\n"+block+"\n")
}

// mergeCommentLines merges a comment line by line, like a string (rules/fields: strings of several lines), such
// as a commented-out list in which upstream changed one entry and local uncommented another. Each run of lines in
// conflict is a conflict. A comment of one line in origin is a whole.
func (m emitter) mergeCommentLines(versions [3]string, path *Path) string {
	lines := linesMerge{chosen: func() identity.Side { return m.policy.Side(path) }}
	merged, conflicts := lines.merged(versions)
	for _, c := range conflicts {
		m.commentConflict(c.Versions, LinesPart, path, lines.chosen())
	}
	return strings.TrimSuffix(merged, "\n")
}

// textNode returns a comment as a value, nil if it is empty.
func textNode(comment string) *yaml.Node {
	if comment == "" {
		return nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: comment}
}

// ownComment returns the first line of the comments of a side's version of an element that origin has too which origin's lacks,
// or has less often; "" if there is none.
func (e *element) ownComment(side identity.Side) string {
	if !e.has(origin) {
		return ""
	}
	was, own := e.commentLines(origin), e.commentLines(side)
	return e.firstLine(side, func(line string) bool { return own[line] > was[line] })
}

// hasOwnCommentBelow reports whether a side's version of an element has a comment in its lines or in it that origin's lacks.
func (e *element) hasOwnCommentBelow() bool {
	lines := func(side identity.Side) map[string]int {
		out := e.commentLines(side)
		for line := range strings.SplitSeq(nodeSlots(cmp.Or(e.key[side], e.value[side])).head, "\n") {
			out[line]--
		}
		return out
	}
	was := lines(origin)
	for _, side := range [2]identity.Side{upstream, local} {
		for line, n := range lines(side) {
			if n > was[line] {
				return true
			}
		}
	}
	return false
}

// firstLine returns the first line of the comments of a side's version that is wanted, "" if there is none.
func (e *element) firstLine(side identity.Side, isWanted func(line string) bool) (first string) {
	e.eachComment(side, func(comment string) {
		for line := range strings.SplitSeq(comment, "\n") {
			if first == "" && isWanted(line) {
				first = line
			}
		}
	})
	return first
}

// withLostComments tells of comments of a side's own that a list without keys, or another whole value with parts, loses with a
// part that the other side removed. On a branch they are a conflict (rules/git: collisions that only markers know).
func (e *element) withLostComments(d decision, policy Policy) decision {
	if !e.inAll() {
		return d
	}
	var lost [3]map[string]bool
	isWhole := len(d.conflicts) > 0 && d.conflicts[0].Part != ElementsPart
	for _, side := range [2]identity.Side{upstream, local} {
		of := d
		if len(d.conflicts) > 0 && e.ownComment(side) != "" && policy.Marks(e.path) { // what collides is between markers
			own, ok := decideHunks(e, preferring(side))
			if of = own; !ok {
				of = e.take(side)
			}
		}
		lost[side] = e.lostComments(of, side)
	}
	if len(lost[upstream])+len(lost[local]) == 0 {
		return d
	}
	if e.rules.RemovalsCollide && policy.otherwise(e.path) != PreferUnion {
		if !isWhole {
			d = e.markComments(d, lost, policy)
		}
		if policy.Marks(e.path) {
			return d
		}
		lost = [3]map[string]bool{upstream: e.lostComments(d, upstream), local: e.lostComments(d, local)}
	}
	if len(lost[local]) > 0 {
		d.commentRemark(OwnComment, e, e.firstLine(local, func(line string) bool { return lost[local][line] }))
	}
	if len(lost[upstream]) > 0 {
		d.commentRemark(UpstreamComment, e, e.firstLine(upstream, func(line string) bool { return lost[upstream][line] }))
	}
	return d
}

// lostComments returns the lines of comments of a side's own that a whole value loses.
func (e *element) lostComments(d decision, side identity.Side) map[string]bool {
	if d.verdict == take(side) || d.verdict == Drop || len(e.value[side].Content) == 0 || e.ownComment(side) == "" {
		return nil
	}
	var conflicts []Conflict
	result, err := newEmitter(preferring(side), &conflicts).value(e, d)
	if err != nil {
		return nil // it is an error when the result is built
	}
	kept, was, others := map[string]int{}, e.commentLines(origin), e.commentLines(otherSide(side))
	for _, n := range [2]*yaml.Node{e.key[side], result} {
		addCommentLines(kept, n)
	}
	addWords(kept, e.value[side].LineComment) // of the field, which stays
	// A field has the comment at the end of a list in brackets as its block.
	isField := result != nil && len(result.Content) > 0 && cmp.Or(e.key[:]...) != nil
	if isFull(result) || isField || side == local && e.sameKind(result) {
		addWords(kept, e.value[side].FootComment) // at the end of the map or list
	}
	lost := map[string]bool{}
	for line, n := range e.commentLines(side) {
		if n > was[line] && kept[line] < n-max(0, was[line]-others[line]) {
			lost[line] = true
		}
	}
	return lost
}

// preferring returns the policy that takes a side.
func preferring(side identity.Side) Policy {
	if side == upstream {
		return Prefer(PreferUpstream)
	}
	return Prefer(PreferLocal)
}

// sameKind reports whether a result is a map or list as local's version: local's text keeps the comments at its end.
func (e *element) sameKind(result *yaml.Node) bool {
	return result != nil && result.Kind == e.value[local].Kind
}

// commentLines counts the lines of the comments of a side's version.
func (e *element) commentLines(side identity.Side) map[string]int {
	lines := map[string]int{}
	e.eachComment(side, func(comment string) { addWords(lines, comment) })
	return lines
}

// eachComment visits the comments above a side's version, in its lines, in its block and in it.
func (e *element) eachComment(side identity.Side, visit func(comment string)) {
	key, value := e.key[side], e.value[side]
	if of := cmp.Or(key, value); of != nil {
		visit(of.HeadComment)
		visit(of.LineComment)
	}
	if key != nil {
		visit(key.FootComment)
	}
	if value == nil {
		return
	}
	if key != nil {
		visit(value.LineComment)
	}
	for _, n := range value.Content {
		eachComment(n, func(_ *yaml.Node, _, comment string) { visit(comment) })
	}
	if isFull(value) {
		visit(value.FootComment)
	}
}

// addCommentLines counts the lines of the comments in a value.
func addCommentLines(lines map[string]int, n *yaml.Node) {
	eachComment(n, func(_ *yaml.Node, _, comment string) { addWords(lines, comment) })
}

// addWords counts the lines of a comment that have words.
func addWords(lines map[string]int, comment string) {
	for line := range strings.SplitSeq(comment, "\n") {
		if hasWords(line) && !bookkeeping.IsMergeComment(line) {
			lines[line]++
		}
	}
}

// localComments has local's comments by the nodes of a result: local's own nodes, and the nodes that replace them.
type localComments map[*yaml.Node]slots

// addAll adds the comments of local's own nodes.
func (c localComments) addAll(n *yaml.Node) {
	eachComment(n, func(n *yaml.Node, _, _ string) { c[n] = nodeSlots(n) })
}

// slots are the comments of a field or list element: above it, at the end of its line, and below it. The tail
// is the comment at the end of a field's block collection; an element has it as its foot.
type slots struct{ head, line, foot, tail string }

// fieldSlots returns the comments of a map entry. Its line comment is on the key or on the value
// (rules/comments-and-text: owners of comments).
func fieldSlots(key, v *yaml.Node) slots {
	if key == nil {
		return slots{}
	}
	s := nodeSlots(key)
	if s.line == "" {
		s.line = v.LineComment
	}
	s.tail = strings.TrimRight(v.FootComment, "\n")
	return s
}

// nodeSlots returns the comments of a node, without the empty lines at their ends, which are layout.
func nodeSlots(n *yaml.Node) slots {
	if n == nil {
		return slots{}
	}
	return slots{
		head: strings.TrimRight(n.HeadComment, "\n"),
		line: n.LineComment,
		foot: strings.TrimRight(n.FootComment, "\n"),
	}
}

// onField returns a map entry with these comments: the entry itself if it has them and the value was not
// replaced. The line comment goes on the key of a block collection that is not empty, else on the value: `env:
// # why` before `[]` would not parse.
func (s slots) onField(key, v, was *yaml.Node) (*yaml.Node, *yaml.Node) {
	if v == was && fieldSlots(key, v) == s {
		return key, v
	}
	onKey, onValue := s, nodeSlots(v)
	onKey.tail, onValue.line, onValue.foot = "", "", s.tail
	if !yamlnode.IsBlock(v) {
		onKey.line, onValue.line = "", s.line
		onValue.foot = ""
		if v.Kind != yaml.ScalarNode {
			onKey.foot = s.foot
			if !hasBlock(s.foot, s.tail) { // an earlier merge put it there
				onKey.foot = yamlnode.JoinComments("\n", s.tail, s.foot)
			}
		}
	}
	return onKey.onNode(key), onValue.onNode(v)
}

// onNode returns a node with these comments: a copy if it does not have them.
func (s slots) onNode(n *yaml.Node) *yaml.Node {
	if nodeSlots(n) == s {
		return n
	}
	out := *n
	out.HeadComment, out.LineComment, out.FootComment = s.head, s.line, s.foot
	return &out
}

func (s slots) withoutMergeComment() slots {
	if bookkeeping.IsMergeComment(s.line) {
		s.line = ""
	}
	s.head, s.line = yamlnode.JoinComments("\n", s.head, s.line), ""
	return s
}

// eachComment visits the comments of n and below, without following aliases.
func eachComment(n *yaml.Node, visit func(n *yaml.Node, slot, comment string)) {
	if n == nil {
		return
	}
	for _, c := range [3]struct{ slot, text string }{{"head", n.HeadComment}, {"line", n.LineComment}, {"foot", n.FootComment}} {
		if c.text != "" {
			visit(n, c.slot, c.text)
		}
	}
	for _, c := range n.Content {
		eachComment(c, visit)
	}
}

// Alike reports whether two versions have the same values and comments, so that taking one for the other loses
// nothing. The order of keys, style and merge comments do not count. nil is alike only nil.
func Alike(a, b *yaml.Node) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	return nodeSlots(a) == nodeSlots(b) && alikeContent(a, b)
}

// alikeContent is Alike without the comments on the two nodes themselves.
func alikeContent(a, b *yaml.Node) bool {
	if !sameForm(a, b) || len(a.Content) != len(b.Content) {
		return false
	}
	switch a.Kind {
	case yaml.ScalarNode:
		return scalarValue(nil, a) == scalarValue(nil, b)
	case yaml.AliasNode:
		return a.Value == b.Value
	case yaml.MappingNode:
		return alikeMaps(a, b)
	}
	return slices.EqualFunc(a.Content, b.Content, Alike)
}

func alikeMaps(a, b *yaml.Node) bool {
	index := make(map[value]int, len(b.Content)/2)
	for i := 0; i+1 < len(b.Content); i += 2 {
		index[valueOf(b.Content[i])] = i
	}
	for i := 0; i+1 < len(a.Content); i += 2 {
		j, found := index[valueOf(a.Content[i])]
		if !found || !alikeSlots(fieldSlots(a.Content[i], a.Content[i+1]), fieldSlots(b.Content[j], b.Content[j+1])) ||
			!alikeContent(a.Content[i+1], b.Content[j+1]) {
			return false
		}
	}
	return true
}

// alikeSlots compares the comments of a field. Another line comment may be above the field on the side with a
// merge comment.
func alikeSlots(a, b slots) bool {
	if bookkeeping.IsMergeComment(a.line) || bookkeeping.IsMergeComment(b.line) {
		a, b = a.withoutMergeComment(), b.withoutMergeComment()
	}
	return a == b
}

// identical reports whether two nodes are written alike, with their comments, so that they need no merge. It does not
// follow aliases.
func identical(a, b *yaml.Node) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	return writtenAlike(a, b) && slices.EqualFunc(a.Content, b.Content, identical)
}

// writtenAlike reports whether two nodes are written alike, with their comments but apart from their content.
func writtenAlike(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Tag == b.Tag && a.Value == b.Value && a.Anchor == b.Anchor &&
		nodeSlots(a) == nodeSlots(b) && isWord(a) == isWord(b)
}

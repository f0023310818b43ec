package mergecheck

import (
	"cmp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// slots are where a field or an element has comments: above it, at the end of
// its line, below it, above and below the value where that is apart, and at the
// end of the map or list that the value is.
type slots [6]string

func (s spot) slots() slots {
	slots := s.around()
	slots[5] = tail(s.value)
	if s.last {
		slots[2] = ""
	}
	return slots
}

// tail is the comment at the end of a map or list. It stands below the last
// thing in it, whatever that is.
func tail(n *yaml.Node) string {
	all := below(n)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].around()[2]
}

// around are the comments of a spot but the tail.
func (s spot) around() slots {
	v := s.value
	if s.key == nil {
		return slots{identity(v.HeadComment), identity(v.LineComment), identity(v.FootComment)}
	}
	line := s.key.LineComment
	if line == "" {
		line = v.LineComment
	}
	return slots{identity(s.key.HeadComment), identity(line), identity(s.key.FootComment), identity(v.HeadComment), identity(v.FootComment)}
}

// identity drops a merge comment, which says who a resource is (rules/identity: merge
// comments), and the spaces at the ends of lines.
func identity(comment string) string {
	if strings.HasPrefix(strings.TrimSpace(strings.TrimLeft(comment, "#")), "kpt-merge:") {
		return ""
	}
	lines := strings.Split(comment, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return strings.Join(lines, "\n")
}

// countComments counts the lines of comments in n, as it is written: what an
// alias stands for is not followed.
func countComments(count map[string]int, n *yaml.Node) {
	if n == nil {
		return
	}
	for _, text := range [3]string{n.HeadComment, n.LineComment, n.FootComment} {
		for line := range strings.Lines(text) {
			count[strings.TrimSpace(line)]++
		}
	}
	for _, child := range n.Content {
		countComments(count, child)
	}
}

// spare is a comment without the lines that the result has as often as the side which
// has them most often. No more of them may come out (rules/comments-and-text: merged
// comments), so that one which should stand here may stand elsewhere.
func (c *checker) spare(comment string) string {
	var kept []string
	for line := range strings.Lines(comment) {
		text := strings.TrimSpace(line)
		said := strings.Trim(text, "# -=") != ""
		if said && c.remarks[Result][text] < max(c.remarks[Upstream][text], c.remarks[Local][text]) {
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, "\n")
}

// checkComments objects to a comment at the end of a line of the result that neither upstream
// nor local has there, and, at a place that each version has once at most and that is in
// no list with a key twice, to comments that a 3-way merge would not leave so. told says
// that a comment was reported that both sides changed.
func (c *checker) checkComments(p *place, covered, told bool) {
	for _, v := range c.results() {
		for _, s := range p.spots[v] {
			if text := s.around()[1]; text != "" && !c.known[p.anywhere(text)] {
				c.object(p, "the comment %q is invented", text)
			}
		}
	}
	if covered || len(p.spots[Result]) != 1 || len(p.spots[Upstream])+len(p.spots[Local]) == 0 {
		return
	}
	var at [versions]slots
	for v, spots := range p.spots {
		if len(spots) > 1 {
			return
		}
		if len(spots) == 1 {
			at[v] = spots[0].slots()
		}
	}
	for i, got := range at[Result] {
		if i == 5 && got == "" && (len(p.spots[Upstream])*len(p.spots[Local]) == 0 || len(below(p.spots[Result][0].value)) == 0) {
			continue // it went with the last part of a collection that one side removed or the merge emptied
		}
		o, u, l := at[Origin][i], at[Upstream][i], at[Local][i]
		if i == 5 && !c.Marks && c.spare(got)+c.spare(u)+c.spare(l) == "" {
			continue // each line is in the result, and a field that came below the last one of a side divides them
		}
		if marked := at[Marked][i]; c.Marks && got != marked {
			sides := c.spare(got) == c.spare(l) && c.spare(marked) == c.spare(u)
			if !sides && !mergedBetweenMarkers(got, marked, o, u, l) && (i == 1 || !c.onlyMoved(got, marked, o, u, l)) {
				c.object(p, "the comment between markers is %q and %q: origin %q, upstream %q, local %q", got, marked, o, u, l)
			}
			continue
		}
		if was := p.replaces; i == 1 && was != nil && c.mergedSides(got, was.lineOf(Origin), cmp.Or(u, was.lineOf(Upstream)), cmp.Or(l, was.lineOf(Local)), told) {
			continue
		}
		// The parser gives a block of comments to the field below it, and that of the last field to the end of the map.
		told := told || i == 0 && c.comments[p.before] || i == 5 && c.tellsBelow(p)
		if !c.mergedComment(p, got, o, u, l, told) && (i == 1 || !c.onlyMoved(got, o, u, l)) {
			c.object(p, "the comment is %q: origin %q, upstream %q, local %q", got, o, u, l)
		}
	}
}

// tellsBelow reports whether a conflict of a comment is told below a place.
func (c *checker) tellsBelow(p *place) bool {
	for path := range c.comments {
		if strings.HasPrefix(path, p.path+".") || strings.HasPrefix(path, p.path+"[") {
			return true
		}
	}
	return false
}

// reportsBelow reports whether a conflict is told below a place: Renovate's comment above goes with its value there.
func (c *checker) reportsBelow(p *place) bool {
	for path := range c.reported {
		if strings.HasPrefix(path, p.path) {
			return true
		}
	}
	return false
}

// mergedComment reports whether a comment is one that a 3-way merge may give. A
// place that only one of upstream and local has, has its comments.
func (c *checker) mergedComment(p *place, got, o, u, l string, told bool) bool {
	switch {
	case len(p.spots[Upstream]) == 0:
		u, o = "", ""
	case len(p.spots[Local]) == 0:
		l, o = "", ""
	}
	if strings.Contains(o+u+l, "renovate:") && c.reportsBelow(p) && (got == u || got == l) {
		return true
	}
	return c.mergedSides(got, o, u, l, told)
}

// mergedSides reports whether a comment is one that a 3-way merge of three may give.
func (c *checker) mergedSides(got, o, u, l string, told bool) bool {
	is := func(want string) bool { return got == want || c.spare(got) == c.spare(want) }
	switch {
	case u == o:
		return is(l)
	case l == o:
		return is(u)
	}
	if has := func(all, part string) bool { return o == "" && strings.Contains("\n"+all+"\n", "\n"+part+"\n") }; told || u == l || has(u, l) || has(l, u) {
		return is(u) || is(l) || told && mergedByLine(got, o, u, l, false)
	}
	return mergedByLine(got, o, u, l, true)
}

// mergedBetweenMarkers says whether only lines that touch of a comment of several lines are between
// markers (rules/conflicts: comments in conflict). got is the comment with ours of each marker, and
// marked the one with theirs: ours has more of local's lines, theirs more of upstream's, and the
// lines outside have the changes of both.
func mergedBetweenMarkers(got, marked, o, u, l string) bool {
	if !strings.Contains(o, "\n") || u == "" || l == "" {
		return false
	}
	for _, of := range linesIn(got, marked, o, u, l) {
		got, marked, o, u, l := of[0], of[1], of[2], of[3], of[4]
		strictly := got == marked
		if !mergedCount(got, o, u, l, strictly) || !mergedCount(marked, o, u, l, strictly) || got > marked && l <= u || got < marked && u <= l {
			return false
		}
	}
	return true
}

// mergedByLine says whether a comment of several lines is one that both sides changed
// in different lines (rules/comments-and-text: merged comments): it has the changes of
// both. If not strictly so, lines that touch are one side's (rules/conflicts: comments in conflict).
func mergedByLine(got, o, u, l string, strictly bool) bool {
	if !strings.Contains(o, "\n") || u == "" || l == "" {
		return false
	}
	for _, of := range linesIn(got, o, u, l) {
		if !mergedCount(of[0], of[1], of[2], of[3], strictly) {
			return false
		}
	}
	return true
}

// mergedCount says whether a result has a line n times where the versions have it o, u and l times.
func mergedCount(n, o, u, l int, strictly bool) bool {
	both := u + l - o
	return n >= min(u, l, both) && n <= max(u, l, both) && (!strictly || both < min(u, l) || both > max(u, l) || n == both)
}

// linesIn are the lines of texts, with the number of times that each of these has them.
func linesIn(texts ...string) map[string][]int {
	out := map[string][]int{}
	for i, text := range texts {
		for line := range strings.SplitSeq(text, "\n") {
			if out[line] == nil {
				out[line] = make([]int, len(texts))
			}
			out[line][i]++
		}
	}
	return out
}

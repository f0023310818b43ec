package merge

import (
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// surplus takes off a result the lines of comments that it has more often than
// the side that has them most often (design 3.6). A comment has no identity but
// its text: where local moved it, as by uncommenting the line above, and upstream
// changed what stands around it, both places have it. It stays where local has
// it. Of the others the one at the end of a line, to which it belongs, goes last.
type surplus struct {
	// count is how many of each line are too many.
	count map[string]int
	// own are local's comments.
	own ownComments
}

// withoutSurplus is the result without what is too many of its comments' lines.
func withoutSurplus(result *yaml.Node, versions [3]*yaml.Node, own ownComments) *yaml.Node {
	if result == versions[upstream] || result == versions[local] {
		return result
	}
	s := surplus{count: commentLines(result), own: own}
	if len(s.count) == 0 || !s.limit(commentLines(versions[upstream]), commentLines(versions[local])) {
		return result
	}
	out := s.strip(result, aboveAndBelow)
	out = s.strip(out, arrived)
	out = s.strip(out, everywhere)
	if identical(out, versions[local]) {
		return versions[local]
	}
	return out
}

// limit subtracts what upstream and local have of each line, whichever has
// more, and reports whether anything is too many.
func (s surplus) limit(u, l map[string]int) bool {
	over := false
	for line, n := range s.count {
		s.count[line] = n - max(u[line], l[line])
		over = over || s.count[line] > 0
	}
	return over
}

// reach is where strip takes lines off.
type reach int

const (
	// aboveAndBelow: comments in lines of their own, but not local's.
	aboveAndBelow reach = iota
	// arrived: all but local's.
	arrived
	// everywhere: those of local's too that are in lines of their own. Aliases that
	// were expanded may leave nothing else.
	everywhere
)

// strip takes lines off n and what is below it, the last ones first, as long as
// there are too many.
func (s surplus) strip(n *yaml.Node, where reach) *yaml.Node {
	out := *n
	out.Content = slices.Clone(n.Content)
	for i, c := range slices.Backward(n.Content) {
		out.Content[i] = s.strip(c, where)
	}
	own := s.own[n]
	if where == arrived {
		out.LineComment = s.stripComment(n.LineComment, own.line)
	}
	if where == everywhere {
		own = slots{}
	}
	out.FootComment = s.stripComment(n.FootComment, own.foot)
	out.HeadComment = s.stripComment(n.HeadComment, own.head)
	if nodeSlots(&out) == nodeSlots(n) && slices.Equal(out.Content, n.Content) {
		return n
	}
	return &out
}

// stripComment is a comment without the lines that are too many, those of own
// not among them.
func (s surplus) stripComment(comment, own string) string {
	if comment == "" || comment == own {
		return comment
	}
	var kept []string
	said := false
	for line := range strings.SplitSeq(comment, "\n") {
		if s.count[line] > 0 && !hasBlock(own, line) {
			s.count[line]--
			continue
		}
		kept = append(kept, line)
		said = said || hasWords(line)
	}
	switch {
	case len(kept) == strings.Count(comment, "\n")+1:
		return comment
	case !said:
		return ""
	}
	return strings.Join(kept, "\n")
}

// commentLines counts the lines of n's comments that say something.
func commentLines(n *yaml.Node) map[string]int {
	count := map[string]int{}
	eachComment(n, func(_ *yaml.Node, _, comment string) {
		for line := range strings.SplitSeq(comment, "\n") {
			if hasWords(line) {
				count[line]++
			}
		}
	})
	return count
}

// hasWords reports whether a line has more than punctuation.
func hasWords(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

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
// it. The comment at the end of a line belongs to that line and stays.
type surplus struct {
	// count is how many of each line are too many.
	count map[string]int
	// own are local's comments.
	own ownComments
}

// ownComments are what local says at the nodes of a result: at its own nodes,
// and at those that stand for them.
type ownComments map[*yaml.Node]slots

// note notes that n stands in the result for a node of local's, which has
// these comments.
func (o ownComments) note(n, of *yaml.Node, s slots) {
	if of != nil && n != of && s != (slots{}) {
		o[n] = s
	}
}

// learn adds the nodes of local's.
func (o ownComments) learn(n *yaml.Node) {
	eachComment(n, func(n *yaml.Node, _, _ string) { o[n] = nodeSlots(n) })
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
	out := s.strip(s.strip(result, false), true)
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

// strip takes lines off n and what is below it, the last ones first, as long as
// there are too many; those that local has at that place only if all says so
// (aliases that were expanded may leave nothing else).
func (s surplus) strip(n *yaml.Node, all bool) *yaml.Node {
	out := *n
	out.Content = slices.Clone(n.Content)
	for i, c := range slices.Backward(n.Content) {
		out.Content[i] = s.strip(c, all)
	}
	own := slots{}
	if !all {
		own = s.own[n]
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

// eachComment visits the comments of n and below. Aliases are not followed.
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

// hasWords reports whether a line has more than punctuation.
func hasWords(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

package merge

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// surplus takes off a result the lines of comments that local moved, and that came from
// upstream all the same (design 3.6). A comment belongs to its place, but one in lines of its
// own has no identity but its text: where local uncommented the line above it, and upstream
// changed what stands around it, both places have it. It stays where local has it.
type surplus struct {
	// count is how many of each line are too many.
	count map[string]int
	// where are the nodes of upstream's from which each may be taken, nil for the ends of maps
	// and lists: their comments are below whatever is last there.
	where map[string]map[*yaml.Node]bool
	emitter
}

// withoutSurplus is the result without what is too many of its comments' lines. e is the
// resource that it was made of.
func (m emitter) withoutSurplus(result *yaml.Node, e *element, versions [3]*yaml.Node) *yaml.Node {
	if result == versions[upstream] || result == versions[local] {
		return result
	}
	count, u, l := commentLines(result), commentLines(versions[upstream]), commentLines(versions[local])
	for line, n := range count {
		if count[line] = n - max(u[line], l[line]); count[line] <= 0 {
			delete(count, line)
		}
	}
	if len(count) == 0 {
		return result
	}
	at := places{sides: map[string]map[string]*[3]bool{}, upstream: map[string][]*yaml.Node{}}
	at.element(e, "")
	where := map[string]map[*yaml.Node]bool{}
	for line, n := range count {
		moved, from := at.moved(line)
		count[line], where[line] = min(n, moved), from
	}
	out := surplus{count: count, where: where, emitter: m}.strip(result)
	if identical(out, versions[local]) {
		return versions[local]
	}
	return out
}

// strip takes lines off n and what is below it, the last ones first, as long as
// there are too many.
func (s surplus) strip(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = slices.Clone(n.Content)
	for i, c := range slices.Backward(n.Content) {
		out.Content[i] = s.strip(c)
	}
	own := s.own[n]
	from := cmp.Or(s.stands[n], n)
	out.FootComment = s.stripComment(n.FootComment, own.foot, from, nil)
	out.HeadComment = s.stripComment(n.HeadComment, own.head, from)
	if nodeSlots(&out) == nodeSlots(n) && slices.Equal(out.Content, n.Content) {
		return n
	}
	return &out
}

// stripComment is a comment without the lines that are too many, those of own
// not among them.
func (s surplus) stripComment(comment, own string, from ...*yaml.Node) string {
	if comment == "" || comment == own {
		return comment
	}
	var kept []string
	said := false
	for line := range strings.SplitSeq(comment, "\n") {
		if s.count[line] > 0 && !hasBlock(own, line) && slices.ContainsFunc(from, func(n *yaml.Node) bool { return s.where[line][n] }) {
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

// commentLines counts the lines of n's comments that say something, and are in lines of their
// own.
func commentLines(n *yaml.Node) map[string]int {
	count := map[string]int{}
	eachComment(n, func(_ *yaml.Node, slot, comment string) {
		if slot == "line" {
			return
		}
		for line := range strings.SplitSeq(comment, "\n") {
			if hasWords(line) {
				count[line]++
			}
		}
	})
	return count
}

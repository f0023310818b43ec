package merge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// places are where the sides have the lines of comments, of those in lines of their own. A place
// is a field, an element, or the end of a map or list.
type places struct {
	// sides are the sides that have a line, by the line and its place.
	sides map[string]map[string]*[3]bool
	// upstream are upstream's nodes at its places; none at the end of a map or list, where
	// the comment is at another node in the result.
	upstream map[string][]*yaml.Node
}

// moved is how many times local moved a line that upstream has where local does not have it, or
// does not have the place: where it was, or moved too. from are upstream's nodes at these places, nil
// for the end of a map or list.
func (p places) moved(line string) (n int, from map[*yaml.Node]bool) {
	own, stale, gone, arrived := 0, 0, 0, 0
	from = map[*yaml.Node]bool{}
	note := func(at string) {
		for _, n := range p.upstream[at] {
			from[n] = true
		}
		from[nil] = from[nil] || p.upstream[at] == nil
	}
	for at, has := range p.sides[line] {
		switch *has {
		case [3]bool{local: true}:
			own++
		case [3]bool{origin: true, upstream: true}:
			stale++
			note(at)
		case [3]bool{origin: true}:
			gone++
		case [3]bool{upstream: true}:
			arrived++
			note(at)
		}
	}
	return min(own, stale+min(gone, arrived)), from
}

// element adds the comments of an element, at a place, and of all below it.
func (p places) element(e *element, at string) {
	for i, child := range e.children {
		here := at + "/" + strconv.Itoa(i)
		for _, side := range identity.Sides() {
			s := nodeSlots(child.value[side])
			if e.form == mapping {
				s = fieldSlots(child.key[side], child.value[side])
			}
			last := len(e.order[side]) > 0 && e.order[side][len(e.order[side])-1] == i
			if child.has(side) {
				p.add(side, here, at, s, last, child.key[side], child.value[side])
			}
		}
		p.element(child, here)
	}
	for _, side := range identity.Sides() {
		if at == "" && e.has(side) {
			p.add(side, at, at, nodeSlots(e.value[side]), false, e.value[side])
		}
		if len(e.children) == 0 {
			p.below(e.value[side], side, at)
		}
	}
}

// below adds the comments within a value of a side that is not laid beside others.
func (p places) below(n *yaml.Node, side identity.Side, at string) {
	if n == nil {
		return
	}
	step := 1
	if n.Kind == yaml.MappingNode {
		step = 2
	}
	for i := 0; i+step <= len(n.Content); i += step {
		here, last := at+"/"+strconv.Itoa(i), i+step == len(n.Content)
		value := n.Content[i+step-1]
		s := nodeSlots(value)
		if step == 2 {
			here, s = at+"/"+n.Content[i].Value, fieldSlots(n.Content[i], value)
		}
		p.add(side, here, at, s, last, n.Content[i:i+step]...)
		p.below(value, side, here)
	}
}

// add adds the comments of a field or element; what is below the last one is at the end of
// what it is in.
func (p places) add(side identity.Side, at, in string, s slots, last bool, nodes ...*yaml.Node) {
	if side == upstream {
		p.upstream[at] = nodes
	}
	if last {
		p.lines(side, in+"/", s.foot)
		s.foot = ""
	}
	p.lines(side, at, s.head)
	p.lines(side, at, s.foot)
	p.lines(side, at+"/", s.tail)
}

func (p places) lines(side identity.Side, at, comment string) {
	for line := range strings.SplitSeq(comment, "\n") {
		if !hasWords(line) {
			continue
		}
		if p.sides[line] == nil {
			p.sides[line] = map[string]*[3]bool{}
		}
		if p.sides[line][at] == nil {
			p.sides[line][at] = &[3]bool{}
		}
		p.sides[line][at][side] = true
	}
}

// hasWords reports whether a line has more than punctuation.
func hasWords(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// surplus takes off a result the lines of comments that local moved, and that came from
// upstream all the same (rules/comments-and-text: owners of comments). A comment belongs to
// its place, but one in lines of its own has no identity but its text: where local
// uncommented the line above it, and upstream changed what stands around it, both places have
// it. It stays where local has it.
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

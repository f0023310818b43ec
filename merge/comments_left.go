package merge

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// A side may remove a field or an element and leave the comment above it. That comment belongs to nothing then, and merges
// in its place: the text that the other side gave it stands there instead of origin's (rules/comments-and-text: comments
// that a side left).

// leftComments finds the comments that a side left in a map or list.
type leftComments struct {
	texts division
	// lines has the places of a side's lines that origin does not have there, and below the place below each entry.
	lines [3]map[string][]commentSlot
	below [3]map[any]commentSlot
	// known has the lines of origin.
	known map[string]int
	into  division
}

// moveLeft adds the comments that a side left to a division. kept has the children in the result.
func (e *element) moveLeft(d decision, versions [3]collection, into division, kept map[any]bool) {
	if !slices.ContainsFunc(e.children, func(c *element) bool { return c.isLeavable() || e.form == mapping && c.lacksElements() }) {
		return
	}
	x := newLeftComments(versions, into, kept)
	heirs := e.commentedOutLines(d)
	for i, c := range e.children {
		x.move(c, kept[c], nil, heirs)
		if e.form == mapping && c.lacksElements() && d.children[i].verdict == MergeParts {
			x.moveBelow(c, d.children[i])
		}
	}
}

// moveBelow is moveLeft for the last elements of a list in the column of its field: the comments that a side left are below
// the field.
func (x leftComments) moveBelow(list *element, d decision) {
	heirs := list.commentedOutLines(d)
	for _, c := range list.children {
		addWords(x.known, c.above(origin))
	}
	for _, by := range [2]identity.Side{upstream, local} {
		below := x.below[by][list]
		for _, i := range slices.Backward(list.order[origin]) {
			c := list.children[i]
			if c.has(by) {
				break
			}
			x.move(c, d.children[i].verdict != Drop, &below, heirs)
		}
	}
}

// commentedOutLines returns the lines of the commented-out entries of a list or map that stand elsewhere in the result.
func (e *element) commentedOutLines(d decision) func() string {
	return sync.OnceValue(func() string {
		entries := e.commentedOutEntries(d)
		texts := entries.below
		for _, above := range entries.above {
			texts = append(texts, above...)
		}
		return strings.Join(texts, "\n")
	})
}

// lacksElements reports whether upstream or local lacks elements of origin's list.
func (e *element) lacksElements() bool {
	return e.form == associative && e.inAll() && slices.ContainsFunc(e.children, (*element).isLeavable)
}

// isLeavable reports whether a side lacks an element of origin's with a comment above it.
func (e *element) isLeavable() bool {
	return e.has(origin) && !e.inBoth() && !e.unkeyed && hasWords(e.above(origin))
}

// above returns the comment above a side's version of a field or an element.
func (e *element) above(side identity.Side) string {
	return nodeSlots(cmp.Or(e.key[side], e.value[side])).head
}

func newLeftComments(versions [3]collection, into division, kept map[any]bool) leftComments {
	x := leftComments{texts: division{}, known: map[string]int{}, into: into}
	add := func(slot commentSlot, side int, text string) {
		texts := x.texts[slot]
		texts[side] = text
		x.texts[slot] = texts
	}
	for side, c := range versions {
		x.lines[side], x.below[side] = map[string][]commentSlot{}, map[any]commentSlot{}
		for i, entry := range c.entries {
			add(commentSlot{id: entry.id}, side, entry.head)
			if i > 0 {
				x.below[side][c.entries[i-1].id] = commentSlot{id: entry.id}
			}
		}
		add(commentSlot{}, side, c.end)
	}
	for slot := range x.texts {
		if texts, divided := into[slot]; divided {
			x.texts[slot] = texts
		}
		texts := x.texts[slot]
		addWords(x.known, texts[origin])
		for _, side := range [2]identity.Side{upstream, local} {
			for line := range strings.SplitSeq(texts[side], "\n") {
				if (slot.id == nil || kept[slot.id]) && hasWords(line) && !hasBlock(texts[origin], line) {
					x.lines[side][line] = append(x.lines[side][line], slot)
				}
			}
		}
	}
	return x
}

// move gives the comment above c, which a side lacks, the other side's text where that side left it, without the lines of
// heirs. If the result keeps c, the comment goes there. at is the only place where it may be, nil if it may be anywhere.
func (x leftComments) move(c *element, kept bool, at *commentSlot, heirs func() string) {
	if _, divided := x.into[commentSlot{id: c}]; divided || !c.isLeavable() {
		return
	}
	was := c.above(origin)
	by := upstream
	if c.has(upstream) {
		by = local
	}
	slot, found := x.find(by, was, at)
	if !found {
		return
	}
	texts, other := x.texts[slot], otherSide(by)
	switch is := c.above(other); {
	case !c.has(other): // a merge brought the text
		if !hasEachLine(texts[local], withBlock(texts[upstream], was, "")) {
			return
		}
		texts[origin] = texts[upstream]
	case is == was && !kept || is == "" || x.hasAnother(is, was):
		return
	case kept:
		texts[by] = withBlock(texts[by], was, "")
	default:
		if is = withoutLines(is, heirs()); is == "" || !hasBlock(texts[by], is) { // a merge may have brought it
			texts[by] = withBlock(texts[by], was, is)
		}
		x.into[commentSlot{id: c}] = [3]string{}
	}
	x.texts[slot], x.into[slot] = texts, texts
}

// hasAnother reports whether a comment, which was another text in origin, has lines of another one of origin's: its side left
// that one above this one.
func (x leftComments) hasAnother(comment, was string) bool {
	return slices.ContainsFunc(strings.Split(comment, "\n"), func(line string) bool { return x.known[line] > 0 && !hasBlock(was, line) })
}

// find returns the only place where a side has a comment and origin does not.
func (x leftComments) find(side identity.Side, comment string, at *commentSlot) (slot commentSlot, found bool) {
	for line := range strings.SplitSeq(comment, "\n") {
		for _, s := range x.lines[side][line] {
			if texts := x.texts[s]; s == slot && found || at != nil && s != *at || !hasBlock(texts[side], comment) || hasBlock(texts[origin], comment) {
				continue
			}
			if found {
				return commentSlot{}, false
			}
			slot, found = s, true
		}
	}
	return slot, found
}

// withBlock returns a comment with other lines in place of some consecutive ones.
func withBlock(comment, block, by string) string {
	above, below, _ := strings.Cut("\n"+comment+"\n", "\n"+block+"\n")
	if by == "" {
		return yamlnode.JoinComments("\n", strings.Trim(above, "\n"), strings.Trim(below, "\n"))
	}
	return strings.Trim(above+"\n"+by+"\n"+below, "\n")
}

// withoutLines returns a comment without the lines of another one.
func withoutLines(comment, other string) string {
	lines := strings.Split(comment, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return hasWords(line) && hasBlock(other, line) }), "\n")
}

// hasEachLine reports whether a comment is not empty, and has all lines of another one.
func hasEachLine(comment, other string) bool {
	return comment != "" && !hasWords(withoutLines(other, comment))
}

package krmfunction

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// written is a map or a list as somebody writes it: with comments above, beside
// and below what is in it, with entries commented out, and with empty lines.
type written struct {
	list    bool
	wide    bool // a list that is indented below its key
	entries []entry
	tail    []string // comments below the last entry, indented like it
}

// entry is a field, or an element of a list: of scalars, or of maps by name.
type entry struct {
	key    string
	scalar string
	below  *written // instead of scalar
	head   []string
	line   string
	blank  bool // an empty line above
	out    bool // commented out
}

// writer draws what it writes. All comments and keys are different.
type writer struct {
	*rapid.T
	count *int
}

func (w writer) chance(percent int) bool {
	return rapid.IntRange(1, 100).Draw(w.T, "chance") <= percent
}

func (w writer) fresh(kind string) string {
	*w.count++
	return fmt.Sprintf("%s%d", kind, *w.count)
}

func (w writer) comments(percent int) (lines []string) {
	for len(lines) < 2 && w.chance(percent) {
		lines = append(lines, w.fresh("# note "))
	}
	return lines
}

func (w writer) collection(depth int) *written {
	c := &written{list: w.chance(40), wide: w.chance(30), tail: w.comments(25)}
	maps := w.chance(60)
	for range rapid.IntRange(1, 3).Draw(w.T, "entries") {
		c.entries = append(c.entries, w.entry(depth, c.list, maps))
	}
	c.entries[0].out = false
	return c
}

func (w writer) entry(depth int, inList, asMap bool) entry {
	e := entry{key: w.fresh("k"), scalar: w.fresh("v"), head: w.comments(25), blank: w.chance(15)}
	if w.chance(25) {
		e.line = w.fresh("# beside ")
	}
	switch {
	case inList && asMap:
		e.below = &written{entries: []entry{{key: "name", scalar: w.fresh("n"), line: e.line}}, tail: w.comments(15)}
		e.below.entries = append(e.below.entries, w.entry(depth-1, false, false))
		e.line = ""
	case depth > 0 && !inList && w.chance(40):
		e.below = w.collection(depth - 1)
	default:
		e.out = w.chance(20)
	}
	return e
}

// edited is a copy with one edit: a comment or an entry is changed, added, taken
// away, moved, or commented in.
func (w writer) edited(c *written) *written {
	c = c.clone()
	at := rapid.IntRange(0, len(c.entries)-1).Draw(w.T, "at")
	e := &c.entries[at]
	if e.below != nil && w.chance(60) {
		e.below = w.edited(e.below)
		return c
	}
	switch rapid.IntRange(0, 9).Draw(w.T, "edit") {
	case 0:
		e.head = w.comments(60)
	case 1:
		c.tail = w.comments(60)
	case 2:
		if e.below == nil && !e.out {
			e.line = w.fresh("# beside ")
		}
	case 3:
		if len(c.entries) > 1 && !(at == 0 && c.entries[1].out) && e.key != "name" {
			c.entries = slices.Delete(c.entries, at, at+1)
		}
	case 4, 5:
		c.entries = slices.Insert(c.entries, at+1, w.entry(0, c.list, c.list && c.entries[0].below != nil))
	case 6:
		if e.key != "name" && e.below == nil {
			e.scalar = w.fresh("v")
		}
	case 7:
		if len(c.entries) > 1 && at > 0 && !e.out && c.entries[0].key != "name" {
			c.entries[0], c.entries[at] = c.entries[at], c.entries[0]
		}
	default:
		for i := range c.entries {
			if c.entries[i].out {
				c.entries[i].out = false
				break
			}
		}
	}
	return c
}

// without is a copy without one of the entries. The comments above it stay, as comments of the
// entry below or of the end.
func (w writer) without(c *written) *written {
	c = c.clone()
	at := rapid.IntRange(0, len(c.entries)-1).Draw(w.T, "at")
	e := c.entries[at]
	if e.below != nil && w.chance(60) {
		c.entries[at].below = w.without(e.below)
		return c
	}
	if len(c.entries) == 1 || e.key == "name" || at == 0 && c.entries[1].out {
		return c
	}
	left := slices.Clone(e.head)
	if len(left) > 0 && w.chance(50) {
		left = append(left, "")
	}
	c.entries = slices.Delete(c.entries, at, at+1)
	if at < len(c.entries) {
		next := &c.entries[at]
		if len(left) > 0 && next.blank && left[len(left)-1] != "" {
			left = append(left, "")
		}
		next.head, next.blank = append(left, next.head...), e.blank
	} else {
		c.tail = append(left, c.tail...)
	}
	return c
}

func (c *written) clone() *written {
	out := *c
	out.entries = slices.Clone(c.entries)
	for i, e := range out.entries {
		if e.below != nil {
			out.entries[i].below = e.below.clone()
		}
	}
	return &out
}

// lines writes a collection, from the column of its keys or dashes.
func (c *written) lines(margin string) (lines []string) {
	for _, e := range c.entries {
		if e.blank {
			lines = append(lines, "")
		}
		for _, h := range e.head {
			lines = append(lines, strings.TrimRight(margin+h, " "))
		}
		lines = append(lines, e.lines(margin, c.list)...)
	}
	for _, t := range c.tail {
		lines = append(lines, strings.TrimRight(margin+t, " "))
	}
	return lines
}

func (e entry) lines(margin string, inList bool) []string {
	line := strings.TrimRight(" "+e.line, " ")
	switch {
	case e.out && inList:
		return []string{margin + "# - " + e.scalar}
	case e.out:
		return []string{margin + "# " + e.key + ": " + e.scalar}
	case inList && e.below == nil:
		return []string{margin + "- " + e.scalar + line}
	case inList:
		below := e.below.lines(margin + "  ")
		below[0] = margin + "- " + below[0][len(margin)+2:]
		return below
	case e.below == nil:
		return []string{margin + e.key + ": " + e.scalar + line}
	}
	inner := margin + "  "
	if e.below.list && !e.below.wide {
		inner = margin
	}
	return append([]string{margin + e.key + ":" + line}, e.below.lines(inner)...)
}

// file is a resource with the collection in it.
func (c *written) file() string {
	return strings.Join(append([]string{"apiVersion: v1", "kind: Widget", "metadata:", "  name: x", "spec:"}, c.lines("  ")...), "\n") + "\n"
}

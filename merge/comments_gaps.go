package merge

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// A gap is the text between two entries of a map or list that all sides and the result have in the same order: lines of
// comments, and the entries between them that came or went. It is merged as a whole, so that a comment finds its place
// whatever a side did to the entries around it, such as uncommenting one (rules/comments-and-text: gaps).

// commented is a field or an element, with the comments above and below it on each side that has it.
type commented struct {
	in         [3]bool
	head, foot [3]string
	// noFoot marks an entry whose lines end with those of its value: a comment below is in the value.
	noFoot bool
	// inResult reports whether the result has the entry.
	inResult bool
	path     *Path
	// within are the entries in an empty field that a side filled, as indices.
	within []int
	// node is the key or element of such an entry, or the map or list whose end isEnd marks.
	node  *yaml.Node
	isEnd bool
	// origin is origin's version of that map or list.
	origin *yaml.Node
}

// collection is a map or list of all sides and of the result. The orders are indices of entries.
type collection struct {
	path    *Path
	entries []commented
	order   [3][]int
	result  []int
	end     [3]string
}

// commentSlot names the comment above or below an entry. The comment at the end of the collection is above the entry atEnd.
type commentSlot struct {
	entry int
	below bool
}

// atEnd stands for the end of a collection, and atStart for its beginning, in place of an entry.
const (
	atEnd   = -1
	atStart = -2
)

// division has the versions of the comments in gaps by their places in the result.
type division map[commentSlot][3]string

// gapItem is an entry in a gap, or a line of a comment. below reports whether the line is below its entry.
type gapItem struct {
	text    string
	isEntry bool
	entry   int
	below   bool
	apart   layout
	// waits marks a line above an entry that came with it in place of origin's items.
	waits bool
}

// layout says whether an empty line is above a line of a comment; nobody knows of the first one below an entry.
type layout int

const (
	unknown layout = iota
	apart
	tight
)

// divide returns the comments in the gaps of a collection. whole has the entries that go and take no line of a side's own
// along.
func (c *collection) divide() (into division, whole map[int]bool) {
	into, whole = division{}, map[int]bool{}
	isEven := slices.Equal(c.order[origin], c.order[upstream]) && slices.Equal(c.order[origin], c.order[local]) && slices.Equal(c.order[origin], c.result)
	if !c.hasComments() || isEven && !slices.ContainsFunc(c.entries, func(e commented) bool { return len(e.within) > 0 }) {
		return into, whole
	}
	g := gap{collection: c, above: atStart, into: into, whole: whole}
	for _, next := range append(c.anchors(), atEnd) {
		for side, order := range c.order {
			if g.to[side] = len(order); next != atEnd {
				g.to[side] = slices.Index(order, next)
			}
		}
		g.below = next
		g.divide()
		for side, to := range g.to {
			g.from[side] = to + 1
		}
		g.above = next
	}
	return into, whole
}

// hasComments reports whether a side has comments around the entries.
func (c *collection) hasComments() bool {
	return c.end != [3]string{} ||
		slices.ContainsFunc(c.entries, func(e commented) bool { return e.head != [3]string{} || e.foot != [3]string{} })
}

// anchors returns the entries that all sides and the result have in the same order, as an alignment of all lines has them.
func (c *collection) anchors() (anchors []int) {
	whole := gap{collection: c, above: atStart, below: atEnd, all: true}
	var items [3][]gapItem
	for side, order := range c.order {
		whole.to[side] = len(order)
		items[side] = whole.items(identity.Side(side), nil)
	}
	inUpstream, inLocal := alignLines(items[origin], items[upstream]), alignLines(items[origin], items[local])
	var common []int
	for i, item := range items[origin] {
		if item.isEntry && inUpstream[i] >= 0 && inLocal[i] >= 0 {
			common = append(common, item.entry)
		}
	}
	for i, j := range align.Pairs(common, c.result) {
		if j >= 0 {
			anchors = append(anchors, common[i])
		}
	}
	return anchors
}

// gap is a gap of a collection, between two entries and two indices of each side's order.
type gap struct {
	*collection
	above, below int
	from, to     [3]int
	into         division
	whole        map[int]bool
	// all makes each entry one of the gap's, wherever the other sides have it.
	all bool
	// parted has the comments of entries that moved, without the lines which stand above them by that.
	parted map[int][3]string
}

// orderOf returns the part of a side's order in the gap.
func (g *gap) orderOf(side identity.Side) []int { return g.order[side][g.from[side]:g.to[side]] }

// isHere reports whether an entry is in the gap on each side that has it.
func (g *gap) isHere(entry int) bool {
	for side, in := range g.entries[entry].in {
		if in && !slices.Contains(g.orderOf(identity.Side(side)), entry) {
			return false
		}
	}
	return true
}

// part takes from the comment above an entry which a side moved here the first lines that were here before.
func (g *gap) part(side identity.Side, entry int, were []gapItem) string {
	lines := strings.Split(g.entries[entry].head[side], "\n")
	n := 0
	for n < len(lines) && slices.ContainsFunc(were, func(item gapItem) bool { return !item.isEntry && (item.text == lines[n] || lines[n] == "") }) {
		n++
	}
	if n == 0 {
		return ""
	}
	versions, found := g.parted[entry]
	if !found {
		versions = g.entries[entry].head
	}
	versions[side] = strings.Trim(strings.Join(lines[n:], "\n"), "\n")
	g.parted[entry] = versions
	return strings.Join(lines[:n], "\n")
}

// items returns the lines and entries of a side in the gap. An entry that moved here, or away, has its comments elsewhere, but
// for lines that were in the gap before.
func (g *gap) items(side identity.Side, were []gapItem) (items []gapItem) {
	add := func(text string, below bool) {
		above := unknown
		if len(items) > 0 && !items[len(items)-1].isEntry {
			above = apart
		}
		for line := range strings.SplitSeq(text, "\n") {
			if line == "" {
				above = apart
				continue
			}
			items = append(items, gapItem{text: line, below: below, apart: above})
			above = tight
		}
	}
	addEntry := func(i int) { items = append(items, gapItem{isEntry: true, entry: i}) }
	if g.above >= 0 {
		for _, i := range g.entries[g.above].within {
			if e := g.entries[i]; e.in[side] {
				add(e.head[side], false)
				addEntry(i)
				add(e.foot[side], true)
			}
		}
		add(g.entries[g.above].foot[side], true)
	}
	for _, i := range g.orderOf(side) {
		switch e := g.entries[i]; {
		case g.all || g.isHere(i):
			add(e.head[side], false)
			addEntry(i)
			add(e.foot[side], true)
		case side != origin && !slices.Contains(g.resultHere(), i):
			add(g.part(side, i, were), false)
		}
	}
	if g.below == atEnd {
		add(g.end[side], false)
	} else {
		add(g.entries[g.below].head[side], false)
	}
	return items
}

// results returns the entries that the result has in the gap, but for moved ones.
func (g *gap) results() (entries []int) {
	if g.above >= 0 {
		entries = slices.Clone(g.entries[g.above].within)
	}
	for _, i := range g.resultHere() {
		if g.isHere(i) {
			entries = append(entries, i)
		}
	}
	return entries
}

// resultHere returns the part of the result's order in the gap.
func (g *gap) resultHere() []int {
	from, to := 0, len(g.result)
	if g.above >= 0 {
		from = slices.Index(g.result, g.above) + 1
	}
	if g.below >= 0 {
		to = slices.Index(g.result, g.below)
	}
	return g.result[from:to]
}

// entriesIn returns the entries among items.
func entriesIn(items []gapItem) (entries []int) {
	for _, item := range items {
		if item.isEntry {
			entries = append(entries, item.entry)
		}
	}
	return entries
}

// divide adds the comments of the gap to the division. A gap without entries, and one that a single side changed, needs
// none: its comments merge in their places.
func (g *gap) divide() {
	if g.from == g.to && (g.above < 0 || len(g.entries[g.above].within) == 0) {
		return
	}
	var items [3][]gapItem
	g.parted = map[int][3]string{}
	for _, side := range identity.Sides() {
		items[side] = g.items(side, items[origin])
	}
	results := g.results()
	for _, pair := range [3][2]identity.Side{{upstream, origin}, {local, origin}, {upstream, local}} {
		rest := origin + upstream + local - pair[0] - pair[1]
		if rest == origin {
			rest = local
		}
		isParted := len(g.parted) > 0 && (pair[1] == origin || !slices.Equal(g.orderOf(upstream), g.orderOf(local)))
		if !isParted && slices.Equal(items[pair[0]], items[pair[1]]) && slices.Equal(entriesIn(items[rest]), results) {
			return
		}
	}
	w := weaver{rank: map[int]int{}, last: g.below == atEnd}
	for i, entry := range results {
		w.rank[entry] = i
	}
	w.weave(items)
	var woven []int
	for _, item := range w.out {
		if item.isEntry && g.isKept(item.entry) {
			woven = append(woven, item.entry)
		}
	}
	if slices.Equal(woven, results) {
		for _, i := range entriesIn(slices.Concat(items[:]...)) {
			if !g.isKept(i) {
				g.whole[i] = true
			}
		}
		g.place(w.out)
		for entry, head := range g.parted {
			g.into[commentSlot{entry: entry}] = head
		}
	}
}

func (g *gap) isKept(entry int) bool { return g.entries[entry].inResult }

// place divides the lines by the entries of the result around them. An entry that goes takes along the lines directly above
// and below it that no side has without the entry, and one that stays keeps them.
func (g *gap) place(woven []wovenItem) {
	above, last := g.above, atStart
	var lines, far []wovenItem // those directly above the next entry, and further above
	for _, item := range woven {
		if !item.isEntry {
			if last >= 0 && item.below == item.in && g.hasAll(last, item) {
				if !g.isKept(last) {
					g.lose(last, item)
					continue
				}
				g.keep(last, &item)
			}
			lines = append(lines, item)
			continue
		}
		var stay, wait []wovenItem
		goes := true
		for _, line := range slices.Backward(lines) {
			goes = (goes || !line.replaces) && line.below != line.in && g.hasAll(item.entry, line)
			switch {
			case goes && !g.isKept(item.entry):
				g.lose(item.entry, line)
			case goes:
				g.keep(item.entry, &line)
				stay = append(stay, line)
			case line.waits:
				wait = append(wait, line)
			default:
				stay = append(stay, line)
			}
		}
		slices.Reverse(stay)
		slices.Reverse(wait)
		far, lines, last = append(far, stay...), wait, item.entry
		if g.isKept(item.entry) {
			g.put(above, item.entry, far)
			above, far = item.entry, nil
		}
	}
	g.put(above, g.below, append(far, lines...))
}

// keep gives a line of origin's to a side that lacks it with its entry: it changed nothing in the line.
func (g *gap) keep(entry int, line *wovenItem) {
	for side, in := range g.entries[entry].in {
		if !in && line.in[origin] {
			line.in[side], line.below[side] = true, line.below[origin]
		}
	}
}

// hasAll reports whether each side with a line has the entry.
func (g *gap) hasAll(entry int, line wovenItem) bool {
	for side, in := range line.in {
		if in && !g.entries[entry].in[side] {
			return false
		}
	}
	return true
}

// lose notes that an entry takes a line of a side's own along.
func (g *gap) lose(entry int, line wovenItem) {
	if !line.in[origin] && hasWords(line.text) {
		delete(g.whole, entry)
	}
}

// put puts lines between two entries of the result: below the first one as far as a side has them there, and above the second
// one.
func (g *gap) put(above, below int, lines []wovenItem) {
	n := 0
	if above >= 0 && !g.entries[above].noFoot {
		if below != atEnd && (above != g.above || len(g.entries[above].within) == 0) {
			n = cut(lines)
		}
		g.into[commentSlot{above, true}] = versionsOf(lines[:n])
	}
	g.into[commentSlot{entry: below}] = versionsOf(lines[n:])
}

// cut returns the number of lines that stand below the entry above them.
func cut(lines []wovenItem) (n int) {
	for i, line := range lines {
		if line.below[line.shown()] {
			n = i + 1
		}
	}
	return n
}

// apply puts the divided comments of an entry into its slots. found is false if there are none.
func (d division) apply(entry int, s *[3]slots) (found bool) {
	head, above := d[commentSlot{entry: entry}]
	foot, below := d[commentSlot{entry, true}]
	for side := range s {
		if above {
			s[side].head = head[side]
		}
		if below {
			s[side].foot = foot[side]
		}
	}
	return above || below
}

// add adds an entry with the comments of its keys or, in a list, elements.
func (c *collection) add(path *Path, of [3]*yaml.Node, inResult bool) {
	e := commented{path: path, inResult: inResult}
	for side, n := range of {
		if n == nil {
			continue
		}
		s := nodeSlots(n)
		e.in[side], e.head[side] = true, s.head
		if e.noFoot = yamlnode.IsBlock(n); !e.noFoot {
			e.foot[side] = s.foot
		}
	}
	c.entries = append(c.entries, e)
}

// close makes the comment below the last entry, or the own one of the collection, the comment at its end.
func (c *collection) close(of [3]*yaml.Node) {
	for side, n := range of {
		c.end[side] = nodeSlots(n).foot
		if order := c.order[side]; len(order) > 0 {
			last := &c.entries[order[len(order)-1]]
			c.end[side] = yamlnode.JoinComments("\n", last.foot[side], c.end[side])
			last.foot[side] = ""
		}
	}
}

// collection returns the collection of an element's children. values has those of the result.
func (e *element) collection(d decision, values []*yaml.Node) collection {
	c := collection{path: e.path, order: e.order, result: d.order}
	for i, child := range e.children {
		var of [3]*yaml.Node
		for side := range of {
			of[side] = cmp.Or(child.key[side], child.value[side])
		}
		c.add(child.path, of, slices.Contains(d.order, i))
	}
	for i, child := range e.children {
		if e.form == mapping && c.entries[i].inResult && child.inAll() && isFull(values[i]) {
			c.fill(i, child.value, values[i])
		}
	}
	c.close(e.value)
	return c
}

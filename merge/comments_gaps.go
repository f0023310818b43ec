package merge

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
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
	// node is a side's key or element.
	node *yaml.Node
}

// collection is a map or list of all sides and of the result. The orders are indices of entries.
type collection struct {
	path    *Path
	entries []commented
	order   [3][]int
	result  []int
	end     [3]string
	// cut has the comments that lack the lines within a field which a side filled.
	cut []commentSlot
	// twice has the lines of comments that came out too often.
	twice map[string]int
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
	// goes marks a line that goes with an entry which the result lacks, or whose place an entry takes.
	goes bool
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
	if !c.hasComments() || isEven || c.isAlike(upstream) || c.isAlike(local) {
		c.addCut(into)
		return into, whole
	}
	g := gap{collection: c, above: atStart, into: into, whole: whole, resultAt: positions(c.result, len(c.entries))}
	for side, order := range c.order {
		g.at[side] = positions(order, len(c.entries))
	}
	for _, next := range append(c.anchors(), atEnd) {
		for side, order := range c.order {
			if g.to[side] = len(order); next != atEnd {
				g.to[side] = g.at[side][next]
			}
		}
		g.below = next
		g.divide()
		for side, to := range g.to {
			g.from[side] = to + 1
		}
		g.above = next
	}
	c.addCut(into)
	return into, whole
}

// isAlike reports whether a side has the entries of origin, and the comments around them, and the result has the other side's: then
// it has that side's comments, too.
func (c *collection) isAlike(side identity.Side) bool {
	same := func(e commented) bool { return e.head[side] == e.head[origin] && e.foot[side] == e.foot[origin] }
	return slices.Equal(c.order[side], c.order[origin]) && slices.Equal(c.result, c.order[otherSide(side)]) && c.end[side] == c.end[origin] &&
		!slices.ContainsFunc(c.entries, func(e commented) bool { return !same(e) })
}

// addCut adds the comments that lack lines of their slots, if they are not divided.
func (c *collection) addCut(into division) {
	for _, slot := range c.cut {
		if _, found := into[slot]; found {
			continue
		}
		switch {
		case slot.entry == atEnd:
			into[slot] = c.end
		case slot.below:
			into[slot] = c.entries[slot.entry].foot
		default:
			into[slot] = c.entries[slot.entry].head
		}
	}
}

// hasComments reports whether a side has comments around the entries.
func (c *collection) hasComments() bool {
	return c.end != [3]string{} ||
		slices.ContainsFunc(c.entries, func(e commented) bool { return e.head != [3]string{} || e.foot != [3]string{} })
}

// anchors returns the entries that all sides and the result have in the same order.
func (c *collection) anchors() []int {
	common := c.result
	for _, order := range c.order {
		var both []int
		for i, j := range align.Pairs(common, order) {
			if j >= 0 {
				both = append(both, common[i])
			}
		}
		common = both
	}
	return common
}

// positions returns the index of each of n entries in an order, -1 for an entry that it lacks.
func positions(order []int, n int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = -1
	}
	for i, entry := range order {
		at[entry] = i
	}
	return at
}

// gap is a gap of a collection, between two entries and two indices of each side's order.
type gap struct {
	*collection
	above, below int
	from, to     [3]int
	// at and resultAt have the index of each entry in the orders of the sides and of the result.
	at       [3][]int
	resultAt []int
	into     division
	whole    map[int]bool
	items    [3][]gapItem
	// entryAt has the indices of the entries among the items.
	entryAt [3]map[int]int
	// match pairs origin's items with those of upstream and local, was pairs theirs with origin's, and hunks has the others.
	match, was [3][]int
	hunks      [3][]align.Hunk
	// common pairs the items of the other side with those of upstream and local, once they are asked for.
	common [3][]int
	// parted has the comments above entries that moved, without the lines which stand above them by that.
	parted map[int][3]string
}

// orderOf returns the part of a side's order in the gap.
func (g *gap) orderOf(side identity.Side) []int { return g.order[side][g.from[side]:g.to[side]] }

// isHere reports whether an entry is in the gap on each side that has it.
func (g *gap) isHere(entry int) bool {
	for side, in := range g.entries[entry].in {
		if at := g.at[side][entry]; in && (at < g.from[side] || at >= g.to[side]) {
			return false
		}
	}
	return true
}

// itemsOf returns the lines and entries of a side in the gap. An entry that moved here, or away, has its comments elsewhere.
func (g *gap) itemsOf(side identity.Side) (items []gapItem) {
	passed := true // an entry
	add := func(text string, below bool) {
		above := unknown
		if !passed {
			above = apart
		}
		passed = passed && text == ""
		for line := range strings.SplitSeq(text, "\n") {
			if line == "" {
				above = apart
				continue
			}
			items = append(items, gapItem{text: line, below: below, apart: above})
			above = tight
		}
	}
	addEntry := func(i int) {
		e := g.entries[i]
		add(e.head[side], false)
		items, passed = append(items, gapItem{isEntry: true, entry: i}), true
		add(e.foot[side], true)
	}
	if g.above >= 0 {
		add(g.entries[g.above].foot[side], true)
	}
	here := g.resultHere()
	for _, i := range g.orderOf(side) {
		if g.isHere(i) {
			addEntry(i)
			continue
		}
		if side != origin && !slices.Contains(here, i) {
			add(g.part(side, i), false)
		}
		passed = true
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
		from = g.resultAt[g.above] + 1
	}
	if g.below >= 0 {
		to = g.resultAt[g.below]
	}
	return g.result[from:to]
}

// part takes from the comment above an entry which a side moved here the first lines that origin has here.
func (g *gap) part(side identity.Side, entry int) string {
	lines := strings.Split(g.entries[entry].head[side], "\n")
	n := 0
	for n < len(lines) && slices.ContainsFunc(g.items[origin], func(item gapItem) bool { return !item.isEntry && (item.text == lines[n] || lines[n] == "") }) {
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

// divide adds the comments of the gap to the division. A gap without entries needs none: its comments merge in their places.
func (g *gap) divide() {
	if g.from == g.to {
		return
	}
	g.parted = map[int][3]string{}
	for _, side := range identity.Sides() {
		g.items[side] = g.itemsOf(side)
	}
	for _, side := range [2]identity.Side{upstream, local} {
		g.match[side] = alignItems(g.items[origin], g.items[side])
		g.hunks[side] = align.Hunks(g.match[side], len(g.items[side]))
		g.was[side] = slices.Repeat([]int{-1}, len(g.items[side]))
		for i, j := range g.match[side] {
			if j >= 0 {
				g.was[side][j] = i
			}
		}
	}
	g.common = [3][]int{}
	results := g.results()
	inResults := make(map[int]bool, len(results))
	for _, entry := range results {
		inResults[entry] = true
	}
	for side, items := range g.items {
		g.entryAt[side] = map[int]int{}
		for i, item := range items {
			if item.isEntry {
				g.entryAt[side][item.entry] = i
			}
		}
		if kept := slices.DeleteFunc(entriesIn(items), func(i int) bool { return !inResults[i] }); !isSubsequence(kept, results) {
			return
		}
	}
	g.leave(inResults)
	g.open()
	g.layOut()
	var places [3][]int
	for _, side := range identity.Sides() {
		places[side] = g.places(side, results, places[origin])
	}
	above, lines := g.above, g.slotted(places, results)
	for k := range len(results) + 1 {
		below := g.below
		if k < len(results) {
			below = results[k]
		}
		g.put(above, below, lines[k])
		above = below
	}
	for entry, head := range g.parted {
		g.into[commentSlot{entry: entry}] = head
	}
}

// isSubsequence reports whether all of a sequence is in another one, in its order.
func isSubsequence(part, of []int) bool {
	for _, i := range of {
		if len(part) > 0 && part[0] == i {
			part = part[1:]
		}
	}
	return len(part) == 0
}

// layOut gives the lines that origin has one layout on all sides: it is none of a comment's changes.
func (g *gap) layOut() {
	for i, item := range g.items[origin] {
		line := [3]*gapItem{origin: &g.items[origin][i]}
		above, below := item.apart, item.below
		for _, side := range [2]identity.Side{upstream, local} {
			if j := g.match[side][i]; j >= 0 {
				line[side] = &g.items[side][j]
				if line[side].apart != unknown && line[side].apart != item.apart {
					above = line[side].apart
				}
				if line[side].below != item.below {
					below = line[side].below
				}
			}
		}
		for _, of := range line {
			if of != nil {
				of.apart, of.below = above, below
			}
		}
	}
}

// open marks the lines of origin's in whose place one side put an entry, as by uncommenting it. The other side has them, too, or
// removed them.
func (g *gap) open() {
	for _, side := range [2]identity.Side{upstream, local} {
		for _, h := range g.hunks[side] {
			if len(entriesIn(g.items[side][h.BLo:h.BHi])) == 0 {
				continue
			}
			for i := h.ALo; i < h.AHi; i++ {
				if len(entriesIn(g.items[origin][i:h.AHi])) > 0 {
					continue // the line is an entry's, which went
				}
				if j := g.match[otherSide(side)][i]; j >= 0 {
					g.items[otherSide(side)][j].goes = true
				} else if g.hasChanged(otherSide(side), i) {
					continue
				}
				g.items[origin][i].goes = true
			}
		}
	}
}

// hasChanged reports whether a side has another version of a line of origin's, in its place.
func (g *gap) hasChanged(side identity.Side, i int) bool {
	at := sort.Search(len(g.hunks[side]), func(k int) bool { return i < g.hunks[side][k].AHi })
	h, was := g.hunks[side][at], textNode(g.items[origin][i].text)
	return slices.ContainsFunc(g.items[side][h.BLo:h.BHi], func(item gapItem) bool {
		return !item.isEntry && resemble(textNode(item.text), was)
	})
}

// leave marks the lines directly above and below entries that the result lacks, if no side has them without their entry.
// Another version of such a line goes, too.
func (g *gap) leave(results map[int]bool) {
	for _, side := range identity.Sides() {
		for at, item := range g.items[side] {
			if !item.isEntry || results[item.entry] {
				continue
			}
			isOwn := false
			take := func(i int) bool {
				line := &g.items[side][i]
				goes, own := g.goes(side, i, item.entry)
				line.goes = goes
				isOwn = isOwn || goes && own && hasWords(line.text)
				return goes
			}
			for i := at - 1; i >= 0 && !g.items[side][i].isEntry && !g.items[side][i].below && take(i); i-- {
			}
			for i := at + 1; i < len(g.items[side]) && g.items[side][i].below && take(i); i++ {
			}
			if was, found := g.whole[item.entry]; !found || was {
				g.whole[item.entry] = !isOwn
			}
		}
	}
}

// goes reports whether a line of a side goes with an entry, and whether it is the side's own. origin's lines come first.
func (g *gap) goes(side identity.Side, i, entry int) (goes, own bool) {
	if side == origin {
		for _, other := range [2]identity.Side{upstream, local} {
			if !g.entries[entry].in[other] && g.match[other][i] >= 0 {
				return false, false
			}
		}
		return true, false
	}
	if was := g.was[side][i]; was >= 0 {
		return g.items[origin][was].goes, false
	}
	if g.entries[entry].in[origin] {
		h := g.hunkAt(side, i)
		for _, was := range g.items[origin][h.ALo:h.AHi] {
			if was.isEntry || !was.goes {
				return false, true // it stands for what was here
			}
		}
	}
	return true, true
}

// hunkAt returns the hunk with an item of a side that is not origin's.
func (g *gap) hunkAt(side identity.Side, i int) align.Hunk {
	return g.hunks[side][sort.Search(len(g.hunks[side]), func(k int) bool { return i < g.hunks[side][k].BHi })]
}

// places returns where a side has the entries of the result among its items, or would have those that it lacks. ofOrigin
// has origin's places.
func (g *gap) places(side identity.Side, results, ofOrigin []int) (places []int) {
	ends := make([]int, len(results)+1) // of the places for the kth entry: where the next one is that the side has
	ends[len(results)] = len(g.items[side])
	for k := len(results) - 1; k >= 0; k-- {
		if ends[k] = ends[k+1]; g.indexOf(side, results[k]) >= 0 {
			ends[k] = min(ends[k], g.indexOf(side, results[k]))
		}
	}
	from := 0
	for k, entry := range results {
		at := g.indexOf(side, entry)
		if at < 0 {
			if side == origin {
				at = g.placeInOrigin(entry)
			} else {
				at = g.placeIn(side, entry, ofOrigin[k], from)
			}
			at = max(from, min(ends[k+1], at))
			from = at
		} else {
			from = at + 1
		}
		places = append(places, at)
	}
	return places
}

// indexOf returns the index of an entry among a side's items, or -1.
func (g *gap) indexOf(side identity.Side, entry int) int {
	if at, found := g.entryAt[side][entry]; found {
		return at
	}
	return -1
}

// placeInOrigin returns where an entry that a side added stands among origin's items: in place of those that the side put it for.
func (g *gap) placeInOrigin(entry int) int {
	for _, side := range [2]identity.Side{upstream, local} {
		if i := g.indexOf(side, entry); i >= 0 {
			h := g.hunkAt(side, i)
			if h.AHi-h.ALo == h.BHi-h.BLo {
				return h.ALo + i - h.BLo
			}
			return h.ALo
		}
	}
	return len(g.items[origin])
}

// placeIn returns where an entry that has this place among origin's items is among a side's, behind the first from. Lines in the place of
// an entry that the side removed stand above it.
func (g *gap) placeIn(side identity.Side, entry, place, from int) int {
	isEntry := g.entries[entry].in[origin]
	if place < len(g.items[origin]) && g.items[origin][place].goes && g.match[side][place] >= 0 {
		return g.match[side][place] // in place of this line
	}
	hunks := g.hunks[side]
	for _, h := range hunks[sort.Search(len(hunks), func(k int) bool { return place <= hunks[k].AHi }):] {
		if h.ALo > place {
			break
		}
		isEqual := h.AHi-h.ALo == h.BHi-h.BLo
		switch {
		case isEntry && place == h.AHi:
		case isEntry && isEqual:
			return h.BLo + place - h.ALo + 1
		case isEntry:
			return h.BHi
		case h.ALo == h.AHi:
			at := h.BLo
			for at < h.BHi && g.items[side][at].below {
				at++
			}
			if g.below == atEnd && from > h.BLo {
				return h.BHi // the lines below came with the last entry
			}
			return g.placeAfterCommon(side, entry, h, at)
		case isEqual:
			return h.BLo + place - h.ALo
		case place == h.AHi:
			return h.BHi
		default:
			return h.BLo
		}
	}
	if place == len(g.items[origin]) {
		return len(g.items[side])
	}
	return g.match[side][place]
}

// placeAfterCommon returns the place of the other side's entry among lines that a side added: behind the last one that the other
// side added too, above the entry.
func (g *gap) placeAfterCommon(side identity.Side, entry int, h align.Hunk, at int) int {
	other := otherSide(side)
	if g.common[side] == nil {
		g.common[side] = alignItems(g.items[other], g.items[side])
	}
	for i := g.indexOf(other, entry) - 1; i >= 0 && g.was[other][i] < 0; i-- {
		if j := g.common[side][i]; j >= at && j < h.BHi {
			return j + 1
		}
	}
	return at
}

// slotted returns the lines of each side above the kth entry of the result, and above the end. A line of origin's has one place on
// all sides: that of a side that moved it, local's if both did. So a line that a side removed goes, wherever the other one has
// it, and no line comes twice. A side that removed an entry together with the lines directly above or below it changed nothing in
// these: it has origin's. The lines of an entry that a side commented out, and that the other side has or commented out likewise, change nothing
// around them: all sides have them, in the place of the entry.
func (g *gap) slotted(places [3][]int, results []int) [][3][]gapItem {
	slotOf := func(side identity.Side, i int) int { return sort.SearchInts(places[side], i+1) }
	type line struct {
		gapItem
		slot, at int // at is twice its index
	}
	var lines [3][]line
	number := [3][]int{upstream: make([]int, len(g.items[origin])), local: make([]int, len(g.items[origin]))} // in lines, by origin's item
	for i := range g.items[origin] {
		number[upstream][i], number[local][i] = -1, -1
	}
	for _, side := range identity.Sides() {
		for i, item := range g.items[side] {
			if item.isEntry || item.goes {
				continue
			}
			if side != origin && g.was[side][i] >= 0 {
				number[side][g.was[side][i]] = len(lines[side])
			}
			lines[side] = append(lines[side], line{item, slotOf(side, i), 2 * i})
		}
		for k, entry := range results {
			for _, i := range g.removed(side, places[origin][k], entry) {
				if side == local && g.twice[g.items[origin][i].text] > 0 {
					continue
				}
				number[side][i] = len(lines[side])
				lines[side] = append(lines[side], line{g.items[origin][i], slotOf(origin, i), 2*places[side][k] - 1})
			}
		}
	}
	n := 0
	for i, item := range g.items[origin] {
		if item.isEntry || item.goes {
			continue
		}
		of := &lines[origin][n]
		n++
		slot := of.slot
		for _, side := range [2]identity.Side{upstream, local} {
			if j := number[side][i]; j >= 0 && lines[side][j].slot != of.slot {
				slot = lines[side][j].slot
			}
		}
		of.slot = slot
		for _, side := range [2]identity.Side{upstream, local} {
			if j := number[side][i]; j >= 0 {
				lines[side][j].slot = slot
			}
		}
	}
	commentedOut := [3]commentedOut{upstream: g.commentedOut(upstream), local: g.commentedOut(local)}
	for _, side := range [2]identity.Side{upstream, local} {
		for _, l := range lines[side] {
			entry, found := commentedOut[side].entries[l.at/2]
			if !found || l.at%2 != 0 {
				continue
			}
			at := func(of identity.Side) line { return line{l.gapItem, l.slot, 2 * g.indexOf(of, entry)} }
			switch other := otherSide(side); {
			case g.entries[entry].in[other]:
				lines[origin], lines[other] = append(lines[origin], at(origin)), append(lines[other], at(other))
			case side == upstream && commentedOut[upstream].texts[entry] == commentedOut[local].texts[entry]:
				lines[origin] = append(lines[origin], at(origin))
			}
		}
	}
	out := make([][3][]gapItem, len(results)+1)
	for side, all := range lines {
		slices.SortStableFunc(all, func(a, b line) int { return cmp.Compare(a.at, b.at) })
		for _, l := range all {
			out[l.slot][side] = append(out[l.slot][side], l.gapItem)
		}
	}
	return out
}

// commentedOut has the entries that a side commented out, by its lines, and the lines of each.
type commentedOut struct {
	entries map[int]int
	texts   map[int]string
}

// commentedOut returns the entries of origin's that a side commented out, and the result lacks. The first line of one begins like the
// entry, and the others are indented deeper.
func (g *gap) commentedOut(side identity.Side) commentedOut {
	out := commentedOut{map[int]int{}, map[int]string{}}
	items, starts := g.items[side], map[string][]int{}
	for i, item := range items {
		if !item.isEntry && g.was[side][i] < 0 {
			text := startOf(item.text)
			starts[text] = append(starts[text], i)
			if key, _, isField := strings.Cut(text, ":"); isField {
				starts[key] = append(starts[key], i)
			}
		}
	}
	hunks := g.hunks[side]
	for at, item := range g.items[origin] {
		if !item.isEntry || g.entries[item.entry].inResult || g.entries[item.entry].in[side] {
			continue
		}
		for at >= hunks[0].AHi {
			hunks = hunks[1:]
		}
		start, h := g.entries[item.entry].start(), hunks[0]
		lines := starts[start]
		isTaken := func(i int) bool { _, taken := out.entries[i]; return taken }
		for len(lines) > 0 && (lines[0] < h.BLo || isTaken(lines[0])) {
			lines = lines[1:]
		}
		if starts[start] = lines; start == "" || len(lines) == 0 || lines[0] >= h.BHi {
			continue
		}
		first := lines[0]
		for i := first; i < h.BHi && (i == first || !items[i].isEntry && !isTaken(i) && indentOf(items[i].text) > indentOf(items[first].text)); i++ {
			out.entries[i] = item.entry
			out.texts[item.entry] += items[i].text + "\n"
		}
	}
	return out
}

// start returns how the text of an entry begins: its key, or the first line of an element.
func (e commented) start() string {
	if e.node.Kind == yaml.MappingNode && len(e.node.Content) > 0 {
		return startOf(e.node.Content[0].Value + ": " + e.node.Content[1].Value)
	}
	return startOf(e.node.Value)
}

// startOf returns the text of the first line of an entry, which may be commented out.
func startOf(text string) string {
	text, _, _ = strings.Cut(strings.TrimLeft(text, "#- "), "\n")
	text, _, _ = strings.Cut(text, " #")
	return strings.TrimRight(strings.NewReplacer(`"`, "", "'", "").Replace(text), " ")
}

// indentOf returns the number of spaces behind the # of a line.
func indentOf(line string) int {
	line = strings.TrimLeft(line, "#")
	return len(line) - len(strings.TrimLeft(line, " "))
}

// removed returns the indices of origin's lines directly above or below an entry that a side removed together with it. at is the
// entry's.
func (g *gap) removed(side identity.Side, at, entry int) (lines []int) {
	if e := g.entries[entry]; !e.in[origin] || e.in[side] {
		return nil
	}
	o := g.items[origin]
	for i := at - 1; i >= 0 && !o[i].isEntry && !o[i].below && !o[i].goes && g.match[side][i] < 0; i-- {
		lines = append(lines, i)
	}
	slices.Reverse(lines)
	for i := at + 1; i < len(o) && o[i].below && !o[i].isEntry && !o[i].goes && g.match[side][i] < 0; i++ {
		lines = append(lines, i)
	}
	return lines
}

// put puts lines between two entries of the result: below the first one as far as a side has them there, and above the second
// one.
func (g *gap) put(above, below int, lines [3][]gapItem) {
	var foot, head [3]string
	hasFoot := above >= 0 && !g.entries[above].noFoot
	if below == atEnd {
		hasFoot = hasFoot && slices.ContainsFunc(lines[:], func(of []gapItem) bool { return len(of) > 0 && !of[len(of)-1].below })
	}
	for side, all := range lines {
		n := 0
		for i, line := range all {
			if line.below && hasFoot {
				n = i + 1
			}
		}
		foot[side], head[side] = textOf(all[:n]), textOf(all[n:])
	}
	if above >= 0 && !g.entries[above].noFoot {
		g.into[commentSlot{above, true}] = foot
	}
	g.into[commentSlot{entry: below}] = head
}

// textOf returns lines as a comment.
func textOf(lines []gapItem) (text string) {
	for i, line := range lines {
		if i > 0 {
			text += "\n"
			if line.apart == apart {
				text += "\n"
			}
		}
		text += line.text
	}
	return text
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

// alignItems pairs the items of two sides: the entries in both, and the lines between these, last ones first. A line directly above an
// entry that only one has is not one directly above an entry that only the other one has.
func alignItems(a, b []gapItem) []int {
	match := make([]int, len(a))
	for i := range match {
		match[i] = -1
	}
	inA, inB := entriesIn(a), entriesIn(b)
	pair := func(idsA, idsB []int, fromA, toA, fromB, toB int) {
		for fromA < toA && fromB < toB && !a[toA-1].isEntry && !b[toB-1].isEntry && idsA[toA-1] == idsB[toB-1] {
			toA, toB = toA-1, toB-1
			match[toA] = toB
		}
		for i, j := range align.Pairs(idsA[fromA:toA], idsB[fromB:toB]) {
			if j >= 0 && !a[fromA+i].isEntry && !b[fromB+j].isEntry {
				match[fromA+i] = fromB + j
			}
		}
	}
	n, textsA, textsB := lineNumbers{}, textsOf(a), textsOf(b)
	nestedA, nestedB := n.nested(textsA), n.nested(textsB)
	plainA, plainB := n.plain(textsA), n.plain(textsB)
	block := func(fromA, toA, fromB, toB int) {
		pair(nestedA, nestedB, fromA, toA, fromB, toB)
		within := slices.Clone(match[fromA:toA])
		for i, j := range within {
			if j >= 0 {
				within[i] = j - fromB
			}
		}
		for _, h := range align.Hunks(within, toB-fromB) {
			pair(plainA, plainB, fromA+h.ALo, fromA+h.AHi, fromB+h.BLo, fromB+h.BHi)
		}
		for i := fromA; i < toA; i++ {
			if j := match[i]; j >= 0 && j < toB {
				if x, y := owner(a[i:toA]), owner(b[j:toB]); x >= 0 && y >= 0 && !slices.Contains(inB, x) && !slices.Contains(inA, y) {
					match[i] = -1
				}
			}
		}
	}
	fromA, fromB := 0, 0
	at := func(items []gapItem, entry int) int {
		return slices.IndexFunc(items, func(item gapItem) bool { return item.isEntry && item.entry == entry })
	}
	for _, j := range align.Pairs(inA, inB) {
		if j < 0 {
			continue
		}
		toA, toB := at(a, inB[j]), at(b, inB[j])
		block(fromA, toA, fromB, toB)
		match[toA] = toB
		fromA, fromB = toA+1, toB+1
	}
	block(fromA, len(a), fromB, len(b))
	return match
}

// owner returns the entry that the first line of items is directly above, or -1.
func owner(items []gapItem) int {
	for i, item := range items {
		if item.isEntry {
			return item.entry
		}
		if i > 0 && item.apart == apart {
			break
		}
	}
	return -1
}

// lineNumbers numbers lines: equal ones have one number, if the lines around them are equal, too.
type lineNumbers map[lineWithin]int

// lineWithin is a line within the one with this number, -1 for none.
type lineWithin struct {
	around int
	text   string
}

func (n lineNumbers) of(around int, text string) int {
	id, found := n[lineWithin{around, text}]
	if !found {
		id = len(n)
		n[lineWithin{around, text}] = id
	}
	return id
}

// plain numbers lines, whatever is around them.
func (n lineNumbers) plain(lines []string) (ids []int) {
	for _, line := range lines {
		ids = append(ids, n.of(-1, line))
	}
	return ids
}

// nested numbers lines; a line of a comment is within the next one above that is indented less: a line of a commented-out field is
// no line of another one.
func (n lineNumbers) nested(lines []string) (ids []int) {
	var around []int // indices
	for i, line := range lines {
		isComment := strings.HasPrefix(line, "#")
		if !isComment {
			around = nil
		}
		for len(around) > 0 && indentOf(lines[around[len(around)-1]]) >= indentOf(line) {
			around = around[:len(around)-1]
		}
		within := -1
		if len(around) > 0 {
			within = ids[around[len(around)-1]]
		}
		if ids = append(ids, n.of(within, line)); isComment {
			around = append(around, i)
		}
	}
	return ids
}

// textsOf returns the lines among items, and a text of its own for each entry.
func textsOf(items []gapItem) (texts []string) {
	for _, item := range items {
		if item.isEntry {
			item.text = fmt.Sprint("entry ", item.entry)
		}
		texts = append(texts, item.text)
	}
	return texts
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
func (c *collection) add(of [3]*yaml.Node, inResult bool) {
	e := commented{inResult: inResult}
	for side, n := range of {
		if n == nil {
			continue
		}
		s := nodeSlots(n)
		e.in[side], e.head[side] = true, s.head
		e.node = n
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

// collection returns the collection of an element's children.
func (e *element) collection(d decision) collection {
	c := collection{path: e.path, order: e.order, result: d.order}
	inResult := positions(d.order, len(e.children))
	for i, child := range e.children {
		var of [3]*yaml.Node
		for side := range of {
			of[side] = cmp.Or(child.key[side], child.value[side])
		}
		c.add(of, inResult[i] >= 0)
	}
	return c
}

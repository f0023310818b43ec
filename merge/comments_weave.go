package merge

import (
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/align"
)

// wovenItem is an item of the sides that have it. below and apart are each side's.
type wovenItem struct {
	gapItem
	in, below [3]bool
	apart     [3]layout
	// replaces marks a line in place of a line of origin's, which is the next one of these.
	replaces bool
}

// weaver puts the lines and entries of three sides into one order.
type weaver struct {
	// rank has the places of the entries that the result has.
	rank map[int]int
	// last reports whether the gap is at the end of the collection.
	last bool
	out  []wovenItem
}

// removal says what a side put in the place of a line of origin's.
type removal int

const (
	stays    removal = iota
	alone            // nothing
	replaced         // lines
	opened           // an entry, perhaps below lines
)

// removalBy returns what it means that lines stand in the place of others.
func removalBy(lines []gapItem) removal {
	if len(lines) == 0 {
		return alone
	}
	return replaced
}

func fillWith(all []removal, one removal) {
	for i := range all {
		all[i] = one
	}
}

// weave puts each side's new items where it has them among origin's. Where a side put others in place of origin's, its
// comments come before origin's lines and its entries behind them: a comment in place of a removed entry stands above that
// one, and a field that was uncommented stands below its comment.
func (w *weaver) weave(items [3][]gapItem) {
	o := items[origin]
	var added, before, behind [3][][]gapItem
	var match [3][]int
	var removed [3][]removal
	var hunks [3][]align.Hunk
	var at [3][]int // the first of origin's items that a new item of a side's stands in place of
	for _, side := range [2]identity.Side{upstream, local} {
		match[side], at[side] = alignItems(o, items[side]), make([]int, len(items[side]))
		hunks[side] = align.Hunks(match[side], len(items[side]))
		for _, h := range hunks[side] {
			for i := h.BLo; i < h.BHi; i++ {
				at[side][i] = h.ALo
			}
		}
	}
	common := alignItems(items[upstream], items[local])
	for _, side := range [2]identity.Side{upstream, local} {
		added[side], before[side], behind[side] = make([][]gapItem, len(o)+1), make([][]gapItem, len(o)+1), make([][]gapItem, len(o)+1)
		removed[side] = make([]removal, len(o)+1)
		for _, h := range hunks[side] {
			own := items[side][h.BLo:h.BHi]
			if h.ALo == h.AHi {
				added[side][h.ALo] = own
				continue
			}
			first := slices.IndexFunc(own, func(item gapItem) bool { return item.isEntry })
			if first < 0 {
				before[side][h.ALo] = own
				fillWith(removed[side][h.ALo:h.AHi], removalBy(own))
				continue
			}
			before[side][h.ALo] = waiting(own[:first])
			last, place := len(own), h.AHi
			for last > 0 && !own[last-1].isEntry {
				last--
			}
			for i, j := range common { // the other side has the lines, or the last entry, in place of fewer items of origin's
				mine, others := i, at[local]
				if side == local {
					mine, others, j = j, at[upstream], i
				}
				if common[i] >= 0 && mine >= h.BLo+last-1 && mine < h.BHi && others[j] > h.ALo && others[j] < place {
					place = others[j]
					if mine < h.BLo+last {
						place = min(h.AHi, place+1)
					}
				}
			}
			if place < h.AHi {
				before[side][place] = append(before[side][place], own[last:]...)
				fillWith(removed[side][place:h.AHi], removalBy(own[last:]))
				own = own[:last]
			}
			behind[side][place] = own[first:]
			fillWith(removed[side][h.ALo:place], opened)
		}
	}
	for i := range len(o) + 1 {
		w.join(behind[upstream][i], behind[local][i])
		w.join(added[upstream][i], added[local][i])
		from := len(w.out)
		w.join(before[upstream][i], before[local][i])
		if i == len(o) {
			break
		}
		for j := from; j < len(w.out) && !o[i].isEntry; j++ {
			w.out[j].replaces = true
		}
		item := wovenItem{gapItem: o[i]}
		item.add(origin, o[i])
		for _, side := range [2]identity.Side{upstream, local} {
			if j := match[side][i]; j >= 0 {
				item.add(side, items[side][j])
			}
		}
		byUpstream, byLocal := removed[upstream][i], removed[local][i]
		isGone := byUpstream == opened && byLocal == stays || byLocal == opened && byUpstream == stays ||
			byUpstream != stays && byLocal != stays && byUpstream != replaced && byLocal != replaced
		if item.isEntry || !isGone {
			w.out = append(w.out, item)
		}
	}
}

// waiting returns lines that wait for the entry below them.
func waiting(lines []gapItem) []gapItem {
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i].waits = true
	}
	return lines
}

func (w *wovenItem) add(side identity.Side, item gapItem) {
	w.in[side], w.below[side], w.apart[side] = true, item.below, item.apart
}

// join adds new items of upstream's and local's in one place. Equal ones are added once.
func (w *weaver) join(u, l []gapItem) {
	fromU, fromL := 0, 0
	match := alignItems(u, l)
	for i, j := range append(match, len(l)) {
		if j < 0 {
			continue
		}
		w.order(u[fromU:i], l[fromL:j])
		if i < len(u) {
			item := wovenItem{gapItem: u[i]}
			item.add(upstream, u[i])
			item.add(local, l[j])
			w.out = append(w.out, item)
		}
		fromU, fromL = i+1, j+1
	}
}

// order adds different new items of upstream's and local's in one place, in the order of the entries in the result. A line
// goes with the entry below it, else with the one behind the place.
func (w *weaver) order(u, l []gapItem) {
	type group struct {
		rank  int
		side  identity.Side
		items []gapItem
	}
	var groups []group
	for side, items := range [3][]gapItem{upstream: u, local: l} {
		rank, from, hasEntry := -1, 0, false
		for to := 0; to < len(items); to++ {
			if hasEntry = hasEntry || items[to].isEntry; items[to].isEntry {
				if r, found := w.rank[items[to].entry]; found {
					rank = r
				}
			} else if !items[to].below {
				continue
			}
			groups = append(groups, group{rank, identity.Side(side), items[from : to+1]})
			from = to + 1
		}
		if !w.last || !hasEntry { // else the lines came with the last entry
			rank = len(w.rank)
		}
		groups = append(groups, group{rank, identity.Side(side), items[from:]})
	}
	slices.SortStableFunc(groups, func(a, b group) int { return a.rank - b.rank })
	for _, g := range groups {
		for _, i := range g.items {
			item := wovenItem{gapItem: i}
			item.add(g.side, i)
			w.out = append(w.out, item)
		}
	}
}

// alignItems pairs the items of two sequences: the entries in both, and the lines between these, last ones first.
func alignItems(a, b []gapItem) []int {
	match := make([]int, len(a))
	for i := range match {
		match[i] = -1
	}
	block := func(fromA, toA, fromB, toB int) {
		for fromA < toA && fromB < toB && a[toA-1].isSame(b[toB-1]) {
			toA, toB = toA-1, toB-1
			match[toA] = toB
		}
		for i, j := range align.Lines(textsOf(a[fromA:toA]), textsOf(b[fromB:toB])) {
			if j >= 0 && !a[fromA+i].isEntry && !b[fromB+j].isEntry {
				match[fromA+i] = fromB + j
			}
		}
	}
	inA, inB := entriesIn(a), entriesIn(b)
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

// alignLines pairs the items of two sequences as a diff does.
func alignLines(a, b []gapItem) []int {
	numbers := map[gapItem]int{}
	ids := func(items []gapItem) (ids []int) {
		for _, item := range items {
			item.below, item.apart = false, unknown
			if _, found := numbers[item]; !found {
				numbers[item] = len(numbers)
			}
			ids = append(ids, numbers[item])
		}
		return ids
	}
	return align.Pairs(ids(a), ids(b))
}

func (i gapItem) isSame(other gapItem) bool {
	return i.isEntry == other.isEntry && i.text == other.text && i.entry == other.entry
}

func textsOf(items []gapItem) (texts []string) {
	for _, item := range items {
		texts = append(texts, item.text)
	}
	return texts
}

// shown returns the side whose layout a line has in the result.
func (w wovenItem) shown() identity.Side {
	switch {
	case w.in[local] && (!w.in[upstream] || !w.in[origin] || w.below[local] != w.below[origin] || w.below[upstream] == w.below[origin]):
		return local
	case w.in[upstream]:
		return upstream
	case w.in[local]:
		return local
	}
	return origin
}

// isApart reports whether an empty line is above a line in the result.
func (w wovenItem) isApart() bool {
	o, u, l := w.apart[origin], w.apart[upstream], w.apart[local]
	if l == unknown || l == o && u != unknown {
		l = u
	}
	return l == apart || l == unknown && o == apart
}

// versionsOf returns the lines of each side. An empty line is layout, and the same on all.
func versionsOf(lines []wovenItem) (versions [3]string) {
	for _, line := range lines {
		for side, in := range line.in {
			if !in {
				continue
			}
			if versions[side] != "" {
				versions[side] += "\n"
				if line.isApart() {
					versions[side] += "\n"
				}
			}
			versions[side] += line.text
		}
	}
	return versions
}

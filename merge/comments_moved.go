package merge

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// commentIndex has the positions of comment lines on each side. A position is a text: a field, an element, or the end
// of a map or list.
type commentIndex struct {
	// sides has the sides with a line in a position.
	sides map[string]map[string]*[3]bool
	// upstream has upstream's nodes in a position; none at the end of a map or list, whose comment may be at another
	// node in the result.
	upstream map[string][]*yaml.Node
	// ends has upstream's last nodes in maps and lists, which have the comments at the ends of these below them.
	ends map[*yaml.Node]bool
	// inOrigin has the positions of origin's fields and elements, and emptied the fields that upstream has without parts.
	inOrigin, emptied map[string]bool
	// numbers has the numbers of the elements of lists without keys, by their values, and lists origin's lists by their
	// positions. An element has the same position on each side that has its value, or changed it in its place.
	numbers map[string]int
	lists   map[string]*yaml.Node
}

// moved returns the number of times that local moved a line that upstream has in a position where local does not have
// it. from has upstream's nodes in these positions, and nil for the end of a map or list.
func (x commentIndex) moved(line string) (n int, from map[*yaml.Node]bool) {
	at := map[[3]bool][]string{}
	for position, has := range x.sides[line] {
		at[*has] = append(at[*has], position)
	}
	added, gone := len(at[[3]bool{local: true}]), len(at[[3]bool{origin: true}])
	stale, arrived := at[[3]bool{origin: true, upstream: true}], at[[3]bool{upstream: true}]
	if gone == 0 {
		arrived = nil // they are upstream's own
	}
	from = map[*yaml.Node]bool{}
	if n = min(added, len(stale)+min(gone, len(arrived))); n > 0 {
		for _, position := range slices.Concat(stale, arrived) {
			x.addNodes(from, position)
		}
	}
	return n, from
}

// both returns the number of times that upstream and local have a line in a position where origin does not have it.
func (x commentIndex) both(line string) (n int) {
	for _, has := range x.sides[line] {
		if *has == [3]bool{upstream: true, local: true} {
			n++
		}
	}
	return n
}

// left returns the number of times that upstream left a line where it deleted a field or an element that local has: above
// a sibling that origin has too, or at the end, also of the map around a field that it emptied so. It adds the nodes there
// to from.
func (x commentIndex) left(line string, from map[*yaml.Node]bool) (n int) {
	held, left := map[string]int{}, map[string][]string{} // by the position of the map or list
	for at, has := range x.sides[line] {
		collection := parentOf(at)
		switch {
		case *has == [3]bool{origin: true, local: true} && x.upstream[at] == nil:
			if held[collection]++; x.emptied[collection] {
				held[parentOf(collection)]++
			}
		case *has == [3]bool{upstream: true} && (x.inOrigin[at] || strings.HasSuffix(at, "/")):
			left[collection] = append(left[collection], at)
		}
	}
	for collection, positions := range left {
		if held[collection] > 0 {
			n += min(held[collection], len(positions))
			for _, at := range positions {
				x.addNodes(from, at)
			}
		}
	}
	return n
}

// parentOf returns the position of the map or list around a position.
func parentOf(at string) string { return at[:max(0, strings.LastIndexByte(at, '/'))] }

// addNodes adds upstream's nodes in a position, or nil for the end of a map or list.
func (x commentIndex) addNodes(to map[*yaml.Node]bool, at string) {
	for _, n := range x.upstream[at] {
		to[n] = true
	}
	to[nil] = to[nil] || x.upstream[at] == nil
}

// element adds the comments of an element in a position, and of everything below it.
func (x commentIndex) element(e *element, at string) {
	unkeyed := x.unkeyed(e, at)
	for i, child := range e.children {
		here := at + "/" + strconv.Itoa(i)
		for _, side := range identity.Sides() {
			if !child.has(side) {
				continue
			}
			if child.unkeyed {
				here = at + "/" + unkeyed[child.value[side]]
				x.below(child.value[side], side, here)
			}
			s := nodeSlots(child.value[side])
			if e.form == mapping {
				s = fieldSlots(child.key[side], child.value[side])
			}
			last := len(e.order[side]) > 0 && e.order[side][len(e.order[side])-1] == i
			x.add(side, here, at, s, last, child.key[side], child.value[side])
		}
		if !child.unkeyed {
			x.element(child, here)
		}
	}
	for _, side := range identity.Sides() {
		if at == "" && e.has(side) {
			x.add(side, at, at, nodeSlots(e.value[side]), false, e.value[side])
		}
		if len(e.children) == 0 {
			x.below(e.value[side], side, at)
		}
	}
	x.emptied[at] = e.has(upstream) && len(e.value[upstream].Content) == 0
}

// below adds the comments within a value that was not collated.
func (x commentIndex) below(n *yaml.Node, side identity.Side, at string) {
	if n == nil {
		return
	}
	step, numbers := 2, []string(nil)
	if n.Kind != yaml.MappingNode {
		step, numbers = 1, x.elements(n, side, at)
	}
	for i := 0; i+step <= len(n.Content); i += step {
		value, last := n.Content[i+step-1], i+step == len(n.Content)
		here, s := at+"/", nodeSlots(value)
		if step == 2 {
			here, s = here+n.Content[i].Value, fieldSlots(n.Content[i], value)
		} else {
			here += numbers[i]
		}
		x.add(side, here, at, s, last, n.Content[i:i+step]...)
		x.below(value, side, here)
	}
}

// unkeyed returns the numbers of the elements of a list that it cannot compare by keys.
func (x commentIndex) unkeyed(e *element, at string) map[*yaml.Node]string {
	if !slices.ContainsFunc(e.children, func(c *element) bool { return c.unkeyed }) {
		return nil
	}
	out := map[*yaml.Node]string{}
	for _, side := range identity.Sides() {
		for i, number := range x.elements(e.value[side], side, at) {
			out[e.value[side].Content[i]] = number
		}
	}
	return out
}

// maxApart limits the elements of origin among which the one is found that a side changed in its place.
const maxApart = 8

// elements returns the numbers of the elements of a side's list. Equal ones have different numbers. A version that the
// side changed in its place has the number of origin's.
func (x commentIndex) elements(list *yaml.Node, side identity.Side, at string) (numbers []string) {
	if side == origin {
		x.lists[at] = list
	}
	was, is := x.lists[at], x.ids(list)
	ids := x.ids(was)
	pieces, _ := mergeSequences([3][]int{ids, is, ids})
	for _, p := range pieces {
		next := p.from[origin]
		for i := p.from[upstream]; i < p.to[upstream] && p.isChange(); i++ {
			e := list.Content[i]
			near := yamlnode.Elements(was)[next:min(next+maxApart, p.to[origin])]
			if n := slices.IndexFunc(near, func(o *yaml.Node) bool { return resembleWithin(e, o) || sharesComment(e, o) }); n >= 0 {
				is[i] = ids[next+n]
				next += n + 1
			}
		}
	}
	for _, id := range is {
		numbers = append(numbers, "#"+strconv.Itoa(id))
	}
	return numbers
}

// ids returns a number for each element of a list, by its value and the equal ones above it.
func (x commentIndex) ids(list *yaml.Node) []int {
	var texts []string
	seen := map[string]int{}
	for _, e := range yamlnode.Elements(list) {
		text := canonical(e)
		seen[text]++
		texts = append(texts, strconv.Itoa(seen[text])+text)
	}
	return number(x.numbers, texts)
}

// add adds the comments of a field or element. The comment below the last one is at the end of the collection.
func (x commentIndex) add(side identity.Side, at, collection string, s slots, last bool, nodes ...*yaml.Node) {
	switch side {
	case origin:
		x.inOrigin[at] = true
	case upstream:
		x.upstream[at] = nodes
	}
	if last {
		x.lines(side, collection+"/", s.foot)
		s.foot = ""
		x.ends[cmp.Or(nodes...)] = side == upstream
	}
	x.lines(side, at, s.head)
	x.lines(side, at, s.foot)
	x.lines(side, at+"/", s.tail)
}

func (x commentIndex) lines(side identity.Side, at, comment string) {
	for line := range strings.SplitSeq(comment, "\n") {
		if !hasWords(line) {
			continue
		}
		if x.sides[line] == nil {
			x.sides[line] = map[string]*[3]bool{}
		}
		if x.sides[line][at] == nil {
			x.sides[line][at] = &[3]bool{}
		}
		x.sides[line][at][side] = true
	}
}

// hasWords reports whether a line has more than punctuation.
func hasWords(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// duplicateComments are the comment lines that local moved, or has above a field that upstream deleted and the result
// keeps, and that came from upstream too (rules/comments-and-text: owners of comments). A comment belongs to its position, but its only identity is its text: if local uncommented the
// line above it, and upstream changed something around it, both positions have it. It stays where local has it.
type duplicateComments struct {
	// count has the number of times that local moved each line that the result has more often than each side, and
	// surplus the number of times that the result has a line beyond the changes of both sides.
	count, surplus map[string]int
	// together has the lines that stand next to each other in a comment of local's.
	together map[[2]string]bool
	// from has upstream's nodes from which each line may be removed, and nil for the ends of maps and lists, whose
	// comments are below the last node.
	from map[string]map[*yaml.Node]bool
	// ends has upstream's last nodes in maps and lists.
	ends map[*yaml.Node]bool
	emitter
}

// withoutMovedComments returns the result of e without the comment lines that local moved elsewhere.
func (m emitter) withoutMovedComments(result *yaml.Node, e *element, versions [3]*yaml.Node) *yaml.Node {
	if result == versions[upstream] || result == versions[local] {
		return result
	}
	surplus, o, u, l := commentLines(result), commentLines(versions[origin]), commentLines(versions[upstream]), commentLines(versions[local])
	maps.DeleteFunc(surplus, func(line string, n int) bool { return n <= max(u[line], l[line]) })
	if len(surplus) == 0 {
		return result
	}
	index := commentIndex{sides: map[string]map[string]*[3]bool{}, upstream: map[string][]*yaml.Node{}, ends: map[*yaml.Node]bool{}, inOrigin: map[string]bool{}, emptied: map[string]bool{},
		numbers: map[string]int{}, lists: map[string]*yaml.Node{}}
	index.element(e, "")
	d := duplicateComments{count: map[string]int{}, surplus: surplus, together: neighbours(versions[local]), from: map[string]map[*yaml.Node]bool{}, ends: index.ends, emitter: m}
	for line, n := range surplus {
		moved, from := index.moved(line)
		moved += index.left(line, from)
		d.surplus[line] = n - max(u[line], l[line], u[line]+l[line]-o[line]-index.both(line))
		d.count[line], d.from[line] = min(d.surplus[line], moved), from
	}
	out := d.strip(result)
	if identical(out, versions[local]) {
		return versions[local]
	}
	return out
}

// strip removes the lines from n and everything below it, the last ones first.
func (d duplicateComments) strip(n *yaml.Node) *yaml.Node {
	content := slices.Clone(n.Content)
	for i, c := range slices.Backward(n.Content) {
		content[i] = d.strip(c)
	}
	keep, from := d.localComments[n], cmp.Or(d.fromUpstream[n], n)
	out := *withContent(n, content)
	above, below := []*yaml.Node{from}, []*yaml.Node{from, nil}
	if d.ends[from] {
		below = below[1:]
	}
	out.FootComment = d.stripComment(n.FootComment, keep.foot, below)
	out.HeadComment = d.stripComment(n.HeadComment, keep.head, above)
	if nodeSlots(&out) == nodeSlots(n) && slices.Equal(content, n.Content) {
		return n
	}
	return &out
}

// stripComment returns a comment without the lines to remove, except for the lines of keep. Lines that stand together in
// local go together or not at all.
func (d duplicateComments) stripComment(comment, keep string, from []*yaml.Node) string {
	if comment == "" || comment == keep {
		return comment
	}
	lines := strings.Split(comment, "\n")
	removed, above := map[int]bool{}, -1
	var block []int
	remove := func() {
		if d.goes(lines, block, from) {
			for _, i := range block {
				removed[i] = true
				d.count[lines[i]]--
				d.surplus[lines[i]]--
			}
		}
		block = nil
	}
	for i, line := range lines {
		if !hasWords(line) {
			continue
		}
		if above < 0 || !d.together[[2]string{lines[above], line}] {
			remove()
		}
		if above = i; !hasBlock(keep, line) {
			block = append(block, i)
		}
	}
	remove()
	var kept []string
	for i, line := range lines {
		if !removed[i] {
			kept = append(kept, line)
		}
	}
	if len(removed) > 0 && !slices.ContainsFunc(kept, hasWords) {
		return ""
	}
	return strings.Join(kept, "\n")
}

// goes reports whether a block of lines must be removed: local moved one of them, and the result has all of them too
// often.
func (d duplicateComments) goes(lines []string, block []int, from []*yaml.Node) (found bool) {
	times := map[string]int{}
	for _, i := range block {
		line := lines[i]
		times[line]++
		moved := d.count[line] >= times[line] && slices.ContainsFunc(from, func(n *yaml.Node) bool { return d.from[line][n] })
		if !moved && d.surplus[line] < times[line] {
			return false
		}
		found = found || moved
	}
	return found
}

// neighbours returns the lines with words that stand next to each other in n's comments.
func neighbours(n *yaml.Node) map[[2]string]bool {
	out := map[[2]string]bool{}
	eachComment(n, func(_ *yaml.Node, _, comment string) {
		above := ""
		for line := range strings.SplitSeq(comment, "\n") {
			if !hasWords(line) {
				continue
			}
			if above != "" {
				out[[2]string{above, line}] = true
			}
			above = line
		}
	})
	return out
}

// commentLines counts the lines with words in n's comments, apart from line comments.
func commentLines(n *yaml.Node) map[string]int {
	count := map[string]int{}
	eachComment(n, func(_ *yaml.Node, slot, comment string) {
		for line := range strings.SplitSeq(comment, "\n") {
			if slot != "line" && hasWords(line) {
				count[line]++
			}
		}
	})
	return count
}

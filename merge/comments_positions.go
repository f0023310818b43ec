package merge

import (
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
// a sibling that origin has too, or at the end, also of the map around a field that it emptied so, or of the entry above the
// deleted one, as the YAML parser gives that entry the comment at the end of a map around both. It adds the nodes there to from.
func (x commentIndex) left(line string, from map[*yaml.Node]bool) (n int) {
	held, left := map[string]int{}, map[string][]string{} // by the position of the map or list
	for at, has := range x.sides[line] {
		collection := parentOf(at)
		switch {
		case *has == [3]bool{origin: true, local: true} && x.upstream[at] == nil:
			for collection != "" && x.upstream[collection] == nil {
				collection = parentOf(collection)
			}
			if held[collection]++; x.emptied[collection] {
				held[parentOf(collection)]++
			}
		case *has == [3]bool{upstream: true} && strings.HasSuffix(at, "/"):
			for ; ; collection = parentOf(collection) {
				if left[collection] = append(left[collection], at); collection == "" {
					break
				}
			}
		case *has == [3]bool{upstream: true} && x.inOrigin[at]:
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
			x.add(side, here, s, child.key[side], child.value[side])
		}
		if !child.unkeyed {
			x.element(child, here)
		}
	}
	for _, side := range identity.Sides() {
		if at == "" && e.has(side) {
			x.add(side, at, nodeSlots(e.value[side]), e.value[side])
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
		value := n.Content[i+step-1]
		here, s := at+"/", nodeSlots(value)
		if step == 2 {
			here, s = here+n.Content[i].Value, fieldSlots(n.Content[i], value)
		} else {
			here += numbers[i]
		}
		x.add(side, here, s, n.Content[i:i+step]...)
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
	pieces, _ := mergeSequences([3][]int{ids, is, ids}, nil)
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

// add adds the comments of a field or element.
func (x commentIndex) add(side identity.Side, at string, s slots, nodes ...*yaml.Node) {
	switch side {
	case origin:
		x.inOrigin[at] = true
	case upstream:
		x.upstream[at] = nodes
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

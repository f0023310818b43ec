package merge

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// commentedOut returns the comments above a side's version of an element or a field in which the side commented out others of
// origin's that stood there, each with the lines of its own right above it, such as the reason: they belong to the place in the
// list or map, and not to the entry below (rules/comments-and-text: commented-out entries). gone has the names of the entries of
// origin's that the side lacks.
func (e *element) commentedOut(c *element, side identity.Side, gone map[string]bool) (found []string) {
	eachCommentedOut(e.form, c.above(side), c.above(origin), func(lines string, isMore bool, entry *yaml.Node) bool {
		name := entry.Value
		if e.form != mapping {
			name = c.keyOf(entry)
		}
		switch {
		case !gone[name]:
			return false
		case isMore:
			found[len(found)-1] += "\n" + lines
		default:
			found = append(found, lines)
		}
		return true
	})
	return found
}

// eachCommentedOut visits the lines of a comment in which an element of a list, or a field of a map, is commented out, and the lines
// right above these, but for the ones that origin's comment has: lines, until visit takes them. entry is the element or the key, and
// isMore reports whether visit took the lines above for it.
func eachCommentedOut(of form, comment, was string, visit func(lines string, isMore bool, entry *yaml.Node) bool) {
	var block, above []string
	isMore := false
	for line := range strings.SplitSeq(comment, "\n") {
		text := strings.TrimPrefix(strings.TrimPrefix(line, "#"), " ")
		begins := strings.HasPrefix(text, "- ")
		if of == mapping {
			begins = text != "" && !strings.ContainsRune(" -#", rune(text[0]))
		}
		isOrigins := strings.Contains(was, line)
		if begins || isOrigins {
			block, isMore = nil, false
		}
		if block, above = append(block, text), append(above, line); isOrigins {
			above = nil
			continue
		}
		var out yaml.Node
		if yaml.Unmarshal([]byte(strings.Join(block, "\n")), &out) != nil || len(out.Content) != 1 {
			continue
		}
		entries, kind, size := out.Content[0], yaml.SequenceNode, 1
		if of == mapping {
			kind, size = yaml.MappingNode, 2
		}
		if entries.Kind == kind && len(entries.Content) == size && visit(strings.Join(above, "\n"), isMore, entries.Content[0]) {
			above, isMore = nil, true
		}
	}
}

// ofPlace returns a side's comment above an element of a list without keys, or at its end, without the elements of origin's that
// the side commented out there, if the result has one of them: then it has the other side's version of that place, and its
// comments. Else lines that the result has above, of an element of the other side's, come once.
func (h heads) ofPlace(side identity.Side, comment, was, above string) string {
	commented, rest, isOthers := "", "\n"+comment+"\n", false
	eachCommentedOut(atomic, comment, was, func(lines string, _ bool, element *yaml.Node) bool {
		text := canonical(element)
		if !h.values[origin][text] || h.values[side][text] {
			return false
		}
		until, after, _ := strings.Cut(rest, "\n"+lines+"\n")
		commented, rest, isOthers = commented+"\n"+lines, until+"\n"+after, isOthers || h.values[3][text]
		return true
	})
	switch {
	case commented == "" || above == "" && !isOthers:
		return comment
	case isOthers:
		commented = ""
	}
	return yamlnode.JoinComments("\n", linesBeside(above, strings.Trim(commented, "\n")), strings.Trim(rest, "\n"))
}

// commentedOutEntries are the commented-out entries of a list or map that stand elsewhere in the result than on their side.
type commentedOutEntries struct {
	// above has, by the children of the result, the entries above a child that the result lacks: the next child of the side's gets
	// them, in origin's order. below has the entries at the end.
	above map[int][]string
	below []string
	// whole are the children that lose nothing but such entries.
	whole []int
	// repeated has, by the children of the result that one side has, the entries above them that the other side commented out too,
	// and that come further above.
	repeated map[int][]string
}

// commentedOutEntries finds the commented-out entries of a list or map.
func (e *element) commentedOutEntries(d decision) (out commentedOutEntries) {
	if e.form != associative && e.form != mapping || d.verdict != MergeParts || len(d.order) == 0 {
		return out
	}
	type commentedLines struct {
		of, heir int // children; heir is -1 at the end
		side     identity.Side
		texts    []string
	}
	var moved []commentedLines
	inPlace := map[int]commentedLines{}
	for _, side := range [2]identity.Side{local, upstream} {
		isCommented := func(i int) bool {
			c := e.children[i]
			return cmp.Or(c.key[side], c.value[side]).HeadComment != "" && !c.has(otherSide(side))
		}
		if !slices.ContainsFunc(e.order[side], isCommented) {
			continue
		}
		gone := map[string]bool{}
		for _, c := range e.children {
			switch {
			case !c.has(origin) || c.has(side):
			case e.form == mapping:
				gone[c.key[origin].Value] = true
			default:
				gone[c.keyOf(c.value[origin])] = true
			}
		}
		delete(gone, "") // of elements without a key
		if len(gone) == 0 {
			continue
		}
		kept := make([]bool, len(e.children))
		for _, i := range d.order {
			kept[i] = true
		}
		first := len(moved)
		for _, i := range e.order[side] {
			lines := commentedLines{of: i, heir: -1, side: side}
			if isCommented(i) {
				lines.texts = e.commentedOut(e.children[i], side, gone)
			}
			switch {
			case kept[i]:
				for n := range moved[first:] {
					moved[first+n].heir = i
				}
				if first = len(moved); len(lines.texts) > 0 {
					inPlace[i] = lines
				}
			case len(lines.texts) > 0 && e.children[i].has(origin):
				if strings.Join(lines.texts, "\n") == e.children[i].above(side) {
					out.whole = append(out.whole, i)
				}
				moved = append(moved, lines)
			}
		}
	}
	if len(moved)+len(inPlace) == 0 {
		return out
	}
	slices.SortStableFunc(moved, func(a, b commentedLines) int {
		return cmp.Compare(slices.Index(e.order[origin], a.of), slices.Index(e.order[origin], b.of))
	})
	of := map[int][]commentedLines{} // by their heirs
	for _, lines := range moved {
		of[lines.heir] = append(of[lines.heir], lines)
	}
	out.above, out.repeated = map[int][]string{}, map[int][]string{}
	by := map[string]identity.Side{} // whose entries of the result come first
	isRepeated := func(text string, side identity.Side) bool {
		first, found := by[text]
		if !found {
			by[text] = side
		}
		return found && first != side
	}
	for _, i := range append(slices.Clone(d.order), -1) {
		for _, lines := range of[i] {
			for _, text := range lines.texts {
				if !slices.Contains(inPlace[i].texts, text) && !isRepeated(text, lines.side) {
					out.above[i] = append(out.above[i], text)
				}
			}
		}
		for _, text := range inPlace[i].texts {
			if isRepeated(text, inPlace[i].side) {
				out.repeated[i] = append(out.repeated[i], text)
			}
		}
	}
	out.below = out.above[-1]
	delete(out.above, -1)
	return out
}

// withHeir returns a comment with the commented-out entries above it that it does not have.
func withHeir(above []string, head string) string {
	out := ""
	for _, text := range above {
		if !hasBlock(out, text) && !hasBlock(head, text) {
			out = yamlnode.JoinComments("\n", out, text)
		}
	}
	return yamlnode.JoinComments("\n", out, head)
}

// linesBeside returns the lines of a comment that another one does not have, each once.
func linesBeside(other, comment string) string {
	var lines []string
	for line := range strings.SplitSeq(comment, "\n") {
		if !slices.Contains(lines, line) && !strings.Contains("\n"+other+"\n", "\n"+line+"\n") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// withoutRepeated returns an element or a key without commented-out entries above it.
func withoutRepeated(n *yaml.Node, repeated []string) *yaml.Node {
	if len(repeated) == 0 {
		return n
	}
	s := nodeSlots(n)
	for _, text := range repeated {
		s.head = withBlock(s.head, text, "")
	}
	return s.onNode(n)
}

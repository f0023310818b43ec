package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// commentedOut returns the lines above a side's version of a list's element in which the side commented out elements of origin's
// that stood there: they belong to the place in the list, and not to the element below (rules/comments-and-text: commented-out
// elements). gone has the keys of the elements of origin's that the side lacks.
func (e *element) commentedOut(side identity.Side, gone map[string]bool) string {
	var found []string
	eachCommentedOut(nodeSlots(e.value[side]).head, nodeSlots(e.value[origin]).head, func(line string, element *yaml.Node) {
		if gone[e.keyOf(element)] {
			found = append(found, line)
		}
	})
	return strings.Join(found, "\n")
}

// eachCommentedOut visits the lines of a comment that origin's comment lacks, each with the element that is commented out in it and
// the lines above it.
func eachCommentedOut(comment, was string, visit func(line string, element *yaml.Node)) {
	var block []string
	for line := range strings.SplitSeq(comment, "\n") {
		text := strings.TrimPrefix(strings.TrimPrefix(line, "#"), " ")
		if strings.HasPrefix(text, "- ") || strings.Contains(was, line) {
			block = nil
		}
		if block = append(block, text); strings.Contains(was, line) {
			continue
		}
		var list yaml.Node
		if yaml.Unmarshal([]byte(strings.Join(block, "\n")), &list) != nil || len(list.Content) != 1 {
			continue
		}
		if elements := yamlnode.Elements(list.Content[0]); len(elements) == 1 {
			visit(line, elements[0])
		}
	}
}

// ofPlace returns a side's comment above an element of a list without keys, or at its end, without the elements of origin's that
// the side commented out there, if the result has one of them: then it has the other side's version of that place, and its
// comments. Else lines that the result has above, of an element of the other side's, come once.
func (h heads) ofPlace(side identity.Side, comment, was, above string) string {
	commented, rest, isOthers := "", "\n"+comment+"\n", false
	eachCommentedOut(comment, was, func(line string, element *yaml.Node) {
		if text := canonical(element); h.values[origin][text] && !h.values[side][text] {
			until, after, _ := strings.Cut(rest, "\n"+line+"\n")
			commented, rest, isOthers = commented+until+"\n"+line, "\n"+after, isOthers || h.values[3][text]
		}
	})
	switch {
	case commented == "" || above == "" && !isOthers:
		return comment
	case isOthers:
		commented = ""
	}
	return yamlnode.JoinComments("\n", linesBeside(above, strings.Trim(commented, "\n")), strings.Trim(rest, "\n"))
}

// heirsOfComments maps the children of a list to the commented-out elements above them that stood above an element which the
// result lacks: the next one of the side's in the result gets them, or the end of the list where there is none. Elements that
// lose nothing else are whole.
func (e *element) heirsOfComments(d decision) (heirs map[int]string, ends [3]string, whole []int) {
	for _, side := range [2]identity.Side{local, upstream} {
		isCommented := func(i int) bool {
			c := e.children[i]
			return c.has(origin) && c.value[side].HeadComment != "" && !c.has(otherSide(side))
		}
		if !slices.ContainsFunc(e.order[side], isCommented) {
			continue
		}
		gone := map[string]bool{}
		for _, c := range e.children {
			if c.has(origin) && !c.has(side) {
				gone[c.keyOf(c.value[origin])] = true
			}
		}
		delete(gone, "") // of elements without a key
		kept := make([]bool, len(e.children))
		for _, i := range d.order {
			kept[i] = true
		}
		waiting, waits := "", []int(nil)
		for _, i := range e.order[side] {
			switch {
			case kept[i] && waiting != "":
				if heirs == nil {
					heirs = map[int]string{}
				}
				heirs[i] = yamlnode.JoinComments("\n", heirs[i], waiting)
				whole, waiting, waits = append(whole, waits...), "", nil
			case !kept[i] && isCommented(i) && len(gone) > 0:
				c := e.children[i]
				text := c.commentedOut(side, gone)
				if text != "" && text == nodeSlots(c.value[side]).head {
					waits = append(waits, i)
				}
				waiting = yamlnode.JoinComments("\n", waiting, text)
			}
		}
		if waiting != "" && len(d.order) > 0 {
			ends[side], whole = waiting, append(whole, waits...)
		}
	}
	return heirs, ends, whole
}

// withHeir returns a comment with the commented-out elements above it that it does not have.
func withHeir(above, head string) string {
	return yamlnode.JoinComments("\n", linesBeside(head, above), head)
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

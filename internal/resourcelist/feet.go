package resourcelist

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// feet gives each comment that ends a collection to the field that it is
// indented like, and one that stands between two fields to the second (DESIGN
// 3.6). yaml.v3 gives it to the innermost field where what follows is indented
// less, and to an outer one, or the one above, where an empty line or nothing
// follows: the same lines would belong to one field or another by what stands
// below them, and versions could not be compared.
type feet struct {
	lines [][]byte
}

// foot is a line of a comment that ends a collection, and its column.
type foot struct {
	text   string
	column int
}

// settleFeet moves comments within a document, which was parsed from text.
func settleFeet(doc *yaml.Node, text []byte) {
	found := false
	walk(doc, func(n *yaml.Node) { found = found || n.FootComment != "" })
	if !found || len(doc.Content) == 0 {
		return
	}
	f, root := feet{bytes.Split(text, []byte("\n"))}, doc.Content[0]
	putFeet(root, f.take(root))
	inner, outer := f.find(doc.FootComment, root, 0), []foot(nil)
	for i, l := range inner {
		if l.column <= root.Column {
			inner, outer = inner[:i], inner[i:]
			break
		}
	}
	putFeet(root, lower(root, inner))
	doc.FootComment = joinFeet(outer)
}

// lower puts comments below the last thing in n that is indented like them or
// less, and returns those that are indented less than what is in n.
func lower(n *yaml.Node, all []foot) (rest []foot) {
	if len(all) == 0 || !isBlock(n) || isMarked(n) {
		return all
	}
	last := n.Content[len(n.Content)-1]
	if n.Kind == yaml.SequenceNode {
		all, rest = cutFeet(all, n.Column+1)
		putFeet(last, lower(last, all))
		return rest
	}
	key := n.Content[len(n.Content)-2]
	all, rest = cutFeet(all, key.Column)
	key.FootComment = joinComments("\n", key.FootComment, joinFeet(lower(last, all)))
	return rest
}

// take settles the comments in n, and takes off those at its end that are
// indented less than what is in it.
func (f feet) take(n *yaml.Node) []foot {
	switch {
	case !isBlock(n):
	case n.Kind == yaml.MappingNode:
		return f.takeMap(n)
	case n.Kind == yaml.SequenceNode:
		return f.takeList(n)
	}
	return nil
}

// takeMap keeps below the last field what is indented like its key. What is below
// any other goes above the next one.
func (f feet) takeMap(n *yaml.Node) (rest []foot) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		all := append(f.take(value), lower(value, f.find(key.FootComment, value, key.Column))...)
		if i+2 == len(n.Content) {
			all, rest = cutFeet(all, key.Column)
			key.FootComment = joinFeet(all)
		} else {
			key.FootComment = ""
			putAbove(n.Content[i+2], all)
		}
	}
	return rest
}

// putAbove puts comments above a field or an element: what stands between two of
// them is the second one's, wherever the empty lines are.
func putAbove(next *yaml.Node, all []foot) {
	next.HeadComment = joinComments("\n\n", joinFeet(all), next.HeadComment)
}

// takeList keeps below an element what is indented more than the dash. What is
// indented like it goes above the next element, or ends the list.
func (f feet) takeList(n *yaml.Node) (rest []foot) {
	for i, e := range n.Content {
		if i > 0 {
			f.giveBack(n.Content[i-1], e)
		}
		all := append(f.take(e), f.find(e.FootComment, e, e.Column)...)
		e.FootComment = ""
		inner, outer := all, []foot(nil)
		if !isMarked(n) {
			inner, outer = cutFeet(all, n.Column+1)
		}
		putFeet(e, inner)
		if i+1 < len(n.Content) {
			putAbove(n.Content[i+1], outer)
		} else {
			rest = outer
		}
	}
	return rest
}

// giveBack gives an element the comments that stand above the next one and that
// yaml.v3 puts below the next one's first field: blocks after an empty line.
func (f feet) giveBack(e, next *yaml.Node) {
	first := next
	for isBlock(first) {
		first = first.Content[0]
	}
	lines := strings.Split(first.FootComment, "\n")
	var back []foot
	for at := f.end(e); at < min(first.Line-1, len(f.lines)) && len(lines) > 0 && first.FootComment != ""; at++ {
		line := bytes.TrimLeft(f.lines[at], " ")
		for len(lines) > 0 && lines[0] == "" {
			lines = lines[1:]
		}
		if len(lines) > 0 && string(bytes.TrimRight(line, " \t")) == lines[0] {
			back, lines = append(back, foot{lines[0], len(f.lines[at]) - len(line) + 1}), lines[1:]
		}
	}
	if len(back) > 0 {
		first.FootComment = strings.Join(lines, "\n")
		putFeet(e, lower(e, back))
	}
}

// find is a comment below n, line by line with the column in which each stands;
// column is that of a line that is not found.
func (f feet) find(comment string, n *yaml.Node, column int) (all []foot) {
	if comment == "" {
		return nil
	}
	at := f.end(n)
	for text := range strings.SplitSeq(comment, "\n") {
		for next := at; text != "" && next < len(f.lines); next++ {
			if line := bytes.TrimLeft(f.lines[next], " "); string(bytes.TrimRight(line, " \t")) == text {
				at, column = next+1, len(f.lines[next])-len(line)+1
				break
			}
		}
		all = append(all, foot{text, column})
	}
	return all
}

// end is the index of a line below the first line of the last thing in n, and
// below the lines of a block scalar that it may be.
func (f feet) end(n *yaml.Node) int {
	column := n.Column
	for len(n.Content) > 0 {
		if n.Kind == yaml.MappingNode {
			column = n.Content[len(n.Content)-2].Column
		}
		n = n.Content[len(n.Content)-1]
	}
	at := n.Line
	for n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 && at < len(f.lines) {
		if line := bytes.TrimLeft(f.lines[at], " "); len(line) > 0 && len(f.lines[at])-len(line) < column {
			break
		}
		at++
	}
	return at
}

// cutFeet cuts all where a line stands left of a column.
func cutFeet(all []foot, column int) (inner, outer []foot) {
	for i, l := range all {
		if l.column < column {
			return all[:i], all[i:]
		}
	}
	return all, nil
}

// joinFeet is one comment of all lines. It has no empty lines: of two blocks
// yaml.v3 gives the second one to what is below.
func joinFeet(all []foot) string {
	var text []string
	for _, l := range all {
		if l.text != "" {
			text = append(text, l.text)
		}
	}
	return strings.Join(text, "\n")
}

// putFeet puts comments below the last thing in n.
func putFeet(n *yaml.Node, all []foot) {
	for isBlock(n) {
		if n.Kind == yaml.MappingNode {
			n = n.Content[len(n.Content)-2]
			break
		}
		n = n.Content[len(n.Content)-1]
	}
	n.FootComment = joinComments("\n", n.FootComment, joinFeet(all))
}

package resourcelist

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// hasLineRanges tells whether the lines of data are those that the parser
// counts, and list, the value of items, is a block list in lines of its own.
func hasLineRanges(data []byte, list *yaml.Node) bool {
	return list.Kind == yaml.SequenceNode && isBlock(list) && !isMarked(list) && isPlainText(data)
}

// useLines gives the items of a block list, whose key is at the given position,
// the lines they may be in, and the shell the lines around them, so that every
// comment is in one place. What is wrong with the items' lines shows when they
// are parsed alone.
func (l *List) useLines(data []byte, root *yaml.Node, at int) {
	lines := lineStarts(data)
	end := len(lines)
	if at+2 < len(root.Content) {
		end = root.Content[at+2].Line
	}
	l.column = root.Content[at+1].Column - 1
	key := root.Content[at].Line
	starts := itemStarts(data, lines, l.Items, key, l.column)
	starts = append(starts, lastItemEnd(data, lines, l.Items[len(l.Items)-1].Line, end))
	for i := len(l.Items) - 1; i >= 0; i-- {
		c := chunk{start: lines[starts[i]-1], end: lines[starts[i+1]-1]}
		item := newItem(l.Items[i].Node, data, c, starts[i], l.column)
		item.useOwn()
		item.Line = l.Items[i].Line
		item.sure, item.loose = false, true
		l.Items[i] = item
	}
	l.useShellLines(data[:lines[key-1]], data[lines[key-1]:lines[starts[0]-1]], data[lines[starts[len(l.Items)]-1]:])
}

// useOwn gives an item the node that its text alone has, if that has the same
// values: yaml.v3 may give the comments at the end of one item to the next.
func (i *Item) useOwn() {
	own, err := readItem(i.text)
	if err != nil {
		return
	}
	if d := compare(i.Node, own.Root()); d.sameValues() {
		i.Node, i.parsed, i.base = own.Root(), own, 1
	}
}

// useShellLines takes the shell from the lines above the items, that of their
// key, and those below, if these have the same values.
func (l *List) useShellLines(above, key, below []byte) {
	rest, found := bytes.CutPrefix(key, []byte("items:"))
	if !found {
		return
	}
	shell, ok := splitShell(above, rest, below)
	if !ok {
		return
	}
	if d := compare(l.shell, shell); d.sameValues() {
		l.shell = shell
	}
}

// itemStarts returns the number of the first line of each item: the first one
// below the items key that is not empty, or of the comments right above the dash.
func itemStarts(data []byte, lines []int, items []*Item, key, column int) []int {
	first := min(key+1, items[0].Line)
	for first < items[0].Line && lineAt(data, lines[first-1]).first == 0 {
		first++
	}
	starts := []int{first}
	for i := 1; i < len(items); i++ {
		starts = append(starts, firstLine(data, lines, items[i-1].Line, items[i].Line, column))
	}
	return starts
}

// lineStarts returns where each line of data begins, and last where data ends:
// the line with number n begins at index n-1.
func lineStarts(data []byte) []int {
	starts := make([]int, 0, bytes.Count(data, []byte("\n"))+2)
	for at := 0; at < len(data); at = nextLine(data, at) {
		starts = append(starts, at)
	}
	return append(starts, len(data))
}

// firstLine returns the number of the first line of an item whose node begins
// in the line with the given number: the line of the dash or the first of the
// comments right above it, but below the line above.
func firstLine(data []byte, lines []int, above, number, column int) int {
	for number > above+1 {
		if l := lineAt(data, lines[number-1]); l.dash && l.indent == column {
			break
		}
		number--
	}
	for number > above+1 && isOuterComment(lineAt(data, lines[number-2]), column) {
		number--
	}
	return number
}

// lastItemEnd returns the number of the line after the last item, whose node
// begins in the line with the given number: comments at column 0 and the marker
// of the document's end belong to what is below.
func lastItemEnd(data []byte, lines []int, number, end int) int {
	last := end
	for n := end - 1; n > number; n-- {
		l := lineAt(data, lines[n-1])
		marker := bytes.HasPrefix(data[lines[n-1]:], []byte("..."))
		if l.first != 0 && !isOuterComment(l, 0) && !marker {
			break
		}
		if l.first == '#' || marker {
			last = n
		}
	}
	return last
}

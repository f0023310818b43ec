package plainyaml

// Read reads the text of an item of a block sequence with its dash in the given
// column, from the beginning of the dash's line to the end of a line. It
// returns nil if the text is not plain.
func Read(text []byte, column int) *Item {
	if !isClean(text) {
		return nil
	}
	s := scanner{text: text, item: &Item{text: text}, open: make([]block, 1, 16)}
	s.open[0] = block{indent: column, dash: true}
	if !s.scan() || !s.item.head.complete() {
		return nil
	}
	return s.item
}

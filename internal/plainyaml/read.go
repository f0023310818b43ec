package plainyaml

// Read reads the text of an item of a block sequence with its dash in the given
// column, from the beginning of the dash's line to the end of a line. It
// returns nil if the text is not plain.
func Read(text []byte, column int) *Item {
	return read(text, block{indent: column, dash: true})
}

// ReadDocument reads the text of a document: a block mapping in column 0, from the
// line below the document's marker to the end of a line. It returns nil if the text is
// not plain.
func ReadDocument(text []byte) *Item {
	return read(text, block{indent: -2, dash: true}, block{})
}

// read reads a text within open collections.
func read(text []byte, open ...block) *Item {
	if !isClean(text) {
		return nil
	}
	s := scanner{text: text, item: &Item{text: text}, open: append(make([]block, 0, 16), open...)}
	if !s.scan() || !s.item.head.complete() {
		return nil
	}
	return s.item
}

package plainyaml

import "math"

// Read reads the text of an item of a block sequence with its dash in the given
// column, from the beginning of the dash's line to the end of a line. It
// returns nil if the text is not plain.
func Read(text []byte, column int) *Item { return (*Bodies)(nil).Read(text, column) }

// Read is Read, but for bodies that are known: they are not read again.
func (b *Bodies) Read(text []byte, column int) *Item {
	return read(text, b, block{indent: column, dash: true})
}

// ReadDocument reads the text of a document: a block mapping in column 0, from the
// line below the document's marker to the end of a line or of the file. It returns
// nil if the text is not plain.
func ReadDocument(text []byte) *Item {
	if isWhole(text) {
		return read(text, nil, block{indent: -2, dash: true}, block{})
	}
	i := read(append(text[:len(text):len(text)], '\n'), nil, block{indent: -2, dash: true}, block{})
	if i == nil || i.literal { // whose last line break tells
		return nil
	}
	i.broken = true
	return i
}

// read reads a text within open collections.
func read(text []byte, bodies *Bodies, open ...block) *Item {
	if !isWhole(text) || len(text) > math.MaxInt32 {
		return nil
	}
	s := scanner{text: text, item: &Item{text: text}, bodies: bodies, clean: len(text), open: append(make([]block, 0, usualDepth), open...)}
	if !s.scan() || !s.item.some || !isClean(text[:s.clean]) {
		return nil
	}
	s.keep(bodies)
	return s.item
}

// usualDepth is for how many open collections there is room at once.
const usualDepth = 6

// isWhole reports whether the last line of a text has its line break.
func isWhole(text []byte) bool { return len(text) > 0 && text[len(text)-1] == '\n' }

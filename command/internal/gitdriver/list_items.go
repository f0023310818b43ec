package gitdriver

import (
	"bytes"
	"hash/maphash"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/marker"
)

// standing counts lines by where they stand in the structure of a text: in which
// document, below which keys, in which element of a list. It reads indentation and parses
// nothing, so it is fast enough for every merge. What is no YAML, or is YAML in flow
// style, has places too, which say less.
type standing map[uint64]int

// standingOf counts the lines of a text. Comments and empty lines do not count.
func standingOf(text []byte, seed maphash.Seed) standing {
	lines := outlined(text)
	s := scanner{seed: seed, count: make(standing, len(lines)), seen: map[uint64]int{}}
	for start := 0; start < len(lines); {
		end := start + 1
		for end < len(lines) && !lines[end].isSeparator() {
			end++
		}
		s.document(lines[start:end])
		start = end
	}
	return s.count
}

// outline is a line of a text: its content, and the column where that begins.
type outline struct {
	indent int
	text   string
}

// outlined are the lines of a text that say something, without comments.
func outlined(text []byte) []outline {
	out := make([]outline, 0, bytes.Count(text, []byte("\n"))+1)
	for line := range strings.Lines(string(text)) {
		content := strings.TrimLeft(line, " ")
		indent := len(line) - len(content)
		content, _, _ = strings.Cut(content, " #")
		if content = strings.TrimRight(content, " \t\r\n"); content != "" && content[0] != '#' {
			out = append(out, outline{indent, content})
		}
	}
	return out
}

func (l outline) isSeparator() bool {
	return l.indent == 0 && (l.text == "---" || strings.HasPrefix(l.text, "--- "))
}

// isItem reports whether the line begins an element of a list.
func (l outline) isItem() bool { return l.text == "-" || strings.HasPrefix(l.text, "- ") }

// item is the content of a line behind its dash.
func (l outline) item() outline {
	content := strings.TrimLeft(l.text[1:], " ")
	return outline{l.indent + len(l.text) - len(content), content}
}

// key is what stands before the colon of a line; found says that there is one.
func (l outline) key() (key string, found bool) {
	if key, _, found = strings.Cut(l.text, ": "); found {
		return key, true
	}
	return strings.CutSuffix(l.text, ":")
}

// scanner finds the places of the lines of a text.
type scanner struct {
	seed  maphash.Seed
	count standing
	// seen is how often a document, or an element of a list, of one name came.
	seen map[uint64]int
	open []opened
}

// opened is a key or an element that may have lines below it.
type opened struct {
	indent int
	item   bool
	place  uint64
}

// place is a place below another one.
func (s *scanner) place(above uint64, parts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	for n := above; n > 0; n >>= 8 {
		h.WriteByte(byte(n))
	}
	for _, part := range parts {
		h.WriteByte(0)
		h.WriteString(part)
	}
	return h.Sum64()
}

// once is the place of what may come several times under one name: each time another.
func (s *scanner) once(place uint64) uint64 {
	s.seen[place]++
	return place + uint64(s.seen[place]) - 1 // #nosec G115 -- it counts from 1
}

// document counts the lines of one document.
func (s *scanner) document(lines []outline) {
	s.open = []opened{{indent: -1, place: s.once(s.place(0, whose(lines)...))}}
	for i, l := range lines {
		for l.isItem() {
			s.close(l.indent, true)
			content := l.item()
			place := s.item(content, lines[i+1:])
			s.open = append(s.open, opened{indent: l.indent, item: true, place: place})
			l = content
		}
		s.close(l.indent, false)
		s.count[s.place(s.above(), l.text)]++
		if key, found := l.key(); found {
			s.open = append(s.open, opened{indent: l.indent, place: s.place(s.above(), "", key)})
		} else if (l.text == "{" || l.text == "[") && i+1 < len(lines) { // an element in JSON
			s.open = append(s.open, opened{indent: l.indent, place: s.item(lines[i+1], lines[i+2:])})
		}
	}
}

func (s *scanner) above() uint64 { return s.open[len(s.open)-1].place }

// close closes what a line at a column is not below. The elements of a list may stand
// in the column of its key.
func (s *scanner) close(indent int, item bool) {
	for {
		last := s.open[len(s.open)-1]
		if last.indent < indent || last.indent == indent && item && !last.item {
			return
		}
		s.open = s.open[:len(s.open)-1]
	}
}

// maxItem is in how many lines of an element it is looked for what the element is called.
const maxItem = 200

// item is the place of an element of a list, which begins with a line and may go on in the
// lines below. It goes by its field name, else by all that it says. Scalars are in one place.
func (s *scanner) item(first outline, below []outline) uint64 {
	if _, found := first.key(); !found {
		return s.place(s.above(), "-")
	}
	end := 0
	for end < min(len(below), maxItem) && below[end].indent >= first.indent {
		end++
	}
	name := func(l outline) bool {
		return l.indent == first.indent && (strings.HasPrefix(l.text, "name: ") || strings.HasPrefix(l.text, `"name": `))
	}
	if name(first) {
		return s.once(s.place(s.above(), "-", first.text))
	}
	texts := []string{"-", first.text}
	for _, l := range below[:end] {
		if name(l) {
			return s.once(s.place(s.above(), "-", l.text))
		}
		texts = append(texts, l.text)
	}
	return s.place(s.above(), texts...)
}

// whose are the lines that say which resource a document is.
func whose(lines []outline) (out []string) {
	below := ""
	for _, l := range lines {
		if l.indent == 0 {
			below, _ = l.key()
			if strings.HasPrefix(l.text, "kind:") {
				out = append(out, l.text)
			}
		} else if below == "metadata" && (strings.HasPrefix(l.text, "name:") || strings.HasPrefix(l.text, "namespace:")) {
			out = append(out, l.text)
		}
	}
	return out
}

// mayMisplace reports whether a merge of lines may have put a change of one side where
// that side did not make it: a line stands at a place of its structure more or less often than
// the changes of both sides say.
func (v Versions) mayMisplace(merged []byte) bool {
	seed := maphash.MakeSeed()
	base, ours, theirs, result := standingOf(v.Texts[marker.Base], seed), standingOf(v.Texts[marker.Ours], seed), standingOf(v.Texts[marker.Theirs], seed), standingOf(merged, seed)
	for _, texts := range []standing{base, ours, theirs, result} {
		for place := range texts {
			if o, u, l := base[place], theirs[place], ours[place]; !mergedCount(o, u, l, result[place]) {
				return true
			}
		}
	}
	return false
}

// mergedCount reports whether a merge has something as often as the changes of both
// sides say.
func mergedCount(base, theirs, ours, merged int) bool {
	switch base {
	case theirs:
		return merged == ours
	case ours:
		return merged == theirs
	}
	return merged >= min(ours, theirs) && merged <= max(ours, theirs)
}

package manifest

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// note says what was noted of a field.
type note int

const (
	nothing note = iota
	scalar
	annotation
)

// takeNote takes note of the field with the key between from and end, whose value
// begins at an index. It fails if the field is one that the head needs, and is
// there twice or not plain.
func (s *scanner) takeNote(from, end, at int) bool {
	depth := len(s.open)
	if depth <= 1+int(s.within) {
		s.within = section(max(depth-2, 0))
	}
	s.noted = nothing
	if depth != 2+int(s.within) {
		return s.within != annotations
	}
	if s.text[from] == '"' || s.text[from] == '\'' {
		if from, end = from+1, end-1; bytes.ContainsAny(s.text[from:end], `\"'`) {
			return false
		}
	}
	name := s.text[from:end]
	switch s.within {
	case metadata:
		return s.metadataField(name, at)
	case annotations:
		return s.annotation(spanOf(from, end), at)
	}
	return s.topField(name, at)
}

// lengthen says that the value of the field that was noted has more lines than
// one: only an annotation may.
func (s *scanner) lengthen() bool {
	if s.noted == annotation {
		last := &s.item.annotations[len(s.item.annotations)-1]
		last.line.end, last.long = int32(s.next), true // #nosec G115 -- read takes no text of more than MaxInt32
		s.item.block.end = int32(s.next)               // #nosec G115 -- read takes no text of more than MaxInt32
	}
	return s.noted != scalar
}

func (s *scanner) topField(name []byte, at int) bool {
	h := &s.item.head
	if !s.item.some {
		s.item.some, s.item.top = true, s.at
	}
	switch string(name) {
	case "apiVersion", "kind":
		return s.addScalar(name, at)
	case "metadata":
		if _, field := s.following(); !field || h.seen[0] || !s.isLineEnd(at) {
			return false
		}
		h.seen[0], s.within = true, metadata
		h.comment = string(s.text[at : s.next-1])
		for s.text[at-1] == ' ' {
			at--
		}
		s.item.comment = spanOf(at, s.next-1)
	}
	return true
}

// isLineEnd reports whether there is nothing at an index, or a comment with
// nothing of the kind below it: the parser might take both for one.
func (s *scanner) isLineEnd(at int) bool {
	below := skipBlanks(s.text, s.next)
	return s.text[at] == '\n' || s.text[at] == '#' && s.text[below] != '#' && s.text[below] != '\n'
}

func (s *scanner) metadataField(name []byte, at int) bool {
	h := &s.item.head
	s.item.fields++
	switch string(name) {
	case "name", "namespace", "generateName":
		return s.addScalar(name, at)
	case "annotations":
		deeper, field := s.following()
		if h.seen[1] || s.text[at] != '\n' || deeper && !field {
			return false
		}
		if h.seen[1] = true; field {
			s.within = annotations
			s.item.block = spanOf(s.at, s.next)
		}
	}
	return true
}

func (s *scanner) annotation(name span, at int) bool {
	value, ok := s.scalar(at)
	if !ok && !isLong(s.text[at]) || len(s.item.annotations) > maxAnnotations || s.item.find(name.of(s.text)) >= 0 {
		return false
	}
	s.noted = annotation
	s.item.block.end = int32(s.next) // #nosec G115 -- read takes no text of more than MaxInt32
	if s.item.annotations == nil {
		s.item.annotations = make([]noted, 0, usualAnnotations)
	}
	s.item.annotations = append(s.item.annotations, noted{name, value, spanOf(s.at, s.next), !ok})
	return true
}

// isLong reports whether what begins with a byte is a text, in quotes or of
// several lines.
func isLong(c byte) bool { return bytes.IndexByte([]byte(`'"|>`), c) >= 0 }

// following tells whether there is a deeper line below, or one with a dash in the
// column of the key, comments and empty lines aside, and whether the first has a field.
func (s *scanner) following() (deeper, field bool) {
	for at := s.next; at < len(s.text); at += bytes.IndexByte(s.text[at:], '\n') + 1 {
		from := skipBlanks(s.text, at)
		if c := s.text[from]; c != '\n' && c != '#' {
			indent := s.top().indent
			deeper = from-at > indent || from-at == indent && c == '-' && (s.text[from+1] == ' ' || s.text[from+1] == '\n')
			return deeper, deeper && s.isKey(from)
		}
	}
	return false, false
}

// addScalar adds a field with a scalar to the head, unless it is there already.
func (s *scanner) addScalar(name []byte, at int) bool {
	h := &s.item.head
	for n, field := range fieldNames() {
		if string(name) != field {
			continue
		}
		value, ok := s.scalar(at)
		if !ok || h.has[n] {
			return false
		}
		s.noted = scalar
		h.has[n], h.said[n] = true, string(value.of(s.text))
	}
	return true
}

// scalar returns the scalar that begins at an index, if it is not null, is in
// its line and can be told without unescaping.
func (s *scanner) scalar(at int) (value span, ok bool) {
	line := s.text
	switch line[at] {
	case '\n', '#', '[', '{', '|', '>':
		return span{}, false
	case '\'', '"':
		end := s.quotedEnd(at)
		if end == 0 || bytes.ContainsAny(line[at+1:end-1], `\'`) {
			return span{}, false
		}
		return spanOf(at+1, end-1), true
	}
	end, _ := s.plainLine(at)
	if end == 0 || !isPlainStart(line, at) || isNull(line[at:end]) {
		return span{}, false
	}
	return spanOf(at, end), true
}

// usualAnnotations is for how many annotations there is room at once.
const usualAnnotations = 6

// maxAnnotations bounds what is compared with each other to find one that is
// there twice.
const maxAnnotations = 50

// tagOf returns the tag that the YAML parser gives a plain scalar. Most are
// certain to be text by what they begin with; the others the parser is asked for.
func tagOf(word string) string {
	if word == "<<" {
		return "!!merge"
	}
	if isText(word) {
		return "!!str"
	}
	return (&yaml.Node{Kind: yaml.ScalarNode, Value: word}).ShortTag()
}

// isText reports whether a plain scalar is certain to be no number, time,
// boolean or null.
func isText(word string) bool {
	switch c := word[0]; {
	case strings.IndexByte("tTfFnN~yYoO", c) >= 0:
		return len(word) > len("false") || word[1:] != "" && word[1] == ':'
	case c == '-' || c == '+':
		return len(word) > 1 && strings.IndexByte("0123456789._", word[1]) < 0
	case '0' <= c && c <= '9':
		return strings.Trim(word, "0123456789abcdefABCDEF+-.:_ oOxXtTzZ") != ""
	default:
		return c != '.' || len(word) == 1
	}
}

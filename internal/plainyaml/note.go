package plainyaml

import (
	"bytes"
	"slices"
)

// takeNote takes note of a field whose value begins at an index. It fails if
// the field is one that the head needs, and is there twice or not plain.
func (s *scanner) takeNote(name []byte, at int) bool {
	depth := len(s.open)
	if depth <= 1+int(s.within) {
		s.within = section(max(depth-2, 0))
	}
	switch {
	case depth == 2 && s.within == elsewhere:
		return s.topField(name, at)
	case depth == 3 && s.within == metadata:
		return s.metadataField(name, at)
	case depth == 4 && s.within == annotations:
		return s.annotation(name, at)
	}
	return s.within != annotations
}

func (s *scanner) topField(name []byte, at int) bool {
	h := &s.item.head
	switch string(name) {
	case "apiVersion", "kind":
		return s.addScalar(&h.top, name, at)
	case "metadata":
		if h.seen[0] || s.text[at] != '\n' && s.text[at] != '#' || !s.isFollowed() {
			return false
		}
		h.seen[0], s.within = true, metadata
		h.comment = string(s.text[at : s.next-1])
		for s.text[at-1] == ' ' {
			at--
		}
		s.item.comment = span{at, s.next - 1}
	}
	return true
}

func (s *scanner) metadataField(name []byte, at int) bool {
	h := &s.item.head
	s.item.fields++
	switch string(name) {
	case "name", "namespace", "generateName":
		return s.addScalar(&h.meta, name, at)
	case "annotations":
		if h.seen[1] || s.text[at] != '\n' || !s.isFollowed() {
			return false
		}
		h.seen[1], s.within = true, annotations
		s.item.block = span{s.at, s.next}
	}
	return true
}

func (s *scanner) annotation(name []byte, at int) bool {
	value, ok := s.scalar(at)
	if !ok || len(s.item.annotations) > maxAnnotations || s.item.hasAnnotation(name) {
		return false
	}
	s.item.block.end = s.next
	s.item.annotations = append(s.item.annotations, entry{pair{string(name), value}, span{s.at, s.next}})
	return true
}

// isFollowed tells whether the next line has a field that is deeper.
func (s *scanner) isFollowed() bool {
	at := s.next
	for at < len(s.text) && s.text[at] == ' ' {
		at++
	}
	return at < len(s.text) && at-s.next > s.top().indent && isWord(s.text[at])
}

// addScalar adds a field with a scalar to fields, unless it is there already.
func (s *scanner) addScalar(fields *[]pair, name []byte, at int) bool {
	value, ok := s.scalar(at)
	if !ok || slices.ContainsFunc(*fields, func(f pair) bool { return f.name == string(name) }) {
		return false
	}
	*fields = append(*fields, pair{string(name), value})
	return true
}

// scalar returns the scalar that begins at an index, if it is not null, is in
// its line and can be told without unescaping.
func (s *scanner) scalar(at int) (value string, ok bool) {
	line := s.text[:s.next]
	switch line[at] {
	case '\n', '#', '[', '{', '|', '>':
		return "", false
	case '\'', '"':
		end := quoted(line, at)
		if end == 0 || bytes.ContainsAny(line[at+1:end-1], `\'`) {
			return "", false
		}
		return string(line[at+1 : end-1]), true
	}
	end := s.plain(line, at)
	if end == 0 || isNull(line[at:end]) {
		return "", false
	}
	return string(line[at:end]), true
}

// maxAnnotations bounds what is compared with each other to find one that is
// there twice.
const maxAnnotations = 50

package apply

import (
	"bytes"
	"strings"

	"github.com/resource-merge/resource-merge/apply/internal/lastapplied"
)

// WithoutRecords returns the text of live objects without the records of applies: managedFields and the annotation
// last-applied. Documents, items of Lists and indented JSON lose the lines of these fields; everything else keeps its
// bytes. It is for people: with the records, a line of the config is in a difference several times.
func WithoutRecords(text []byte) []byte {
	if !bytes.Contains(text, []byte("managedFields")) && !bytes.Contains(text, []byte(lastapplied.Annotation)) {
		return text
	}
	s := recordScanner{opaque: -1, record: -1}
	for line := range bytes.Lines(text) {
		s.line(line)
	}
	s.release(false)
	return s.out.Bytes()
}

// recordScanner removes records line by line. It knows the fields around a line by their indentation.
type recordScanner struct {
	out    bytes.Buffer
	fields []scannedField
	// opaque and record are the indentations of a field with a value in its line, whose other lines cannot have
	// fields, and of a removed record; -1 for none.
	opaque, record int
	// held is the line of annotations until their first annotation is written, and emptied says that one was removed.
	held    []byte
	emptied bool
}

// scannedField is a field, or "-" for the element of a list.
type scannedField struct {
	indent int
	name   string
}

// line reads the next line, and writes it unless it is a part of a record.
func (s *recordScanner) line(line []byte) {
	text := strings.TrimSpace(string(line))
	indent := len(line) - len(bytes.TrimLeft(line, " "))
	closes := strings.HasPrefix(text, "]") || strings.HasPrefix(text, "}")
	switch {
	case s.record >= 0 && (text == "" || indent > s.record || indent == s.record && (closes || strings.HasPrefix(text, "-"))):
		return
	case s.opaque >= 0 && (text == "" || indent > s.opaque):
		s.write(line)
		return
	}
	s.record, s.opaque = -1, -1
	if indent == 0 && (strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...")) {
		s.fields = nil
	}
	if s.held != nil && indent <= s.last().indent && s.release(false) && closes {
		return
	}
	s.field(line, text, indent)
}

// field reads a line that may begin elements of lists and a field.
func (s *recordScanner) field(line []byte, text string, indent int) {
	for strings.HasPrefix(text, "- ") {
		s.leave(func(f scannedField) bool { return f.indent > indent || f.indent == indent && f.name == "-" })
		s.fields = append(s.fields, scannedField{indent, "-"})
		rest := strings.TrimLeft(text[1:], " ")
		indent += len(text) - len(rest)
		text = rest
	}
	name, value, found := strings.Cut(text, ":")
	if !found || value != "" && value[0] != ' ' {
		s.write(line)
		return
	}
	s.leave(func(f scannedField) bool { return f.indent >= indent })
	s.fields = append(s.fields, scannedField{indent, strings.Trim(name, `"'`)})
	value = strings.TrimSpace(value)
	switch path := s.path(); {
	case path == "metadata/managedFields", path == "metadata/annotations/"+lastapplied.Annotation:
		s.record, s.emptied = indent, true
		s.fields = s.fields[:len(s.fields)-1]
		return
	case path == "metadata/annotations" && (value == "" || value == "{"):
		s.held, s.emptied = line, false
		return
	}
	if value != "" && value != "{" && value != "[" && value[0] != '#' {
		s.opaque = indent
	}
	s.write(line)
}

// write writes a line, and the held one before it.
func (s *recordScanner) write(line []byte) {
	s.release(true)
	s.out.Write(line)
}

// release writes the held line if it has annotations, or no record was removed from it. dropped reports whether it
// did not.
func (s *recordScanner) release(annotated bool) (dropped bool) {
	if dropped = s.held != nil && !annotated && s.emptied; !dropped {
		s.out.Write(s.held)
	}
	s.held = nil
	return dropped
}

// leave removes the innermost fields that a line ends.
func (s *recordScanner) leave(ended func(scannedField) bool) {
	for len(s.fields) > 0 && ended(s.last()) {
		s.fields = s.fields[:len(s.fields)-1]
	}
}

// last returns the innermost field around a line.
func (s *recordScanner) last() scannedField {
	if len(s.fields) == 0 {
		return scannedField{indent: -1}
	}
	return s.fields[len(s.fields)-1]
}

// path returns the names of the fields around a line within its object, which may be an item of a List.
func (s *recordScanner) path() string {
	var names []string
	for _, f := range s.fields {
		names = append(names, f.name)
	}
	path := strings.Join(names, "/")
	return strings.TrimPrefix(strings.TrimPrefix(path, "items/-/"), "items/")
}

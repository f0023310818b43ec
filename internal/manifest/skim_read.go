package manifest

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"go.yaml.in/yaml/v3"
)

// SkimItem reads the text of an item of a block sequence with its dash in the given column, from the beginning of the
// dash's line to the end of a line. It returns nil if the text is not plain.
func SkimItem(text []byte, column int) *Skim { return (*Bodies)(nil).Read(text, column) }

// Read is SkimItem, but does not read known bodies again.
func (b *Bodies) Read(text []byte, column int) *Skim {
	return skim(text, b, nil, openBlock{indent: column, dash: true})
}

// SkimDocument reads the text of a document: a block mapping in column 0, from the line below the document's marker
// to the end of a line or of the file. It returns nil if the text is not plain.
func SkimDocument(text []byte) *Skim {
	known := &keys{text: text, spans: make([]span, 0, 4*usualDepth), open: make([]int, 1, usualDepth)}
	broken := !isWhole(text)
	if broken {
		text = append(text[:len(text):len(text)], '\n')
	}
	i := skim(text, nil, known, openBlock{indent: -2, dash: true}, openBlock{})
	if i == nil || broken && i.literal { // the last line break is part of the block
		return nil
	}
	i.broken = broken
	return i
}

// skim reads a text within open collections. known, which may be nil, finds repeated keys.
func skim(text []byte, bodies *Bodies, known *keys, open ...openBlock) *Skim {
	if !isWhole(text) || len(text) > math.MaxInt32 {
		return nil
	}
	s := scanner{text: text, item: &Skim{text: text}, keys: known, bodies: bodies, clean: len(text), open: append(make([]openBlock, 0, usualDepth), open...)}
	if !s.scan() || !s.item.hasField || !isClean(text[:s.clean]) {
		return nil
	}
	s.keep(bodies)
	s.item.Doubtful = known.findTwice()
	return s.item
}

// SkimFlow reads the mapping in brackets, such as JSON, at the beginning of a text, which ends with a line break. It
// returns nil if the mapping is not plain, or has an identifying field that is not in double quotes.
func SkimFlow(text []byte) *Skim {
	i := &Skim{text: text, flow: true}
	s := scanner{text: text, item: i, brackets: true}
	end := s.members(0, s.flowField(elsewhere))
	if end == 0 || end > math.MaxInt32 || !i.head.seen[0] || !i.head.has[apiVersion] && !i.head.has[kind] || !isClean(text[:end]) {
		return nil
	}
	i.text = text[:end:end]
	return i
}

// flowField returns a function that reads the value of a field of an item in brackets, and notes the fields of the
// head. in is the part of the item that has the field. The function fails if a map of the head is seen again.
func (s *scanner) flowField(in section) func(key, value int) int {
	read, below, seen := s.flowAnnotation, "annotations", &s.item.head.seen[1]
	if in == elsewhere {
		read, below, seen = s.flowField(metadata), "metadata", &s.item.head.seen[0]
	}
	return func(key, value int) int {
		word := s.flowName(key)
		switch n := headField(in, word); {
		case word == nil || n >= 0 && (s.text[value] != '"' || !s.addScalar(n, value)):
			return 0
		case n >= 0:
			return s.quotedEnd(value)
		case string(word) != below:
			return s.flowValue(value, -1, 0)
		case *seen || s.text[value] != '{':
			return 0
		}
		*seen = true
		return s.members(value, read)
	}
}

// flowAnnotation notes an annotation, a text in double quotes.
func (s *scanner) flowAnnotation(key, value int) int {
	name := s.flowName(key)
	if name == nil || s.text[value] != '"' || len(s.item.annotations) > maxAnnotations || s.item.find(name) >= 0 {
		return 0
	}
	end := s.quotedEnd(value)
	if end > 0 {
		text := spanOf(value+1, end-1)
		s.item.annotations = append(s.item.annotations, annotationLine{spanOf(key+1, key+1+len(name)), text, spanOf(key, end), bytes.IndexByte(text.of(s.text), '\\') >= 0})
	}
	return end
}

// keys finds keys that a mapping of a plain text may have twice. If it finds none, no mapping has one.
type keys struct {
	text     []byte
	doubtful bool
	spans    []span // the keys of the open collections, outermost first
	open     []int  // the index in spans of the first key of each
}

func (k *keys) push() {
	if k != nil {
		k.open = append(k.open, len(k.spans))
		k.doubtful = k.doubtful || len(k.open) > maxOpen/2
	}
}

// add adds a key to the innermost open collection.
func (k *keys) add(from, end int) {
	if k == nil {
		return
	}
	if c := k.text[from]; c == '"' || c == '\'' {
		from, end = from+1, end-1
		k.doubtful = k.doubtful || bytes.ContainsAny(k.text[from:end], `\'`)
	} else if !isSurelyText(k.text[from:end]) {
		k.doubtful = true // for example numbers, which can be written in several ways
	}
	k.spans = append(k.spans, spanOf(from, end))
}

// pop closes the innermost open collection.
func (k *keys) pop() {
	if k == nil {
		return
	}
	last := len(k.open) - 1
	from := k.open[last]
	order := func(a, b span) int {
		return cmp.Or(int(a.end-a.start-b.end+b.start), bytes.Compare(a.of(k.text), b.of(k.text)))
	}
	slices.SortFunc(k.spans[from:], order)
	for i := from + 1; i < len(k.spans); i++ {
		k.doubtful = k.doubtful || order(k.spans[i-1], k.spans[i]) == 0
	}
	k.spans, k.open = k.spans[:from], k.open[:last]
}

// isSurelyText reports whether a plain word is certainly no number, truth value or null.
func isSurelyText(word []byte) bool {
	return word[0] > '9' && word[0] != '<' && !isNull(word) && !bytes.EqualFold(word, []byte("true")) && !bytes.EqualFold(word, []byte("false"))
}

// findTwice reports whether any mapping of the text may have a key twice.
func (k *keys) findTwice() bool {
	for k != nil && len(k.open) > 0 {
		k.pop()
	}
	return k != nil && k.doubtful
}

// usualDepth is the number of open collections to allocate at once.
const usualDepth = 6

// isWhole reports whether the last line of a text has its line break.
func isWhole(text []byte) bool { return len(text) > 0 && text[len(text)-1] == '\n' }

// DocumentTree returns the YAML parser's tree of the text of one document: a mapping, from the line below the
// document's marker to the end of a line, every node with its line and column, and the comments as this package reads
// them. It returns nil if the text is not plain; the other conditions of skimming do not matter.
func DocumentTree(text []byte) *yaml.Node {
	if root := rootOf(text); isClean(text) && root != nil && root.Kind == yaml.MappingNode && root.Column == 1 {
		return root
	}
	return nil
}

// rootOf returns the root node of a text, nil if the text is not plain.
func rootOf(text []byte) *yaml.Node { return treeScanner(text).root() }

// root reads the text and returns its root node, nil if the text is not plain.
func (s *scanner) root() *yaml.Node {
	if !isWhole(s.text) || !s.scan() || s.tree.unsure {
		return nil
	}
	return s.tree.top.entries[0].value.node
}

// treeScanner returns a scanner that makes the tree of a text.
func treeScanner(text []byte) *scanner {
	t := &tree{bytes: text, none: &interior{}, open: make([]opened, 0, 16), entries: make([]entry, 0, 32)}
	t.room = min(bytes.Count(text, []byte("\n"))+4, maxRoom)
	return &scanner{text: text, item: &Skim{}, tree: t, open: append(make([]openBlock, 0, 16), openBlock{indent: -1}), await: true}
}

// headPart is the kind of the last field that the skim noted.
type headPart int

const (
	nothing headPart = iota
	scalar
	annotation
)

// readHeadField notes the field whose key is between from and end, and whose value begins at an index. It fails if the
// field belongs to the head, and is repeated or not plain.
func (s *scanner) readHeadField(from, end, at int) bool {
	depth := len(s.open)
	if depth <= 1+int(s.within) {
		s.within = section(max(depth-2, 0))
	}
	s.lastPart = nothing
	if depth != 2+int(s.within) {
		return s.within != annotations
	}
	if s.text[from] == '"' || s.text[from] == '\'' {
		if from, end = from+1, end-1; bytes.ContainsAny(s.text[from:end], `\"'`) {
			return false
		}
	}
	if !s.item.hasField {
		s.item.hasField, s.item.top = true, s.at
	}
	if s.within == metadata {
		s.item.fields++
	}
	return s.readNamedField(spanOf(from, end), at)
}

// readNamedField notes the field with a name whose value begins at an index: a field or an annotation of the head. It fails
// as readHeadField does.
func (s *scanner) readNamedField(name span, at int) bool {
	word := name.of(s.text)
	switch n := headField(s.within, word); {
	case s.within == annotations:
		return s.annotation(name, at)
	case n >= 0:
		return s.addScalar(n, at)
	case s.within == metadata:
		return string(word) != "annotations" || s.beginAnnotations(at)
	}
	return string(word) != "metadata" || s.beginMetadata(at)
}

// lengthen notes that the value of the last field has several lines, and reports whether it may: a scalar of the head
// may not.
func (s *scanner) lengthen() bool {
	if s.lastPart == annotation {
		last := &s.item.annotations[len(s.item.annotations)-1]
		last.line.end, last.long = int32(s.next), true // #nosec G115 -- read takes no text of more than MaxInt32
		s.item.block.end = int32(s.next)               // #nosec G115 -- read takes no text of more than MaxInt32
	}
	return s.lastPart != scalar
}

// beginMetadata notes the key of the metadata, unless it is repeated or its value is no map below it.
func (s *scanner) beginMetadata(at int) bool {
	h := &s.item.head
	if _, field := s.following(); !field || h.seen[0] || !s.isLineEnd(at) {
		return false
	}
	h.seen[0], s.within = true, metadata
	h.comment = string(s.text[at : s.next-1])
	s.item.comment = spanOf(trimLeft(s.text, at), s.next-1)
	return true
}

// isLineEnd reports whether an index is the end of the line, or a comment without another comment or an empty line
// below it: the parser might combine the two.
func (s *scanner) isLineEnd(at int) bool {
	below := skipBlanks(s.text, s.next)
	return s.text[at] == '\n' || s.text[at] == '#' && s.text[below] != '#' && s.text[below] != '\n'
}

// beginAnnotations notes the key of the annotations, unless it is repeated or its value is neither missing nor a map
// below it.
func (s *scanner) beginAnnotations(at int) bool {
	deeper, field := s.following()
	if s.item.head.seen[1] || s.text[at] != '\n' || deeper && !field {
		return false
	}
	if s.item.head.seen[1] = true; field {
		s.within = annotations
		s.item.block = spanOf(s.at, s.next)
	}
	return true
}

func (s *scanner) annotation(name span, at int) bool {
	value, ok := s.scalar(at)
	isLong := bytes.IndexByte([]byte(`'"|>`), s.text[at]) >= 0 // a text in quotes or of several lines
	if !ok && !isLong || len(s.item.annotations) > maxAnnotations || s.item.find(name.of(s.text)) >= 0 {
		return false
	}
	s.lastPart = annotation
	s.item.block.end = int32(s.next) // #nosec G115 -- read takes no text of more than MaxInt32
	if s.item.annotations == nil {
		s.item.annotations = make([]annotationLine, 0, usualAnnotations)
	}
	s.item.annotations = append(s.item.annotations, annotationLine{name, value, spanOf(s.at, s.next), !ok})
	return true
}

// following reports whether there is a deeper line below, or one with a dash in the column of the key, not counting
// comments and empty lines, and whether that line has a field.
func (s *scanner) following() (deeper, field bool) {
	for at := s.next; at < len(s.text); at += bytes.IndexByte(s.text[at:], '\n') + 1 {
		from := skipBlanks(s.text, at)
		if c := s.text[from]; c != '\n' && c != '#' {
			indent := s.top().indent
			deeper = from-at > indent || from-at == indent && c == '-' && (s.text[from+1] == ' ' || s.text[from+1] == '\n')
			end, _ := s.key(from, false)
			return deeper, deeper && end > 0
		}
	}
	return false, false
}

// addScalar adds the field with a number to the head, unless it is there already or is no scalar.
func (s *scanner) addScalar(n, at int) bool {
	h := &s.item.head
	value, ok := s.scalar(at)
	if !ok || h.has[n] {
		return false
	}
	s.lastPart = scalar
	h.has[n], h.values[n] = true, string(value.of(s.text))
	return true
}

// scalar returns the scalar that begins at an index. ok is false if it is null, does not end in its line or may have
// escapes.
func (s *scanner) scalar(at int) (value span, ok bool) {
	switch s.text[at] {
	case '\n', '[', '{':
		return span{}, false
	case '\'', '"':
		end := s.quotedEnd(at)
		return spanOf(at+1, end-1), end > 0 && !bytes.ContainsAny(s.text[at+1:end-1], `\'`)
	}
	end, _ := s.plainLine(at, false)
	return spanOf(at, end), end > 0 && isPlainStart(s.text, at) && !isNull(s.text[at:end])
}

// usualAnnotations is the number of annotations to allocate at once.
const usualAnnotations = 6

// maxAnnotations limits the annotations that are compared with each other to find a repeated one.
const maxAnnotations = 50

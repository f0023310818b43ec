package blame

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Many other commits add or remove fields, or elements of lists, and change nothing around them. Their older versions are
// derived, too, without the entries that only the older version has.

// entries are adjacent lines with whole entries of one map or list.
type entries struct {
	lines []string
	// indent is the entries' indentation, and isList says that they are elements.
	indent int
	isList bool
}

// readEntries reads lines that may be whole entries: the first has the least indentation, and no line can reach beyond
// the entries or be anything but fields with plain values.
func readEntries(lines []string) (e entries, ok bool) {
	for i, line := range lines {
		text := strings.TrimRight(strings.TrimLeft(line, " "), "\r\n")
		indent, isDash := len(line)-len(strings.TrimLeft(line, " ")), strings.HasPrefix(text, "- ")
		if i == 0 {
			e = entries{lines, indent, isDash}
		}
		if indent < e.indent || indent == e.indent && isDash != e.isList || !strings.HasSuffix(line, "\n") {
			return e, false
		}
		text = strings.TrimPrefix(text, "- ")
		if _, _, isField := cutValue(text); !isField && (!strings.HasSuffix(text, ":") || strings.ContainsAny(text, "\"'#{}[]&*!|>%`\\\t?, ")) {
			return e, false
		}
	}
	return e, true
}

// isRepeated reports whether the leaf is one of several elements of one key, whose names count the leaves above.
func (l leaf) isRepeated() bool { return strings.Contains(l.name, "\x00") }

// hunk is the difference of two versions of a file.
type hunk struct {
	above, below []byte
	line         int // of the file where it begins
	now, then    []string
}

// entries returns the entries that the hunk replaces, and the older ones. It reports false if the lines are none of one
// map or list.
func (h hunk) entries() (now, then entries, ok bool) {
	now, isNow := readEntries(h.now)
	then, isThen := readEntries(h.then)
	if len(h.now) == 0 {
		now.indent, now.isList = then.indent, then.isList
	}
	return now, then, isNow && isThen && (len(h.then) == 0 || now.indent == then.indent && now.isList == then.isList)
}

// withEntries returns the older version if the hunk replaces entries of one map or list by others, else nil.
func (v *fileVersion) withEntries(old []byte, h hunk, kinds *schema.Schema) (was *fileVersion, changed map[int][]string) {
	now, then, ok := h.entries()
	at := v.indexAt(h.line)
	if !ok || at < 0 || bytes.Contains(v.text, []byte("<<")) || bytes.Contains(v.text, []byte("&")) {
		return nil, nil
	}
	d := v.documents[at]
	if !d.loaded {
		d.load(kinds)
	}
	if !d.canReplace(h, now, then) {
		return nil, nil
	}
	d.comments()
	one, paths := d.withLines(h)
	was = &fileVersion{old, &group{slices.Clone(v.documents), v.names}}
	one.derivedIn, was.documents[at] = was, one
	for i, below := range was.documents[at+1:] {
		moved := *below
		moved.line += len(h.then) - len(h.now)
		was.documents[at+1+i] = &moved
	}
	return was, map[int][]string{at: paths}
}

// canReplace reports whether the fields of the older document follow from the hunk alone.
func (d *document) canReplace(h hunk, now, then entries) bool {
	container := d.container(h, now)
	return container >= 0 && d.item != nil && !slices.ContainsFunc(d.leaves, leaf.isRepeated) &&
		!strings.HasSuffix(d.meta.Kind, "List") && d.isFree(container, now, then)
}

// withLines returns the document without the fields in the lines that the hunk replaces, with the fields below in their
// older lines, and the paths of the fields it left out.
func (d *document) withLines(h hunk) (one *document, paths []string) {
	first, last := h.line-d.line+1, h.line-d.line+len(h.now)
	was := *d
	was.fields, was.leaves, was.byLine, was.texts, was.text, was.isPartial = maps.Clone(d.fields), nil, nil, nil, nil, true
	for _, l := range d.leaves {
		switch {
		case l.line > last:
			l.line += len(h.then) - len(h.now)
		case l.line >= first:
			delete(was.fields, l.name)
			paths = append(paths, l.name)
			continue
		}
		was.leaves = append(was.leaves, l)
	}
	return &was, paths
}

// indexAt returns the index of the document that has a line of the file, -1 if there is none.
func (v *fileVersion) indexAt(line int) int {
	at := len(v.documents) - 1
	for at > 0 && v.documents[at].line > line {
		at--
	}
	return at
}

// container returns the index of the leaf of the map or list that has entries in a place, and others in both versions. It
// returns -1 if it is not known, or if lines below the entries may belong to them.
func (d *document) container(h hunk, e entries) int {
	others := e.othersBelow(h.below)
	if others < 0 {
		return -1
	}
	rest := h.above
	for at := h.line - d.line; at > 0 && len(rest) > 0; at-- {
		start := bytes.LastIndexByte(rest[:len(rest)-1], '\n') + 1
		line := rest[start:]
		if rest = rest[:start]; isBetween(line) {
			continue
		}
		switch indent, isDash := indentOf(line); {
		case indent > e.indent:
		case indent == e.indent && isDash == e.isList:
			others++
		case indent == e.indent && isDash:
		case isDash && indent+2 == e.indent && !e.isList: // an element, which begins with a field
			return d.collectionAt(at, true)
		case others > 0:
			return d.collectionAt(at, false)
		default:
			return -1
		}
	}
	return -1
}

// othersBelow returns 1 if the first line below the entries begins another one, else 0, and -1 if the line may belong to
// the entries.
func (e entries) othersBelow(below []byte) int {
	for line := range bytes.Lines(below) {
		if isBetween(line) {
			continue
		}
		switch indent, isDash := indentOf(line); {
		case indent > e.indent || indent == e.indent && isDash && !e.isList:
			return -1
		case indent == e.indent && isDash == e.isList:
			return 1
		}
		return 0
	}
	return 0
}

// collectionAt returns the index of the leaf of an element that begins in a line of the document, or of the last field
// in the line whose value is a map or list; -1 if none is known.
func (d *document) collectionAt(line int, isElement bool) int {
	found := -1
	for i, l := range d.leaves {
		if steps := l.path.Steps(); l.line == line && !l.isWhole && (steps[len(steps)-1].Keys != nil) == isElement {
			found = i
		}
	}
	return found
}

// indentOf returns the indentation of a line, and reports whether an element begins in it.
func indentOf(line []byte) (indent int, isDash bool) {
	text := bytes.TrimLeft(line, " ")
	return len(line) - len(text), bytes.HasPrefix(text, []byte("- ")) || string(bytes.TrimSpace(text)) == "-"
}

// isFree reports whether entries of a container can come and go without a change of other fields' paths: their names or
// keys are new, and none of them is a part of the identity of the document or of the key of an element.
func (d *document) isFree(container int, now, then entries) bool {
	c := d.leaves[container]
	steps := c.path.Steps()
	if len(steps) == 1 && steps[0].Field == "metadata" || now.isList != (c.value.Kind == yaml.SequenceNode) {
		return false
	}
	var keys []schema.Key
	if now.isList {
		if c.typ == nil || c.typ.Relation != schema.ListMap {
			return false // the keys may follow from the elements
		}
		keys = c.typ.Keys
	}
	taken := d.takenNames(container, now.isList, keys)
	if now.isList {
		return then.areNew(taken, func(n *yaml.Node) string { return elementText(keys, n) })
	}
	list := d.listOf(container)
	if last := steps[len(steps)-1]; last.Keys != nil && (list == nil || list.typ == nil || list.typ.Relation != schema.ListMap || now.hasField(list.typ.Keys) || then.hasField(list.typ.Keys)) {
		return false
	}
	return then.areNew(taken, func(n *yaml.Node) string { return n.Value })
}

// takenNames returns the names of the fields of a container, or the keys of its elements if it is a list.
func (d *document) takenNames(container int, isList bool, keys []schema.Key) map[string]bool {
	taken := map[string]bool{}
	above := len(d.leaves[container].path.Steps())
	for _, l := range d.leaves[container+1:] {
		own := l.path.Steps()
		if len(own) <= above {
			break
		}
		if last := own[len(own)-1]; len(own) == above+1 && isList {
			taken[elementText(keys, l.value)] = true
		} else if len(own) == above+1 {
			taken[last.Field] = true
		}
	}
	return taken
}

// listOf returns the leaf above an element.
func (d *document) listOf(element int) *leaf {
	depth := len(d.leaves[element].path.Steps())
	for i := element - 1; i >= 0; i-- {
		if len(d.leaves[i].path.Steps()) < depth {
			return &d.leaves[i]
		}
	}
	return nil
}

// hasField reports whether a line has a field of a key.
func (e entries) hasField(keys []schema.Key) bool {
	return slices.ContainsFunc(e.lines, func(line string) bool {
		name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		return slices.ContainsFunc(keys, func(k schema.Key) bool { return k.Name == name })
	})
}

// elementText returns one text for all spellings of an element's key, "" if the element lacks a part of it.
func elementText(keys []schema.Key, element *yaml.Node) (text string) {
	for _, key := range keys {
		part := keyText(yamlnode.Field(element, key.Name))
		if part == "" {
			return ""
		}
		text += part + "\x00"
	}
	return text
}

// areNew reports whether no entry has the text of a sibling or of another entry.
func (e entries) areNew(taken map[string]bool, textOf func(*yaml.Node) string) bool {
	if len(e.lines) == 0 {
		return true
	}
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(strings.Join(e.lines, "")), &n); err != nil || len(n.Content) != 1 {
		return false
	}
	by := 1
	if root := n.Content[0]; root.Kind == yaml.MappingNode && !e.isList {
		by = 2
	} else if root.Kind != yaml.SequenceNode || !e.isList {
		return false
	}
	for i := 0; i < len(n.Content[0].Content); i += by {
		text := textOf(n.Content[0].Content[i])
		if text == "" || taken[text] {
			return false
		}
		taken[text] = true
	}
	return true
}

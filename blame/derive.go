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

// Most commits change a few values and no lines around them. The documents of such a version are derived from the
// documents of the next one, since parsing each version would take most of the time of a walk.

// fileVersion is a file of a version.
type fileVersion struct {
	text []byte
	*group
}

// maxDerived bounds the lines that may differ.
const maxDerived = 64

// derived returns an older version of a file if nothing differs but values that have a line each, or whole entries of one
// map or list. changed has the paths of the values that are different or missing in it, by the indices of the documents.
func (v *fileVersion) derived(old []byte, kinds *schema.Schema) (was *fileVersion, changed map[int][]string) {
	from := commonLines(v.text, old)
	end := commonEnd(v.text[from:], old[from:])
	now, then := linesOf(v.text[from:len(v.text)-end]), linesOf(old[from:len(old)-end])
	if max(len(now), len(then)) > maxDerived {
		return nil, nil
	}
	line := 1 + bytes.Count(v.text[:from], []byte("\n"))
	if was, changed = v.withValues(old, line, now, then, kinds); was == nil {
		was, changed = v.withEntries(old, hunk{v.text[:from], v.text[len(v.text)-end:], line, now, then}, kinds)
	}
	return was, changed
}

// readOld reads the parent's version of a file, and derives it from the commit's if little differs. id is its blob.
func (w *walk) readOld(p *pair, file, id string) (err error) {
	if _, known := w.known[file+"\x00"+id]; id != "" && !known {
		text, err := w.text(id)
		if err != nil {
			return err
		}
		if p.old, p.changed = p.now.derived(text, w.kinds); p.old != nil {
			w.remember(file+"\x00"+id, p.old)
			return nil
		}
	}
	p.old, err = w.version(p.parent, file, id)
	return err
}

func linesOf(text []byte) []string { return slices.Collect(strings.Lines(string(text))) }

// withValues returns the older version if its lines differ from the newer ones in values of the same fields alone, else
// nil.
func (v *fileVersion) withValues(old []byte, line int, now, then []string, kinds *schema.Schema) (was *fileVersion, changed map[int][]string) {
	if len(now) != len(then) || len(now) == 0 || !strings.HasSuffix(then[len(then)-1], "\n") {
		return nil, nil
	}
	was, changed = &fileVersion{old, &group{slices.Clone(v.documents), v.names}}, map[int][]string{}
	for i := range now {
		if now[i] == then[i] {
			continue
		}
		at, path := was.replace(v, line+i, now[i], then[i], kinds)
		if path == "" {
			return nil, nil
		}
		changed[at] = append(changed[at], path)
	}
	return was, changed
}

// commonLines returns the length of the lines with which two texts begin.
func commonLines(a, b []byte) int {
	n, most := 0, min(len(a), len(b))
	for n+512 <= most && bytes.Equal(a[n:n+512], b[n:n+512]) {
		n += 512
	}
	for n < most && a[n] == b[n] {
		n++
	}
	return bytes.LastIndexByte(a[:n], '\n') + 1
}

// commonEnd returns the length of the last lines that two texts have in common.
func commonEnd(a, b []byte) int {
	n, most := 0, min(len(a), len(b))
	for n+512 <= most && bytes.Equal(a[len(a)-n-512:len(a)-n], b[len(b)-n-512:len(b)-n]) {
		n += 512
	}
	for n < most && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	begins := func(text []byte) bool { return n == len(text) || text[len(text)-n-1] == '\n' }
	for n > 0 && !(begins(a) && begins(b)) {
		n--
	}
	return n
}

// replace replaces the value in a line by an older one. It returns the document and the path, "" if that is not sure.
func (v *fileVersion) replace(next *fileVersion, line int, now, then string, kinds *schema.Schema) (at int, path string) {
	if at = v.indexAt(line); at < 0 {
		return 0, ""
	}
	d := next.documents[at]
	if !d.loaded {
		d.load(kinds)
	}
	l := d.only(line - d.line + 1)
	if l == nil || !l.isFree(d) {
		return 0, ""
	}
	value, ok := replaced(now, then, d.fields[l.name])
	if !ok {
		return 0, ""
	}
	v.own(next, at).fields[l.name] = value
	return at, l.name
}

// own returns the version's own copy of a document that it shares with the next version.
func (v *fileVersion) own(next *fileVersion, at int) *document {
	if d := next.documents[at]; v.documents[at] == d {
		d.comments()
		was := *d
		was.fields, was.texts, was.text, was.derivedIn = maps.Clone(d.fields), nil, nil, v
		v.documents[at] = &was
	}
	return v.documents[at]
}

// only returns the value that is the only one in a line of the document, nil if there is none.
func (d *document) only(line int) *leaf {
	if d.item == nil || !d.loaded {
		return nil
	}
	if d.byLine == nil {
		d.byLine = map[int]int{}
		for i, l := range d.leaves {
			if _, known := d.byLine[l.line]; known || !l.isWhole {
				i = -1
			}
			d.byLine[l.line] = i
		}
	}
	i, known := d.byLine[line]
	if !known || i < 0 {
		return nil
	}
	return &d.leaves[i]
}

// isFree reports whether another value of the field changes nothing else: neither the identity of the document nor the
// key of an element.
func (l *leaf) isFree(d *document) bool {
	isList := l.value.Kind == yaml.SequenceNode && l.value.Style&yaml.FlowStyle != 0 && !slices.ContainsFunc(l.value.Content, isNoScalar)
	if l.value.Kind != yaml.ScalarNode && !isList || l.isRepeated() || strings.HasSuffix(d.meta.Kind, "List") {
		return false
	}
	steps := l.path.Steps()
	field := steps[len(steps)-1].Field
	if field == "" || len(steps) == 1 && (field == "apiVersion" || field == "kind") || len(steps) == 2 && steps[0].Field == "metadata" {
		return false
	}
	if above := len(steps) - 2; above >= 0 && steps[above].Keys != nil {
		element := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{yamlnode.String(field), yamlnode.String(field)}}
		if schema.InferKeys([3][]*yaml.Node{{element}}) != nil { // the list's keys may follow from its values
			return false
		}
		for _, key := range steps[above].Keys {
			if key.Name == field {
				return false
			}
		}
	}
	return true
}

func isNoScalar(n *yaml.Node) bool { return n.Kind != yaml.ScalarNode }

// replaced returns the value of an older line in the form in which a document keeps values. ok reports whether both lines
// have a plain or quoted value of one field, and the newer line has the known value.
func replaced(now, then, known string) (value string, ok bool) {
	before, a, found := cutValue(now)
	if !found {
		return "", false
	}
	key, b, found := cutValue(then)
	if !found || before != key || canonical(a) != known {
		return "", false
	}
	return canonical(b), true
}

// cutValue cuts a line of a field before its value. It finds only values whose form has no special characters, and lists of
// such words in brackets.
func cutValue(line string) (before string, value *yaml.Node, found bool) {
	line = strings.TrimRight(line, " \r\n")
	colon := strings.Index(line, ": ")
	if colon < 0 || strings.ContainsAny(line[:colon], "\"'#{}[]&*!|>%@`\\\t") {
		return "", nil, false
	}
	text := line[colon+2:]
	if comment := strings.Index(text, " #"); comment >= 0 {
		text = strings.TrimRight(text[:comment], " ")
	}
	if inner, is := strings.CutPrefix(text, "["); is {
		value, found = plainList(inner)
		return line[:colon], value, found
	}
	value = &yaml.Node{Kind: yaml.ScalarNode, Value: text}
	if n := len(text); n > 1 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		value.Value, value.Tag, value.Style = text[1:n-1], "!!str", yaml.DoubleQuotedStyle
	}
	if value.Value == "" && value.Tag == "" || strings.ContainsAny(value.Value, "\"'#{}[]&*!|>%`\\\t,?") || strings.Contains(text, ": ") ||
		strings.HasSuffix(text, ":") || strings.HasPrefix(value.Value, "- ") || strings.HasPrefix(value.Value, "@") || strings.HasPrefix(text, " ") {
		return "", nil, false
	}
	return line[:colon], value, true
}

// plainList reads a list in brackets behind the first one. It finds only lists of plain words, at least one.
func plainList(text string) (list *yaml.Node, found bool) {
	inner, is := strings.CutSuffix(text, "]")
	if !is || strings.ContainsAny(inner, "\"'#{}[]&*!|>%`\\\t:?@") {
		return nil, false
	}
	list = &yaml.Node{Kind: yaml.SequenceNode}
	for word := range strings.SplitSeq(inner, ",") {
		if word = strings.TrimSpace(word); word == "" || word[0] == '-' && (len(word) == 1 || word[1] == ' ') {
			return nil, false
		}
		list.Content = append(list.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: word})
	}
	return list, true
}

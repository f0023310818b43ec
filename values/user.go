package values

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// userFile is a values file that was read.
type userFile struct {
	name     string
	data     []byte // without the encoding
	rest     []byte // the empty documents below
	encoding stream.Encoding
	text     *manifest.Text // nil if the file has no values
	values   tree
	lines    []*line
}

// line is one value of the user: a scalar, a list, an empty map or null.
type line struct {
	path   []string
	value  any
	file   string
	number int
	// fixed says that the value cannot be edited where it is: it comes by an alias.
	fixed bool
	// isAnchored says that an alias elsewhere has the value, a part of it or a map that it is in.
	isAnchored bool
	// split are the fields that an image in one line is split into, nil if it is not.
	split        []splitInto
	overriddenBy string
	// overrides says that an earlier file has another value.
	overrides bool
}

// differsFrom reports whether a line changes values by more than the fields of a map that they lack.
func (l *line) differsFrom(values tree) bool {
	value, found := lookup(values, l.path)
	if !found {
		return l.isCovered(values)
	}
	return !equal(l.value, value) && !(isMap(l.value) && isMap(value))
}

// isCovered reports whether other values have something that is no map in place of a map that the line is in.
func (l *line) isCovered(values tree) bool {
	for depth := 1; depth < len(l.path); depth++ {
		value, found := lookup(values, l.path[:depth])
		if !found {
			return false
		}
		if _, is := value.(tree); !is {
			return true
		}
	}
	return false
}

// readUserFile reads the lines of a values file. A key twice is an error, and so is a second document, which helm does not
// read.
func readUserFile(f pkgmerge.File) (*userFile, error) {
	u := &userFile{name: f.Name, values: tree{}}
	u.data, u.encoding = stream.Decode(f.Data)
	if u.data, u.rest = cutEmptyDocuments(u.data); hasSecondDocument(u.data) {
		return nil, fmt.Errorf("%s: more than one document; helm reads the first one alone, so remove the others", f.Name)
	}
	if err := yaml.Unmarshal(u.data, &u.values); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, explained(err, u.data))
	}
	if len(u.values) == 0 {
		u.values = tree{}
		return u, nil
	}
	text, err := manifest.Document(u.data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	if key := keyTwice(text.Root()); key != nil {
		return nil, fmt.Errorf("%s: line %d: key %q already set in map", f.Name, key.Line, key.Value)
	}
	u.text = text
	u.read(text.Root(), u.values, nil, 0)
	aliased := map[*yamlnodes.Node]bool{}
	addAliased(text.Root(), aliased)
	for _, l := range u.lines {
		l.isAnchored = len(aliased) > 0 && isAnchored(text.Root(), l.path, aliased)
	}
	return u, nil
}

// keyTwice returns a key that its map has above already, nil if there is none.
func keyTwice(n *yamlnodes.Node) *yamlnodes.Node {
	if n.Kind == yamlnodes.MappingNode {
		names := map[string]bool{}
		for key := range yamlnode.Pairs(n) {
			name := keyName(key)
			if names[name] && !isMergeKey(key) {
				return key
			}
			names[name] = true
		}
	}
	for _, below := range n.Content {
		if key := keyTwice(below); key != nil {
			return key
		}
	}
	return nil
}

// isMergeKey reports whether a key is <<, which brings the fields of other maps.
func isMergeKey(key *yamlnodes.Node) bool { return key.Tag == "!!merge" || key.Value == "<<" }

// cutEmptyDocuments cuts the documents of nothing but comments off the end of a text, with the markers above them.
func cutEmptyDocuments(text []byte) (values, rest []byte) {
	at, end := len(text), len(text)
	for end > 0 {
		start := bytes.LastIndexByte(text[:end-1], '\n') + 1
		line := text[start:end]
		isMarker := bytes.HasPrefix(line, []byte("---"))
		if line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("---"))); len(line) > 0 && line[0] != '#' && string(line) != "..." {
			break
		}
		if end = start; isMarker {
			at = start
		}
	}
	return text[:at], text[at:]
}

// hasSecondDocument reports whether a document below the first one has values.
func hasSecondDocument(text []byte) bool {
	all := stream.Read(text).Documents
	return len(all) > 1 && slices.ContainsFunc(all[1:], func(d stream.Document) bool { return !d.IsEmpty() })
}

// addAliased adds the values that aliases at and below a value have.
func addAliased(n *yamlnodes.Node, aliased map[*yamlnodes.Node]bool) {
	if n.Kind == yamlnodes.AliasNode {
		aliased[n.Alias] = true
	}
	for _, below := range n.Content {
		addAliased(below, aliased)
	}
}

// isAnchored reports whether an alias has the value at a path, a part of it, or a map that it is in.
func isAnchored(root *yamlnodes.Node, path []string, aliased map[*yamlnodes.Node]bool) bool {
	var value *yamlnodes.Node
	for depth := range path {
		if _, value = nodeAt(root, path[:depth+1]); value == nil || aliased[value] {
			return value != nil
		}
	}
	return hasAliased(value, aliased)
}

// hasAliased reports whether an alias has a value, or a part of it.
func hasAliased(n *yamlnodes.Node, aliased map[*yamlnodes.Node]bool) bool {
	return aliased[n] || slices.ContainsFunc(n.Content, func(below *yamlnodes.Node) bool { return hasAliased(below, aliased) })
}

// explained returns the error of a text that is no map of values, without the words of the library about JSON.
func explained(err error, text []byte) error {
	var value any
	if yaml.Unmarshal(text, &value) == nil && !isMap(value) {
		found := "a single value"
		if _, is := value.([]any); is {
			found = "a list"
		}
		return fmt.Errorf("want a map of values, found %s", found)
	}
	if strings.Contains(err.Error(), "invalid map key") { // the words of the library have the key
		return errors.New("a key is a map, as {{ }} of a template is; name a file of values")
	}
	words := wording.Indentation(strings.TrimPrefix(err.Error(), "error converting YAML to JSON: "), text)
	for _, before := range [...]string{"yaml: ", "unmarshal errors:", "\n  "} {
		words = strings.TrimPrefix(words, before)
	}
	if i := strings.LastIndex(words, " as a !!"); i >= 0 && strings.HasPrefix(words, "cannot decode ") {
		words = "a value does not fit its tag" + words[i+len(" as a"):] // the words of the library have the value, which may be secret
	}
	return errors.New(strings.ReplaceAll(words, "\n  ", "; "))
}

// read adds the lines of a map; above is the line of an alias that it is the value of. A field that a merge key brings, too,
// is never edited, since the other value would show; where the merge key is below the field, helm takes the merge key's.
func (u *userFile) read(n *yamlnodes.Node, values tree, path []string, above int) {
	keys := map[string]*yamlnodes.Node{}
	merged := mergedFields(n)
	for key, v := range yamlnode.Pairs(n) {
		name := keyName(key)
		by := merged[name]
		if isMergeKey(key) || by != nil && isAfter(by, key) {
			continue
		}
		keys[name] = v
		u.add(v, values[name], append(slices.Clone(path), name), cmp.Or(above, key.Line), above > 0 || name != key.Value || by != nil)
	}
	for _, name := range sortedNames(values) { // the values of merge keys
		if keys[name] == nil {
			u.add(nil, values[name], append(slices.Clone(path), name), cmp.Or(above, n.Line), true)
		}
	}
}

// mergedFields returns the names of the fields that the merge keys of a map bring, each with the last of these keys.
func mergedFields(n *yamlnodes.Node) map[string]*yamlnodes.Node {
	merged := map[string]*yamlnodes.Node{}
	for key, v := range yamlnode.Pairs(n) {
		if isMergeKey(key) {
			addMerged(v, key, merged, map[*yamlnodes.Node]bool{})
		}
	}
	return merged
}

// addMerged adds the names of the fields of a map, of a list of maps, or of an alias of one of these.
func addMerged(n, by *yamlnodes.Node, merged map[string]*yamlnodes.Node, seen map[*yamlnodes.Node]bool) {
	n = yamlnode.Resolve(n)
	if seen[n] {
		return
	}
	seen[n] = true
	if n.Kind == yamlnodes.SequenceNode {
		for _, one := range n.Content {
			addMerged(one, by, merged, seen)
		}
		return
	}
	for key, v := range yamlnode.Pairs(n) {
		if isMergeKey(key) {
			addMerged(v, by, merged, seen)
			continue
		}
		merged[keyName(key)] = by
	}
}

// isAfter reports whether a key is behind or below another one.
func isAfter(key, other *yamlnodes.Node) bool {
	return key.Line > other.Line || key.Line == other.Line && key.Column > other.Column
}

// keyName returns the name of a field as helm reads it: a word of YAML 1.1's for true or false is that.
func keyName(key *yamlnodes.Node) string {
	if word, is := yamlnode.BooleanWord(key.Value); is && key.Style == 0 {
		return strconv.FormatBool(word)
	}
	return key.Value
}

func (u *userFile) add(n *yamlnodes.Node, value any, path []string, number int, fixed bool) {
	m, is := value.(tree)
	switch {
	case !is || len(m) == 0:
		u.lines = append(u.lines, &line{path: path, value: value, file: u.name, number: number, fixed: fixed})
	case n == nil:
		u.read(&yamlnodes.Node{}, m, path, number)
	case n.Kind == yamlnodes.AliasNode:
		u.read(n.Alias, m, path, number)
	default:
		above := 0
		if fixed {
			above = number
		}
		u.read(n, m, path, above)
	}
}

// sortedNames returns the names of the fields of a map, sorted.
func sortedNames(m tree) []string { return slices.Sorted(maps.Keys(m)) }

// outerComments returns the comments of a file that belong to no field: those above its last empty line before the first
// field, and those below the last field, with the empty lines there. Without such comments they are empty.
func outerComments(text []byte) (head, foot []byte) {
	lines := bytes.SplitAfter(text, []byte("\n"))
	isOuter := func(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 || line[0] == '#' }
	first := slices.IndexFunc(lines, func(line []byte) bool { return !isOuter(line) })
	last := len(lines)
	for last > 0 && isOuter(lines[last-1]) {
		last--
	}
	for first > 0 && len(bytes.TrimSpace(lines[first-1])) > 0 {
		first--
	}
	return commented(lines[:max(first, 0)]), commented(lines[last:])
}

// commented returns the text of lines, nil if none of them is a comment.
func commented(lines [][]byte) []byte {
	text := bytes.Join(lines, nil)
	if !bytes.ContainsRune(text, '#') {
		return nil
	}
	return text
}

// commentAbove returns the comment right above a key in a map at a path in two parts: the lines down to the last
// commented-out setting, which stay if the field goes, and the lines below it, which go along. A setting is a field that
// the map has in a version of the chart or in the values, with the lines that are indented below it.
func (e *edit) commentAbove(key *yamlnodes.Node, path []string) (settings, notes []string) {
	lines := strings.Split(key.HeadComment, "\n")
	lines = lines[1+lastIndex(lines, ""):]
	indent, last := -1, 0 // the column of a setting whose lines may follow
	for i, line := range lines {
		text := strings.TrimLeft(line, "#")
		name := strings.TrimLeft(text, " ")
		column := len(text) - len(name)
		switch field, value, found := strings.Cut(name, ":"); {
		case found && (value == "" || value[0] == ' ') && e.isField(append(slices.Clone(path), strings.Trim(field, `"'`))):
			indent, last = column, i+1
			if value = strings.TrimSpace(value); value != "" && !strings.ContainsAny(value[:1], "|>&#") {
				indent = -1 // a value in one line has no lines below it
			}
		case indent >= 0 && (column > indent || column == indent && strings.HasPrefix(name, "- ")):
			last = i + 1
		default:
			indent = -1
		}
	}
	return lines[:last], lines[last:]
}

// lastIndex returns the index of the last line that is equal to a text, -1 if none is.
func lastIndex(lines []string, text string) int {
	for i, line := range slices.Backward(lines) {
		if line == text {
			return i
		}
	}
	return -1
}

// settings returns the commented-out settings right above the fields at the top, as lines.
func (e *edit) settings(root *yamlnodes.Node) []byte {
	var b bytes.Buffer
	lines := strings.Split(string(e.user.data), "\n")
	for key := range yamlnode.Pairs(root) {
		if key.Line > 1 && strings.TrimSpace(lines[key.Line-2]) == "" {
			continue // the comment is not right above
		}
		settings, _ := e.commentAbove(key, nil)
		for _, line := range settings {
			b.WriteString(line + "\n")
		}
	}
	return b.Bytes()
}

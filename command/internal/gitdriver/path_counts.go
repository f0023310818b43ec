package gitdriver

import (
	"bytes"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// pathCounts counts lines by a hash of their path: the document, the keys above the line, and the
// elements of lists. Only indentation is read and nothing parsed, so counting is fast enough for
// every merge. Other text than YAML in block style has less exact paths.
type pathCounts struct {
	lines map[uint64]int
	// elements has the elements that are maps, by the path of their list, and keys the keys that have lines below them, by the path of their map.
	elements, keys map[uint64][]outlineEntry
	// scalars has the elements that are scalars, by the path of their list, with an empty text before those of each list.
	scalars map[uint64][]string
}

// outlineEntry is an element of a list, or a key with lines below it: its path, its first line, and the lines from this one to the end of its
// document.
type outlineEntry struct {
	path  uint64
	first outlineLine
	lines []outlineLine
}

// countPaths counts the lines and the comments of a text. An element or a key that has another path counts under that.
func countPaths(text []byte, seed maphash.Seed, renamed map[uint64]uint64) pathCounts {
	lines := parseOutline(text)
	s := lineScanner{seed: seed, renamed: renamed, seen: map[uint64]int{}}
	s.count = pathCounts{lines: make(map[uint64]int, len(lines)), elements: map[uint64][]outlineEntry{}, keys: map[uint64][]outlineEntry{}, scalars: map[uint64][]string{}}
	for start := 0; start < len(lines); {
		end := start + 1
		for end < len(lines) && !lines[end].isSeparator() {
			end++
		}
		s.countDocument(lines[start:end])
		start = end
	}
	return s.count
}

// equal reports whether two texts have the same lines in the same places.
func (c pathCounts) equal(other pathCounts) bool {
	return maps.Equal(c.lines, other.lines) && maps.EqualFunc(c.scalars, other.scalars, slices.Equal)
}

// outlineLine is a line of a text: its content, and the column where the content begins.
type outlineLine struct {
	indent int
	text   string
}

// parseOutline returns the lines of a text without empty ones, and without the quotes of their values. A comment behind a line is a line
// of its own, before it.
func parseOutline(text []byte) []outlineLine {
	out := make([]outlineLine, 0, bytes.Count(text, []byte("\n"))+1)
	for line := range strings.Lines(string(text)) {
		content := strings.TrimLeft(line, " ")
		indent := len(line) - len(content)
		content, comment, found := strings.Cut(content, " #")
		if found {
			out = append(out, outlineLine{indent, "#" + strings.TrimRight(comment, " \t\r\n")})
		}
		if content = strings.TrimRight(content, " \t\r\n"); content != "" {
			out = append(out, outlineLine{indent, withoutQuotes(content)})
		}
	}
	return out
}

// withoutQuotes returns the content of a line as it is without quotes around its value, if these say nothing: the value is a text
// without them, too.
func withoutQuotes(content string) string {
	end := len(content) - 1
	if end < 1 || content[end] != '"' && content[end] != '\'' {
		return content
	}
	begin := strings.LastIndexByte(content[:end], content[end])
	if begin < 2 || !strings.HasSuffix(content[:begin], ": ") && !strings.HasSuffix(content[:begin], "- ") || !isPlainScalar(content[begin+1:end]) {
		return content
	}
	return content[:begin] + content[begin+1:end]
}

// isPlainScalar reports whether a text of words is the same text in YAML without quotes. It is false for a text with other signs than names have.
func isPlainScalar(text string) bool {
	isWord := func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '/' }
	for i := range len(text) {
		inside := i > 0 && i < len(text)-1
		switch c := text[i]; {
		case isWord(c):
		case (c == ' ' || c == ':') && inside && isWord(text[i-1]) && isWord(text[i+1]):
		case i == 0 || !strings.ContainsRune("-_.@=+", rune(c)):
			return false
		}
	}
	plain := yaml.Node{Kind: yaml.ScalarNode, Value: text}
	return text != "" && plain.ShortTag() == "!!str" && !yamlnode.IsBooleanWord(text)
}

func (l outlineLine) isSeparator() bool {
	return l.indent == 0 && (l.text == "---" || strings.HasPrefix(l.text, "--- "))
}

func (l outlineLine) isComment() bool { return l.text[0] == '#' }

// isItem reports whether the line begins an element of a list.
func (l outlineLine) isItem() bool { return l.text == "-" || strings.HasPrefix(l.text, "- ") }

// content returns the content of a line behind its dash.
func (l outlineLine) content() outlineLine {
	content := strings.TrimLeft(l.text[1:], " ")
	return outlineLine{l.indent + len(l.text) - len(content), content}
}

// key returns the text before the colon of a line, if there is one.
func (l outlineLine) key() (key string, found bool) {
	if key, _, found = strings.Cut(l.text, ": "); found {
		return key, true
	}
	return strings.CutSuffix(l.text, ":")
}

// lineScanner computes the paths of the lines of a text.
type lineScanner struct {
	seed    maphash.Seed
	renamed map[uint64]uint64
	count   pathCounts
	// seen counts the documents and elements of one path.
	seen map[uint64]int
	open []openEntry
}

// openEntry is a key or element that may have lines below it.
type openEntry struct {
	indent int
	isItem bool
	// isEmpty says that the entry is a key without a value behind it. It has none yet if it is the last open entry.
	isEmpty bool
	path    uint64
	// hasScalars says that the entry is a list with a counted scalar.
	hasScalars bool
}

// hash returns the path of an entry below another path.
func (s *lineScanner) hash(above uint64, parts ...string) uint64 {
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

// unique returns a different path for each entry with the same one.
func (s *lineScanner) unique(path uint64) uint64 {
	s.seen[path]++
	return path + uint64(s.seen[path]) - 1 // #nosec G115 -- it counts from 1
}

// countDocument counts the lines of one document.
func (s *lineScanner) countDocument(lines []outlineLine) {
	s.open = []openEntry{{indent: -1, path: s.unique(s.hash(0, identityLines(lines)...))}}
	for i, l := range lines {
		switch {
		case l.isSeparator():
			continue
		case l.isComment():
			s.countComment(l)
			continue
		}
		for l.isItem() {
			s.close(l.indent, true)
			content := l.content()
			path := s.elementPath(content, lines[i:])
			if _, isMap := content.key(); !isMap {
				list := &s.open[len(s.open)-1]
				if !list.hasScalars {
					list.hasScalars = true
					s.count.scalars[list.path] = append(s.count.scalars[list.path], "")
				}
				s.count.scalars[list.path] = append(s.count.scalars[list.path], content.text)
			}
			s.open = append(s.open, openEntry{indent: l.indent, isItem: true, path: path})
			l = content
		}
		s.close(l.indent, false)
		s.count.lines[s.hash(s.parent(), l.text)]++
		if key, found := l.key(); found {
			path := s.hash(s.parent(), "", key)
			s.count.lines[path]++ // both sides may have added the key
			if l.opensBlock() {
				was, found := s.renamed[path]
				if found {
					path = was
				}
				s.count.keys[s.parent()] = append(s.count.keys[s.parent()], outlineEntry{path, l, lines[i:]})
			}
			s.open = append(s.open, openEntry{indent: l.indent, path: path, isEmpty: strings.HasSuffix(l.text, ":")})
		} else if (l.text == "{" || l.text == "[") && i+1 < len(lines) { // an element in JSON
			s.open = append(s.open, openEntry{indent: l.indent, path: s.elementPath(lines[i+1], lines[i+1:])})
		}
	}
}

// countComment counts a comment below the innermost entry that may contain its column. In the column of a list's dashes it is in the list, and
// so is one in the column of a key that has nothing yet, whose elements may all be commented out.
func (s *lineScanner) countComment(l outlineLine) {
	at := len(s.open) - 1
	inList := s.open[at].isEmpty || slices.ContainsFunc(s.open, func(e openEntry) bool { return e.isItem && e.indent == l.indent })
	for s.open[at].indent > l.indent || s.open[at].indent == l.indent && (s.open[at].isItem || !inList) {
		at--
	}
	s.count.lines[s.hash(s.open[at].path, l.text)]++
}

func (s *lineScanner) parent() uint64 { return s.open[len(s.open)-1].path }

// close closes the entries that do not contain a line at a column. A list's elements may be in the column of its key.
func (s *lineScanner) close(indent int, item bool) {
	for {
		last := s.open[len(s.open)-1]
		if last.indent < indent || last.indent == indent && item && !last.isItem {
			return
		}
		s.open = s.open[:len(s.open)-1]
	}
}

// maxElementLines limits how many lines of an element are searched for its name.
const maxElementLines = 200

// elementPath returns the path of a list element, given as its first line and the lines from there on. The
// path has the element's field name, or else the whole element. All scalars have one path.
func (s *lineScanner) elementPath(first outlineLine, lines []outlineLine) uint64 {
	below := lines[1:]
	if _, found := first.key(); !found {
		return s.hash(s.parent(), "-")
	}
	end := 0
	for end < min(len(below), maxElementLines) && below[end].indent >= first.indent {
		end++
	}
	name := func(l outlineLine) bool {
		return l.indent == first.indent && (strings.HasPrefix(l.text, "name: ") || strings.HasPrefix(l.text, `"name": `))
	}
	if name(first) {
		return s.mapPath(s.unique(s.hash(s.parent(), "-", first.text)), first, lines)
	}
	texts := []string{"-", first.text}
	for _, l := range below[:end] {
		if name(l) {
			return s.mapPath(s.unique(s.hash(s.parent(), "-", l.text)), first, lines)
		}
		if !l.isComment() {
			texts = append(texts, l.text)
		}
	}
	return s.mapPath(s.hash(s.parent(), texts...), first, lines)
}

// mapPath returns the path of an element that is a map, its old one if it has one.
func (s *lineScanner) mapPath(path uint64, first outlineLine, lines []outlineLine) uint64 {
	if was, found := s.renamed[path]; found {
		path = was
	}
	s.count.elements[s.parent()] = append(s.count.elements[s.parent()], outlineEntry{path, first, lines})
	return path
}

// opensBlock reports whether a line is a key that may have lines below it.
func (l outlineLine) opensBlock() bool {
	_, value, _ := strings.Cut(l.text, ":")
	value = strings.TrimLeft(value, " ")
	return value == "" || value[0] == '|' || value[0] == '>'
}

// addRenamed adds the path of each element and key that a version has instead of one of the base, and the base's. The elements that the version
// lacks and the elements that it adds to a list are paired in their order if they are as many; else, as keys are, with the one that has the most
// of their lines in common, or with the only one that has their first line. An element or a key that others have, too, is in no pair.
func (base pathCounts) addRenamed(renamed map[uint64]uint64, version pathCounts, others ...pathCounts) {
	for list, was := range base.elements {
		gone, added := without(was, version.elements[list]), without(version.elements[list], was)
		for _, other := range others {
			added = without(added, other.elements[list])
		}
		if len(gone) != len(added) {
			addAlike(renamed, gone, added, linesInCommon)
			addAlike(renamed, gone, added, sameFirstLine)
			continue
		}
		for i, e := range added {
			renamed[e.path] = gone[i].path
		}
	}
	for parent, was := range base.keys {
		gone, added := without(was, version.keys[parent]), without(version.keys[parent], was)
		for _, other := range others {
			added = without(added, other.keys[parent])
		}
		addAlike(renamed, gone, added, linesInCommon)
	}
}

// without returns the entries whose paths others lack.
func without(entries, others []outlineEntry) []outlineEntry {
	known := make(map[uint64]bool, len(others))
	for _, e := range others {
		known[e.path] = true
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e outlineEntry) bool { return known[e.path] })
}

// addAlike adds the paths of the added entries that are most like one entry that is gone, as this one is like them, if they have no other path yet.
func addAlike(renamed map[uint64]uint64, gone, added []outlineEntry, likeness func(a, b outlineEntry) int) {
	nearest := func(e outlineEntry, all []outlineEntry) (at int) {
		at = -1
		most := 0
		for i, other := range all {
			switch n := likeness(e, other); {
			case n > most:
				at, most = i, n
			case n == most:
				at = -1
			}
		}
		return at
	}
	for i, e := range added {
		if _, known := renamed[e.path]; known {
			continue
		}
		if was := nearest(e, gone); was >= 0 && nearest(gone[was], added) == i {
			renamed[e.path] = gone[was].path
		}
	}
}

// linesInCommon returns the number of lines that two entries have in common, 0 if they are not most lines of both.
func linesInCommon(a, b outlineEntry) (common int) {
	counts := map[string]int{}
	linesOfA, linesOfB := a.below(), b.below()
	for _, l := range linesOfA {
		counts[l.text]++
	}
	for _, l := range linesOfB {
		if counts[l.text]--; counts[l.text] >= 0 {
			common++
		}
	}
	if 2*common <= max(len(linesOfA), len(linesOfB)) {
		return 0
	}
	return common
}

// sameFirstLine returns 1 if two entries have one first line, else 0.
func sameFirstLine(a, b outlineEntry) int {
	if a.first == b.first {
		return 1
	}
	return 0
}

// below returns the lines of an element, or those below a key.
func (e outlineEntry) below() []outlineLine {
	isDash := e.lines[0].isItem()
	end := 1
	for end < min(len(e.lines), maxElementLines) && (e.lines[end].indent > e.lines[0].indent || !isDash && e.lines[end].indent == e.lines[0].indent && e.lines[end].isItem()) {
		end++
	}
	if isDash {
		return e.lines[:end]
	}
	return e.lines[1:end]
}

// identityLines returns the lines that identify the resource of a document.
func identityLines(lines []outlineLine) (out []string) {
	below := ""
	for _, l := range lines {
		if l.isComment() {
			continue
		}
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

// mayMisplace reports whether a merge of lines may have put a change of one side elsewhere: a path
// has a line more or less often than the changes of both sides require.
func (v Versions) mayMisplace(merged []byte) bool {
	seed := maphash.MakeSeed()
	base := countPaths(v.Texts[marker.Base], seed, nil)
	renamed := map[uint64]uint64{}
	sides := [2]pathCounts{}
	for i, side := range [2]marker.Side{marker.Ours, marker.Theirs} {
		sides[i] = countPaths(v.Texts[side], seed, nil)
		if base.addRenamed(renamed, sides[i]); len(renamed) > 0 {
			sides[i] = countPaths(v.Texts[side], seed, renamed)
		}
	}
	result, known := countPaths(merged, seed, renamed), len(renamed)
	if base.addRenamed(renamed, result, sides[:]...); len(renamed) > known { // elements with changes of both sides
		result = countPaths(merged, seed, renamed)
	}
	return !areMergedCounts(base.lines, sides[1].lines, sides[0].lines, result.lines) || misplacesScalars(base, sides[1], sides[0], result)
}

// misplacesScalars reports whether a list of scalars has an element more or less often than the changes of both sides require, behind
// some element that all versions have. An element that one side added or removed is none of these: the other side does not know it.
func misplacesScalars(base, theirs, ours, merged pathCounts) bool {
	type place struct{ behind, text string }
	for list := range merged.scalars {
		var places [4]map[place]int
		for i, version := range [4]pathCounts{base, theirs, ours, merged} {
			places[i] = map[place]int{}
			var behind string
			for _, text := range version.scalars[list] {
				if text == "" { // the beginning of the list
					behind = ""
					continue
				}
				places[i][place{behind, text}]++
				if slices.Contains(base.scalars[list], text) && slices.Contains(theirs.scalars[list], text) && slices.Contains(ours.scalars[list], text) {
					behind = text
				}
			}
		}
		if !areMergedCounts(places[0], places[1], places[2], places[3]) {
			return true
		}
	}
	return false
}

// areMergedCounts reports whether a merge has each thing as often as the changes of both sides require.
func areMergedCounts[K comparable](base, theirs, ours, merged map[K]int) bool {
	for _, counts := range [4]map[K]int{base, theirs, ours, merged} {
		for key := range counts {
			if !isMergedCount(base[key], theirs[key], ours[key], merged[key]) {
				return false
			}
		}
	}
	return true
}

// lostLine returns a comment, or a key behind a question mark, that a merge has more or less often than the changes of both sides
// require, wherever it is.
func (v Versions) lostLine(merged []byte) (what string, found bool) {
	counts := map[string][4]int{}
	var order []string
	for i, text := range [4][]byte{v.Texts[marker.Base], v.Texts[marker.Theirs], v.Texts[marker.Ours], merged} {
		for line := range strings.Lines(string(text)) {
			what := notable(strings.TrimSpace(line))
			if what == "" {
				continue
			}
			n, known := counts[what]
			if !known {
				order = append(order, what)
			}
			n[i]++
			counts[what] = n
		}
	}
	for _, what := range order {
		n := counts[what]
		both := n[1] + n[2] - n[0] // each side may have added it in a place of its own
		if !isMergedCount(n[0], n[1], n[2], n[3]) && (n[0] == n[1] || n[0] == n[2] || n[3] != both) {
			return what, true
		}
	}
	return "", false
}

// notable returns the comment of a line, or the line if a question mark begins its key; "" for another line, and for a merge
// comment, which is bookkeeping.
func notable(line string) string {
	switch at := strings.Index(line, " #"); {
	case strings.Contains(line, bookkeeping.MergeComment):
	case strings.HasPrefix(line, "#"), strings.HasPrefix(line, "? "), strings.HasPrefix(line, "- ? "):
		return line
	case at >= 0:
		return line[at+1:]
	}
	return ""
}

// isMergedCount reports whether a merge has a line or element as often as the changes of both sides require. Where both removed some, it
// may be the same ones or others.
func isMergedCount(base, theirs, ours, merged int) bool {
	switch {
	case base == theirs:
		return merged == ours
	case base == ours:
		return merged == theirs
	case ours < base && theirs < base && merged < min(ours, theirs):
		return merged == ours+theirs-base
	}
	return merged >= min(ours, theirs) && merged <= max(ours, theirs)
}

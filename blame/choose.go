package blame

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
)

// selector is a path as the user wrote it.
type selector struct {
	text    string
	pattern merge.Pattern
	// exact are the paths of values by the lines where they begin, instead of the pattern; nil for a pattern.
	exact map[int][]string
}

// parsePath parses a path: that of a rule (spec.containers[name="web"].image), with or without a dot in front, in
// braces as kubectl takes it, or a JSON pointer (/spec/replicas).
func parsePath(text string) (*selector, error) {
	path := strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	path = strings.TrimPrefix(strings.TrimPrefix(path, "$"), ".")
	if pointer, is := strings.CutPrefix(path, "/"); is {
		path = ""
		for step := range strings.SplitSeq(pointer, "/") {
			step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
			if _, err := strconv.Atoi(step); err == nil || step == "-" {
				path += "[*]"
			} else {
				path += "[" + strconv.Quote(step) + "]"
			}
		}
	}
	path = strings.ReplaceAll(withPlainIndexes(path), ".[", "[")
	pattern, err := merge.ParsePattern(bareKeys().ReplaceAllString(path, `[$1="$2"]`))
	if err != nil {
		return nil, err
	}
	return &selector{text: text, pattern: pattern}, nil
}

// withPlainIndexes writes containers[0] as containers.0: both are the index of an element, which has a key here.
func withPlainIndexes(path string) string {
	return regexp.MustCompile(`\[(\d+)\]`).ReplaceAllString(path, ".$1")
}

// bareKeys matches a key of an element without quotes, as kustomize writes it.
func bareKeys() *regexp.Regexp { return regexp.MustCompile(`\[([A-Za-z]\w*)=([A-Za-z][\w.-]*)\]`) }

// covers reports whether the path is a unit's, or one above it. The line of the map or list at the path itself is none
// of its fields.
func (s *selector) covers(u *unit) bool {
	if s == nil {
		return true
	}
	if u.leaf == nil {
		return false
	}
	if s.exact != nil {
		paths := s.exact[u.line]
		return u.leaf.isWhole && len(paths) > 0 && slices.Contains(paths, u.leaf.path.String())
	}
	return s.pattern.Covers(u.leaf.path) && (u.leaf.isWhole || len(u.leaf.path.Steps()) > len(s.pattern))
}

// reaches reports whether a document may have the path; a document without it need not be parsed.
func (s *selector) reaches(d *document) bool {
	if s == nil || s.exact == nil {
		return true
	}
	last := d.line + bytes.Count(d.text, []byte("\n"))
	for line := d.line; line <= last; line++ {
		if len(s.exact[line]) > 0 {
			return true
		}
	}
	return false
}

// lineRange is a range of lines, as git blame takes it.
type lineRange struct{ text, start, end string }

// parseRange parses START,END.
func parseRange(text string) (lineRange, error) {
	start, end, _ := strings.Cut(text, ",")
	if strings.HasPrefix(text, "/") {
		if at := strings.LastIndex(text[1:], "/"); at >= 0 {
			start, end = text[:at+2], strings.TrimPrefix(text[at+2:], ",")
		}
	}
	r := lineRange{text, start, end}
	if _, _, err := r.lines(nil); err != nil {
		return r, err
	}
	return r, nil
}

// lines returns the lines of the range in a text. Without a text it only checks the form.
func (r lineRange) lines(text [][]byte) (from, to int, err error) {
	if from, err = r.first(text); err != nil {
		return 0, 0, err
	}
	if from, to, err = r.extend(from, len(text)); err != nil {
		return 0, 0, err
	}
	if text == nil {
		return from, to, nil
	}
	if r.end != "" && to < from {
		from, to = to, from
	}
	if from > len(text) {
		return 0, 0, fmt.Errorf("-L %s: the file has only %d lines", r.text, len(text))
	}
	return from, min(to, len(text)), nil
}

// malformed is the error of a range that has another form.
func (r lineRange) malformed() error {
	return fmt.Errorf("-L %s: want START,END, START,+N or START,-N, with numbers of lines, or /REGEX/ as START", r.text)
}

// first returns the first line of the range: a number, or the first line that matches an expression.
func (r lineRange) first(text [][]byte) (int, error) {
	if expression, is := strings.CutPrefix(r.start, "/"); is {
		return r.search(expression, text)
	}
	if r.start == "" {
		return 1, nil
	}
	from, err := strconv.Atoi(r.start)
	if err != nil || from < 1 {
		return 0, r.malformed()
	}
	return from, nil
}

// search returns the first line of a text that matches an expression with a slash behind it.
func (r lineRange) search(expression string, text [][]byte) (int, error) {
	expression, isClosed := strings.CutSuffix(expression, "/")
	re, err := regexp.Compile(expression)
	if err != nil || !isClosed {
		return 0, r.malformed()
	}
	i := slices.IndexFunc(text, func(line []byte) bool { return re.Match(bytes.TrimRight(line, "\r\n")) })
	if i < 0 && text != nil {
		return 0, fmt.Errorf("-L %s: no line matches", r.text)
	}
	return i + 1, nil
}

// extend returns the range from its first line to its end, which may be a number of lines after or before it. Without an
// end the range reaches to the last line.
func (r lineRange) extend(from, last int) (int, int, error) {
	if r.end == "" {
		return from, last, nil
	}
	n, err := strconv.Atoi(r.end)
	switch {
	case err != nil || n == 0:
		return 0, 0, r.malformed()
	case r.end[0] == '+':
		return from, from + n - 1, nil
	case n < 0:
		return max(from+n+1, 1), from, nil
	}
	return from, n, nil
}

// Check returns an error for a path or ranges that no file can have.
func (o Options) Check() error {
	_, err := o.choice()
	return err
}

// choice has the path and the ranges of lines of the user; a nil path selects all fields, and no range all lines.
type choice struct {
	path   *selector
	ranges []lineRange
}

func (o Options) choice() (c choice, err error) {
	c.path = o.at
	if o.Path != "" {
		if c.path, err = parsePath(o.Path); err != nil {
			return c, err
		}
	}
	for _, text := range o.Ranges {
		r, err := parseRange(text)
		if err != nil {
			return c, err
		}
		c.ranges = append(c.ranges, r)
	}
	return c, nil
}

// choose chooses the lines and the units that the user asked for.
func (a *Annotation) choose(o choice) error {
	inRange, err := a.inRanges(o.ranges)
	if err != nil {
		return err
	}
	a.index()
	covered := false
	for line := 1; line <= len(a.text); line++ {
		isCovered := a.cover(line, o.path, inRange[line])
		covered = covered || isCovered
		if (isCovered || o.path == nil) && inRange[line] {
			a.lines = append(a.lines, line)
			for _, u := range a.first[line] {
				u.isChosen = u.isChosen || u.leaf == nil
			}
		}
	}
	if o.path != nil && !covered {
		return fmt.Errorf("%s has no field %s%s", a.file, o.path.text, a.meant(o.path.text))
	}
	return nil
}

// inRanges returns for each line number whether the line is in one of the ranges. Without ranges every line is.
func (a *Annotation) inRanges(ranges []lineRange) ([]bool, error) {
	inRange := make([]bool, len(a.text)+1)
	for line := range inRange {
		inRange[line] = len(ranges) == 0
	}
	for _, r := range ranges {
		from, to, err := r.lines(a.text)
		if err != nil {
			return nil, err
		}
		for line := from; line <= to; line++ {
			inRange[line] = true
		}
	}
	return inRange, nil
}

// cover chooses the units of a line that a path covers, if the line is in a range, and reports whether there are some.
func (a *Annotation) cover(line int, path *selector, isInRange bool) (covered bool) {
	for _, u := range a.unitsAt(line, path != nil) {
		if path.covers(u) {
			covered = true
			u.isChosen = u.isChosen || isInRange
		}
	}
	return covered
}

// unitsAt returns the units that a line belongs to. With a path, a comment belongs to the field that follows.
func (a *Annotation) unitsAt(line int, hasPath bool) []*unit {
	at := a.before[line]
	isFirst := at == line
	switch next := a.next[line]; {
	case isFirst && a.first[line][0].leaf == nil && hasPath:
		return a.firstField(line)
	case !isFirst && isBetween(a.text[line-1]) && next > 0 && !a.inText(line):
		return a.first[next]
	case at > 0:
		return a.first[at]
	}
	return nil
}

// meant asks for the path that a mistyped one, or the end of one, most likely means.
func (a *Annotation) meant(path string) string {
	paths := a.paths()
	if byKeys := a.withKeys(path); slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(p, byKeys) }) && byKeys != "" {
		return "; did you mean " + byKeys + "?"
	}
	if question := wording.DidYouMean(path, paths); question != "" {
		return question
	}
	if at := slices.IndexFunc(paths, func(p string) bool { return strings.HasSuffix(p, "."+path) }); at >= 0 {
		return "; did you mean " + paths[at] + "?"
	}
	return ""
}

// withKeys returns a path with the keys of elements in place of their indexes, "" if it has no index.
func (a *Annotation) withKeys(path string) string {
	index, keyed := regexp.MustCompile(`\.(\d+)(\.|$)`), ""
	path = strings.Trim(withPlainIndexes(path), "{}$.")
	for at := index.FindStringSubmatchIndex(path); at != nil; at = index.FindStringSubmatchIndex(path) {
		elements := a.elements(path[:at[0]])
		i, err := strconv.Atoi(path[at[2]:at[3]])
		if err != nil || i >= len(elements) {
			return ""
		}
		path = elements[i] + path[at[3]:]
		keyed = path
	}
	return keyed
}

// elements returns the paths of the elements of a list with keys, in the order of the file.
func (a *Annotation) elements(list string) (out []string) {
	for _, u := range a.units {
		if u.leaf == nil {
			continue
		}
		var at *merge.Path
		for _, step := range u.leaf.path.Steps() {
			above := at.String()
			if step.Keys == nil {
				at = at.Field(step.Field)
				continue
			}
			if at = at.Element(step.Keys); above == list && !slices.Contains(out, at.String()) {
				out = append(out, at.String())
			}
		}
	}
	return out
}

func (a *Annotation) paths() (out []string) {
	for _, u := range a.units {
		if u.leaf != nil {
			out = append(out, u.leaf.path.String())
		}
	}
	return out
}

// firstField returns the units of the next line with a field.
func (a *Annotation) firstField(line int) []*unit {
	for at := line; at > 0; at = a.next[at] {
		if units := a.first[at]; len(units) > 0 && units[0].leaf != nil {
			return units
		}
	}
	return nil
}

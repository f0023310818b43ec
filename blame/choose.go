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
	path = strings.ReplaceAll(path, ".[", "[")
	pattern, err := merge.ParsePattern(bareKeys().ReplaceAllString(path, `[$1="$2"]`))
	if err != nil {
		return nil, err
	}
	return &selector{text: text, pattern: pattern}, nil
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
	wrong := fmt.Errorf("-L %s: want START,END, START,+N or START,-N, with numbers of lines, or /REGEX/ as START", r.text)
	from, to = 1, len(text)
	if expression, is := strings.CutPrefix(r.start, "/"); is {
		expression, isClosed := strings.CutSuffix(expression, "/")
		re, err := regexp.Compile(expression)
		if err != nil || !isClosed {
			return 0, 0, wrong
		}
		from = 0
		for i, line := range text {
			if re.Match(bytes.TrimRight(line, "\r\n")) && from == 0 {
				from = i + 1
			}
		}
		if from == 0 && text != nil {
			return 0, 0, fmt.Errorf("-L %s: no line matches", r.text)
		}
	} else if r.start != "" {
		if from, err = strconv.Atoi(r.start); err != nil || from < 1 {
			return 0, 0, wrong
		}
	}
	if r.end != "" {
		n, err := strconv.Atoi(r.end)
		switch {
		case err != nil || n == 0:
			return 0, 0, wrong
		case r.end[0] == '+':
			to = from + n - 1
		case n < 0:
			from, to = max(from+n+1, 1), from
		default:
			to = n
		}
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

// Check reports what is wrong with the path and the ranges.
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
	inRange := make([]bool, len(a.text)+1)
	for line := range inRange {
		inRange[line] = len(o.ranges) == 0
	}
	for _, r := range o.ranges {
		from, to, err := r.lines(a.text)
		if err != nil {
			return err
		}
		for line := from; line <= to; line++ {
			inRange[line] = true
		}
	}
	a.index()
	covered := false
	for line := 1; line <= len(a.text); line++ {
		at := a.before[line]
		isFirst := at == line
		var of []*unit
		switch next := a.next[line]; {
		case isFirst && a.first[line][0].leaf == nil && o.path != nil: // a comment goes with the field below
			of = a.firstField(line)
		case !isFirst && isBetween(a.text[line-1]) && next > 0 && !a.inText(line):
			of = a.first[next]
		case at > 0:
			of = a.first[at]
		}
		isChosen := o.path == nil
		for _, u := range of {
			if o.path.covers(u) {
				isChosen, covered = true, true
				u.isChosen = u.isChosen || inRange[line]
			}
		}
		if isChosen && inRange[line] {
			a.lines = append(a.lines, line)
			for _, u := range a.first[line] {
				u.isChosen = u.isChosen || u.leaf == nil
			}
		}
	}
	if o.path != nil && !covered {
		return fmt.Errorf("%s has no field %s%s", a.file, o.path.text, wording.DidYouMean(o.path.text, a.paths()))
	}
	return nil
}

// paths returns the paths of the fields.
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

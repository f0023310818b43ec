package blame

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// The sources of a value.
const (
	fromUpstream = "upstream"
	fromOurs     = "ours"
	fromMerge    = "merge"
	fromRule     = "rule"
)

// source says where a value comes from.
type source struct {
	// Kind is upstream, ours, merge or rule.
	Kind string
	// Version is upstream's version, and Since the first one from which on upstream has the value.
	Version, Since string
	// Commit brought the value, nil for upstream's.
	Commit *revision
	// Rule is the file and line of the rule that decided.
	Rule string
}

// Annotation has the sources of a file.
type Annotation struct {
	file      string // as the user reaches it
	text      [][]byte
	documents []*document
	// units are the fields and comments in the order of their lines; a unit that begins in a line comes before the others.
	units   []*unit
	unitsOf map[*document][]*unit
	first   [][]*unit
	// before and next are the nearest lines in which something begins: at or above a line, and below it; 0 for none.
	before, next []int
	// lines are the lines that were chosen.
	lines []int
	// hasLive says that the sources are joined with live objects.
	hasLive bool
}

// unit is a field, or a line without one.
type unit struct {
	in *document
	// leaf is nil for a line without a field.
	leaf *leaf
	line int
	main *atom
	// texts are the lines of a string over several lines, image the parts of an image.
	texts []*atom
	image []*atom
	// isChosen says that the user asked for it.
	isChosen bool
	// isHidden means that the value may be secret.
	isHidden bool
	rule     string
	live     *liveField
}

func newAnnotation(file string, text []byte) *Annotation {
	a := &Annotation{file: file, text: slices.Collect(bytes.Lines(text)), unitsOf: map[*document][]*unit{}}
	a.first = make([][]*unit, len(a.text)+1)
	return a
}

func (a *Annotation) add(d *document) {
	a.documents = append(a.documents, d)
	units := make([]*unit, len(d.leaves))
	inText := map[int]bool{}
	for i := range d.leaves {
		units[i] = newUnit(d, &d.leaves[i])
		for n := range units[i].texts {
			inText[units[i].textLine(n)] = true
		}
	}
	units = append(units, commentUnits(d, inText)...)
	slices.SortStableFunc(units, func(x, y *unit) int { return x.line - y.line })
	a.units, a.unitsOf[d] = append(a.units, units...), units
	for _, u := range units {
		if u.line >= 1 && u.line < len(a.first) {
			a.first[u.line] = append(a.first[u.line], u)
		}
	}
}

// commentUnits returns the comments of a document, or all lines if it is not YAML. inText has the lines of its strings.
func commentUnits(d *document, inText map[int]bool) (units []*unit) {
	seen := map[string]int{}
	at := d.line - 1
	for line := range bytes.Lines(d.text) {
		at++
		text := string(bytes.TrimSpace(line))
		if d.item == nil || strings.HasPrefix(text, "#") && !inText[at] {
			seen[text]++
			units = append(units, &unit{in: d, line: at, main: &atom{part: comment, want: text, count: seen[text]}})
		}
	}
	return units
}

func newUnit(d *document, l *leaf) *unit {
	u := &unit{in: d, leaf: l, line: d.line - 1 + l.line, main: &atom{part: shape, path: l.name}}
	if !l.isWhole {
		return u
	}
	u.main.part, u.main.want = whole, d.fields[l.name]
	if l.value.Kind != yaml.ScalarNode || l.value.ShortTag() != "!!str" {
		return u
	}
	if text := strings.TrimSuffix(l.value.Value, "\n"); strings.Contains(text, "\n") {
		seen := map[string]int{}
		for line := range strings.SplitSeq(text, "\n") {
			seen[line]++
			u.texts = append(u.texts, &atom{part: textLine, path: l.name, want: line, count: seen[line]})
		}
	} else if name, tag := splitImage(text); l.isImage() && tag != "" {
		u.image = []*atom{{part: imageName, path: l.name, want: name}, {part: imageTag, path: l.name, want: tag}}
	}
	return u
}

// textLine returns the line of the file that has a line of the text, 0 if they are not the same lines.
func (u *unit) textLine(n int) int {
	if u.leaf.value.Style&yaml.LiteralStyle == 0 {
		return 0
	}
	return u.in.line - 1 + u.leaf.value.Line + 1 + n
}

func (u *unit) atoms() []*atom { return slices.Concat([]*atom{u.main}, u.texts, u.image) }

// chosen returns the atoms of a document that the user asked for.
func (a *Annotation) chosen(d *document) (atoms []*atom) {
	for _, u := range a.unitsOf[d] {
		if u.isChosen {
			atoms = append(atoms, u.atoms()...)
		}
	}
	return atoms
}

// open returns the atoms of a document that upstream does not have.
func (a *Annotation) open(d *document) []*atom {
	return slices.DeleteFunc(a.chosen(d), func(one *atom) bool { return one.version != "" })
}

// source returns where a unit comes from.
func (u *unit) source() source {
	if u.main.version != "" {
		return source{Kind: fromUpstream, Version: u.main.version, Since: u.main.since}
	}
	s := source{Kind: fromOurs, Commit: u.main.commit}
	if commit, version := u.merged(); version != "" {
		s = source{Kind: fromMerge, Commit: commit, Version: version}
	}
	if u.rule != "" {
		s.Kind, s.Rule = fromRule, u.rule
	}
	return s
}

// merged returns our commit and upstream's version of a value that was made of both; version is "" for another one.
func (u *unit) merged() (ours *revision, version string) {
	if len(u.image) == 2 {
		name, tag := u.image[0], u.image[1]
		switch {
		case name.version == "" && tag.version != "":
			return name.commit, tag.version
		case name.version != "" && tag.version == "" && tag.commit != u.main.commit:
			return tag.commit, name.version
		}
	}
	for _, line := range u.texts {
		switch {
		case strings.TrimSpace(line.want) == "":
		case line.version != "":
			version = line.version
		case ours == nil || line.commit != nil && line.commit.committed > ours.committed:
			ours = line.commit
		}
	}
	if ours == nil { // we only removed lines
		ours = u.main.commit
	}
	return ours, version
}

// atLine returns where a line of the file comes from.
func (a *Annotation) atLine(line int) source {
	at := a.before[line]
	if at == 0 || at < line && isBetween(a.text[line-1]) && !a.inText(line) {
		if next := a.next[line]; next > 0 {
			at = next
		}
	}
	if at == 0 {
		return source{Kind: fromOurs}
	}
	units := fields(a.first[at])
	if text := units[len(units)-1].textAt(line); text != nil {
		units = []*unit{{in: units[0].in, main: text, rule: units[len(units)-1].rule}}
	}
	s := units[0].source()
	for _, u := range units[1:] {
		s = s.and(u.source())
	}
	return s
}

// isBetween reports whether a line is empty, or a marker between documents: it goes with the line below.
func isBetween(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || string(line) == "---"
}

// inText reports whether a line belongs to a string over several lines.
func (a *Annotation) inText(line int) bool {
	units := a.first[a.before[line]]
	return len(units) > 0 && units[len(units)-1].textAt(line) != nil
}

// textAt returns the line of the text in a line of the file.
func (u *unit) textAt(line int) *atom {
	if len(u.texts) == 0 || u.textLine(0) == 0 {
		return nil
	}
	if n := line - u.textLine(0); n >= 0 && n < len(u.texts) {
		return u.texts[n]
	}
	return nil
}

// index finds the nearest lines in which something begins.
func (a *Annotation) index() {
	a.before, a.next = make([]int, len(a.first)), make([]int, len(a.first))
	for line := 1; line < len(a.first); line++ {
		if a.before[line] = a.before[line-1]; len(a.first[line]) > 0 {
			a.before[line] = line
		}
	}
	for line := len(a.first) - 2; line >= 0; line-- {
		if a.next[line] = a.next[line+1]; len(a.first[line+1]) > 0 {
			a.next[line] = line + 1
		}
	}
}

// fields returns the units of a line without the maps and lists, if there are others.
func fields(units []*unit) []*unit {
	values := slices.DeleteFunc(slices.Clone(units), func(u *unit) bool { return u.leaf != nil && !u.leaf.isWhole })
	if len(values) == 0 {
		return units
	}
	return values
}

// and returns the source of a line with two values.
func (s source) and(other source) source {
	switch {
	case s == other:
		return s
	case s.Kind == fromRule || other.Kind == fromUpstream && s.Kind == fromMerge:
		return s
	case other.Kind == fromRule:
		return other
	}
	both := source{Kind: fromMerge, Commit: s.Commit, Version: s.Version + other.Version}
	if s.Version != "" {
		both.Version = s.Version
	}
	if both.Commit == nil || other.Commit != nil && other.Commit.committed > both.Commit.committed {
		both.Commit = other.Commit
	}
	if both.Version == "" {
		both.Kind = fromOurs
	} else if both.Commit == nil {
		both.Kind, both.Since = fromUpstream, s.Since
	}
	return both
}

// field is a field in JSON.
type field struct {
	File    string          `json:"file"`
	Line    int             `json:"line"`
	Path    string          `json:"path"`
	Value   json.RawMessage `json:"value"`
	Source  string          `json:"source"`
	Version string          `json:"version"`
	Since   string          `json:"since"`
	Commit  string          `json:"commit"`
	Author  string          `json:"author"`
	Date    string          `json:"date"`
	Rule    string          `json:"rule"`
	Live    *liveField      `json:"live,omitempty"`
}

// WriteJSON writes the chosen fields as a list, in the order of their lines. A file that is not YAML has its lines as fields
// without a path. Values that may be secret are hidden, and unseen characters are escapes.
func (a *Annotation) WriteJSON(w io.Writer) error {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(a.fields()); err != nil {
		return err
	}
	_, err := io.WriteString(w, wording.EscapeJSON(b.String()))
	return err
}

func (a *Annotation) fields() []field {
	out := []field{}
	for _, u := range a.units {
		if !u.isChosen || u.leaf != nil && !u.leaf.isWhole || u.leaf == nil && u.in.item != nil {
			continue
		}
		s := u.source()
		f := field{File: a.file, Line: u.line, Source: s.Kind, Version: s.Version, Since: s.Since, Rule: s.Rule, Live: u.live}
		if u.leaf != nil {
			f.Path, f.Value = u.leaf.path.String(), json.RawMessage(managed.JSON(u.leaf.value))
		} else {
			f.Value, _ = json.Marshal(strings.TrimRight(string(a.text[u.line-1]), "\r\n")) // a string has JSON
		}
		if u.isHidden {
			f.Value = json.RawMessage(`"` + hidden + `"`)
		}
		if u.isHidden && u.live != nil {
			f.Live = &liveField{Manager: u.live.Manager, Time: u.live.Time, Value: f.Value}
		}
		if c := s.Commit; c != nil {
			f.Commit, f.Author = c.ID, c.Author
			if !c.Date.IsZero() {
				f.Date = c.Date.Format(time.RFC3339)
			}
		}
		out = append(out, f)
	}
	return out
}

// Text returns the chosen lines, each after its source, and after the live fields if there are live objects. Values that may
// be secret are hidden, and unseen characters are numbers (rules/reports: secrets, unseen characters).
func (a *Annotation) Text() string {
	var sources, live []string
	for _, line := range a.lines {
		sources = append(sources, wording.Visible(a.atLine(line).String(), ""))
		live = append(live, a.column(line))
	}
	padded(sources)
	padded(live)
	shown := a.shown()
	var b strings.Builder
	for i, line := range a.lines {
		b.WriteString(sources[i] + " ")
		if a.hasLive {
			b.WriteString("| " + live[i] + " | ")
		}
		b.WriteString(wording.Visible(shown[line-1], "\t") + "\n")
	}
	return b.String()
}

// padded makes texts equally wide.
func padded(texts []string) {
	width := 0
	for _, text := range texts {
		width = max(width, utf8.RuneCountInString(text))
	}
	for i, text := range texts {
		texts[i] += strings.Repeat(" ", width-utf8.RuneCountInString(text))
	}
}

// String returns the source in one line.
func (s source) String() string {
	name := fmt.Sprintf("%-8s ", s.Kind)
	commit := ""
	if s.Commit != nil {
		commit = s.Commit.String()
	}
	switch s.Kind {
	case fromUpstream:
		return name + s.Version + " (since " + s.Since + ")"
	case fromMerge:
		return name + commit + " (and " + s.Version + ")"
	case fromRule:
		return name + s.Rule
	}
	return name + commit
}

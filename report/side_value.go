package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/markerline"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

const (
	// hidden stands for a value that may be secret.
	hidden = "(hidden)"
	// hiddenInFile stands for a text of a file that may hold secrets.
	hiddenInFile = "(hidden: the file has a Secret)"
	// absent stands for the value of a side that has none.
	absent = "(absent)"
)

// Value is one side's value of a field, safe to show.
type Value struct {
	// Present reports whether the side has the field.
	Present bool
	// Hidden reports that the value is not shown, because it may be secret.
	Hidden bool
	// Text is the value as YAML, at most 4,096 bytes.
	Text string
	// Line is Text on one line, at most 256 bytes.
	Line string
	// Data is the value for JSON; nil if it is absent or null.
	Data any

	// Source names the version that has the value, or the commit that set local's; "" if that is unknown.
	Source string

	isText bool // the value is a string
}

// newValue returns a value, which may be nil, for the report. shown is the part that people read.
func newValue(n, shown *yaml.Node, show bool) Value {
	switch {
	case n == nil:
		return Value{Text: absent, Line: absent}
	case !show:
		return Value{Present: true, Hidden: true, Text: hidden, Line: hidden, Data: hidden}
	}
	d := dataBuilder{remaining: maxNodes}
	return Value{
		Present: true,
		Text:    wording.CutMiddle(visibleLines(yamlText(shown)), maxShown),
		Line:    visible(lineOf(shown)),
		Data:    d.build(n),
		isText:  isText(n),
	}
}

// inOneStyle returns the values in block style if one of them has a list or map in block style.
func inOneStyle(values [3]*yaml.Node) [3]*yaml.Node {
	if !slices.ContainsFunc(values[:], hasBlock) {
		return values
	}
	for i, n := range values {
		if n != nil && n.Kind != yaml.ScalarNode {
			values[i] = inBlockStyle(n)
		}
	}
	return values
}

// hasBlock reports whether a value has a list or map in block style.
func hasBlock(n *yaml.Node) bool {
	return n != nil && len(n.Content) > 0 && (n.Style&yaml.FlowStyle == 0 || slices.ContainsFunc(n.Content, hasBlock))
}

// inBlockStyle returns a value with all lists and maps in block style.
func inBlockStyle(n *yaml.Node) *yaml.Node {
	out := *n
	out.Style &^= yaml.FlowStyle
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = inBlockStyle(c)
	}
	return &out
}

// lineOf returns a value on one line: of a text of several lines the first, and the number of the others.
func lineOf(n *yaml.Node) string {
	if isText(n) && strings.Contains(strings.TrimSuffix(n.Value, "\n"), "\n") {
		return excerptTo(n, nil, maxValue)
	}
	return wording.CutMiddle(quotedLine(n), maxValue)
}

// yamlText returns a value as YAML; a string of several lines is returned as its lines.
func yamlText(n *yaml.Node) string {
	if isText(n) && strings.ContainsRune(n.Value, '\n') {
		return strings.TrimSuffix(n.Value, "\n")
	}
	if n.Kind == yaml.ScalarNode {
		return quotedLine(n)
	}
	text, err := yaml.Marshal(n)
	if err != nil {
		return wording.Flow(n)
	}
	return strings.TrimSuffix(string(text), "\n")
}

// quotedLine returns a value on one line; a string that YAML would read as another type is in quotes.
func quotedLine(n *yaml.Node) string {
	switch {
	case n.Kind != yaml.ScalarNode:
		return wording.Flow(n)
	case !isText(n):
		return wording.Scalar(n)
	}
	plain := yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}
	if plain.ShortTag() != "!!str" || n.Value == "" || strings.TrimSpace(n.Value) != n.Value {
		return `"` + n.Value + `"`
	}
	return n.Value
}

// maxNodes limits the nodes of a value that are converted: aliases may stand for far more than the package holds.
const maxNodes = 100_000

// dataBuilder converts values to data for JSON, with invisible characters escaped.
type dataBuilder struct{ remaining int }

func (d *dataBuilder) build(n *yaml.Node) any {
	n = yamlnode.Resolve(n)
	if d.remaining--; d.remaining < 0 || n == nil {
		return wording.Ellipsis
	}
	switch n.Kind {
	case yaml.MappingNode:
		out := make(map[string]any, len(n.Content)/2)
		for key, v := range yamlnode.Pairs(n) {
			out[visible(wording.CutMiddle(key.Value, maxShown))] = d.build(v)
		}
		return out
	case yaml.SequenceNode:
		out := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			out = append(out, d.build(c))
		}
		return out
	}
	return scalarData(n)
}

// scalarData converts a scalar to null, a bool, a number that JSON can write, or else a string.
func scalarData(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		if v, err := strconv.ParseBool(n.Value); err == nil {
			return v
		}
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value)
		}
		var number any
		if err := n.Decode(&number); err == nil {
			if text, err := json.Marshal(number); err == nil {
				return json.RawMessage(text)
			}
		}
	}
	return wording.CutMiddle(visibleLines(n.Value), maxShown)
}

// versions are the texts of a resource or file before and after the merge, "" if absent.
type versions struct {
	local, result string
	// unmarked is the result without conflict markers, where result has them; else "".
	unmarked       string
	hidden, binary bool
}

// versions returns the texts of the resource; they are hidden if they may hold secrets.
func (r *Resource) versions() versions {
	if r.file != nil {
		t := fileVersions(r.file)
		if r.marked != nil && !t.hidden && !t.binary {
			t.result, t.unmarked = string(r.marked()), t.result
		}
		return t
	}
	var t versions
	sides := [2]*pkgmerge.Resource{r.change.Versions[identity.Local], r.change.Result}
	for i, into := range [2]*string{&t.local, &t.result} {
		if sides[i] == nil {
			continue
		}
		text, err := sides[i].YAML()
		*into, t.binary = string(text), t.binary || err != nil // what was made in memory may have no text
	}
	if r.marked != nil {
		if text := r.marked(); len(text) > 0 {
			t.result, t.unmarked = string(text), t.result
		}
	}
	if r.live {
		t.local, t.result = string(apply.WithoutRecords([]byte(t.local))), string(apply.WithoutRecords([]byte(t.result)))
	}
	if t.hidden = r.change.MayHoldSecret(nil); t.hidden {
		t.local, t.result, t.unmarked = "", "", ""
	}
	return t
}

func fileVersions(f *pkgmerge.FileChange) (t versions) {
	sides := [2]*pkgmerge.File{f.Versions[identity.Local], f.Result}
	for i, into := range [2]*string{&t.local, &t.result} {
		if sides[i] == nil {
			continue
		}
		*into = string(sides[i].Data)
		t.binary = t.binary || bytes.IndexByte(sides[i].Data, 0) >= 0
	}
	if t.hidden = f.Secret; t.hidden || t.binary {
		t.local, t.result = "", ""
	}
	return t
}

// bothMarked is the outcome of a conflict that stands in its file.
const bothMarked = "both are in the file, between markers"

// yoursMarked is the outcome of a deletion by upstream that stands in its file.
const yoursMarked = "your version is in the file, between markers"

// mergedFiles are the files of a merged package by name; there are none of a package without files.
type mergedFiles map[string]*mergedFile

type mergedFile struct {
	data []byte
	// hasMarkers says that the file has conflict markers (rules/git: markers).
	hasMarkers func() bool
	// documents returns the documents of the file.
	documents func() []stream.Document
}

func newMergedFiles(merged *pkgmerge.Result) mergedFiles {
	m := mergedFiles{}
	files, err := merged.Files()
	if err != nil { // there are none
		return m
	}
	for _, f := range files {
		m[f.Name] = &mergedFile{
			f.Data,
			sync.OnceValue(func() bool { return markerline.First(f.Data) > 0 }),
			sync.OnceValue(func() []stream.Document { return stream.Read(f.Data).Documents }),
		}
	}
	return m
}

// hasMarkers reports whether a file has conflict markers (rules/git: markers).
func (m mergedFiles) hasMarkers(name string) bool { return m[name] != nil && m[name].hasMarkers() }

// data returns the contents of a file, nil if there is no such file.
func (m mergedFiles) data(name string) []byte {
	if m[name] == nil {
		return nil
	}
	return m[name].data
}

// documentAt returns the document of a file that has a line, which counts from 1.
func (m mergedFiles) documentAt(name string, line int) []byte {
	if m[name] == nil {
		return nil
	}
	documents := m[name].documents()
	next := sort.Search(len(documents), func(i int) bool { return documents[i].Line-bytes.Count(documents[i].Header, []byte("\n")) > line })
	if len(documents) == 0 {
		return nil
	}
	d := documents[max(0, next-1)]
	return slices.Concat(d.Header, d.Text)
}

// isMarked reports whether a resource's conflict stands in its file.
func (m mergedFiles) isMarked(c *pkgmerge.Change, conflict merge.Conflict) bool {
	return c.Marks(conflict) && m.hasMarkers(c.File())
}

// action returns the action for a resource. One that the merge left as it was, but for markers in its
// file, has changed. An object that a server refuses stays as it is.
func (m mergedFiles) action(c *pkgmerge.Change) pkgmerge.Action {
	switch {
	case !apply.Refused(c):
	case c.Has(identity.Local):
		return pkgmerge.Unchanged
	default:
		return pkgmerge.Absent
	}
	marked := func(conflict merge.Conflict) bool { return m.isMarked(c, conflict) }
	if c.Action == pkgmerge.Unchanged && slices.ContainsFunc(c.Conflicts, marked) {
		return pkgmerge.Changed
	}
	return c.Action
}

// fileAction is action for a file without resources.
func (m mergedFiles) fileAction(f *pkgmerge.FileChange) pkgmerge.Action {
	if f.Action == pkgmerge.Unchanged && len(f.Conflicts) > 0 && m.isFileMarked(f) {
		return pkgmerge.Changed
	}
	return f.Action
}

// isFileMarked is isMarked for a file without resources.
func (m mergedFiles) isFileMarked(f *pkgmerge.FileChange) bool {
	return f.Marks() && m.hasMarkers(f.Name)
}

// lastApplied is the annotation in which kubectl apply records the configuration.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// isRecord reports whether a path is that of a record that apply.WithoutRecords leaves out.
func isRecord(p *merge.Path) bool {
	text := p.String()
	return strings.HasPrefix(text, "metadata.managedFields") || text == `metadata.annotations["`+lastApplied+`"]`
}

package report

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

const (
	// hidden stands for what may be secret.
	hidden = "(hidden)"
	// absent stands for the value of a side that has none.
	absent = "(absent)"
)

// Value is one side's value of a field, as everybody may see it.
type Value struct {
	// Present says that the side has the field.
	Present bool
	// Hidden says that the value is not shown, because it may be secret.
	Hidden bool
	// Text is the value as YAML, in lines where it has several; at most 4,096 bytes.
	Text string
	// Line is Text on one line, at most 256 bytes.
	Line string
	// Data is the value as JSON has it; nil where it is absent or null.
	Data any
}

// newValue is what is shown of a value, which may be nil.
func newValue(n *yaml.Node, show bool) Value {
	switch {
	case n == nil:
		return Value{Text: absent, Line: absent}
	case !show:
		return Value{Present: true, Hidden: true, Text: hidden, Line: hidden, Data: hidden}
	}
	d := data{budget: maxNodes}
	return Value{
		Present: true,
		Text:    wording.CutMiddle(visibleLines(textOf(n)), maxShown),
		Line:    visible(wording.CutMiddle(lineOf(n), maxValue)),
		Data:    d.of(n),
	}
}

// textOf is a value as YAML: a string of several lines as its lines, what else is
// a scalar as a file has it.
func textOf(n *yaml.Node) string {
	if isText(n) && strings.ContainsRune(n.Value, '\n') {
		return strings.TrimSuffix(n.Value, "\n")
	}
	if n.Kind == yaml.ScalarNode {
		return lineOf(n)
	}
	text, err := yaml.Marshal(n)
	if err != nil {
		return wording.Flow(n)
	}
	return strings.TrimSuffix(string(text), "\n")
}

// lineOf is a value on one line: a string that YAML would read as something else
// in quotes.
func lineOf(n *yaml.Node) string {
	switch {
	case n.Kind != yaml.ScalarNode:
		return wording.Flow(n)
	case !isText(n):
		return n.Value
	}
	plain := yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}
	if plain.ShortTag() != "!!str" || n.Value == "" || strings.TrimSpace(n.Value) != n.Value {
		return `"` + n.Value + `"`
	}
	return n.Value
}

// maxNodes is how many nodes of a value are made data of: aliases may stand for
// far more than the package holds.
const maxNodes = 100_000

// data makes data of values, as JSON has it, with texts as they may be seen.
type data struct{ budget int }

func (d *data) of(n *yaml.Node) any {
	n = yamlnode.Resolve(n)
	if d.budget--; d.budget < 0 || n == nil {
		return wording.Ellipsis
	}
	switch n.Kind {
	case yaml.MappingNode:
		out := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			out[visible(wording.CutMiddle(n.Content[i].Value, maxShown))] = d.of(n.Content[i+1])
		}
		return out
	case yaml.SequenceNode:
		out := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			out = append(out, d.of(c))
		}
		return out
	}
	return scalarData(n)
}

// scalarData is a scalar: null, a bool, a number that JSON can write, else a text.
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

// texts are a resource, or a file, before and after the merge, "" where there is none.
type texts struct {
	local, result  string
	hidden, binary bool
}

// texts are those of the resource; hidden where they may hold secrets.
func (r *Resource) texts() texts {
	if r.file != nil {
		return fileTexts(r.file)
	}
	var t texts
	sides := [2]*pkgmerge.Resource{r.change.Versions[identity.Local], r.change.Result}
	for i, into := range [2]*string{&t.local, &t.result} {
		if sides[i] == nil {
			continue
		}
		text, err := sides[i].YAML()
		*into, t.binary = string(text), t.binary || err != nil // what was made in memory may have no text
	}
	if t.hidden = r.change.MayHoldSecret(nil); t.hidden {
		t.local, t.result = "", ""
	}
	return t
}

func fileTexts(f *pkgmerge.FileChange) (t texts) {
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

// trees are the texts as YAML, nil where they are none.
func (t texts) trees() (local, result *yaml.Node) {
	return treeOf(t.local), treeOf(t.result)
}

func treeOf(text string) *yaml.Node {
	var n yaml.Node
	if yaml.Unmarshal([]byte(text), &n) != nil || len(n.Content) == 0 {
		return nil
	}
	return n.Content[0]
}

// bothMarked is how a conflict ended that stands in its file.
const bothMarked = "both stand in the file, between markers"

// mergedFiles are the data of the files of a merged package, by name; none of a package
// without files.
type mergedFiles map[string][]byte

func newMergedFiles(merged *pkgmerge.Result) mergedFiles {
	data := mergedFiles{}
	files, err := merged.Files()
	if err != nil { // there are none
		return data
	}
	for _, f := range files {
		data[f.Name] = f.Data
	}
	return data
}

// hasMarkers reports whether a file has conflict markers (rules/git: markers).
func (m mergedFiles) hasMarkers(name string) bool {
	marker := []byte("<<<<<<< ")
	return bytes.HasPrefix(m[name], marker) || bytes.Contains(m[name], append([]byte("\n"), marker...))
}

// marks reports whether a resource's conflict stands in its file.
func (m mergedFiles) marks(c *pkgmerge.Change, conflict merge.Conflict) bool {
	return c.Marks(conflict) && m.hasMarkers(c.File())
}

// marksIn is marks for a file without resources.
func (m mergedFiles) marksIn(f *pkgmerge.FileChange) bool { return f.Marks() && m.hasMarkers(f.Name) }

package values

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/stream"
)

// tree is a map of values, as Helm reads it.
type tree = map[string]any

// defaults are the values of a chart without a user's, with its subcharts' values in their fields.
type defaults struct {
	values tree
	// comments are the comments of fields, by joined path.
	comments map[string]wordsOfComment
	// missing are the paths of the subcharts that are not there.
	missing [][]string
	// allPaths are the paths of all fields, nil until they are asked for.
	allPaths [][]string
}

// joined returns a path as a key of a map.
func joined(path []string) string { return strings.Join(path, "\x00") }

// defaults reads the default values of a chart and its subcharts (rules/values: subcharts).
func (c *Chart) defaults() (*defaults, error) {
	d := &defaults{values: tree{}, comments: map[string]wordsOfComment{}}
	if err := d.read(c.values); err != nil {
		return nil, fmt.Errorf("the default values of %s: %w", c.Name, err)
	}
	children, missing := c.children()
	for _, key := range missing {
		d.missing = append(d.missing, []string{key})
	}
	for _, child := range children {
		below, err := child.chart.defaults()
		if err != nil {
			return nil, err
		}
		d.add(child, below)
	}
	return d, nil
}

// read reads the values of a file and their comments.
func (d *defaults) read(raw []byte) error {
	text, _ := stream.Decode(raw)
	if err := yaml.Unmarshal(text, &d.values); err != nil {
		return explained(err, text)
	}
	if d.values == nil {
		d.values = tree{}
	}
	text, _ = cutEmptyDocuments(text)
	if document, err := manifest.Document(text); err == nil {
		if top, ok := document.Outline(); ok {
			d.readComments(text, top, nil)
		}
	}
	return nil
}

// add adds the defaults of a subchart. The chart's own values win.
func (d *defaults) add(sub child, below *defaults) {
	for _, from := range sub.ImportValues {
		d.values = coalesce(d.values, imported(from, below.values))
	}
	shared, _ := below.values["global"].(tree)
	d.values = coalesce(d.values, tree{sub.key: below.values})
	if shared != nil {
		d.values = coalesce(d.values, tree{"global": shared})
	}
	for path, comment := range below.comments {
		if at := sub.key + "\x00" + path; d.comments[at] == (wordsOfComment{}) {
			d.comments[at] = comment
		}
	}
	for _, path := range below.missing {
		d.missing = append(d.missing, append([]string{sub.key}, path...))
	}
}

// imported returns the values that one entry of import-values brings into the parent.
func imported(from any, values tree) tree {
	switch from := from.(type) {
	case string:
		out, _ := lookup(values, []string{"exports", from})
		found, _ := out.(tree)
		return found
	case tree:
		source, _ := from["child"].(string)
		target, _ := from["parent"].(string)
		value, _ := lookup(values, strings.Split(source, "."))
		found, is := value.(tree)
		if !is || target == "" {
			return nil
		}
		if target != "." {
			for _, name := range slices.Backward(strings.Split(target, ".")) {
				found = tree{name: found}
			}
		}
		return found
	}
	return nil
}

// coalesce returns over with the fields of base that it lacks. A null in over removes a field of base.
func coalesce(over, base tree) tree {
	out := maps.Clone(over)
	if out == nil {
		out = tree{}
	}
	for name, value := range base {
		was, is := out[name]
		if !is {
			out[name] = value
			continue
		}
		a, overMap := was.(tree)
		b, baseMap := value.(tree)
		switch {
		case was == nil:
			delete(out, name)
		case overMap && baseMap:
			out[name] = coalesce(a, b)
		}
	}
	return out
}

func lookup(values tree, path []string) (value any, found bool) {
	value = values
	for _, name := range path {
		below, is := value.(tree)
		if !is {
			return nil, false
		}
		if value, is = below[name]; !is {
			return nil, false
		}
	}
	return value, true
}

// readComments records the comments of the fields below a spot.
func (d *defaults) readComments(text []byte, s manifest.Spot, path []string) {
	for i, k := range s.Children {
		if k.Key == nil {
			continue
		}
		if i == 0 && path == nil {
			k.Start = 0 // else the comment above the first field is the file's
		}
		at := append(slices.Clone(path), keyName(k.Key))
		line := k.Key.LineComment
		if k.Value != nil {
			line += k.Value.LineComment
		}
		d.comments[joined(at)] = wordsOf(commentAbove(text[k.Start:k.Line])+line, at)
		d.readComments(text, k, at)
	}
}

// commentAbove returns the last block of the comments above a field.
func commentAbove(text []byte) string {
	blocks := strings.Split(strings.TrimRight(string(text), "\n"), "\n\n")
	return blocks[len(blocks)-1]
}

// wordsOfComment is the text of a field's comment without marks and line breaks.
type wordsOfComment struct {
	all string
	// others are the words but for the field's own path and name, which a rename changes.
	others string
}

// wordsOf returns the words of the comment of a field.
func wordsOf(comment string, path []string) wordsOfComment {
	words := strings.FieldsFunc(comment, func(r rune) bool { return r == '#' || r == '\n' || r == '\t' || r == ' ' || r == '-' })
	all := strings.Join(words, " ")
	words = slices.DeleteFunc(words, func(word string) bool {
		word = strings.Trim(word, ".,:;()'\"`")
		return word == path[len(path)-1] || word == strings.Join(path, ".")
	})
	return wordsOfComment{all, strings.Join(words, " ")}
}

// equal reports whether two values are the same to Helm.
func equal(a, b any) bool { return reflect.DeepEqual(a, b) }

// isTrivial reports whether many fields have such a default.
func isTrivial(value any) bool {
	switch value := value.(type) {
	case tree:
		return len(value) == 0
	case []any:
		return len(value) == 0
	case string:
		return value == ""
	case float64:
		return value == 0 || value == 1
	}
	return true
}

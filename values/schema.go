package values

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// jsonText returns a value as JSON.
func jsonText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// refusals classes the lines that the schemas of the new chart refuse, and returns refusals that are of no line, such
// as a field that is required.
func (c *comparison) refusals(lines []*Finding) (others []*Finding, err error) {
	all := coalesce(c.user, c.now.values)
	var check func(chart *Chart, path []string) error
	check = func(chart *Chart, path []string) error {
		value, _ := lookup(all, path)
		if m, is := value.(tree); is && chart.schema != nil {
			refused, err := validate(chart, m)
			if err != nil {
				return err
			}
			for _, r := range refused {
				r.path = slices.Concat(path, r.path)
				others = append(others, markRefused(lines, r.path, r.wordsFor(c.isSecret))...)
			}
		}
		children, _ := chart.children()
		for _, child := range children {
			if err := check(child.chart, append(slices.Clone(path), child.key)); err != nil {
				return err
			}
		}
		return nil
	}
	return others, check(c.upstream, nil)
}

// markRefused classes the lines at a path, below it, or the nearest above it; without one it returns a finding. An image that
// is split stays so: the schema refuses the one line for the map that it becomes.
func markRefused(lines []*Finding, path []string, words string) (others []*Finding) {
	found := false
	for _, f := range lines {
		if hasPrefix(f.Path, path) || hasPrefix(path, f.Path) {
			found = true
			if f.Class != Renamed || f.line.split == nil {
				f.Class, f.Note, f.NewPath = Refused, words, nil
			}
		}
	}
	if !found {
		others = append(others, &Finding{Class: Refused, Path: path, Note: words})
	}
	return others
}

// refusal is a place in values that a schema refuses, the schema's words, which may have the value, and its keyword.
type refusal struct {
	path           []string
	words, keyword string
}

// wordsFor returns the words of the refusal. Those about a value that is not to be shown have the keyword alone.
func (r refusal) wordsFor(isSecret func(path []string) bool) string {
	for depth := len(r.path); depth > 0; depth-- {
		if isSecret(r.path[:depth]) {
			return fmt.Sprintf("it breaks %s, and the value is hidden", r.keyword)
		}
	}
	return r.words
}

// validate returns the refusals of a chart's schema.
func validate(chart *Chart, values tree) ([]refusal, error) {
	schema, err := compileSchema(chart)
	if err != nil {
		return nil, fmt.Errorf("%s: values.schema.json: %w", chart.Name, err)
	}
	switch err := schema.Validate(any(values)).(type) {
	case nil:
		return nil, nil
	case *jsonschema.ValidationError:
		refused := leafRefusals(err, message.NewPrinter(language.English))
		slices.SortStableFunc(refused, func(a, b refusal) int { return strings.Compare(joined(a.path), joined(b.path)) })
		return refused, nil
	default:
		return nil, fmt.Errorf("%s: values.schema.json: %w", chart.Name, err)
	}
}

// compileSchema compiles a chart's schema, which reads nothing but itself.
func compileSchema(chart *Chart) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(chart.schema))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{})
	if err := compiler.AddResource("file:///values.schema.json", document); err != nil {
		return nil, err
	}
	schema, err := compiler.Compile("file:///values.schema.json")
	if outside := (*jsonschema.LoadURLError)(nil); errors.As(err, &outside) {
		return nil, fmt.Errorf("it refers to %q, and references outside of the file are not read; put the definition into the file below $defs, or remove the reference from a copy of the chart",
			strings.TrimPrefix(outside.URL, "file:///"))
	}
	return schema, err
}

// leafRefusals returns the refusals of the innermost values, and of each property that is missing or too many.
func leafRefusals(e *jsonschema.ValidationError, words *message.Printer) (out []refusal) {
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		return refusalsOf(e, k.Properties, k.LocalizedString(words))
	case *kind.Required:
		return refusalsOf(e, k.Missing, k.LocalizedString(words))
	}
	if len(e.Causes) == 0 {
		return []refusal{{e.InstanceLocation, e.ErrorKind.LocalizedString(words), strings.Join(e.ErrorKind.KeywordPath(), ".")}}
	}
	for _, cause := range e.Causes {
		out = append(out, leafRefusals(cause, words)...)
	}
	return out
}

// refusalsOf returns a refusal for each of some properties of a value.
func refusalsOf(e *jsonschema.ValidationError, properties []string, text string) (out []refusal) {
	for _, name := range properties {
		out = append(out, refusal{append(slices.Clone(e.InstanceLocation), name), text, strings.Join(e.ErrorKind.KeywordPath(), ".")})
	}
	return out
}

// isSecret reports whether templates use a value, and only in Secrets.
func (f *follower) isSecret(path []string) bool {
	found := false
	for _, o := range f.occurrences {
		if !hasPrefix(path, o.path) && !hasPrefix(o.path, path) {
			continue
		}
		if found = f.inSecret(o); !found {
			return false
		}
	}
	return found
}

// inSecret reports whether an occurrence is in a document that is a Secret.
func (f *follower) inSecret(o occurrence) bool {
	text := f.texts[o.template].text
	start := strings.LastIndex(text[:o.start], "\n---") + 1
	end := len(text)
	if at := strings.Index(text[o.end:], "\n---"); at >= 0 {
		end = o.end + at
	}
	for line := range strings.SplitSeq(text[start:end], "\n") {
		if strings.TrimRight(line, " \r") == "kind: Secret" {
			return true
		}
	}
	return false
}

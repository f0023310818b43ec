package values

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// refusals classes the lines that the schemas of the new chart refuse. It returns refusals that are of no line, such
// as a field that is required, and a sentence about each part of a schema that was not read.
func (c *comparison) refusals(lines []*Finding) (others []*Finding, unread []string, err error) {
	all := coalesce(c.user, c.now.values)
	var check func(chart *Chart, path []string) error
	check = func(chart *Chart, path []string) error {
		value, _ := lookup(all, path)
		if m, is := value.(tree); is && chart.schema != nil {
			refused, outside, err := validate(chart, m)
			if err != nil {
				return err
			}
			for _, from := range outside {
				unread = append(unread, fmt.Sprintf("the values.schema.json of %s refers to %q; nothing outside of the file is read, so values that are described there are not checked", chart.Name, strings.TrimPrefix(from, "file:///")))
			}
			for _, r := range refused {
				r.path = slices.Concat(path, r.path)
				others = append(others, markRefused(lines, r.path, r.wordsFor(c.isSecret))...)
				if r.keyword == "additionalProperties" {
					c.meant(lines, r.path)
				}
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
	err = check(c.upstream, nil)
	return others, unread, err
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

// meant gives refused lines at and below a key that the schema does not know the key that was probably meant.
func (c *comparison) meant(lines []*Finding, path []string) {
	nearest := c.nearest(path)
	for _, f := range lines {
		if nearest != nil && f.Class == Refused && hasPrefix(f.Path, path) {
			f.Nearest = slices.Concat(nearest, f.Path[len(path):])
		}
	}
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

// validate returns the refusals of a chart's schema, and the URLs outside of it to which it refers.
func validate(chart *Chart, values tree) (refused []refusal, outside []string, err error) {
	s, err := newValuesSchema(chart.schema)
	if err == nil {
		refused, err = s.refusals(s.document, values, nil)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: values.schema.json: %w", chart.Name, err)
	}
	slices.SortStableFunc(refused, func(a, b refusal) int { return strings.Compare(joined(a.path), joined(b.path)) })
	slices.Sort(s.outside)
	return refused, s.outside, nil
}

// allowing returns a schema with one that allows all values in place of each reference to a URL, and without the keywords
// that refuse a value because another schema allows it.
func allowing(schema any, base, outside string) any {
	switch schema := schema.(type) {
	case []any:
		out := make([]any, len(schema))
		for i, e := range schema {
			out[i] = allowing(e, base, outside)
		}
		return out
	case map[string]any:
		if id, is := schema["$id"].(string); is {
			base = resolved(base, id)
		}
		reference, is := schema["$ref"].(string)
		return allowingKeywords(schema, base, outside, is && resolved(base, reference) == outside)
	}
	return schema
}

// allowingKeywords rewrites the keywords of a schema. Beside a reference to the URL only definitions stay.
func allowingKeywords(schema map[string]any, base, outside string, isReference bool) map[string]any {
	out := map[string]any{}
	for keyword, v := range schema {
		switch keyword {
		case "$id", "$schema":
			out[keyword] = v
			continue
		case "$defs", "definitions":
			out[keyword] = allowingFields(v, base, outside)
			continue
		}
		if isReference {
			continue
		}
		switch keyword {
		case "not", "if", "then", "else", "contains", "minContains", "maxContains", "unevaluatedProperties", "unevaluatedItems":
		case "oneOf":
			out["anyOf"] = allowing(v, base, outside)
		case "properties", "patternProperties", "dependentSchemas":
			out[keyword] = allowingFields(v, base, outside)
		case "enum", "const", "default", "examples":
			out[keyword] = v
		default:
			out[keyword] = allowing(v, base, outside)
		}
	}
	return out
}

// allowingFields rewrites the schemas in a map of names.
func allowingFields(schemas any, base, outside string) any {
	named, is := schemas.(map[string]any)
	if !is {
		return schemas
	}
	out := map[string]any{}
	for name, schema := range named {
		out[name] = allowing(schema, base, outside)
	}
	return out
}

// resolved returns the URL that a reference means, without its fragment.
func resolved(base, reference string) string {
	reference, _, _ = strings.Cut(reference, "#")
	from, err := url.Parse(base)
	if err != nil {
		return reference
	}
	to, err := from.Parse(reference)
	if err != nil {
		return reference
	}
	return to.String()
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

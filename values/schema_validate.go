package values

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

const (
	draft7    = "http://json-schema.org/draft-07/schema#"
	draft2020 = "https://json-schema.org/draft/2020-12/schema"
	schemaURL = "file:///values.schema.json"
	// partName is the definition that holds the part of a schema that is evaluated.
	partName = "resource-merge: part"
)

// valuesSchema is the schema of a chart's values. It reads nothing but itself.
type valuesSchema struct {
	// document is the schema in the words of draft-07 or 2020-12, which the library knows.
	document any
	draft    string
	root     *jsonschema.Schema
	// outside are the URLs of other files to which the schema refers. All values are allowed there.
	outside []string
}

// newValuesSchema reads a schema. It is an error if it is none, or refers to a definition that it lacks.
func newValuesSchema(text []byte) (*valuesSchema, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	var document any
	if err := decoder.Decode(&document); err != nil {
		return nil, err
	}
	s := &valuesSchema{draft: draftOf(document)}
	s.document = modern(document)
	s.defineTargets()
	for {
		s.root = new(jsonschema.Schema)
		if err := convert(s.document, s.root); err != nil {
			return nil, err
		}
		s.root.Schema = s.draft
		from := len(s.outside)
		if err := s.evaluate(true, nil); len(s.outside) == from {
			return s, err
		}
		s.document = allowing(s.document, schemaURL, s.outside[from])
	}
}

// draftOf returns the draft as which a schema is read: 2020-12, or draft-07 for an older one.
func draftOf(document any) string {
	schema, _ := document.(map[string]any)
	switch name, _ := schema["$schema"].(string); {
	case strings.Contains(name, "/2020-12/"):
		return draft2020
	case name != "" || hasTuple(document):
		return draft7
	}
	return draft2020
}

// hasTuple reports whether a schema has a list of schemas for the items of a list, as drafts before 2020-12 write it.
func hasTuple(schema any) bool {
	switch schema := schema.(type) {
	case []any:
		return slices.ContainsFunc(schema, hasTuple)
	case map[string]any:
		if _, is := schema["items"].([]any); is {
			return true
		}
		for _, v := range schema {
			if hasTuple(v) {
				return true
			}
		}
	}
	return false
}

// modern returns a schema of any draft in the words of draft-07: draft-04 has id, and booleans as exclusive limits.
func modern(schema any) any {
	switch schema := schema.(type) {
	case []any:
		out := make([]any, len(schema))
		for i, e := range schema {
			out[i] = modern(e)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for keyword, v := range schema {
			out[keyword] = modern(v)
		}
		delete(out, "$schema")
		if id, is := out["id"].(string); is && out["$id"] == nil {
			out["$id"] = id
		}
		for exclusive, limit := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
			if isExclusive, is := out[exclusive].(bool); is {
				delete(out, exclusive)
				if isExclusive && out[limit] != nil {
					out[exclusive] = out[limit]
					delete(out, limit)
				}
			}
		}
		return out
	}
	return schema
}

// defineTargets gives the targets of references definitions of their own where a keyword that no draft has is on the way, as in
// "#/definitions/config/route", or where the schema has definitions under both keywords. The library looks for schemas below known
// keywords alone, and takes one of the two.
func (s *valuesSchema) defineTargets() {
	root, is := s.document.(map[string]any)
	if !is {
		return
	}
	keyword, hasBoth := "$defs", false
	if root["definitions"] != nil {
		keyword, hasBoth = "definitions", root["$defs"] != nil
	}
	definitions, _ := root[keyword].(map[string]any)
	if definitions == nil {
		definitions = map[string]any{}
	}
	var walk func(part any)
	walk = func(part any) {
		switch part := part.(type) {
		case []any:
			for _, e := range part {
				walk(e)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(part)) {
				walk(part[name])
			}
			reference, _ := part["$ref"].(string)
			target, found := s.lookup(reference)
			if pointer, isLocal := strings.CutPrefix(reference, "#/"); isLocal && found && (!isSchemaPath(strings.Split(pointer, "/")) || hasBoth && strings.HasPrefix(pointer, "$defs/")) {
				definitions[pointer] = target
				part["$ref"] = "#/" + keyword + "/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(pointer))
			}
		}
	}
	walk(s.document)
	if hasBoth {
		delete(root, "$defs")
	}
	if len(definitions) > 0 {
		root[keyword] = definitions
	}
}

// isSchemaPath reports whether each step of a pointer is a keyword with a schema, or one with schemas and the name of one of them.
func isSchemaPath(steps []string) bool {
	for len(steps) > 0 {
		switch steps[0] {
		case "properties", "patternProperties", "definitions", "$defs", "dependentSchemas", "allOf", "anyOf", "oneOf", "prefixItems":
			if len(steps) == 1 {
				return false
			}
			steps = steps[2:]
		case "items", "additionalItems", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems":
			steps = steps[1:]
		default:
			return false
		}
	}
	return true
}

// convert reads a part of a schema that was decoded from JSON.
func convert(part any, into *jsonschema.Schema) error {
	text, err := json.Marshal(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// errOutside is the error about a reference to another file.
var errOutside = errors.New("nothing outside of the file is read")

// evaluate evaluates a value by a part of the schema; the references in the part are the schema's.
func (s *valuesSchema) evaluate(part, value any) error {
	schema := new(jsonschema.Schema)
	if err := convert(part, schema); err != nil {
		return err
	}
	root, keyword := *s.root, "$defs"
	definitions := &root.Defs
	if root.Definitions != nil { // the library takes one of the two
		definitions, keyword = &root.Definitions, "definitions"
	}
	all := map[string]*jsonschema.Schema{partName: schema}
	maps.Copy(all, *definitions)
	*definitions = all
	entry := &jsonschema.Schema{Schema: s.draft, Ref: schemaURL + "#/" + keyword + "/" + url.PathEscape(partName)}
	resolved, err := entry.Resolve(&jsonschema.ResolveOptions{BaseURI: "file:///entry", Loader: func(from *url.URL) (*jsonschema.Schema, error) {
		if from.String() == schemaURL {
			return &root, nil
		}
		s.outside = append(s.outside, from.String())
		return nil, errOutside
	}})
	if err != nil {
		return err
	}
	return resolved.Validate(value)
}

// refusals returns the refusals of the innermost values below a path, and of each property that is missing or too many.
func (s *valuesSchema) refusals(part, value any, path []string) (out []refusal, err error) {
	if s.evaluate(part, value) == nil {
		return nil, nil
	}
	keywords, is := part.(map[string]any)
	if !is {
		return []refusal{{path, "no value is allowed here", "false"}}, nil
	}
	add := func(part, value any, path []string) {
		more, failed := s.refusals(part, value, path)
		out, err = append(out, more...), errors.Join(err, failed)
	}
	names := slices.Sorted(maps.Keys(keywords))
	if keywords["$ref"] != nil && s.draft == draft7 { // which ignores the keywords beside a reference
		names = []string{"$ref"}
	}
	for _, keyword := range names {
		v := keywords[keyword]
		parts, _ := v.([]any)
		if elements, is := value.([]any); is && keyword == "items" && parts == nil {
			prefix, _ := keywords["prefixItems"].([]any)
			for i := len(prefix); i < len(elements); i++ {
				add(v, elements[i], slices.Concat(path, []string{strconv.Itoa(i)}))
			}
			continue
		}
		switch keyword {
		case "$ref":
			if target, found := s.lookup(fmt.Sprint(v)); found {
				add(target, value, path)
			}
		case "properties", "patternProperties":
			for _, name := range sortedFields(value) {
				for _, schema := range schemasOf(v, name, keyword == "patternProperties") {
					add(schema, fieldOf(value, name), slices.Concat(path, []string{name}))
				}
			}
		case "additionalProperties":
			for _, name := range sortedFields(value) {
				if schemasOf(keywords["properties"], name, false) == nil && schemasOf(keywords["patternProperties"], name, true) == nil {
					if v == false {
						out = append(out, refusal{slices.Concat(path, []string{name}), fmt.Sprintf("additional properties '%s' not allowed", name), keyword})
					} else {
						add(v, fieldOf(value, name), slices.Concat(path, []string{name}))
					}
				}
			}
		case "required":
			for _, name := range parts {
				if text, is := name.(string); is && isObject(value) && !slices.Contains(sortedFields(value), text) {
					out = append(out, refusal{slices.Concat(path, []string{text}), fmt.Sprintf("missing property '%s'", text), keyword})
				}
			}
		case "allOf":
			for _, one := range parts {
				add(one, value, path)
			}
		case "anyOf", "oneOf":
			if !slices.ContainsFunc(parts, func(one any) bool { return s.evaluate(one, value) == nil }) {
				for _, one := range parts {
					add(one, value, path)
				}
			} else if keyword == "oneOf" && s.evaluate(map[string]any{keyword: v}, value) != nil {
				out = append(out, refusal{path, "more than one of the alternatives of oneOf matches", keyword})
			}
		case "if":
			branch := "else"
			if s.evaluate(v, value) == nil {
				branch = "then"
			}
			if part, found := keywords[branch]; found {
				add(part, value, path)
			}
		case "then", "else", "$defs", "definitions", "$id", "id", "minContains", "maxContains":
		default:
			alone := map[string]any{keyword: v}
			for _, with := range relatedKeywords(keyword) {
				if other, found := keywords[with]; found {
					alone[with] = other
				}
			}
			if failed := s.evaluate(alone, value); failed != nil {
				out = append(out, refusal{path, refusalWords(keyword, v, value, failed), keyword})
			}
		}
	}
	if len(out) == 0 && err == nil {
		out = []refusal{{path, "the schema refuses it", "schema"}}
	}
	return out, err
}

// relatedKeywords are the keywords without which another one means something else.
func relatedKeywords(keyword string) []string {
	switch keyword {
	case "contains":
		return []string{"minContains", "maxContains"}
	case "items":
		return []string{"prefixItems"}
	case "additionalItems":
		return []string{"items"}
	case "unevaluatedProperties":
		return []string{"properties", "patternProperties", "additionalProperties", "allOf", "anyOf", "oneOf", "if", "then", "else", "$ref", "dependentSchemas"}
	case "unevaluatedItems":
		return []string{"items", "prefixItems", "contains", "allOf", "anyOf", "oneOf", "if", "then", "else", "$ref"}
	}
	return nil
}

// refusalWords are the words about a value that a keyword refuses.
func refusalWords(keyword string, want, value any, err error) string {
	if keyword != "type" {
		text := err.Error()
		return text[strings.LastIndex(text, keyword+": ")+1+len(keyword+":"):]
	}
	names := []string{fmt.Sprint(want)}
	if list, is := want.([]any); is {
		names = nil
		for _, name := range list {
			names = append(names, fmt.Sprint(name))
		}
	}
	return fmt.Sprintf("got %s, want %s", typeName(value), strings.Join(names, " or "))
}

// typeName is the name of a value's type in JSON.
func typeName(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	}
	if isObject(value) {
		return "object"
	}
	return "number"
}

// lookup returns the part of the schema that a reference means, if it is a pointer into it.
func (s *valuesSchema) lookup(reference string) (any, bool) {
	_, pointer, found := strings.Cut(reference, "#")
	if text, err := url.PathUnescape(pointer); err == nil {
		pointer = text
	}
	at := s.document
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		fields, is := at.(map[string]any)
		if !is || !found {
			return nil, false
		}
		if at, found = fields[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]; !found {
			return nil, false
		}
	}
	return at, found
}

// schemasOf returns the schemas of a property, by its name or by patterns.
func schemasOf(schemas any, name string, byPattern bool) (out []any) {
	fields, _ := schemas.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		matches := key == name
		if byPattern {
			pattern, err := regexp.Compile(key)
			matches = err == nil && pattern.MatchString(name)
		}
		if matches {
			out = append(out, fields[key])
		}
	}
	return out
}

func isObject(value any) bool { _, is := value.(tree); return is }

// sortedFields are the names of a map's fields, sorted.
func sortedFields(value any) []string {
	m, _ := value.(tree)
	return slices.Sorted(maps.Keys(m))
}

func fieldOf(value any, name string) any { return value.(tree)[name] }

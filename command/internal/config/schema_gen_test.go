package config

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

const schemaID = "https://raw.githubusercontent.com/resource-merge/resource-merge/main/docs/resource-merge.schema.json"

// jsonSchema has the part of JSON Schema that the function config needs: draft 7,
// the newest one that older editors know too.
type jsonSchema struct {
	Schema               string                 `json:"$schema,omitempty"`
	ID                   string                 `json:"$id,omitempty"`
	Title                string                 `json:"title,omitempty"`
	Description          string                 `json:"description,omitempty"`
	Type                 string                 `json:"type,omitempty"`
	Const                any                    `json:"const,omitempty"`
	Enum                 []string               `json:"enum,omitempty"`
	Pattern              string                 `json:"pattern,omitempty"`
	MinLength            int                    `json:"minLength,omitempty"`
	Items                *jsonSchema            `json:"items,omitempty"`
	Contains             *jsonSchema            `json:"contains,omitempty"`
	MinItems             int                    `json:"minItems,omitempty"`
	Properties           map[string]*jsonSchema `json:"properties,omitempty"`
	AdditionalProperties *bool                  `json:"additionalProperties,omitempty"`
	Required             []string               `json:"required,omitempty"`
	Not                  *jsonSchema            `json:"not,omitempty"`
	AllOf                []*jsonSchema          `json:"allOf,omitempty"`
	OneOf                []*jsonSchema          `json:"oneOf,omitempty"`
}

// goDocs are the doc comments of a package's types and, as `Type.Field`, of
// their fields.
type goDocs map[string]string

// configSchema is the JSON schema of Config, read off the Go type, its doc
// comments and the functions that check it.
func configSchema(t *testing.T) *jsonSchema {
	s := readDocs(t).schemaOf(reflect.TypeFor[Config]())
	s.Schema = "http://json-schema.org/draft-07/schema#"
	s.ID = schemaID
	s.Title = configKind
	s.Description = "The function config of resource-merge, a KRM function that merges a new version of a package into a customised copy of it."
	return s
}

func (d goDocs) schemaOf(t reflect.Type) *jsonSchema {
	switch t.Kind() {
	case reflect.Pointer:
		return d.schemaOf(t.Elem())
	case reflect.String:
		return &jsonSchema{Type: "string"}
	case reflect.Bool:
		return &jsonSchema{Type: "boolean"}
	case reflect.Slice:
		return &jsonSchema{Type: "array", Items: d.schemaOf(t.Elem())}
	case reflect.Struct:
		return d.object(t)
	}
	return &jsonSchema{} // anything
}

func (d goDocs) object(t reflect.Type) *jsonSchema {
	s := &jsonSchema{
		Type:                 "object",
		Properties:           map[string]*jsonSchema{},
		AdditionalProperties: new(bool),
		Required:             requiredFields(t),
		AllOf:                contradictions(t),
		OneOf:                alternatives(t),
	}
	for f := range t.Fields() {
		name := f.Tag.Get("json")
		field := d.schemaOf(f.Type)
		limitField(t.Name()+"."+f.Name, field)
		field.Description = d.describe(t, f, name)
		s.Properties[name] = field
	}
	return s
}

// requiredFields are the fields without which check finds an error.
func requiredFields(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[Config]():
		return []string{"apiVersion", "kind"}
	case reflect.TypeFor[ConflictRule]():
		return []string{"prefer"}
	case reflect.TypeFor[ListRule]():
		return []string{"kind", "path", "keys"}
	case reflect.TypeFor[Rename]():
		return []string{"kind", "from", "to"}
	case reflect.TypeFor[Upstream]():
		return []string{"version"}
	}
	return nil
}

// alternatives are schemas that each require one field; exactly one of them has to hold.
func alternatives(t reflect.Type) []*jsonSchema {
	if t == reflect.TypeFor[Upstream]() {
		return []*jsonSchema{{Required: []string{"source"}}, {Required: []string{"command"}}}
	}
	return nil
}

// contradictions are the pairs of fields that exclude each other.
func contradictions(t reflect.Type) []*jsonSchema {
	switch t {
	case reflect.TypeFor[Source]():
		return []*jsonSchema{notBoth("path", "dir")}
	case reflect.TypeFor[Upstream]():
		return []*jsonSchema{notBoth("source", "timeout"), notBoth("command", "digest")}
	case reflect.TypeFor[OriginSource]():
		return []*jsonSchema{
			notBoth("path", "dir"), notBoth("path", "none"), notBoth("dir", "none"),
			notBoth("from", "path"), notBoth("from", "dir"), notBoth("from", "none"),
		}
	case reflect.TypeFor[Config]():
		return append(applyContradictions(), outputContradictions()...)
	}
	return nil
}

// notBoth excludes that two fields are both given: not empty, and true.
func notBoth(a, b string) *jsonSchema {
	given := map[string]*jsonSchema{a: {MinLength: 1}, b: {MinLength: 1}}
	if b == "none" {
		given[b] = &jsonSchema{Const: true}
	}
	return &jsonSchema{Not: &jsonSchema{Required: []string{a, b}, Properties: given}}
}

// limitField narrows a field to the values that check allows. An empty string,
// which the function takes for none, is not offered.
func limitField(name string, s *jsonSchema) {
	switch name {
	case "Config.APIVersion":
		s.Const = configAPIVersion
	case "Config.Kind":
		s.Const = configKind
	case "Config.Strategy":
		s.Enum = allowedBy(func(name string) error {
			_, err := Settings{}.strategyNamed(name, inTypedKind)
			return err
		})
	case "Config.Output":
		s.Enum = []string{OutputMerged, OutputPatches, OutputOverlay}
	case "Config.Adopt":
		s.Items.Enum = Adoptions()
	case "Patches.Form":
		s.Enum = PatchForms()
	case "Patches.From":
		s.Enum = PatchSides()
	case "OriginSource.From":
		s.Enum = []string{FromLastApplied, fromManagedFields}
	case "Apply.Namespace":
		s.Pattern = namespacePattern
	case "Apply.Adopt":
		s.Items.MinLength = 1
	case "Conflicts.Prefer", "ConflictRule.Prefer":
		s.Enum = allowedBy(func(name string) error { _, err := preferenceNamed(name); return err })
	case "Upstream.Source":
		s.Pattern = `\{version\}`
	case "Upstream.Command":
		s.MinItems, s.Contains = 1, &jsonSchema{Pattern: `\{version\}`}
	case "Upstream.Version":
		s.MinLength = 1
	case "Upstream.Timeout":
		s.Pattern = `^(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`
	case "Rename.From", "Rename.To":
		s.Pattern = `^[^/ \t\r\n]+(/[^/ \t\r\n]+)?$`
	case "ListRule.Kind", "ListRule.Path", "Rename.Kind":
		s.MinLength = 1
	case "ListRule.Keys":
		s.MinItems = 1
		s.Items.Pattern = `^[^.]+(\.[^.]+)*$`
	}
}

// allowedBy returns the values that the error of a check lists as allowed, so that
// the schema and the function cannot differ.
func allowedBy(check func(string) error) []string {
	_, list, _ := strings.Cut(check("nonsense").Error(), "allowed are ")
	return strings.Split(list, ", ")
}

// describe is the doc comment of a field, else of its type, about the name that
// a config has.
func (d goDocs) describe(t reflect.Type, f reflect.StructField, name string) string {
	for _, documented := range [2]struct{ key, name string }{
		{t.Name() + "." + f.Name, f.Name},
		{f.Type.Name(), f.Type.Name()},
	} {
		if doc, found := d[documented.key]; found {
			return regexp.MustCompile("^"+documented.name+" ").ReplaceAllString(doc, name+" ")
		}
	}
	return ""
}

// readDocs reads the doc comments of this package.
func readDocs(t *testing.T) goDocs {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	docs := goDocs{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			docs.addTypes(decl)
		}
	}
	return docs
}

func (d goDocs) addTypes(decl ast.Decl) {
	types, ok := decl.(*ast.GenDecl)
	if !ok || types.Tok != token.TYPE {
		return
	}
	for _, spec := range types.Specs {
		spec := spec.(*ast.TypeSpec)
		d.add(spec.Name.Name, types.Doc)
		if fields, ok := spec.Type.(*ast.StructType); ok {
			d.addFields(spec.Name.Name, fields)
		}
	}
}

func (d goDocs) addFields(typeName string, fields *ast.StructType) {
	for _, f := range fields.Fields.List {
		for _, name := range f.Names {
			d.add(typeName+"."+name.Name, f.Comment)
			d.add(typeName+"."+name.Name, f.Doc)
		}
	}
}

// add takes a comment as one line, without citations of rules.
func (d goDocs) add(name string, comment *ast.CommentGroup) {
	text := strings.Join(strings.Fields(comment.Text()), " ")
	if text != "" {
		d[name] = regexp.MustCompile(` \(rules/[^)]*\)`).ReplaceAllString(text, "")
	}
}

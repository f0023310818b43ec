package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// addDocumentedUnions adds the unions that the comments of k8s.io/api document (rules/unions: union structs), except for
// unions that the schema has.
func (d *document) addDocumentedUnions() error {
	dir, err := moduleDir(apiModule)
	if err != nil {
		return err
	}
	for _, pkg := range d.packages(apiPrefix) {
		below := strings.ReplaceAll(strings.TrimPrefix(pkg, apiPrefix), ".", "/")
		text, err := os.ReadFile(filepath.Join(dir, below, "types.go"))
		if err != nil {
			return fmt.Errorf("reading the unions of %s: %w", pkg, err)
		}
		documented, err := documentedUnions(text)
		if err != nil {
			return fmt.Errorf("reading the unions of %s: %w", pkg, err)
		}
		for name, unions := range documented {
			structure, err := d.structure(pkg + name)
			if err != nil {
				continue // no kind has it
			}
			for _, members := range unions {
				structure.addMembers(members)
			}
		}
	}
	return nil
}

// addMembers adds a union, unless another one has all of its members, or the schema lacks one of them.
func (m *mapping) addMembers(members []string) {
	added := union{}
	for _, name := range members {
		added.Fields = append(added.Fields, member{Name: name})
	}
	isIn := func(u union) bool {
		return !slices.ContainsFunc(added.Fields, func(f member) bool { return !slices.Contains(u.Fields, f) })
	}
	if m.check(added) == nil && !slices.ContainsFunc(m.Unions, isIn) {
		m.Unions = append(m.Unions, added)
	}
}

// documentedUnions returns the members of the unions of each struct in a file of Go types, by the struct's name. These
// comments document a union:
//
//   - of a field, the markers +oneOf=NAME, +zeroOrOneOf=NAME, +k8s:unionMember and +k8s:zeroOrOneOfMember: the fields with one
//     marker are a union;
//   - of a struct or field, "exactly one of a and b must be set", also with at most, only, and other verbs;
//   - of a struct, "exactly one of its members" or "of the fields";
//   - of a field, "mutually exclusive setting with b" and "a and b are mutually exclusive".
//
// Names of fields are those of JSON or of Go, in any case. A sentence with another word as a name documents nothing here.
func documentedUnions(text []byte) (map[string][][]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "types.go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parsing Go types: %w", err)
	}
	structs := map[string]*documentedStruct{}
	for _, decl := range file.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			if typ, ok := spec.(*ast.TypeSpec); ok {
				if s, ok := typ.Type.(*ast.StructType); ok {
					structs[typ.Name.Name] = newDocumentedStruct(general.Doc.Text()+typ.Doc.Text(), s)
				}
			}
		}
	}
	out := map[string][][]string{}
	for name, s := range structs {
		unions := s.unions()
		for _, embedded := range s.embedded {
			if e := structs[embedded]; e != nil {
				unions = append(unions, e.unions()...)
			}
		}
		if len(unions) > 0 {
			out[name] = unions
		}
	}
	return out, nil
}

// documentedStruct is a struct of Go with its comments.
type documentedStruct struct {
	doc      string
	fields   []documentedField
	embedded []string // the names of embedded structs
}

type documentedField struct{ name, goName, doc, markers string }

func newDocumentedStruct(doc string, s *ast.StructType) *documentedStruct {
	out := &documentedStruct{doc: sentences(doc)}
	for _, f := range s.Fields.List {
		if f.Tag == nil || len(f.Names) == 0 {
			if embedded, ok := f.Type.(*ast.Ident); ok {
				out.embedded = append(out.embedded, embedded.Name)
			}
			continue
		}
		tag, _ := strconv.Unquote(f.Tag.Value)
		name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		field := documentedField{name: name, goName: f.Names[0].Name, doc: sentences(f.Doc.Text())}
		if f.Doc != nil {
			for _, c := range f.Doc.List {
				field.markers += strings.TrimPrefix(c.Text, "//") + "\n"
			}
		}
		out.fields = append(out.fields, field)
	}
	return out
}

// sentences returns a comment on one line, without quotation marks.
func sentences(doc string) string {
	return strings.NewReplacer("`", "", `"`, "").Replace(strings.Join(strings.Fields(doc), " "))
}

// unions returns the members of the struct's unions.
func (s *documentedStruct) unions() (out [][]string) {
	add := func(members []string) {
		known := slices.ContainsFunc(out, func(other []string) bool { return slices.Equal(other, members) })
		if len(members) > 1 && !known {
			out = append(out, members)
		}
	}
	all := regexp.MustCompile(`(?i)(exactly|only|at most) one of (its members|(these|the) fields)( must| may| can)`)
	if all.MatchString(s.doc) {
		add(s.inOrder(func(documentedField) bool { return true }))
	}
	for _, marker := range s.markers() {
		add(s.inOrder(func(f documentedField) bool { return slices.Contains(f.unionMarkers(), marker) }))
	}
	docs := []string{s.doc}
	for _, f := range s.fields {
		docs = append(docs, f.doc)
		with := regexp.MustCompile(`(?i)mutually exclusive( setting)? with (\w+)`)
		for _, match := range with.FindAllStringSubmatch(f.doc, -1) {
			add(s.named([]string{f.name, match[2]}))
		}
	}
	listed := []*regexp.Regexp{
		regexp.MustCompile(`(?i)(?:exactly|only|at most) one of ([\w, ]+?) (?:must|may|can|should) be`),
		regexp.MustCompile(`(?i)(\w+ and \w+) are mutually exclusive`),
	}
	for _, doc := range docs {
		for _, list := range listed {
			for _, match := range list.FindAllStringSubmatch(doc, -1) {
				add(s.named(words(match[1])))
			}
		}
	}
	return out
}

// words returns the words of an enumeration.
func words(list string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(list, func(r rune) bool { return r == ' ' || r == ',' }), func(word string) bool {
		return word == "and" || word == "or"
	})
}

// named returns the names of the fields with these names, nil if a name is no field's.
func (s *documentedStruct) named(names []string) []string {
	has := func(f documentedField, name string) bool {
		return strings.EqualFold(name, f.name) || strings.EqualFold(name, f.goName)
	}
	for _, name := range names {
		if !slices.ContainsFunc(s.fields, func(f documentedField) bool { return has(f, name) }) {
			return nil
		}
	}
	return s.inOrder(func(f documentedField) bool {
		return slices.ContainsFunc(names, func(name string) bool { return has(f, name) })
	})
}

// inOrder returns the names of some fields, sorted.
func (s *documentedStruct) inOrder(is func(documentedField) bool) (names []string) {
	for _, f := range s.fields {
		if is(f) {
			names = append(names, f.name)
		}
	}
	slices.Sort(names)
	return names
}

// markers returns the markers of unions of all fields, each once and in their order.
func (s *documentedStruct) markers() (out []string) {
	for _, f := range s.fields {
		for _, marker := range f.unionMarkers() {
			if !slices.Contains(out, marker) {
				out = append(out, marker)
			}
		}
	}
	return out
}

// unionMarkers returns the markers of unions of a field, such as oneOf=NodeSelection.
func (f documentedField) unionMarkers() (out []string) {
	marker := regexp.MustCompile(`(?m)^ *\+((?:oneOf|zeroOrOneOf)=\w+|k8s:unionMember(?:\(.*\))?|k8s:zeroOrOneOfMember(?:\(.*\))?) *$|^ *\+k8s:if(?:Enabled|Disabled)\(.*?\)=\+(k8s:(?:unionMember|zeroOrOneOfMember)(?:\(.*\))?) *$`)
	for _, match := range marker.FindAllStringSubmatch(f.markers, -1) {
		out = append(out, match[1]+match[2])
	}
	return out
}

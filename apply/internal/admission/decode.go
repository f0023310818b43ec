package admission

import (
	_ "embed"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// fieldTable has the fields of Kubernetes' kinds.
//
//go:embed fields.txt
var fieldTable string

// extensionTable has the fields of the kinds that client-go lacks.
//
//go:embed extensions.txt
var extensionTable string

// Fields knows the fields of Kubernetes' kinds with the types of their values.
type Fields struct {
	kinds map[string]string // rows by group, kind and version
	lines map[string]string // the fields of a row as text
	mutex sync.Mutex
	rows  map[string]*fieldRow // the rows that were asked for

	removed    map[string][2]string // the release that removed a kind, and the apiVersion to write, by group, kind and version
	stored     map[string]string    // the rows of stored.txt as text
	storedRows map[string]*storedRow
}

// fieldRow has the fields of a struct.
type fieldRow struct {
	names []string
	types map[string]string
}

// NewFields reads the table.
func NewFields() *Fields {
	f := &Fields{
		kinds: map[string]string{}, lines: map[string]string{}, rows: map[string]*fieldRow{},
		removed: map[string][2]string{}, stored: map[string]string{}, storedRows: map[string]*storedRow{},
	}
	for line := range strings.Lines(storedTable) {
		line = strings.TrimSuffix(line, "\n")
		if words := strings.Split(line, " "); line[0] == '-' {
			f.removed[strings.Join(words[:3], " ")[1:]] = [2]string(words[3:])
		}
		row, fields, _ := strings.Cut(line, " ")
		f.stored[row] = fields
	}
	for line := range strings.Lines(fieldTable + extensionTable) {
		line = strings.TrimSuffix(line, "\n")
		if i := strings.LastIndexByte(line, ' '); strings.HasPrefix(line, "@") {
			f.kinds[line[1:i]] = line[i+1:]
		} else {
			row, fields, _ := strings.Cut(line, " ")
			f.lines[row] = fields
		}
	}
	return f
}

func (f *Fields) row(number string) *fieldRow {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if r := f.rows[number]; r != nil {
		return r
	}
	r := &fieldRow{types: map[string]string{}}
	for field := range strings.FieldsSeq(f.lines[number]) {
		name, typ, _ := strings.Cut(field, ":")
		r.names, r.types[name] = append(r.names, name), typ
	}
	f.rows[number] = r
	return r
}

// Undecodable returns a conflict for each value of a config that kubectl or the server cannot decode: a value of the
// wrong type, and a field that neither the schema nor the live object has (rules/apply: refused objects). Of a kind that
// neither Kubernetes nor a CRD describes only the metadata is known. live is nil for a created object. Without strict
// validation, which kubectl asks for, the server drops unknown fields.
func (f *Fields) Undecodable(kind schema.Resource, config, live *yaml.Node, serverSide, strict bool) []merge.Conflict {
	apiVersion := yamlnode.Text(yamlnode.Field(config, "apiVersion"))
	name := yamlnode.Text(yamlnode.Field(config, "kind"))
	d := decoder{fields: f, live: merge.NewFinder(live), serverSide: serverSide, strict: serverSide || strict}
	if row := f.kinds[identity.Group(apiVersion)+" "+name+" "+identity.Version(apiVersion)]; row != "" {
		d.value(row, kind.Type, nil, config)
		return d.found
	}
	d.value(f.kinds[" ObjectMeta meta"], kind.Type.Part("metadata"), (*merge.Path)(nil).Field("metadata"), yamlnode.Field(config, "metadata"))
	if root, exact := kind.OpenAPI(); exact {
		d.object(root, kind.Type, nil, config)
	}
	return d.found
}

// decoder visits a config by the types of its fields.
type decoder struct {
	fields     *Fields
	live       *merge.Finder
	serverSide bool
	strict     bool // whether unknown fields are refused
	found      []merge.Conflict
}

func (d *decoder) refuse(at *merge.Path, n *yaml.Node, reason string) {
	c := refusal(at, n, reason)
	c.Values[identity.Local] = d.live.Value(at)
	d.found = append(d.found, c)
}

// value visits a value of a built-in kind. A null is no value.
func (d *decoder) value(typ string, known *schema.Type, at *merge.Path, n *yaml.Node) {
	if n == nil || n.ShortTag() == "!!null" || typ == "" {
		return
	}
	switch typ[0] {
	case '[':
		if !d.isKind(at, n, yaml.SequenceNode) {
			return
		}
		for i, c := range n.Content {
			d.value(typ[1:], known.Element(), at.Element(keysAt(known, c, i)), c)
		}
	case '{':
		if !d.isKind(at, n, yaml.MappingNode) {
			return
		}
		for key, v := range yamlnode.Pairs(n) {
			d.value(typ[1:], known.Part(key.Value), at.Field(key.Value), v)
		}
	case 's', 'n', 'f', 'b', 'q', 'i', 'y', 't':
		d.scalar(typ[0], at, n)
	case 'u':
	default:
		d.structure(d.fields.row(typ), known, at, n)
	}
}

// structure visits the fields of a struct of a built-in kind.
func (d *decoder) structure(row *fieldRow, known *schema.Type, at *merge.Path, n *yaml.Node) {
	if !d.isKind(at, n, yaml.MappingNode) {
		return
	}
	for key, v := range yamlnode.Pairs(n) {
		name := key.Value
		if typ, is := row.types[name]; is {
			d.value(typ, known.Part(name), at.Field(name), v)
		} else {
			d.unknown(at.Field(name), v, name, row.names)
		}
	}
}

// unknown refuses a field that the schema lacks. A live object with the field is of a server with a newer schema, and a
// null of client-side apply sets nothing.
func (d *decoder) unknown(at *merge.Path, n *yaml.Node, name string, names []string) {
	if d.strict && d.live.Value(at) == nil && (d.serverSide || n.ShortTag() != "!!null") {
		d.refuse(at, n, "there is no field "+name+wording.DidYouMean(name, names))
	}
}

// isKind reports whether a value is of a kind, and refuses it if not.
func (d *decoder) isKind(at *merge.Path, n *yaml.Node, kind yaml.Kind) bool {
	if n.Kind != kind {
		d.refuse(at, n, describe(n)+", where the server takes "+map[yaml.Kind]string{yaml.MappingNode: "a map", yaml.SequenceNode: "a list"}[kind]+" only")
	}
	return n.Kind == kind
}

// describe returns the type of a value in words.
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a map"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!int", "!!float":
		return "a number"
	case "!!bool":
		return "a boolean"
	case "!!null":
		return "a null"
	}
	return "a text"
}

// scalar refuses a scalar that the JSON of its type cannot have.
func (d *decoder) scalar(typ byte, at *merge.Path, n *yaml.Node) {
	tag := n.ShortTag()
	isText, isNumber := n.Kind == yaml.ScalarNode && tag != "!!int" && tag != "!!float" && tag != "!!bool", tag == "!!int" || tag == "!!float"
	switch {
	case typ == 's' && !isText:
		d.refuse(at, n, describe(n)+", where the server takes text only"+quoteIt(n))
	case typ == 'y' && !isText:
		d.refuse(at, n, describe(n)+", where the server takes text in base64 only")
	case typ == 'y' && !isBase64(n.Value):
		d.refuse(at, n, "the text is not in base64")
	case typ == 't' && !isTime(n.Value):
		d.refuse(at, n, "the value is not a time such as 2006-01-02T15:04:05Z")
	case typ == 'n' && !isWhole(n):
		d.refuse(at, n, describe(n)+", where the server takes whole numbers only")
	case typ == 'f' && !isNumber:
		d.refuse(at, n, describe(n)+", where the server takes numbers only")
	case typ == 'b' && tag != "!!bool":
		d.refuse(at, n, describe(n)+", where the server takes true or false only")
	case typ == 'q' && !isText && !isNumber:
		d.refuse(at, n, describe(n)+", where the server takes a quantity only")
	case typ == 'i' && !isText && !isWhole(n):
		d.refuse(at, n, describe(n)+", where the server takes a whole number or a text only")
	}
}

// quoteIt says how a scalar becomes text.
func quoteIt(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return "; quote it"
	}
	return ""
}

func isBase64(text string) bool {
	_, err := base64.StdEncoding.DecodeString(text)
	return err == nil
}

func isTime(text string) bool {
	_, err := time.Parse(time.RFC3339, text)
	return err == nil
}

// isWhole reports whether a value is a number without a fraction, as 2.0 is.
func isWhole(n *yaml.Node) bool {
	switch n.ShortTag() {
	case "!!int":
		return true
	case "!!float":
		v, err := strconv.ParseFloat(n.Value, 64)
		return err == nil && v == float64(int64(v))
	}
	return false
}

// keysAt returns the key of a list's element, else its index.
func keysAt(list *schema.Type, element *yaml.Node, index int) []merge.KeyValue {
	if list == nil {
		list = &schema.Type{}
	}
	return keyOf(list, element, index)
}

// SameIn reports whether a kind has the same fields in two versions.
func (f *Fields) SameIn(group, kind, a, b string) bool {
	x, y := f.kinds[group+" "+kind+" "+a], f.kinds[group+" "+kind+" "+b]
	return x != "" && y != "" && f.same(x, y, map[[2]string]bool{})
}

// same reports whether two types have the same fields.
func (f *Fields) same(a, b string, seen map[[2]string]bool) bool {
	isRow := func(typ string) bool { return typ[0] >= '0' && typ[0] <= '9' }
	switch pair := [2]string{a, b}; {
	case a == b || seen[pair]:
		return true
	case !isRow(a) || !isRow(b):
		return a[0] == b[0] && len(a) > 1 && len(b) > 1 && f.same(a[1:], b[1:], seen)
	default:
		seen[pair] = true
	}
	x, y := f.row(a), f.row(b)
	return slices.Equal(x.names, y.names) && !slices.ContainsFunc(x.names, func(name string) bool { return !f.same(x.types[name], y.types[name], seen) })
}

package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Table is a table of kinds (rules/schemas: tables of other kinds; rules/schemas:
// built-in kinds). It builds the types of a kind when they are first asked for and
// keeps them: for sequential use only.
type Table struct {
	column     Column
	kinds      []kindRow // by group, kind, and newest version first
	rows       []typeRow
	meta       uint16  // ObjectMeta's row; none in a table of custom resources
	objectMeta *Type   // of the resources in custom ones
	types      []*Type // what was built of rows
	plain      Type    // what stands in types for a row of which the column says nothing
}

// Kubernetes returns the built-in table. It has rows only for what merging
// asks: values that are, or lead to, a list map, a set, an atomic struct, a
// union, a quantity or an image. A kind with none of these is known all the same; in a known kind, a
// list that is neither ListMap nor a Set is atomic.
func Kubernetes() *Table { return kubernetes(Merging) }

func kubernetes(column Column) *Table {
	return &Table{column: column, kinds: kubernetesKinds[:], rows: kubernetesTypes[:], meta: kubernetesMeta}
}

// CustomResources returns the table of the kinds of well-known projects, as their CRDs
// describe them (rules/schemas: lists of resources): like a CRD, it has no answer for a
// list without a list-type. zz_crds.go names the projects and their versions.
func CustomResources() *Table { return customResources(Merging, nil) }

func customResources(column Column, objectMeta *Type) *Table {
	return &Table{column: column, kinds: customKinds[:], rows: customTypes[:], objectMeta: objectMeta}
}

func (t *Table) isCustom() bool { return t.meta == 0 }

// Lookup returns the type of a kind in the version asked for, else in the newest
// version of that group and kind (rules/schemas: CRDs), and whether the table knows the
// kind.
func (t *Table) Lookup(group, version, kind string) (*Type, bool) {
	versions := t.versions(group, kind)
	if len(versions) == 0 {
		return nil, false
	}
	row := versions[0].row
	for _, v := range versions {
		if v.version == version {
			row = v.row
		}
	}
	typ := t.build(row)
	if typ == nil {
		typ = t.typeOf(typeRow{})
	}
	return typ, true
}

// isOwn reports whether a kind is one of Kubernetes' own that no CRD can define: the API
// server takes no CRD of a group without a dot.
func (t *Table) isOwn(id groupKind) bool {
	return servedByExtension(id) || !strings.Contains(id.group, ".") && len(t.versions(id.group, id.kind)) > 0
}

// versions returns the rows of a kind, the newest version first.
func (t *Table) versions(group, kind string) []kindRow {
	compare := func(row, want kindRow) int {
		return cmp.Or(cmp.Compare(row.group, want.group), cmp.Compare(row.kind, want.kind))
	}
	want := kindRow{group: group, kind: kind}
	start, _ := slices.BinarySearchFunc(t.kinds, want, compare)
	end := start
	for end < len(t.kinds) && compare(t.kinds[end], want) == 0 {
		end++
	}
	return t.kinds[start:end]
}

// ObjectMeta returns the type of metadata, which is that of every kind, known
// or not.
func (t *Table) ObjectMeta() *Type {
	return t.build(t.meta)
}

// build returns the type of a row, nil if the column has nothing to say of it.
// A type is kept before its parts are built: they may lead back to it.
func (t *Table) build(i uint16) *Type {
	if i == 0 {
		return nil
	}
	if t.types == nil {
		t.types = make([]*Type, len(t.rows))
	}
	if t.types[i] == nil {
		t.types[i] = t.typeOf(t.rows[i])
		if t.buildBelow(t.types[i], t.rows[i]); t.types[i].isPlain() {
			t.types[i] = &t.plain
		}
	}
	if t.types[i] == &t.plain {
		return nil
	}
	return t.types[i]
}

// typeOf is what the table's column says of a row, without what the row leads to.
func (t *Table) typeOf(row typeRow) *Type {
	typ := row.typeIn(t.column)
	switch {
	case t.column == Structured && t.isCustom():
		typ.asCustom(t.objectMeta)
	case t.column == Structured:
		typ.OmitsEmpty = row.isCollection()
	case t.column == Merging && !t.isCustom():
		typ.Keys, typ.Described = withoutZeroDefaults(row.keys), All
	}
	return typ
}

// asCustom makes of a type what the API server knows of a custom resource: its
// quantities and images are texts as any other, and a resource within it has
// the fields that the CRD says and the metadata of every resource.
func (t *Type) asCustom(objectMeta *Type) {
	t.Scalar = Opaque
	if t.Embedded {
		t.Embedded = false
		t.Fields = map[string]*Type{"metadata": objectMeta}
	}
}

// buildBelow gives a type what its row leads to.
func (t *Table) buildBelow(built *Type, row typeRow) {
	if row.elem != 0 {
		built.Elem = t.build(row.elem)
	}
	for _, field := range row.fields {
		typ := t.build(field.row)
		if typ == nil {
			continue
		}
		if built.Fields == nil {
			built.Fields = make(map[string]*Type, len(row.fields))
		}
		built.Fields[field.name] = typ
	}
}

// withoutZeroDefaults is keys without the defaults that every required field has: an
// element without a name is for Merging an element without a key, not one named ""
// (rules/schemas: where keys come from).
func withoutZeroDefaults(keys []Key) []Key {
	out := keys
	for i, k := range keys {
		if k.Default != "" && k.Default != 0 {
			continue
		}
		if &out[0] == &keys[0] {
			out = append([]Key{}, keys...)
		}
		out[i].Default = nil
	}
	return out
}

// kindRow is a kind of a table, the row of its type, and whether the kind
// belongs to no namespace.
type kindRow struct {
	group, kind, version string
	row                  uint16
	cluster              bool
}

// typeRow is a type of a table, in which rows stand for types. Row 0 is that
// of nil. It has what all columns say: relation and keys are the API server's.
type typeRow struct {
	relation   Relation
	strategic  Relation
	mergeKey   string // of a strategic ListMap
	byKey      bool   // decided whole by the API server, and not by Merging
	retainKeys bool
	scalar     Scalar
	strings    bool // a map of strings
	embedded   bool
	elem       uint16
	keys       []Key
	fields     []fieldRow
	unions     []Union
	names      []string // of all fields, where another version of the kind has others
}

// fieldRow is a field of a struct and the row of its type.
type fieldRow struct {
	name string
	row  uint16
}

// isCollection reports whether the row is a list with keys, a set, or a map whose keys are
// its user's.
func (row typeRow) isCollection() bool {
	plainMap := row.relation == Granular && row.elem != 0 && len(row.fields) == 0
	return row.strings || plainMap || row.relation == ListMap || row.relation == Set
}

// typeIn is what a column says of a row, without what the row leads to.
func (row typeRow) typeIn(column Column) *Type {
	t := &Type{Relation: row.relation, Scalar: row.scalar, Embedded: row.embedded, Keys: row.keys, Unions: row.unions}
	if row.strings && column != Merging {
		t.Elem = &Type{Scalar: String}
	}
	switch {
	case column == StrategicMerge:
		t.Relation, t.Keys, t.RetainKeys = row.strategic, nil, row.retainKeys
		if row.mergeKey != "" {
			t.Keys = []Key{{Name: row.mergeKey}}
		}
	case column == Merging && row.byKey:
		t.Relation = Granular
	}
	if column == Merging {
		t.Names = row.names
	}
	return t
}

// CompareVersions orders API versions by Kubernetes' version priority:
// v1alpha1 < v1beta1 < v1beta2 < v1 < v2. What is no such version comes before
// all, by its text.
func CompareVersions(a, b string) int {
	x, y := parseVersion(a), parseVersion(b)
	return cmp.Or(
		cmp.Compare(x.stability, y.stability),
		cmp.Compare(x.major, y.major),
		cmp.Compare(x.minor, y.minor),
		cmp.Compare(a, b),
	)
}

// version is a version in the order of its fields. The zero version is that of
// a text which is none.
type version struct{ stability, major, minor int }

func parseVersion(text string) version {
	digits, found := strings.CutPrefix(text, "v")
	for i, name := range []string{"alpha", "beta"} {
		major, minor, ok := strings.Cut(digits, name)
		if ok && found && isNumber(major) && isNumber(minor) {
			return version{stability: i + 1, major: number(major), minor: number(minor)}
		}
	}
	if found && isNumber(digits) {
		return version{stability: 3, major: number(digits)}
	}
	return version{}
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// number reads digits; a number out of range sorts as the largest.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

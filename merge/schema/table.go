package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// table is a generated table of kinds (rules/schemas: tables of other kinds; rules/schemas: built-in kinds). It builds
// the types of a kind at the first question and keeps them: it is for sequential use only.
//
// A table has rows only for the questions of merging: values that are, or lead to, a list map, a set, an atomic struct,
// a union, a quantity or an image. A kind with none of these is known all the same. In a kind of Kubernetes, a list
// that is neither a ListMap nor a Set is atomic; in a custom resource, a list without a list type has no answer, as in
// a CRD.
type table struct {
	column     Column
	kinds      []kindRow // by group, kind, and newest version first
	rows       []typeRow
	meta       uint16  // ObjectMeta's row; 0 in a table of custom resources
	objectMeta *Type   // of embedded resources, in a table of custom resources
	types      []*Type // built rows
	plain      Type    // in types, stands for a row without an answer in the column
}

func kubernetes(column Column) *table {
	return &table{column: column, kinds: kubernetesKinds[:], rows: kubernetesTypes[:], meta: kubernetesMeta}
}

func customResources(column Column, objectMeta *Type) *table {
	return &table{column: column, kinds: customKinds[:], rows: customTypes[:], objectMeta: objectMeta}
}

func (t *table) isCustom() bool { return t.meta == 0 }

// lookup returns the type of a kind in its version, else in the newest one (rules/schemas: CRDs), and whether the table
// knows the kind.
func (t *table) lookup(id kindVersion) (*Type, bool) {
	versions := t.versions(id.groupKind())
	if len(versions) == 0 {
		return nil, false
	}
	i := slices.IndexFunc(versions, func(row kindRow) bool { return slices.Contains(row.versions, id.version) })
	typ := t.build(versions[max(i, 0)].row)
	if typ == nil {
		typ = t.typeOf(typeRow{})
	}
	return typ, true
}

// isOwn reports whether a kind is one of Kubernetes' own that no CRD can define: the API server takes no CRD of a group
// without a dot.
func (t *table) isOwn(id groupKind) bool {
	return isExtension(id) || !strings.Contains(id.group, ".") && len(t.versions(id)) > 0
}

// isClusterScoped reports whether the table has a kind as cluster-scoped.
func (t *table) isClusterScoped(id groupKind) bool {
	versions := t.versions(id)
	return len(versions) > 0 && versions[0].cluster
}

// versions returns the rows of a kind, that of the newest version first.
func (t *table) versions(id groupKind) []kindRow {
	compare := func(row kindRow, id groupKind) int {
		return cmp.Or(cmp.Compare(row.group, id.group), cmp.Compare(row.kind, id.kind))
	}
	start, _ := slices.BinarySearchFunc(t.kinds, id, compare)
	end := start
	for end < len(t.kinds) && compare(t.kinds[end], id) == 0 {
		end++
	}
	return t.kinds[start:end]
}

// metadata returns the type of the metadata of every kind.
func (t *table) metadata() *Type { return t.build(t.meta) }

// build returns the type of a row, nil if the column has no answer there. A type is kept before its parts are built, as
// they may lead back to it.
func (t *table) build(i uint16) *Type {
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

// typeOf returns the type of a row in the table's column, without its fields and elements.
func (t *table) typeOf(row typeRow) *Type {
	typ := row.typeIn(t.column)
	switch {
	case t.column == Structured && t.isCustom():
		// For the API server, quantities and images of custom resources are plain texts, and an embedded resource has
		// the fields of the CRD and the metadata of every resource.
		if typ.Scalar = Opaque; typ.Embedded {
			typ.Embedded, typ.Fields = false, map[string]*Type{"metadata": t.objectMeta}
		}
	case t.column == Structured:
		typ.OmitsEmpty = row.isCollection()
	case t.column == Merging && !t.isCustom():
		typ.Keys, typ.Described = withoutZeroDefaults(row.keys), All
	}
	return typ
}

func (t *table) buildBelow(built *Type, row typeRow) {
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

// withoutZeroDefaults returns keys without the zero defaults of required fields: for Merging, an element without a name
// has no key, and not the name "" (rules/schemas: where keys come from).
func withoutZeroDefaults(keys []Key) []Key {
	isZero := func(k Key) bool { return k.Default == "" || k.Default == 0 }
	if !slices.ContainsFunc(keys, isZero) {
		return keys
	}
	out := slices.Clone(keys)
	for i, k := range out {
		if isZero(k) {
			out[i].Default = nil
		}
	}
	return out
}

// kindRow is a kind of a table in the versions that have one type, and the row of that type.
type kindRow struct {
	group, kind string
	versions    []string // the newest first
	row         uint16
	cluster     bool // whether the kind is cluster-scoped
}

// typeRow is a type of a table, with row numbers for other types; 0 is no type. It has the answers of all columns:
// relation and keys are the API server's.
type typeRow struct {
	relation   Relation
	strategic  Relation
	mergeKey   string // of a strategic ListMap
	byKey      bool   // whole for the API server, and merged by key in Merging
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

// isCollection reports whether the row is a list with keys, a set, or a map with keys of the user's.
func (row typeRow) isCollection() bool {
	plainMap := row.relation == Granular && row.elem != 0 && len(row.fields) == 0
	return row.strings || plainMap || row.relation == ListMap || row.relation == Set
}

// typeIn returns the type of a row in a column, without its fields and elements.
func (row typeRow) typeIn(column Column) *Type {
	t := &Type{Relation: row.relation, Scalar: row.scalar, Embedded: row.embedded, Keys: row.keys, Unions: row.unions}
	if row.strings && column != Merging {
		t.Elem = &Type{Scalar: String}
	}
	switch column {
	case StrategicMerge:
		t.Relation, t.Keys, t.RetainKeys = row.strategic, nil, row.retainKeys
		if row.mergeKey != "" {
			t.Keys = []Key{{Name: row.mergeKey}}
		}
	case Merging:
		t.Strings = row.strings
		if t.Names = row.names; row.byKey {
			t.Relation = Granular
		}
	}
	return t
}

// CompareVersions orders API versions by Kubernetes' version priority: v1alpha1 < v1beta1 < v1beta2 < v1 < v2. Any
// other text comes first, in the order of the texts.
func CompareVersions(a, b string) int {
	x, y := parseVersion(a), parseVersion(b)
	return cmp.Or(slices.Compare(x[:], y[:]), cmp.Compare(a, b))
}

// parseVersion returns stability, major and minor number of a version, zeros for any other text. A number out of range
// is the largest one.
func parseVersion(text string) [3]int {
	digits, found := strings.CutPrefix(text, "v")
	for i, name := range [2]string{"alpha", "beta"} {
		major, minor, ok := strings.Cut(digits, name)
		if ok && found && isNumber(major) && isNumber(minor) {
			return [3]int{i + 1, number(major), number(minor)}
		}
	}
	if found && isNumber(digits) {
		return [3]int{3, number(digits), 0}
	}
	return [3]int{}
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

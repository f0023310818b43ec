package schema

import (
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Schema answers how the values of a resource merge, from all that is known about its
// kind, in the order of rules/schemas: where keys come from: the rules of the function
// config, the CRDs among the items, the table by hand, the tables of custom resources
// and of Kubernetes' own kinds. Each Column has its answers. Types are made when they
// are first asked for, and not altered then.
type Schema struct {
	column Column
	making sync.Mutex
	rules  map[groupKind][]Rule
	crds   []CRD
	infer  bool
	table  *Table
	custom *Table
	made   map[kindVersion]Resource
	scoped map[groupKind]bool // what ClusterScoped has said

	templates map[*Type]*Type             // what podTemplate has made
	defined   map[groupKind][]*definition // by the CRDs; nil until they are read

	// Warnings say which CRDs could not be used, as far as they were asked for.
	Warnings []Warning
}

// New returns a schema of the column Merging. crds are the
// CustomResourceDefinitions of the sides, in the order in which they are asked;
// infer says whether keys may be inferred.
func New(rules []Rule, crds []CRD, infer bool) *Schema {
	s := NewColumn(Merging, crds)
	s.rules, s.infer = map[groupKind][]Rule{}, infer
	for _, r := range rules {
		kind := groupKind{r.Group, r.Kind}
		s.rules[kind] = append(s.rules[kind], r)
	}
	return s
}

// NewColumn returns a schema of a column, without rules and inference, which
// only Merging has.
func NewColumn(column Column, crds []CRD) *Schema {
	table := kubernetes(column)
	return &Schema{
		column: column, crds: crds,
		table: table, custom: customResources(column, table.ObjectMeta()),
		made: map[kindVersion]Resource{}, scoped: map[groupKind]bool{}, templates: map[*Type]*Type{},
	}
}

// InColumn returns a schema of another column, which knows the same CRDs.
func (s *Schema) InColumn(column Column) *Schema { return NewColumn(column, s.crds) }

// Resource returns what is known about a kind. Of a kind that nothing
// describes, the metadata is known all the same.
func (s *Schema) Resource(group, version, kind string) Resource {
	s.making.Lock()
	defer s.making.Unlock()
	id := kindVersion{group, kind, version}
	r, found := s.made[id]
	if !found {
		r = s.make(id)
		s.made[id] = r
	}
	return r
}

func (s *Schema) make(id kindVersion) Resource {
	r := s.describe(id)
	r.schema, r.id = s, id
	if (id == kindVersion{"", "ConfigMap", "v1"}) {
		r.Type = withApart(r.Type, "data", "binaryData")
	}
	own := copies{}
	for _, rule := range s.rules[id.groupKind()] {
		r.Type = rule.apply(r.Type, own)
	}
	return r
}

// describe returns the first answer there is to what a kind is like.
func (s *Schema) describe(id kindVersion) Resource {
	meta := s.table.ObjectMeta()
	switch s.column {
	case StrategicMerge:
		return Resource{Type: s.patched(id)}
	case Structured:
		return Resource{Type: withObjectMeta(s.applied(id), meta)}
	}
	r := s.merged(id)
	r.Type = withObjectMeta(r.Type, meta)
	return r
}

// merged is what Merging knows of a kind (rules/schemas: where keys come from).
func (s *Schema) merged(id kindVersion) Resource {
	partial := func(t *Type) Resource {
		return Resource{Type: overlay(t, supplement(id.groupKind())), Infer: s.infer, partial: true}
	}
	if t := s.fromCRDs(id); t != nil {
		return partial(t)
	}
	if t := byHand(id.groupKind()); t != nil {
		return Resource{Type: t}
	}
	if t, known := s.custom.Lookup(id.group, id.version, id.kind); known {
		return partial(t)
	}
	if t, known := s.table.Lookup(id.group, id.version, id.kind); known {
		return Resource{Type: t}
	}
	return partial(listType(id.kind))
}

// patched is what strategic merge knows of a kind. A kind that no tag describes
// goes as JSON merge patch. The API server's extension servers take strategic
// patches all the same.
func (s *Schema) patched(id kindVersion) *Type {
	if t, known := s.table.Lookup(id.group, id.version, id.kind); known {
		return withObjectMeta(t, s.table.ObjectMeta())
	}
	if servedByExtension(id.groupKind()) {
		return withObjectMeta(nil, s.table.ObjectMeta())
	}
	texts := &Type{Elem: &Type{Scalar: String}}
	meta := &Type{Fields: map[string]*Type{"labels": texts, "annotations": texts}}
	return withObjectMeta(s.fromCRDs(id), meta)
}

// applied is what structured merge knows of a kind, nil if nothing but what it
// deduces from the values: maps merge by key, and lists are whole values.
func (s *Schema) applied(id kindVersion) *Type {
	if t := s.fromCRDs(id); t != nil {
		return t
	}
	if t, known := s.table.Lookup(id.group, id.version, id.kind); known {
		return t
	}
	t, _ := s.custom.Lookup(id.group, id.version, id.kind)
	return t
}

// podTemplate returns the same type each time it is asked for the same one.
func (s *Schema) podTemplate(t *Type) *Type {
	s.making.Lock()
	defer s.making.Unlock()
	made, found := s.templates[t]
	if !found {
		pod, _ := s.table.Lookup("", "v1", "PodTemplate")
		made = overlay(t, pod.Field("template"))
		s.templates[t] = made
	}
	return made
}

// fromCRDs returns the type that the CRDs give a kind (rules/schemas: CRDs), nil if
// none describes it.
func (s *Schema) fromCRDs(id kindVersion) *Type {
	d := s.definition(id)
	if d == nil {
		return nil
	}
	if d.read {
		return d.typ
	}
	r := crdReader{budget: maxSchemaNodes, column: s.column, objectMeta: s.table.ObjectMeta()}
	d.typ, d.read = r.read(d.tree(), d.path), true
	for _, p := range r.problems {
		s.Warnings = append(s.Warnings, Warning{CRD: d.crd.tree(), Path: p.path, Text: p.text})
	}
	return d.typ
}

// definition returns what the CRDs say of a kind: in the version asked for, else
// in the newest that any of them has. Of two that describe one version, the
// first counts. nil if none describes the kind.
func (s *Schema) definition(id kindVersion) *definition {
	if s.table.isOwn(id.groupKind()) {
		return nil
	}
	all := s.definitions()[id.groupKind()]
	for _, d := range all {
		if d.version == id.version {
			return d
		}
	}
	newest := (*definition)(nil)
	for _, d := range all {
		if newest == nil || CompareVersions(d.version, newest.version) > 0 {
			newest = d
		}
	}
	return newest
}

// definitions reads which kinds and versions the CRDs define.
func (s *Schema) definitions() map[groupKind][]*definition {
	if s.defined == nil {
		s.defined = map[groupKind][]*definition{}
		for _, crd := range s.crds {
			for _, d := range define(crd) {
				s.defined[d.groupKind()] = append(s.defined[d.groupKind()], &d)
			}
		}
	}
	return s.defined
}

// Resource is what is known about a kind.
type Resource struct {
	Type *Type
	// Infer says that a list for which Type has no answer may be keyed by what
	// its elements have in common (InferKeys); else it is a whole value.
	Infer bool
	// NullIsValue says that a null is a value in all fields, those too that Type describes
	// (rules/fields: null).
	NullIsValue bool

	partial bool // there are values about which Type says nothing, and should
	schema  *Schema
	id      kindVersion
}

// Embedded returns what is known about the kind of a resource that lies within
// one of r's kind.
func (r Resource) Embedded(group, version, kind string) Resource {
	if r.schema == nil {
		return Resource{}
	}
	embedded := r.schema.Resource(group, version, kind)
	embedded.NullIsValue = r.NullIsValue
	return embedded
}

// PodTemplate returns the type of a struct that has the shape of a PodTemplateSpec
// (rules/unions: union structs), where t is what the kind says of it: Kubernetes' type
// where t has no answer, and t's answers where it has one. ok is false for the kinds of
// which everything is known.
//
// Below such a struct no keys are inferred: a list of a Pod that is not keyed is
// atomic.
func (r Resource) PodTemplate(t *Type) (typ *Type, ok bool) {
	if r.schema == nil || !r.partial {
		return nil, false
	}
	return r.schema.podTemplate(t), true
}

// Column says whose semantics a schema has: the same kind has other keys and other
// whole values in each (rules/schemas: keys of common lists).
type Column int

const (
	// Merging is this project's own column (rules/schemas: where keys come from).
	Merging Column = iota
	// StrategicMerge is client-side apply's (rules/apply: structs that retain their
	// keys): of built-in kinds the struct tags of k8s.io/api say which lists have keys,
	// one field each and without a default; any other list is a whole value, and maps
	// never are, but where a tag replaces them. Of a custom resource every list is a
	// whole value.
	StrategicMerge
	// Structured is server-side apply's (rules/server-side-apply: keys of lists): list
	// types, map types and the defaults of keys are as OpenAPI and the CRDs have them;
	// a list without a list type is a whole value.
	Structured
)

type groupKind struct{ group, kind string }

type kindVersion struct{ group, kind, version string }

func (id kindVersion) groupKind() groupKind { return groupKind{id.group, id.kind} }

// servedByExtension reports whether a kind is of the servers that Kubernetes' own API
// server is built of and has no row in its table.
func servedByExtension(id groupKind) bool {
	switch id {
	case groupKind{"apiextensions.k8s.io", "CustomResourceDefinition"}, groupKind{"apiregistration.k8s.io", "APIService"}:
		return true
	}
	return false
}

// listType is the type of a kind that nothing else describes, nil if its name says
// nothing. A List, and the list of a kind, such as RoleList, have resources as items
// (rules/schemas: lists of resources). What a kind of such a name has as items else,
// merges as in any unknown kind.
func listType(kind string) *Type {
	if !strings.HasSuffix(kind, "List") {
		return nil
	}
	items := &Type{Relation: Resources, Elem: &Type{Embedded: true}}
	return &Type{Fields: map[string]*Type{"items": items}}
}

// TakesStrategicPatches reports whether the API server takes strategic merge patches of a
// kind: of Kubernetes' own, and not of custom resources (rules/patches: directives). It
// is kubectl's question too: a custom resource goes as JSON merge patch.
func (s *Schema) TakesStrategicPatches(group, version, kind string) bool {
	s.making.Lock()
	defer s.making.Unlock()
	if _, known := s.table.Lookup(group, version, kind); known {
		return true
	}
	return servedByExtension(groupKind{group, kind})
}

// Warning is about a CRD that could not be used as it is written.
type Warning struct {
	CRD  *yaml.Node // its tree
	Path string     // in the CRD
	Text string
}

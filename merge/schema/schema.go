// Package schema describes the values of resources: the keys of lists, the values that are decided whole, and the
// fields that exclude each other (rules/unions: switches; rules/schemas: where keys come from).
//
// Two tables are generated: zz_kubernetes.go has Kubernetes' kinds, from the schema that k8s.io/client-go carries for
// server-side apply; zz_crds.go has the kinds of well-known projects, from the CRDs in their modules:
//
//	go generate ./merge/schema
package schema

//go:generate go run ./gen

import (
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Schema describes how the values of resources merge. Its sources are, in the order of rules/schemas: where keys come
// from, the rules of the function config, the CRDs among the items, the kinds by hand, and the tables of custom
// resources and of Kubernetes. Each Column has its own answers. Types are built at the first question, and do not
// change.
type Schema struct {
	column Column
	mutex  sync.Mutex
	rules  map[groupKind][]Rule
	crds   []CRD
	infer  bool
	table  *table
	custom *table
	built  map[kindVersion]Resource

	clusterScoped map[groupKind]bool          // answers of ClusterScoped
	templates     map[*Type]*Type             // results of podTemplate
	defined       map[groupKind][]*definition // by the CRDs; nil until they are read

	// Warnings are about unusable CRDs of the requested kinds.
	Warnings []Warning
}

// New returns a schema of the column Merging. crds are the CustomResourceDefinitions of the sides, in order of
// precedence; infer allows to infer keys.
func New(rules []Rule, crds []CRD, infer bool) *Schema {
	s := NewColumn(Merging, crds)
	s.rules, s.infer = map[groupKind][]Rule{}, infer
	for _, r := range rules {
		kind := groupKind{r.Group, r.Kind}
		s.rules[kind] = append(s.rules[kind], r)
	}
	return s
}

// NewColumn returns a schema of a column, without rules and inference, which only Merging has.
func NewColumn(column Column, crds []CRD) *Schema {
	table := kubernetes(column)
	return &Schema{
		column: column, crds: crds, table: table, custom: customResources(column, table.metadata()),
		built: map[kindVersion]Resource{}, clusterScoped: map[groupKind]bool{}, templates: map[*Type]*Type{},
	}
}

// InColumn returns a schema of another column with the same CRDs.
func (s *Schema) InColumn(column Column) *Schema { return NewColumn(column, s.crds) }

// Resource returns the description of a kind. An unknown kind has known metadata all the same.
func (s *Schema) Resource(group, version, kind string) Resource {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	id := kindVersion{group, kind, version}
	r, found := s.built[id]
	if !found {
		r = s.build(id)
		s.built[id] = r
	}
	return r
}

func (s *Schema) build(id kindVersion) Resource {
	r := s.describe(id)
	r.schema, r.id = s, id
	if apart := apartFields(id); apart != nil {
		typ := *r.Type
		typ.Apart = apart
		r.Type = &typ
	}
	own := copies{}
	for _, rule := range s.rules[id.groupKind()] {
		r.Type = rule.below(r.Type, rule.Path, own)
	}
	return r
}

// apartFields returns the fields of a kind that are maps without a key in common: one has a value, and another has the same
// value in another form.
func apartFields(id kindVersion) []string {
	switch id {
	case kindVersion{"", "ConfigMap", "v1"}:
		return []string{"data", "binaryData"}
	case kindVersion{"", "Secret", "v1"}:
		return []string{"data", "stringData"}
	}
	return nil
}

// describe returns the description of a kind in the column, without rules.
func (s *Schema) describe(id kindVersion) Resource {
	meta := s.table.metadata()
	switch s.column {
	case StrategicMerge:
		return Resource{Type: s.patched(id)}
	case Structured:
		return Resource{Type: withMetadata(s.applied(id), meta)}
	}
	r := s.merged(id)
	r.Type = withMetadata(r.Type, meta)
	return r
}

// merged returns the description of a kind in Merging (rules/schemas: where keys come from).
func (s *Schema) merged(id kindVersion) Resource {
	partial := func(t *Type) Resource {
		return Resource{Type: overlay(t, supplement(id.groupKind())), Infer: s.infer, partial: true}
	}
	if t := s.fromCRDs(id); t != nil {
		return partial(t)
	}
	if t := byHand(id); t != nil {
		return Resource{Type: t}
	}
	if t, known := s.custom.lookup(id); known {
		return partial(t)
	}
	if t, known := s.table.lookup(id); known {
		return Resource{Type: t}
	}
	return partial(listType(id.kind))
}

// patched returns the type of a kind in strategic merge. A kind without struct tags is patched as by JSON merge patch,
// but for the kinds of the API server's extension servers.
func (s *Schema) patched(id kindVersion) *Type {
	meta := s.table.metadata()
	if t, known := s.table.lookup(id); known || isExtension(id.groupKind()) {
		return withMetadata(t, meta)
	}
	texts := &Type{Elem: &Type{Scalar: String}}
	return withMetadata(s.fromCRDs(id), &Type{Fields: map[string]*Type{"labels": texts, "annotations": texts}})
}

// applied returns the type of a kind in structured merge, nil if the server deduces all from the values: maps merge by
// key, and lists are whole values.
func (s *Schema) applied(id kindVersion) *Type {
	if t := s.fromCRDs(id); t != nil {
		return t
	}
	if t, known := s.table.lookup(id); known {
		return t
	}
	t, _ := s.custom.lookup(id)
	return t
}

// Resource describes a kind.
type Resource struct {
	Type *Type
	// Infer allows to infer the keys of lists without an answer in Type (InferKeys); else they are whole values.
	Infer bool
	// NullIsValue makes a null a value in all fields, also in the ones that Type describes (rules/fields: null).
	NullIsValue bool

	partial bool // Type lacks answers that it should have
	schema  *Schema
	id      kindVersion
}

// Embedded returns the description of a resource within one of r's kind.
func (r Resource) Embedded(group, version, kind string) Resource {
	if r.schema == nil {
		return Resource{}
	}
	embedded := r.schema.Resource(group, version, kind)
	embedded.NullIsValue = r.NullIsValue
	return embedded
}

// PodTemplate returns the type of a struct with the shape of a PodTemplateSpec (rules/unions: union structs): the
// answers of t, the kind's own type, and Kubernetes' where t has none. ok is false for a kind that is known whole. The
// type is the same for each question about one t.
//
// Below such a struct no keys are inferred: a list of a Pod without keys is atomic.
func (r Resource) PodTemplate(t *Type) (typ *Type, ok bool) {
	if r.schema == nil || !r.partial {
		return nil, false
	}
	s := r.schema
	s.mutex.Lock()
	defer s.mutex.Unlock()
	typ, found := s.templates[t]
	if !found {
		pod, _ := s.table.lookup(kindVersion{"", "PodTemplate", "v1"})
		typ = overlay(t, pod.Field("template"))
		s.templates[t] = typ
	}
	return typ, true
}

// GroupKind returns the group and the kind that r describes.
func (r Resource) GroupKind() (group, kind string) { return r.id.group, r.id.kind }

// OpenAPI returns the schema that the CRD of a custom resource has for its version, or for the newest one if it lacks the
// version; nil if no CRD is known. exact reports whether it is that of the version, in a CRD of apiextensions.k8s.io/v1.
func (r Resource) OpenAPI() (tree *yaml.Node, exact bool) {
	if r.schema == nil {
		return nil, false
	}
	r.schema.mutex.Lock()
	defer r.schema.mutex.Unlock()
	d := r.schema.definition(r.id)
	if d == nil {
		return nil, false
	}
	tree = d.tree()
	return tree, tree != nil && d.version == r.id.version && yamlnode.Text(yamlnode.Field(d.crd.tree(), "apiVersion")) == "apiextensions.k8s.io/v1"
}

// Column is the semantics of a schema: keys and whole values of a kind differ between columns (rules/schemas: keys of
// common lists).
type Column int

const (
	// Merging is this project's own column (rules/schemas: where keys come from).
	Merging Column = iota
	// StrategicMerge is the column of client-side apply (rules/apply: structs that retain their keys). For built-in
	// kinds the struct tags of k8s.io/api give lists a key, one field without a default; any other list is a whole
	// value, and maps never are, unless a tag replaces them. Every list of a custom resource is a whole value.
	StrategicMerge
	// Structured is the column of server-side apply (rules/server-side-apply: keys of lists): list types, map types and
	// defaults of keys are as OpenAPI and the CRDs have them, and a list without a list type is a whole value.
	Structured
)

type groupKind struct{ group, kind string }

type kindVersion struct{ group, kind, version string }

func (id kindVersion) groupKind() groupKind { return groupKind{id.group, id.kind} }

// isExtension reports whether a kind belongs to the extension servers within Kubernetes' own API server, which the
// table lacks.
func isExtension(id groupKind) bool {
	switch id {
	case groupKind{"apiextensions.k8s.io", "CustomResourceDefinition"}, groupKind{"apiregistration.k8s.io", "APIService"}:
		return true
	}
	return false
}

// listType returns the type of an unknown kind with the name of a list: List and RoleList have resources as items
// (rules/schemas: lists of resources). Items that are no resources merge as in any unknown kind.
func listType(kind string) *Type {
	if !strings.HasSuffix(kind, "List") {
		return nil
	}
	items := &Type{Relation: Resources, Elem: &Type{Embedded: true}}
	return &Type{Fields: map[string]*Type{"items": items}}
}

// TakesStrategicPatches reports whether the API server takes strategic merge patches of a kind: of Kubernetes' own, and
// not of custom resources, which kubectl patches by JSON merge patch too (rules/patches: directives).
func (s *Schema) TakesStrategicPatches(group, kind string) bool {
	return s.IsBuiltIn(group, kind) || isExtension(groupKind{group, kind})
}

// Warning is about a CRD with a part that cannot be used.
type Warning struct {
	CRD  *yaml.Node // its tree
	Path string     // in the CRD
	Text string
}

// ClusterScoped reports whether resources of a kind belong to no namespace, so that one in their metadata is ignored
// (rules/identity: identities). The CRDs of the sides come first, then the tables. An unknown kind is namespaced.
func (s *Schema) ClusterScoped(group, kind string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	id := groupKind{group, kind}
	cluster, found := s.clusterScoped[id]
	if !found {
		if crd := s.crdOf(id); crd != nil {
			cluster = yamlnode.Text(yamlnode.Lookup(crd, "spec", "scope")) == "Cluster"
		} else {
			cluster = s.table.isClusterScoped(id) || s.custom.isClusterScoped(id) || slices.Contains(otherClusterScoped(), id)
		}
		s.clusterScoped[id] = cluster
	}
	return cluster
}

// IsClusterScoped is ClusterScoped of the schema of r.
func (r Resource) IsClusterScoped(group, kind string) bool {
	return r.schema != nil && r.schema.ClusterScoped(group, kind)
}

// crdOf returns the first CRD of the sides that defines a kind, nil if there is none.
func (s *Schema) crdOf(id groupKind) *yaml.Node {
	if s.table.isOwn(id) {
		return nil
	}
	for _, crd := range s.crds {
		if tree := crd.tree(); definedKind(yamlnode.Field(tree, "spec")) == id {
			return tree
		}
	}
	return nil
}

// otherClusterScoped lists the cluster-scoped kinds of Kubernetes that its table lacks: kinds of its extension servers,
// and former ones.
func otherClusterScoped() []groupKind {
	return []groupKind{
		{"apiextensions.k8s.io", "CustomResourceDefinition"},
		{"apiregistration.k8s.io", "APIService"},
		{"extensions", "PodSecurityPolicy"},
		{"policy", "PodSecurityPolicy"},
		{"auditregistration.k8s.io", "AuditSink"},
	}
}

// Scope reports whether a kind is cluster-scoped. known is false for a kind that neither a CRD of the sides nor a table
// has.
func (s *Schema) Scope(group, kind string) (cluster, known bool) {
	if s.ClusterScoped(group, kind) {
		return true, true
	}
	id := groupKind{group, kind}
	return false, s.IsBuiltIn(group, kind) || len(s.custom.versions(id)) > 0 || s.crdOf(id) != nil
}

// IsBuiltIn reports whether a kind is one of Kubernetes' own.
func (s *Schema) IsBuiltIn(group, kind string) bool {
	return len(s.table.versions(groupKind{group, kind})) > 0
}

// HasStatus reports whether the status of a kind cannot be applied: of Kubernetes' own kinds, and of a custom
// resource whose CRD, on any side, makes status a subresource in that version (rules/apply: fields of the server).
func (s *Schema) HasStatus(group, version, kind string) bool {
	spec := yamlnode.Field(s.crdOf(groupKind{group, kind}), "spec")
	if spec == nil {
		return s.IsBuiltIn(group, kind)
	}
	for _, v := range yamlnode.Elements(yamlnode.Field(spec, "versions")) {
		v = yamlnode.Resolve(v)
		if yamlnode.Text(yamlnode.Field(v, "name")) == version && yamlnode.Lookup(v, "subresources", "status") != nil {
			return true
		}
	}
	return yamlnode.Lookup(spec, "subresources", "status") != nil
}

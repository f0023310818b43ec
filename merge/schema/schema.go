package schema

import (
	"sync"

	"go.yaml.in/yaml/v3"
)

// Schema answers how the values of a resource merge, from all that is known
// about its kind, in the order of DESIGN 4: the rules of the function config,
// the CRDs among the items, the table by hand, the tables of custom resources
// and of Kubernetes' own kinds. Types are
// made when they are first asked for, and not altered then.
type Schema struct {
	making sync.Mutex
	rules  []Rule
	crds   []*yaml.Node
	infer  bool
	table  *Table
	custom *Table
	made   map[kindVersion]Resource
	scoped map[groupKind]bool // what ClusterScoped has said

	templates map[*Type]*Type // what podTemplate has made
	defined   []definition    // by the CRDs; nil until they are read

	// Warnings say which CRDs could not be used, as far as they were asked for.
	Warnings []Warning
}

// Warning is about a CRD that could not be used as it is written.
type Warning struct {
	CRD  *yaml.Node
	Path string // in the CRD
	Text string
}

type groupKind struct{ group, kind string }

type kindVersion struct{ group, kind, version string }

func (id kindVersion) groupKind() groupKind { return groupKind{id.group, id.kind} }

// Resource is what is known about a kind.
type Resource struct {
	Type *Type
	// Infer says that a list for which Type has no answer may be keyed by what
	// its elements have in common (InferKeys); else it is a whole value.
	Infer bool

	partial bool // there are values about which Type says nothing, and should
	schema  *Schema
}

// New returns a schema. crds are the CustomResourceDefinitions of the sides, in
// the order in which they are asked; infer says whether keys may be inferred.
func New(rules []Rule, crds []*yaml.Node, infer bool) *Schema {
	return &Schema{
		rules: rules, crds: crds, infer: infer,
		table: Kubernetes(), custom: CustomResources(),
		made: map[kindVersion]Resource{}, scoped: map[groupKind]bool{}, templates: map[*Type]*Type{},
	}
}

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

// Embedded returns what is known about the kind of a resource that lies within
// one of r's kind.
func (r Resource) Embedded(group, version, kind string) Resource {
	if r.schema == nil {
		return Resource{}
	}
	return r.schema.Resource(group, version, kind)
}

func (s *Schema) make(id kindVersion) Resource {
	r := s.describe(id)
	r.schema = s
	r.Type = withObjectMeta(r.Type, s.table.ObjectMeta())
	if (id == kindVersion{"", "ConfigMap", "v1"}) {
		r.Type = withApart(r.Type, "data", "binaryData")
	}
	for i, rule := range s.rules {
		if rule.Group == id.group && rule.Kind == id.kind {
			r.Type = s.rules[i].apply(r.Type)
		}
	}
	return r
}

// describe returns the first answer there is to what a kind is like.
func (s *Schema) describe(id kindVersion) Resource {
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

// withApart is t with maps of which no two may have a key in common.
func withApart(t *Type, names ...string) *Type {
	out := *t
	out.Apart = names
	return &out
}

// withObjectMeta is t with the metadata that every resource has.
func withObjectMeta(t, meta *Type) *Type {
	if t.Field("metadata") == meta {
		return t
	}
	return t.withField("metadata", meta)
}

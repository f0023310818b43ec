package live

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Object is a resource of the config or of the cluster. Its ID is that of its metadata
// (rules/apply: identity of objects): namespaces are defaulted, and what is
// cluster-scoped has none.
type Object struct {
	ID   identity.ID
	Node *yaml.Node
}

// annotation is the value of an annotation, and whether the object has it: an empty
// value is not a missing one.
func (o Object) annotation(name string) (value string, found bool) {
	v := yamlnode.Field(yamlnode.Annotations(o.Node), name)
	return yamlnode.Text(v), v != nil
}

// text is the value of a field that holds a string, "" if there is none.
func (o Object) text(names ...string) string {
	return yamlnode.Text(yamlnode.Lookup(o.Node, names...))
}

// groupKind is what a kind is called among all groups.
type groupKind struct{ group, kind string }

func (o Object) groupKind() groupKind { return groupKind{o.ID.Group, o.ID.Kind} }

func (o Object) isNamespace() bool { return o.groupKind() == groupKind{"", "Namespace"} }

// defines is the kind that a CustomResourceDefinition defines.
func (o Object) defines() (groupKind, bool) {
	if o.groupKind() != (groupKind{"apiextensions.k8s.io", "CustomResourceDefinition"}) {
		return groupKind{}, false
	}
	defined := groupKind{o.text("spec", "group"), o.text("spec", "names", "kind")}
	return defined, defined.kind != ""
}

// byID finds objects by their IDs; the first of an ID counts.
func byID(objects []Object) map[identity.ID]int {
	at := make(map[identity.ID]int, len(objects))
	for i, o := range objects {
		if _, found := at[o.ID]; !found {
			at[o.ID] = i
		}
	}
	return at
}

// ApplyTimeMutation is the annotation that lists the values that a resource gets of
// others when it is applied.
const ApplyTimeMutation = "config.kubernetes.io/apply-time-mutation"

// Mutation is a value that the cluster has later, so that no plan knows it: the field
// at TargetPath gets it from another resource (rules/live: mutations). Token is the
// part of the field that it replaces, "" for the whole.
type Mutation struct {
	Source                        identity.ID
	SourcePath, TargetPath, Token string
}

// mutations reads an annotation apply-time-mutation, a list in YAML.
func mutations(text string) ([]Mutation, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, errors.New("it is no YAML")
	}
	if len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null" {
		return nil, nil
	}
	list := doc.Content[0]
	if list.Kind != yaml.SequenceNode {
		return nil, errors.New("it is no list")
	}
	out := make([]Mutation, len(list.Content))
	for i, element := range list.Content {
		m, err := mutation(yamlnode.Resolve(element))
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		out[i] = m
	}
	return out, nil
}

func mutation(element *yaml.Node) (Mutation, error) {
	source := yamlnode.Field(element, "sourceRef")
	if element.Kind != yaml.MappingNode || source != nil && source.Kind != yaml.MappingNode {
		return Mutation{}, errors.New("it and its sourceRef must be maps")
	}
	r := stringReader{}
	m := Mutation{
		Source:     sourceID(&r, source),
		SourcePath: r.field(element, "sourcePath"),
		TargetPath: r.field(element, "targetPath"),
		Token:      r.field(element, "token"),
	}
	return m, r.err
}

// sourceID is the resource that a sourceRef names. Its group is the field group, else
// that of apiVersion. A namespace that it lacks is none: kpt takes no other (V).
func sourceID(r *stringReader, source *yaml.Node) identity.ID {
	id := identity.ID{
		Group:     r.field(source, "group"),
		Kind:      r.field(source, "kind"),
		Namespace: r.field(source, "namespace"),
		Name:      r.field(source, "name"),
	}
	if version := r.field(source, "apiVersion"); id.Group == "" {
		id.Group = identity.Group(version)
	}
	return id
}

// stringReader reads fields that must be strings, and keeps the first error.
type stringReader struct{ err error }

func (r *stringReader) field(mapping *yaml.Node, name string) string {
	v := yamlnode.Field(mapping, name)
	if v == nil || v.ShortTag() == "!!null" {
		return ""
	}
	if r.err == nil && (v.Kind != yaml.ScalarNode || v.ShortTag() != "!!str") {
		r.err = fmt.Errorf("%s must be a string", name)
	}
	return v.Value
}

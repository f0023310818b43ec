package live

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Object is a resource of the config or of the cluster. Its ID is the identity of the object (rules/apply: identity of
// objects): the namespace is defaulted, and a cluster-scoped object has none.
type Object struct {
	ID   identity.ID
	Node *yaml.Node
}

// annotation returns the value of an annotation, and whether the object has it.
func (o Object) annotation(name string) (value string, found bool) {
	v := yamlnode.Field(yamlnode.Annotations(o.Node), name)
	return yamlnode.Text(v), v != nil
}

// text returns the value of a field that holds a string, "" if there is none.
func (o Object) text(names ...string) string { return yamlnode.Text(yamlnode.Lookup(o.Node, names...)) }

// groupKind is a kind in a group.
type groupKind struct{ group, kind string }

func (o Object) groupKind() groupKind { return groupKind{o.ID.Group, o.ID.Kind} }

// indexByID returns the index of the first object of each ID.
func indexByID(objects []Object) map[identity.ID]int {
	at := make(map[identity.ID]int, len(objects))
	for i, o := range objects {
		if _, found := at[o.ID]; !found {
			at[o.ID] = i
		}
	}
	return at
}

// ApplyTimeMutation is the annotation that lists the values which a resource gets from others during the apply.
const ApplyTimeMutation = "config.kubernetes.io/apply-time-mutation"

// Mutation is a value that only the cluster knows: the field at TargetPath gets it from another resource during the
// apply (rules/live: mutations). Token is the part of the field that it replaces, "" for the whole.
type Mutation struct {
	Source                        identity.ID
	SourcePath, TargetPath, Token string
}

// readMutations reads the annotation apply-time-mutation, a list in YAML.
func readMutations(text string) ([]Mutation, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, errors.New("it is not valid YAML")
	}
	if len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null" {
		return nil, nil
	}
	list := doc.Content[0]
	if list.Kind != yaml.SequenceNode {
		return nil, errors.New("it is not a list")
	}
	out := make([]Mutation, len(list.Content))
	for i, element := range list.Content {
		m, err := readMutation(yamlnode.Resolve(element))
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		out[i] = m
	}
	return out, nil
}

// readMutation reads one element. The group of a source is the field group, else that of apiVersion; kpt defaults no
// namespace of a source (V).
func readMutation(element *yaml.Node) (m Mutation, err error) {
	source := yamlnode.Field(element, "sourceRef")
	if element.Kind != yaml.MappingNode || source != nil && source.Kind != yaml.MappingNode {
		return m, errors.New("it and its sourceRef must be maps")
	}
	text := func(mapping *yaml.Node, name string) string { // a field that must be a string; the first error counts
		v := yamlnode.Field(mapping, name)
		if v == nil || v.ShortTag() == "!!null" {
			return ""
		}
		if err == nil && (v.Kind != yaml.ScalarNode || v.ShortTag() != "!!str") {
			err = fmt.Errorf("%s must be a string", name)
		}
		return v.Value
	}
	m.Source = identity.ID{
		Group: text(source, "group"), Kind: text(source, "kind"), Namespace: text(source, "namespace"), Name: text(source, "name"),
	}
	if version := text(source, "apiVersion"); m.Source.Group == "" {
		m.Source.Group = identity.Group(version)
	}
	m.SourcePath, m.TargetPath, m.Token = text(element, "sourcePath"), text(element, "targetPath"), text(element, "token")
	return m, err
}

package live

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// ApplyTimeMutation is the annotation that lists the values that a resource gets of
// others when it is applied.
const ApplyTimeMutation = "config.kubernetes.io/apply-time-mutation"

// Mutation is a value that the cluster has later, so that no plan knows it: the
// field at TargetPath gets it from another resource (design 15.6). Token is the part
// of the field that it replaces, "" for the whole.
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

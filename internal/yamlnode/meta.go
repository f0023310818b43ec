package yamlnode

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Meta has the identifying fields of a resource.
type Meta struct{ APIVersion, Kind, Name, Namespace string }

// MetaOf reads the identifying fields of a resource; a field that it lacks is "".
func MetaOf(resource *yaml.Node) Meta {
	text := func(names ...string) string { return Text(Lookup(resource, names...)) }
	return Meta{
		APIVersion: text("apiVersion"), Kind: text("kind"),
		Name: text("metadata", "name"), Namespace: text("metadata", "namespace"),
	}
}

// Group returns the group of the resource's apiVersion.
func (m Meta) Group() string { return Group(m.APIVersion) }

// Version returns the version in the resource's apiVersion.
func (m Meta) Version() string { return Version(m.APIVersion) }

// Group returns the API group of an apiVersion: "apps" of "apps/v1", "" of "v1".
func Group(apiVersion string) string {
	group, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return group
}

// Version returns the version of an apiVersion: "v1" of "apps/v1" and of "v1".
func Version(apiVersion string) string {
	return apiVersion[strings.LastIndex(apiVersion, "/")+1:]
}

// Annotations returns the metadata.annotations of a resource, nil if it has none.
func Annotations(resource *yaml.Node) *yaml.Node {
	a := Lookup(resource, "metadata", "annotations")
	if a == nil || a.Kind != yaml.MappingNode {
		return nil
	}
	return a
}

// Annotation returns the value of an annotation, "" if the resource lacks it.
func Annotation(resource *yaml.Node, name string) string {
	return Text(Field(Annotations(resource), name))
}

// Annotate sets an annotation of a resource, on a copy; a new one comes last.
func Annotate(resource *yaml.Node, name, text string) *yaml.Node {
	metadata := MapOf(Field(resource, "metadata"))
	target := Annotations(resource)
	if target == nil || len(target.Content) == 0 {
		target = EmptyMap()
	}
	v := String(text)
	v.Style = yaml.SingleQuotedStyle
	return Put(resource, nil, "metadata", Put(metadata, nil, "annotations", Put(target, nil, name, v)))
}

// DropAnnotations removes annotations of a resource by their names, on a copy. A map of annotations that becomes
// empty stays.
func DropAnnotations(resource *yaml.Node, drop func(name string) bool) *yaml.Node {
	a := Annotations(resource)
	if a == nil {
		return resource
	}
	return WithField(resource, "metadata", WithField(Field(resource, "metadata"), "annotations", Without(a, drop)))
}

package identity

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// ID names a resource across versions (design 2). It has no version: a
// resource that moves from apps/v1beta1 to apps/v1 stays itself. IDs are
// compared with ==.
type ID struct {
	Group, Kind, Namespace, Name string
}

// String writes the ID as error messages show it: group/Kind namespace/name.
func (id ID) String() string {
	var b strings.Builder
	if id.Group != "" {
		b.WriteString(id.Group + "/")
	}
	b.WriteString(id.Kind + " ")
	if id.Namespace != "" {
		b.WriteString(id.Namespace + "/")
	}
	b.WriteString(id.Name)
	return strings.TrimSpace(b.String())
}

// Naming says what an item's name rests on.
type Naming int

const (
	// ByName is the usual case: metadata.name.
	ByName Naming = iota
	// ByGenerateName has metadata.generateName stand in for a missing name.
	ByGenerateName
	// ByPath identifies an item by where it lies in its side: one with neither
	// name (a kustomization.yaml), or a Kptfile, whose name belongs to the copy
	// and not to the package.
	ByPath
)

// Meta is what an item says about itself.
type Meta struct {
	APIVersion, Kind, Namespace, Name string
	// Comment is the line comment of the metadata key, "" if there is none.
	Comment string
	Naming  Naming
}

// PlainID is what the metadata alone says, whatever the comment says.
func (m Meta) PlainID() ID {
	return ID{Group: Group(m.APIVersion), Kind: m.Kind, Namespace: m.Namespace, Name: m.Name}
}

// Group is the API group of an apiVersion: "apps" of "apps/v1", "" of "v1".
func Group(apiVersion string) string {
	group, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return group
}

// Version is the version of an apiVersion: "v1" of "apps/v1" and of "v1".
func Version(apiVersion string) string {
	return apiVersion[strings.LastIndex(apiVersion, "/")+1:]
}

// ReadMeta reads what item, a mapping, says about itself. Fields that are
// missing or are no strings read as "".
func ReadMeta(item *yaml.Node) Meta {
	m := Meta{APIVersion: scalar(item, "apiVersion"), Kind: scalar(item, "kind")}
	key, metadata := yamlnode.Entry(item, "metadata")
	if key != nil {
		m.Comment = key.LineComment
		if m.Comment == "" {
			m.Comment = metadata.LineComment
		}
	}
	m.Name, m.Namespace = scalar(metadata, "name"), scalar(metadata, "namespace")
	return m.Named(scalar(metadata, "generateName"))
}

// Named is the Meta of a resource with its naming, which its name says, else its
// generateName.
func (m Meta) Named(generateName string) Meta {
	switch {
	case m.Kind == "Kptfile" && Group(m.APIVersion) == "kpt.dev":
		m.Naming = ByPath
	case m.Name != "":
	case generateName != "":
		m.Name, m.Naming = generateName, ByGenerateName
	default:
		m.Naming = ByPath
	}
	return m
}

func scalar(mapping *yaml.Node, name string) string {
	if v := yamlnode.Field(mapping, name); v != nil && v.Kind == yaml.ScalarNode && v.ShortTag() != "!!null" {
		return v.Value
	}
	return ""
}

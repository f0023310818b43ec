package managed

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Apply and Update are the operations by which a manager comes to own fields.
const (
	Apply  = "Apply"
	Update = "Update"
)

// Owner says who owns fields: a manager, by an operation on the object or on one
// of its subresources.
type Owner struct {
	Manager, Operation, Subresource string
	// APIVersion tells the Update entries of one manager apart. A manager has one
	// Apply entry, whatever its version.
	APIVersion string
}

// Same reports whether two owners are one, as a server tells them apart.
func (o Owner) Same(other Owner) bool {
	if o.Operation == Apply && other.Operation == Apply {
		o.APIVersion = other.APIVersion
	}
	return o == other
}

// String is the owner as kubectl's messages name it.
func (o Owner) String() string {
	out := fmt.Sprintf("%q", o.Manager)
	if o.Subresource != "" {
		out += fmt.Sprintf(" with subresource %q", o.Subresource)
	}
	if o.Operation == Update {
		out += " using " + o.APIVersion
	}
	return out
}

// Entry is one entry of metadata.managedFields.
type Entry struct {
	Owner
	// Time is as it stands, "" where there is none.
	Time   string
	Fields *Set

	node *yaml.Node // as which it was read
	read *Entry     // what was read
}

func readEntry(n *yaml.Node) (Entry, error) {
	e := Entry{Time: textOf(n, "time"), Owner: Owner{
		Manager:     textOf(n, "manager"),
		Operation:   textOf(n, "operation"),
		Subresource: textOf(n, "subresource"),
		APIVersion:  textOf(n, "apiVersion"),
	}}
	switch kind := textOf(n, "fieldsType"); {
	case n.Kind != yaml.MappingNode:
		return e, fmt.Errorf("line %d: want a map", n.Line)
	case e.Operation != Apply && e.Operation != Update:
		return e, fmt.Errorf("line %d: operation %q is unknown, want Apply or Update", n.Line, e.Operation)
	case e.APIVersion == "":
		return e, fmt.Errorf("line %d: apiVersion is missing", n.Line)
	case kind != "FieldsV1":
		return e, fmt.Errorf("line %d: fieldsType %q is unknown, want FieldsV1", n.Line, kind)
	}
	var err error
	e.Fields, err = Read(yamlnode.Field(n, "fieldsV1"))
	read := e
	e.node, e.read = n, &read
	return e, err
}

func textOf(n *yaml.Node, name string) string { return yamlnode.Text(yamlnode.Field(n, name)) }

// Node is the entry as it stands if nothing changed in it, else as a server
// writes it.
func (e Entry) Node() *yaml.Node {
	if e.unchanged() {
		return e.node
	}
	n := yamlnode.EmptyMap()
	put := func(name string, value *yaml.Node) { n.Content = append(n.Content, yamlnode.String(name), value) }
	put("apiVersion", yamlnode.String(e.APIVersion))
	put("fieldsType", yamlnode.String("FieldsV1"))
	put("fieldsV1", e.Fields.Node())
	put("manager", yamlnode.String(e.Manager))
	put("operation", yamlnode.String(e.Operation))
	if e.Subresource != "" {
		put("subresource", yamlnode.String(e.Subresource))
	}
	if e.Time != "" {
		time := yamlnode.String(e.Time)
		time.Style = yaml.DoubleQuotedStyle
		put("time", time)
	}
	return n
}

// unchanged reports whether the entry says what was read.
func (e Entry) unchanged() bool {
	return e.read != nil && e.Owner == e.read.Owner && e.Time == e.read.Time && Equal(e.Fields, e.read.Fields)
}

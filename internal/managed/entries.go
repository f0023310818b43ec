package managed

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Entries is a list of managedFields.
type Entries []Entry

// ReadEntries reads metadata.managedFields. The last entry of an owner counts.
func ReadEntries(list *yaml.Node) (Entries, error) {
	list = yamlnode.Resolve(list)
	if list == nil {
		return nil, nil
	}
	if list.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("line %d: managedFields is not a list", list.Line)
	}
	var out Entries
	for i, n := range list.Content {
		e, err := readEntry(yamlnode.Resolve(n))
		if err != nil {
			return nil, fmt.Errorf("managedFields[%d]: %w", i, err)
		}
		if at := out.index(e.Owner); at >= 0 {
			out = slices.Delete(out, at, at+1)
		}
		out = append(out, e)
	}
	return out, nil
}

func (es Entries) index(o Owner) int {
	return slices.IndexFunc(es, func(e Entry) bool { return e.Same(o) })
}

// With returns the list with other fields for an owner. An entry without fields goes. A server lists Apply before
// Update, and older entries before newer ones: a new entry, which has no time yet, is the last of its operation.
func (es Entries) With(o Owner, fields *Set) Entries {
	out, at := slices.Clone(es), es.index(o)
	switch {
	case fields.Empty() && at >= 0:
		return slices.Delete(out, at, at+1)
	case fields.Empty():
		return out
	case at >= 0:
		out[at].Owner, out[at].Fields = o, fields
		return out
	}
	newer := slices.IndexFunc(es, func(e Entry) bool { return e.Operation > o.Operation })
	if newer < 0 {
		newer = len(out)
	}
	return slices.Insert(out, newer, Entry{Owner: o, Fields: fields})
}

// Node returns the list as a server writes it, nil if there are no entries.
func (es Entries) Node() *yaml.Node {
	if len(es) == 0 {
		return nil
	}
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, e := range es {
		n.Content = append(n.Content, e.Node())
	}
	return n
}

// Apply and Update are the operations that make a manager the owner of fields.
const (
	Apply  = "Apply"
	Update = "Update"
)

// Owner is the owner of fields: a manager, by an operation on the object or on one of its subresources.
type Owner struct {
	Manager, Operation, Subresource string
	// APIVersion distinguishes the Update entries of one manager. A manager has one Apply entry for all versions.
	APIVersion string
}

// Same reports whether two owners are one for a server.
func (o Owner) Same(other Owner) bool {
	if o.Operation == Apply && other.Operation == Apply {
		o.APIVersion = other.APIVersion
	}
	return o == other
}

// String returns the owner's name in kubectl's messages.
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
	Time   string // as written, "" if there is none
	Fields *Set

	node *yaml.Node // the node that was read
	read *Entry     // its content
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

// Node returns the node that was read if the entry did not change, else the entry as a server writes it.
func (e Entry) Node() *yaml.Node {
	if e.read != nil && e.Owner == e.read.Owner && e.Time == e.read.Time && Equal(e.Fields, e.read.Fields) {
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

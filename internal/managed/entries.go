package managed

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Entries is a list of managedFields.
type Entries []Entry

// ReadEntries reads metadata.managedFields. Of two entries of one owner the last
// counts.
func ReadEntries(list *yaml.Node) (Entries, error) {
	list = yamlnode.Resolve(list)
	if list == nil {
		return nil, nil
	}
	if list.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("line %d: managedFields is no list", list.Line)
	}
	var out Entries
	for i, n := range list.Content {
		e, err := readEntry(yamlnode.Resolve(n))
		if err != nil {
			return nil, fmt.Errorf("managedFields[%d]: %w", i, err)
		}
		if at := out.Index(e.Owner); at >= 0 {
			out = slices.Delete(out, at, at+1)
		}
		out = append(out, e)
	}
	return out, nil
}

// Index is the index of an owner's entry, -1 if there is none.
func (es Entries) Index(o Owner) int {
	return slices.IndexFunc(es, func(e Entry) bool { return e.Same(o) })
}

// Fields are the fields of an owner.
func (es Entries) Fields(o Owner) *Set {
	if at := es.Index(o); at >= 0 {
		return es[at].Fields
	}
	return nil
}

// With is the list in which an owner has these fields. An entry without fields
// goes. A server lists Apply before Update, and the older before the newer: so an
// entry that is new, which has no time yet, is the last of its operation.
func (es Entries) With(o Owner, fields *Set) Entries {
	out, at := slices.Clone(es), es.Index(o)
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

// Node is the list as a server writes it, nil if there are no entries.
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

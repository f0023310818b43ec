package merge

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// areResources reports whether all elements of the sides' lists are resources with
// a name.
func (c collator) areResources(lists [3][]*yaml.Node) bool {
	for _, list := range lists {
		for _, n := range list {
			if _, ok := c.resourceKey(n); !ok {
				return false
			}
		}
	}
	return true
}

// resourceKey tells the items of a List apart: by group, kind, namespace and
// name, their own (design 4, step 3). No client writes merge comments into a List.
func (c collator) resourceKey(n *yaml.Node) (elementKey, bool) {
	e := identity.Entry{Meta: identity.ReadMeta(n)}
	if e.Kind == "" {
		e.APIVersion, e.Kind = c.itemKind()
	}
	if e.Kind == "" || e.Naming == identity.ByPath {
		return elementKey{}, false
	}
	id := e.Own()
	k := elementKey{text: strings.Join([]string{id.Group, id.Kind, id.Namespace, id.Name}, "\x00")}
	for _, part := range [3][2]string{{"kind", id.Kind}, {"namespace", id.Namespace}, {"name", id.Name}} {
		if part[1] != "" {
			k.parts = append(k.parts, KeyValue{Name: part[0], Value: defaultNode(part[1])})
		}
	}
	return k, true
}

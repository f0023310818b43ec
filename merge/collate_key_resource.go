package merge

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// pairResources tells the items of a List apart: by group, kind, namespace and
// name, their own (design 4, step 3). No client writes merge comments into a List. An
// item that local has under another namespace goes by origin's or upstream's key, as
// a resource outside of a List does (design 2). It returns nil if an item has no name.
func (c collator) pairResources(lists [3][]*yaml.Node) identify {
	var entries [3][]identity.Entry
	keys := map[*yaml.Node]elementKey{}
	for side, list := range lists {
		for _, n := range list {
			e := c.item(n)
			if e.Kind == "" || e.Naming == identity.ByPath {
				return nil
			}
			entries[side] = append(entries[side], e)
			keys[n] = resourceKey(e.Own())
		}
	}
	// An error says that a side has an item twice, and then the items go by their own keys.
	matches, _ := identity.Match(entries, identity.Options{
		Moves: c.moves,
		Likeness: func(side identity.Side, at, other int) float64 {
			if SameButNamed(lists[side][at], lists[local][other]) {
				return 1
			}
			return 0
		},
		Content: func(side identity.Side, at int) int { return content(lists[side][at]) },
	})
	for _, t := range matches.Triples {
		if t.OtherNamespace {
			n := lists[local][t.At[local]]
			keys[n] = elementKey{text: resourceKey(t.ID).text, parts: keys[n].parts}
		}
	}
	return func(n *yaml.Node) (elementKey, bool) { k, ok := keys[n]; return k, ok }
}

// content is how many fields an item has beside those that say which one it is.
func content(n *yaml.Node) (count int) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i].Value; k != "apiVersion" && k != "kind" && k != "metadata" {
			count++
		}
	}
	return count
}

// item is an item of a List as matching sees it.
func (c collator) item(n *yaml.Node) identity.Entry {
	e := identity.Entry{Meta: identity.ReadMeta(n)}
	e.Comment = ""
	if e.Kind == "" {
		e.APIVersion, e.Kind = c.itemKind()
	}
	e.ClusterScoped = c.kind.IsClusterScoped(identity.Group(e.APIVersion), e.Kind)
	return e
}

// resourceKey is the key of a resource in a List.
func resourceKey(id identity.ID) elementKey {
	k := elementKey{text: strings.Join([]string{id.Group, id.Kind, id.Namespace, id.Name}, "\x00")}
	for _, part := range [3][2]string{{"kind", id.Kind}, {"namespace", id.Namespace}, {"name", id.Name}} {
		if part[1] != "" {
			k.parts = append(k.parts, KeyValue{Name: part[0], Value: defaultNode(part[1])})
		}
	}
	return k
}

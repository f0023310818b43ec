package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// collateMap makes a child of each key that a side has.
func collateMap(e *element) {
	var known names
	var children []*element
	for _, side := range [3]identity.Side{local, upstream, origin} {
		content := e.parts(side, yaml.MappingNode)
		known.next = 0
		for i := 0; i+1 < len(content); i += 2 {
			name := valueOf(content[i])
			at, found := known.find(name)
			if !found {
				at = len(children)
				known.add(name)
				children = append(children, &element{path: e.path.Field(content[i].Value)})
			}
			children[at].key[side], children[at].value[side] = content[i], content[i+1]
			e.order[side] = append(e.order[side], at)
		}
	}
	for _, child := range children {
		name := child.path.field
		child.typ = e.typ.Field(name)
		child.migration = e.migration.below(child.typ, e.migration.was.Field(name))
		child.apart = e.typ != nil && slices.Contains(e.typ.Apart, name)
		child.foreign = e.migration.lacks(child, e.typ)
	}
	e.children = children
}

package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// collateMap makes a child of each key that a side has.
func collateMap(e *element) {
	var sides [3][]*yaml.Node
	most := 0
	for _, side := range identity.Sides() {
		sides[side] = e.parts(side, yaml.MappingNode)
		most = max(most, len(sides[side])/2)
	}
	known := names{list: make([]value, 0, most)}
	children, room := make([]*element, 0, most), make([]element, most)
	for _, side := range [3]identity.Side{local, upstream, origin} {
		content := sides[side]
		known.next = 0
		e.order[side] = make([]int, 0, len(content)/2)
		for i := 0; i+1 < len(content); i += 2 {
			at, found := known.find(valueOf(content[i]))
			if !found {
				at = len(children)
				known.add(valueOf(content[i]))
				if len(room) == 0 {
					room = make([]element, 4)
				}
				room[0].path = e.path.Field(content[i].Value)
				children, room = append(children, &room[0]), room[1:]
			}
			children[at].key[side], children[at].value[side] = content[i], content[i+1]
			e.order[side] = append(e.order[side], at)
		}
	}
	e.children = children
	e.typeFields()
}

// typeFields tells the fields of a map what the schema says of them.
func (e *element) typeFields() {
	for _, child := range e.children {
		name := child.path.field
		child.typ = e.typ.Field(name)
		child.migration = e.migration.below(child.typ, e.migration.was.Field(name))
		child.apart = e.typ != nil && slices.Contains(e.typ.Apart, name)
		child.foreign = e.migration.lacks(child, e.typ)
	}
}

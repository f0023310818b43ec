package apply

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// isKeyed reports whether the elements of a list are owned one by one.
func isKeyed(typ *schema.Type, all *managed.Set) bool {
	if typ != nil && (typ.Relation == schema.ListMap || typ.Relation == schema.Set) {
		return true
	}
	for step := range all.Children() {
		if _, field := step.FieldName(); !field {
			return true
		}
	}
	return false
}

// stepTo returns the step to an element in managedFields.
func stepTo(typ *schema.Type, known *ownedElements, all *managed.Set, element *yaml.Node, index int) managed.Step {
	if step, ok := known.stepTo(all, element, index); ok {
		return step
	}
	if typ == nil || typ.Relation != schema.ListMap {
		return managed.Value(element)
	}
	var parts []managed.KeyPart
	for _, k := range typ.Keys {
		parts = append(parts, managed.KeyPart{Name: k.Name, Value: yamlnode.Field(element, k.Name)})
	}
	return managed.Key(parts...)
}

// withKey returns an element with the fields of its key, in the order of the live element.
func withKey(v, live *yaml.Node, names []string) *yaml.Node {
	for _, name := range names {
		if field := yamlnode.Field(live, name); field != nil && yamlnode.Field(v, name) == nil {
			v = yamlnode.Put(v, live, name, field)
		}
	}
	return v
}

// covers reports whether a live value is the applied one, but for fields that the applied one lacks: defaults.
func covers(live, last *yaml.Node) bool {
	if live.Kind != last.Kind {
		return false
	}
	switch live.Kind {
	case yaml.MappingNode:
		field := yamlnode.Fields(live)
		for key, value := range yamlnode.Pairs(last) {
			if v := field(key.Value); v == nil || !covers(v, value) {
				return false
			}
		}
		return true
	case yaml.SequenceNode:
		return slices.EqualFunc(live.Content, last.Content, covers)
	}
	return merge.Same(live, last)
}

// appliedElements finds elements of the list that was applied last. Their keys may lack parts with defaults.
type appliedElements struct {
	elements []*yaml.Node
	keys     map[string]keyIndex // by the names of the key, joined
}

// keyIndex finds the first element with certain parts of a key. present lists the sets of parts that elements have.
type keyIndex struct {
	present [][]bool
	first   map[string]int
}

// find returns the first element with the key of a live element, but for parts that it lacks, or with its value if
// there are no names; nil if there is none.
func (a appliedElements) find(live *yaml.Node, names []string) *yaml.Node {
	joined := strings.Join(names, ",")
	index, known := a.keys[joined]
	if !known {
		index = newKeyIndex(a.elements, names)
		a.keys[joined] = index
	}
	first := len(a.elements)
	for _, present := range index.present {
		if i, found := index.first[keyText(live, names, present)]; found {
			first = min(first, i)
		}
	}
	if first == len(a.elements) {
		return nil
	}
	return a.elements[first]
}

func newKeyIndex(elements []*yaml.Node, names []string) keyIndex {
	out := keyIndex{first: map[string]int{}}
	for i, e := range elements {
		present := make([]bool, len(names))
		for at, name := range names {
			present[at] = yamlnode.Field(e, name) != nil
		}
		if names != nil && !slices.Contains(present, true) {
			continue
		}
		if !slices.ContainsFunc(out.present, func(other []bool) bool { return slices.Equal(other, present) }) {
			out.present = append(out.present, present)
		}
		text := keyText(e, names, present)
		if _, found := out.first[text]; !found {
			out.first[text] = i
		}
	}
	return out
}

// keyText returns a text of the present parts of a key, or of the element of a set.
func keyText(e *yaml.Node, names []string, present []bool) string {
	if names == nil {
		return managed.JSON(e)
	}
	var b strings.Builder
	for at, name := range names {
		if v := yamlnode.Field(e, name); present[at] && v != nil {
			b.WriteString(managed.JSON(v))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

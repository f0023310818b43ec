package pkgmerge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// appliedElements are the elements of a list that was applied last, by what they say of keys.
type appliedElements struct {
	elements []*yaml.Node
	keys     map[string]saidKeys // by the names of the key, joined
}

// saidKeys are the elements of a list by the parts of a key that they have.
type saidKeys struct {
	// said are the sets of names that elements have, and by the indices of the elements
	// by the parts that they have.
	said [][]bool
	by   map[string][]int
}

func newAppliedElements(elements []*yaml.Node) appliedElements {
	return appliedElements{elements: elements, keys: map[string]saidKeys{}}
}

// find is the first element that became an element of the live list: it has the parts of
// its key that are no defaults; of a set, which has no names, its value. nil if there is none.
func (a appliedElements) find(live *yaml.Node, names []string) *yaml.Node {
	name := strings.Join(names, ",")
	known, done := a.keys[name]
	if !done {
		known = a.index(names)
		a.keys[name] = known
	}
	first := -1
	for _, said := range known.said {
		for _, i := range known.by[partsOf(live, names, said)] {
			if (first < 0 || i < first) && becomes(a.elements[i], live, names, said) {
				first = i
				break
			}
		}
	}
	if first < 0 {
		return nil
	}
	return a.elements[first]
}

func (a appliedElements) index(names []string) saidKeys {
	out := saidKeys{by: map[string][]int{}}
	for i, e := range a.elements {
		said := make([]bool, len(names))
		for at, name := range names {
			said[at] = yamlnode.Field(e, name) != nil
		}
		if names != nil && !slices.Contains(said, true) {
			continue
		}
		if !slices.ContainsFunc(out.said, func(other []bool) bool { return slices.Equal(other, said) }) {
			out.said = append(out.said, said)
		}
		text := partsOf(e, names, said)
		out.by[text] = append(out.by[text], i)
	}
	return out
}

// partsOf is a text of the parts of a key that are said; of the element of a set, of its value.
func partsOf(e *yaml.Node, names []string, said []bool) string {
	if names == nil {
		return managed.JSON(e)
	}
	var b strings.Builder
	for at, name := range names {
		if v := yamlnode.Field(e, name); said[at] && v != nil {
			b.WriteString(managed.JSON(v))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// becomes reports whether an element is the same as the live one in the parts that are said.
func becomes(e, live *yaml.Node, names []string, said []bool) bool {
	if names == nil {
		return merge.Same(e, live)
	}
	for at, name := range names {
		if said[at] && !merge.Same(yamlnode.Field(e, name), yamlnode.Field(live, name)) {
			return false
		}
	}
	return true
}

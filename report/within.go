package report

import (
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// maxWithin is the number of differences within a value that are shown one by one; the value of more is shown whole.
const maxWithin = 6

// within returns the differences within a long list or map that changes as a whole, with their paths below it; nil if there
// are too many of them, or if its values are short enough to be shown. The differing parts of such a value may be where it is
// cut.
func within(from, to *yaml.Node) []valueDifference {
	isLong := func(n *yaml.Node) bool {
		return n != nil && n.Kind != yaml.ScalarNode && len(wording.Flow(n)) > maxDrift
	}
	if from == nil || to == nil || from.Kind != to.Kind || !isLong(from) && !isLong(to) {
		return nil
	}
	d := differencesWithin{remaining: maxNodes}
	if d.value("", from, to); len(d.found) > maxWithin || d.remaining < 0 || len(d.found) == 1 && d.found[0].path == "" {
		return nil
	}
	return d.found
}

// valueDifference is a difference within a value; from or to is nil if the part is absent.
type valueDifference struct {
	path     string
	from, to *yaml.Node
}

// differencesWithin compares two values, up to a number of nodes.
type differencesWithin struct {
	remaining int
	found     []valueDifference
}

func (d *differencesWithin) value(path string, from, to *yaml.Node) {
	if d.remaining--; d.remaining < 0 || len(d.found) > maxWithin {
		return
	}
	switch {
	case from != nil && to != nil && merge.Same(from, to):
	case from == nil, to == nil, from.Kind != to.Kind, from.Kind == yaml.ScalarNode:
		d.found = append(d.found, valueDifference{path, from, to})
	case from.Kind == yaml.MappingNode:
		d.maps(from, to, func(name string) string { return path + "." + name })
	default:
		if name := elementName([3]*yaml.Node{from, to, nil}); name != "" {
			d.maps(mapByName(from, name), mapByName(to, name), func(value string) string {
				return path + "[" + name + "=" + strconv.Quote(value) + "]"
			})
			return
		}
		d.lists(path, from.Content, to.Content)
	}
}

func (d *differencesWithin) maps(from, to *yaml.Node, path func(string) string) {
	was, is := yamlnode.Fields(from), yamlnode.Fields(to)
	for _, name := range namesOfAll([3]*yaml.Node{from, to, nil}) {
		d.value(path(name), was(name), is(name))
	}
}

// lists compares elements without names: those between the equal ones at both ends, by their indices in the list that has them.
func (d *differencesWithin) lists(path string, from, to []*yaml.Node) {
	start := 0
	for start < min(len(from), len(to)) && merge.Same(from[start], to[start]) {
		start++
	}
	end := 0
	for end < min(len(from), len(to))-start && merge.Same(from[len(from)-1-end], to[len(to)-1-end]) {
		end++
	}
	was, is := from[start:len(from)-end], to[start:len(to)-end]
	for i := range max(len(was), len(is)) {
		d.value(path+"["+strconv.Itoa(start+i)+"]", at(was, i), at(is, i))
	}
}

// at returns an element of a list, nil behind its end.
func at(list []*yaml.Node, i int) *yaml.Node {
	if i >= len(list) {
		return nil
	}
	return list[i]
}

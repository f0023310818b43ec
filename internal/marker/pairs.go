package marker

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// pair finds the parts of a collection that belong together: fields by name,
// elements by the key by which the merge told them apart. What origin alone has stands where
// it was. It is not ok if a side
// has two of one name, or if the sides have common ones in another order: then no
// part stands for itself.
func pair(s spots, at *collisions) (rows []spots, ok bool) {
	var names [3][]string
	var index [3]map[string]int
	for side, spot := range s {
		if spot == nil {
			continue
		}
		names[side], ok = namesOf(spot, at.keys())
		if ok {
			index[side], ok = indexOf(names[side])
		}
		if !ok && Side(side) != Base {
			return nil, false
		}
	}
	both := interleave(names[Ours], names[Theirs], index[Ours], index[Theirs])
	first, gone := removedByBoth(names, index)
	rows = appendGone(rows, s, first)
	for _, row := range both {
		var r spots
		name := ""
		if row[1] >= 0 {
			r[Theirs], name = &s[Theirs].Kids[row[1]], names[Theirs][row[1]]
		}
		if row[0] >= 0 {
			r[Ours], name = &s[Ours].Kids[row[0]], names[Ours][row[0]]
		}
		if i, found := index[Base][name]; found {
			r[Base] = &s[Base].Kids[i]
		}
		rows = append(rows, r)
		rows = appendGone(rows, s, gone[name])
	}
	return rows, len(both) > 0
}

// removedByBoth finds the names that origin alone has, as indices: those that stand first there,
// and the others by the name of a side that they follow.
func removedByBoth(names [3][]string, index [3]map[string]int) (first []int, after map[string][]int) {
	after = map[string][]int{}
	previous := -1
	for i, name := range names[Base] {
		_, inOurs := index[Ours][name]
		_, inTheirs := index[Theirs][name]
		switch {
		case inOurs || inTheirs:
			previous = i
		case previous < 0:
			first = append(first, i)
		default:
			after[names[Base][previous]] = append(after[names[Base][previous]], i)
		}
	}
	return first, after
}

// appendGone appends parts that origin alone has.
func appendGone(rows []spots, s spots, gone []int) []spots {
	for _, i := range gone {
		rows = append(rows, spots{Base: &s[Base].Kids[i]})
	}
	return rows
}

// interleave brings two lists of names into one order, as pairs of indices, -1
// where a list lacks the name; nil if they have common names in another order.
func interleave(a, b []string, inA, inB map[string]int) (rows [][2]int) {
	j := 0
	for i, name := range a {
		at, found := inB[name]
		if !found {
			rows = append(rows, [2]int{i, -1})
			continue
		}
		if at < j {
			return nil
		}
		for ; j < at; j++ {
			if _, both := inA[b[j]]; both {
				return nil
			}
			rows = append(rows, [2]int{-1, j})
		}
		rows = append(rows, [2]int{i, j})
		j++
	}
	for ; j < len(b); j++ {
		if _, both := inA[b[j]]; both {
			return nil
		}
		rows = append(rows, [2]int{-1, j})
	}
	return rows
}

// namesOf names the parts of a collection.
func namesOf(s *manifest.Spot, keys []string) (names []string, ok bool) {
	for i := range s.Kids {
		name, ok := nameOf(&s.Kids[i], keys)
		if !ok {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

func nameOf(s *manifest.Spot, keys []string) (name string, ok bool) {
	if s.Key != nil {
		key := yamlnode.Resolve(s.Key)
		return key.Value, key.Kind == yaml.ScalarNode && key.Tag != "!!merge"
	}
	var parts []string
	for _, key := range keys {
		text, found := keyText(s.Value, key)
		ok = ok || found
		parts = append(parts, text)
	}
	return strings.Join(parts, "\x00"), ok
}

// indexOf finds names; it is not ok if one is there twice.
func indexOf(names []string) (index map[string]int, ok bool) {
	index = make(map[string]int, len(names))
	for i, name := range names {
		index[name] = i
	}
	return index, len(index) == len(names)
}

package marker

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
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

// oneByOne merges elements that all three sides have in one place of a list without keys,
// each for itself. It is not ok if a side has another number of them, or if an
// element is not mostly what it was: then nothing tells which of them became which.
func oneByOne(elements [3][][]byte) (out Pieces, ok bool) {
	if len(elements[Base]) == 0 || len(elements[Ours]) != len(elements[Base]) || len(elements[Theirs]) != len(elements[Base]) {
		return nil, false
	}
	for i, base := range elements[Base] {
		ours, theirs := elements[Ours][i], elements[Theirs][i]
		if !mostlyAlike(base, ours) || !mostlyAlike(base, theirs) {
			return nil, false
		}
		switch {
		case bytes.Equal(base, ours):
			out.same(theirs)
		case bytes.Equal(base, theirs):
			out.same(ours)
		default:
			out.append(lineByLine(ours, base, theirs))
		}
	}
	return out, true
}

// lineByLine merges an element that both sides changed line by line, as git does. It
// is one conflict if a mixture of what collides then cannot be read as one element, or has a
// scalar in a list more or less often than the changes of both sides say.
func lineByLine(ours, base, theirs []byte) Pieces {
	var out, whole Pieces
	whole.conflict(ours, base, theirs)
	stretches := merge.Lines([3]string{identity.Origin: string(base), identity.Upstream: string(theirs), identity.Local: string(ours)})
	for _, s := range stretches {
		if !s.Collides {
			out.same([]byte(s.Text))
			continue
		}
		out.conflict([]byte(s.Versions[identity.Local]), []byte(s.Versions[identity.Origin]), []byte(s.Versions[identity.Upstream]))
	}
	var versions [3]*yaml.Node
	for side, text := range [3][]byte{Ours: ours, Base: base, Theirs: theirs} {
		versions[side] = elementIn(text)
	}
	for _, choose := range Mixtures() {
		if merged := elementIn(out.Resolve(choose)); merged == nil || !isFaithful(versions, merged, !out.Conflict()) {
			return whole
		}
	}
	return out
}

// elementIn reads a text that is a list of one element; nil if it is none.
func elementIn(text []byte) *yaml.Node {
	if first := bytes.TrimLeft(text, " "); bytes.HasPrefix(first, []byte("}, {")) || bytes.HasPrefix(first, []byte("], [")) {
		text = slices.Concat([]byte("["), first[len("}, "):], first[:1], []byte("]"))
	}
	var n yaml.Node
	if err := yaml.Unmarshal(text, &n); err != nil || len(n.Content) != 1 {
		return nil
	}
	if list := n.Content[0]; list.Kind == yaml.SequenceNode && len(list.Content) == 1 && !repeats(list) {
		return list.Content[0]
	}
	return nil
}

// mostlyAlike reports whether two elements have half of their lines in common.
func mostlyAlike(a, b []byte) bool {
	x, y := slices.Collect(strings.Lines(string(a))), slices.Collect(strings.Lines(string(b)))
	common := 0
	for _, at := range align.Lines(x, y) {
		if at >= 0 {
			common++
		}
	}
	return 2*common >= max(len(x), len(y))
}

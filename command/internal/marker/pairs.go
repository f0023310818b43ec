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
	"github.com/resource-merge/resource-merge/merge/schema"
)

// pairParts pairs the parts of a collection: fields by name, elements by the key that the merge
// used, whose fields have the names in keys. Parts of origin alone stay where they were. It is not ok if a name of a side is not unique,
// or if the sides have common names in different orders.
func pairParts(s entryVersions, keys []string) (rows []entryVersions, ok bool) {
	names, index, ok := nameParts(s, keys)
	if !ok {
		return nil, false
	}
	both := interleave(names[Ours], names[Theirs], index[Ours], index[Theirs])
	first, removed := removedByBoth(names, index)
	rows = appendRemoved(rows, s, first)
	for _, row := range both {
		var r entryVersions
		name := ""
		if row[1] >= 0 {
			r[Theirs], name = &s[Theirs].Children[row[1]], names[Theirs][row[1]]
		}
		if row[0] >= 0 {
			r[Ours], name = &s[Ours].Children[row[0]], names[Ours][row[0]]
		}
		if i, found := index[Base][name]; found {
			r[Base] = &s[Base].Children[i]
		}
		rows = append(rows, r)
		rows = appendRemoved(rows, s, removed[name])
	}
	return rows, len(both) > 0
}

// nameParts names the parts of each version of a collection. It is not ok if a name of ours or theirs is missing
// or not unique.
func nameParts(s entryVersions, keys []string) (names [3][]string, index [3]map[string]int, ok bool) {
	for side, entry := range s {
		if entry == nil {
			continue
		}
		if names[side], ok = partNames(entry, keys); ok {
			index[side], ok = indexNames(names[side])
		}
		if !ok && Side(side) != Base {
			return names, index, false
		}
	}
	return names, index, true
}

// removedByBoth returns the indices of names that only origin has: first are those before all other
// names, and after has the others by the preceding name that a side has.
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

// appendRemoved appends parts that only origin has.
func appendRemoved(rows []entryVersions, s entryVersions, removed []int) []entryVersions {
	for _, i := range removed {
		rows = append(rows, entryVersions{Base: &s[Base].Children[i]})
	}
	return rows
}

// interleave merges two lists of names into one order, as pairs of indices; -1 means that a list
// lacks the name. It returns nil if common names are in different orders.
func interleave[N comparable](a, b []N, inA, inB map[N]int) (rows [][2]int) {
	j := 0
	for i, name := range a {
		at, found := inB[name]
		if !found {
			rows = append(rows, [2]int{i, -1})
			continue
		}
		if at < j || !appendSecond(&rows, b[:at], j, inA) {
			return nil
		}
		rows = append(rows, [2]int{i, at})
		j = at + 1
	}
	if !appendSecond(&rows, b, j, inA) {
		return nil
	}
	return rows
}

// appendSecond appends a row for each name of the second list from an index on. It reports whether the first list
// has none of these names.
func appendSecond[N comparable](rows *[][2]int, b []N, from int, inA map[N]int) bool {
	for j := from; j < len(b); j++ {
		if _, both := inA[b[j]]; both {
			return false
		}
		*rows = append(*rows, [2]int{-1, j})
	}
	return true
}

// partNames returns the names of the parts of a collection.
func partNames(s *manifest.Spot, keys []string) (names []string, ok bool) {
	for i := range s.Children {
		name, ok := partName(&s.Children[i], keys)
		if !ok {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// partName returns a field's name, or the values of an element's key fields.
func partName(s *manifest.Spot, keys []string) (name string, ok bool) {
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

// keyText returns the text of one part of an element's key. The part "" is the element itself.
func keyText(n *yaml.Node, name string) (string, bool) {
	if n = yamlnode.Resolve(n); name != "" {
		n = yamlnode.Resolve(yamlnode.Lookup(n, strings.Split(name, ".")...))
	}
	if n == nil || n.Kind != yaml.ScalarNode {
		return "", false
	}
	return n.Value, true
}

// indexNames maps names to their indices; it is not ok if a name is not unique.
func indexNames[N comparable](names []N) (index map[N]int, ok bool) {
	index = make(map[N]int, len(names))
	for i, name := range names {
		index[name] = i
	}
	return index, len(index) == len(names)
}

// mergeOneByOne merges the elements of a list without keys by index. It is not ok if a side has
// another number of elements, or if an element has changed too much to be certain of its index.
func mergeOneByOne(elements [3][][]byte) (out Pieces, ok bool) {
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
			out.addSame(theirs)
		case bytes.Equal(base, theirs):
			out.addSame(ours)
		default:
			out.addAll(mergeLineByLine(ours, base, theirs))
		}
	}
	return out, true
}

// mergeLineByLine merges an element that both sides changed line by line, as git does. The element
// is a single conflict if a mixture of the result is not one element, has a scalar in a list
// more or less often than the changes of both sides require, or has parts of one value from both sides.
func mergeLineByLine(ours, base, theirs []byte) Pieces {
	var out, single Pieces
	single.addConflict(ours, base, theirs)
	chunks := merge.Lines([3]string{identity.Origin: string(base), identity.Upstream: string(theirs), identity.Local: string(ours)})
	for _, s := range chunks {
		if !s.Collides {
			out.addSame([]byte(s.Text))
			continue
		}
		out.addConflict([]byte(s.Versions[identity.Local]), []byte(s.Versions[identity.Origin]), []byte(s.Versions[identity.Upstream]))
	}
	var versions [3]*yaml.Node
	for side, text := range [3][]byte{Ours: ours, Base: base, Theirs: theirs} {
		versions[side] = parseElement(text)
	}
	for _, choose := range Mixtures() {
		if merged := parseElement(out.Resolve(choose)); merged == nil || !isFaithful(versions, merged, !out.Conflict()) || mixesParts(versions, merged) {
			return single
		}
	}
	return out
}

// mixesParts reports whether a merged element has parts of one value from several versions, such as a tag with the other side's digest.
func mixesParts(versions [3]*yaml.Node, merged *yaml.Node) bool {
	var sides [3]*yaml.Node
	sides[identity.Local], sides[identity.Origin], sides[identity.Upstream] = versions[Ours], versions[Base], versions[Theirs]
	_, mixed := merge.Mixed(sides, merged, schema.Resource{})
	return mixed
}

// parseElement parses a list of one element, and returns the element; nil if the text is anything else.
func parseElement(text []byte) *yaml.Node {
	if first := bytes.TrimLeft(text, " "); bytes.HasPrefix(first, []byte("}, {")) || bytes.HasPrefix(first, []byte("], [")) {
		text = slices.Concat([]byte("["), first[len("}, "):], first[:1], []byte("]"))
	}
	var n yaml.Node
	if err := yaml.Unmarshal(text, &n); err != nil || len(n.Content) != 1 {
		return nil
	}
	if list := n.Content[0]; list.Kind == yaml.SequenceNode && len(list.Content) == 1 && !hasDuplicateKeys(list) {
		return list.Content[0]
	}
	return nil
}

// mostlyAlike reports whether at least half of the lines of two elements are common. Comments and empty lines do not count.
func mostlyAlike(a, b []byte) bool {
	x, y := valueLines(a), valueLines(b)
	return 2*align.Count(align.Lines(x, y)) >= max(len(x), len(y))
}

func valueLines(text []byte) (lines []string) {
	for line := range strings.Lines(string(text)) {
		if content := strings.TrimSpace(line); content != "" && content[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

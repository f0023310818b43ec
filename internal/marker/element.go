package marker

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/merge"
)

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

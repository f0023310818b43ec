package pkgmerge

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
)

// A reference dangles in a version of the package if that lacks what is named.
// The merge leaves one dangling if it does so in the result, and did in neither
// local nor upstream (design 5): upstream deleted a ConfigMap that local's
// container still reads, say, or local renamed the one that a new Deployment of
// upstream's reads. What no version has is somebody else's and does not dangle.

// roster is who is in each version of the package.
type roster struct {
	sides  [3]map[target]*Change
	result map[target]bool
}

func newRoster(all []*Change) roster {
	who := roster{result: map[target]bool{}}
	for side := range who.sides {
		who.sides[side] = map[target]*Change{}
	}
	for _, m := range all {
		for side, it := range m.Versions {
			if it != nil {
				who.sides[side][ownTarget(it.Meta)] = m
			}
		}
		if m.present() {
			who.result[ownTarget(m.called())] = true
		}
	}
	return who
}

// isLost reports whether the result lacks the resource under a name that upstream
// or local has for it.
func (m *Change) isLost() bool {
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		if it := m.Versions[side]; it != nil && (!m.present() || ownTarget(it.Meta) != ownTarget(m.called())) {
			return true
		}
	}
	return false
}

// lost are the names of what local has and the result has not: only these can
// dangle in a resource that is kept, which has local's references.
func (who roster) lost() map[string]bool {
	names := map[string]bool{}
	for t := range who.sides[identity.Local] {
		if !who.result[t] {
			names[t.name] = true
		}
	}
	return names
}

// dangles reports whether the merge leaves a reference dangling.
func (who roster) dangles(n mention) bool {
	if who.result[n.target] {
		return false
	}
	had := false
	for side, t := range n.on {
		switch {
		case t == (target{}):
		case who.sides[side][t] == nil:
			return false
		default:
			had = true
		}
	}
	return had
}

// dangling warns of the references that the merge leaves dangling.
func dangling(all []*Change) []Notice {
	if !slices.ContainsFunc(all, (*Change).isLost) {
		return nil
	}
	who := newRoster(all)
	lost := who.lost()
	var notices []Notice
	for _, m := range all {
		if !m.present() {
			continue
		}
		for _, n := range m.mentioning(lost) {
			if who.dangles(n) {
				notices = append(notices, Notice{Warning: true, Change: m, Text: fmt.Sprintf("refers to %s, which %s", n.target, who.fate(n))})
			}
		}
	}
	return notices
}

// fate says what became of what a reference names.
func (who roster) fate(n mention) string {
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		if m := who.sides[side][n.on[side]]; m != nil && m.present() {
			return "the result calls " + ownTarget(m.called()).String()
		}
	}
	return "the result does not have"
}

// mentioning lists what the resource names, if that may be lost. One that is
// unchanged is parsed only now, and only if its text has one of the lost names.
func (m *Change) mentioning(lost map[string]bool) []mention {
	if m.looked {
		return m.mentions
	}
	if !hasWord(m.Versions[identity.Local].item.Text(), lost) {
		return nil
	}
	trees, err := m.Trees()
	if err != nil {
		return nil
	}
	defer m.forget()
	return mentionsOf(trees, trees[identity.Local])
}

// hasWord reports whether one of the names is a word of a text.
func hasWord(text []byte, names map[string]bool) bool {
	if text == nil {
		return true
	}
	for word := range bytes.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \n\t'\"{}[],:", r) }) {
		if names[string(word)] {
			return true
		}
	}
	return false
}

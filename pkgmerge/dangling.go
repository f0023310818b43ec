package pkgmerge

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// roster has the resources in each version of the package, to find dangling references. A reference
// dangles in a version of the package that lacks the named resource. The merge leaves one dangling if
// it dangles in the result, and not in local or, if local lacks the reference, in upstream (rules/conflicts:
// dangling references): for example, upstream deleted a ConfigMap that local's container still reads. A resource
// that no version has belongs to somebody else, and its references do not dangle.
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
			who.result[ownTarget(m.resultMeta())] = true
		}
	}
	return who
}

// isLost reports whether the result lacks the resource under a name that upstream or local has for it.
func (c *Change) isLost() bool {
	return slices.ContainsFunc(c.Versions[identity.Upstream:], func(r *Resource) bool {
		return r != nil && (!c.present() || ownTarget(r.Meta) != ownTarget(c.resultMeta()))
	})
}

// lost returns the names that local has and the result lacks: only these can dangle in an unchanged resource.
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
	for _, side := range [2]identity.Side{identity.Local, identity.Upstream} {
		if t := n.on[side]; t != (target{}) {
			return who.sides[side][t] != nil
		}
	}
	return false
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

// fate describes the outcome of the named resource.
func (who roster) fate(n mention) string {
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		if m := who.sides[side][n.on[side]]; m != nil && m.present() {
			return "the result calls " + ownTarget(m.resultMeta()).String()
		}
	}
	return "the result does not have"
}

// mentioning returns the references of the resource that may be lost. An unchanged resource is parsed
// only if its text has one of the lost names.
func (c *Change) mentioning(lost map[string]bool) []mention {
	trees, tree := c.uninspected(lost)
	if tree == nil {
		return c.mentions
	}
	return mentionsOf(trees, tree)
}

// uninspected parses an unchanged resource if its text has one of the words; nil for others.
func (c *Change) uninspected(words map[string]bool) (trees [3]*yaml.Node, result *yaml.Node) {
	if c.inspected || !hasWord(c.Versions[identity.Local].item.Text(), words) {
		return trees, nil
	}
	trees, err := c.Trees()
	if err != nil {
		return trees, nil
	}
	defer c.forget()
	return trees, trees[identity.Local]
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

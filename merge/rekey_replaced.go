package merge

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// near limits how many elements in one position are compared with an old one.
const near = 16

// findReplaced finds the elements that both sides replaced in one position of the list, each by an added element that
// resembles the old one (rules/lists: replaced elements), so that one element does not become two. If there are several
// in one position, the first belong together. They are decided whole, because only their position and a field is known.
func (r rekeying) findReplaced() {
	gone := r.byPredecessor(origin, (*element).inAll, func(i int) bool {
		_, byUpstream := r.successors[upstream][i]
		_, byLocal := r.successors[local][i]
		return r.isRemoved(i, upstream) && r.isRemoved(i, local) && !(byUpstream && byLocal)
	})
	if len(gone) == 0 {
		return
	}
	added, claimed := [3]map[int][]int{}, map[int]bool{}
	for _, side := range [2]identity.Side{upstream, local} {
		for _, to := range r.successors[side] {
			claimed[to] = true
		}
		added[side] = r.byPredecessor(side, (*element).inAll, func(i int) bool {
			return r.isAdded(i, side) && !r.children[i].has(otherSide(side)) && !claimed[i]
		})
	}
	for after := -1; after < len(r.children); after++ {
		for _, o := range gone[after] {
			u, l := r.replacement(o, upstream, added[upstream][after]), r.replacement(o, local, added[local][after])
			if u < 0 || l < 0 {
				continue
			}
			r.replaced[o] = true
			r.successors[upstream][o], r.successors[local][o] = u, l
			added[upstream][after], added[local][after] = without(added[upstream][after], u), without(added[local][after], l)
		}
	}
}

// replacement returns the successor of an element of origin: the known one, or the first similar candidate; -1 if there
// is none.
func (r rekeying) replacement(o int, side identity.Side, candidates []int) int {
	if to, known := r.successors[side][o]; known {
		return to
	}
	for _, i := range candidates[:min(near, len(candidates))] {
		if r.isLike(r.children[i].value[side], r.children[o].value[origin]) {
			return i
		}
	}
	return -1
}

// without returns a list of elements without one of them, which may be missing.
func without(elements []int, i int) []int {
	if at := slices.Index(elements[:min(near, len(elements))], i); at >= 0 {
		return slices.Delete(elements, at, at+1)
	}
	return elements
}

// isLike reports whether two elements may be versions of one: a field beside their keys is equal and not null. An
// element that has nothing but its key is identified by its position alone.
func (r rekeying) isLike(a, b *yaml.Node) bool {
	a, b = withoutKey(a, r.keys), withoutKey(b, r.keys)
	for i := 0; i+1 < len(a.Content); i += 2 {
		name := a.Content[i].Value
		if other := yamlnode.Field(b, name); other != nil && !yamlnode.IsNull(other) && same(r.typ.Element().Field(name), a.Content[i+1], other) {
			return true
		}
	}
	return len(a.Content) == 0 || len(b.Content) == 0
}

// referenceSignature returns the signature of references with a version, such as in the resources of a kustomization:
// the reference without the version, which is in the query or in the path (v1, 1.2, v1.2.3-rc1, a commit's ID).
func referenceSignature() signature {
	version := regexp.MustCompile(`\b(v\d+(\.\d+)*|\d+(\.\d+)+)(-[0-9A-Za-z]+(\.\d+)*)?\b|\b[0-9a-f]{40}\b`)
	return func(n *yaml.Node) string {
		if !isString(n) {
			return ""
		}
		text, query, _ := strings.Cut(n.Value, "?")
		stem := version.ReplaceAllString(text, "\x00")
		if strings.HasPrefix(query, "ref=") || strings.Contains(query, "&ref=") || stem != text && strings.Contains(text, "/") {
			return stem
		}
		return ""
	}
}

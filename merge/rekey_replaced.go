package merge

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// near is how many elements at one place are looked at for one that stands for an old one.
const near = 16

// replacing finds what became of the elements of a list map that both sides replaced.
type replacing struct {
	*element
	keys []schema.Key
	// became says, by side, which child an element of origin is there.
	became [3]map[int]int
	// whole are the elements of origin that were found to be replaced.
	whole map[int]bool
}

// find finds the elements that both sides replaced at one place of the list, each by an
// element of its own that may stand for the old one (rules/lists: replaced elements):
// two elements must not come out where there was one. Of several at one place the first
// belong together. They are whole values, since nothing is known but their place and a
// field.
func (r replacing) find() {
	gone := r.byPlace(origin, func(i int) bool {
		_, upstreams := r.became[upstream][i]
		_, locals := r.became[local][i]
		return r.left(i, upstream) && r.left(i, local) && !(upstreams && locals)
	})
	if len(gone) == 0 {
		return
	}
	came, claimed := [3]map[int][]int{}, map[int]bool{}
	for _, side := range [2]identity.Side{upstream, local} {
		for _, to := range r.became[side] {
			claimed[to] = true
		}
		came[side] = r.byPlace(side, func(i int) bool {
			return r.came(i, side) && !r.children[i].has(otherSide(side)) && !claimed[i]
		})
	}
	for place := -1; place < len(r.children); place++ {
		theirs, ours := came[upstream][place], came[local][place]
		for _, o := range gone[place] {
			u, l := r.replaced(o, theirs, ours)
			if u < 0 || l < 0 {
				continue
			}
			r.whole[o] = true
			r.became[upstream][o], r.became[local][o] = u, l
			theirs, ours = taken(theirs, u), taken(ours, l)
		}
	}
}

// replaced is what an element of origin became upstream and locally: what is known already, or
// the first of those that came there and is like it; -1 if none is.
func (r replacing) replaced(o int, theirs, ours []int) (u, l int) {
	old := r.children[o].value[origin]
	u, known := r.became[upstream][o]
	if !known {
		u = r.firstLike(old, upstream, theirs)
	}
	if l, known = r.became[local][o]; !known {
		l = r.firstLike(old, local, ours)
	}
	return u, l
}

// taken is a list of elements without one, which may not be in it.
func taken(elements []int, i int) []int {
	if at := slices.Index(elements[:min(near, len(elements))], i); at >= 0 {
		return slices.Delete(elements, at, at+1)
	}
	return elements
}

// firstLike is the first of some elements of a side that may be another version of n.
func (r replacing) firstLike(n *yaml.Node, side identity.Side, of []int) int {
	for _, i := range of[:min(near, len(of))] {
		if r.isLike(r.children[i].value[side], n) {
			return i
		}
	}
	return -1
}

// byPlace are the chosen elements of a side by the element of all sides that they follow, -1
// for none.
func (e *element) byPlace(side identity.Side, chosen func(i int) bool) map[int][]int {
	found, after := map[int][]int{}, -1
	for _, i := range e.order[side] {
		switch c := e.children[i]; {
		case c.has(origin) && c.has(upstream) && c.has(local):
			after = i
		case chosen(i):
			found[after] = append(found[after], i)
		}
	}
	return found
}

// isLike reports whether an element may be another version of one: a field that both have beside
// their keys is the same, and is no null. One that has nothing but its key is known by its place alone.
func (r replacing) isLike(a, b *yaml.Node) bool {
	for _, key := range r.keys {
		names := strings.Split(key.Name, ".")
		a, b = without(a, names), without(b, names)
	}
	for i := 0; i+1 < len(a.Content); i += 2 {
		name := a.Content[i].Value
		if other := yamlnode.Field(b, name); other != nil && !yamlnode.IsNull(other) && same(r.typ.Element().Field(name), a.Content[i+1], other) {
			return true
		}
	}
	return len(a.Content) == 0 || len(b.Content) == 0
}

// references is the signature of references that say a version, such as those of a
// kustomization's resources: all of the reference but the version, in its query or in a path
// (v1, 1.2, v1.2.3-rc1, the id of a commit).
func references() signature {
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

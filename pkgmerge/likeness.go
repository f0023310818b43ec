package pkgmerge

import (
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge"
)

// maxLeafDepth is how deep in a resource what it is like is looked for.
const maxLeafDepth = 100

// Likeness is how much a resource has in common with another one, names and namespaces
// aside: from 0 to 1, and 1 only if there is nothing else.
func (r *Resource) Likeness(other *Resource) float64 {
	return newReader(func(string) bool { return false }).likeness(r, other)
}

// reader reads each resource that is compared with others once.
type reader struct {
	bookkeeping func(annotation string) bool
	known       map[*Resource]reading
}

// reading is a resource without bookkeeping, and its leaves. It is nothing if the resource
// cannot be read.
type reading struct {
	tree   *yaml.Node
	leaves map[string]int
}

func newReader(bookkeeping func(string) bool) reader {
	return reader{bookkeeping: bookkeeping, known: map[*Resource]reading{}}
}

func (d reader) of(r *Resource) reading {
	if found, done := d.known[r]; done {
		return found
	}
	var out reading
	if tree, err := r.Tree(); err == nil {
		out.tree = withoutBookkeeping(tree, d.bookkeeping)
		out.leaves = leaves(out.tree)
	}
	d.known[r] = out
	return out
}

func (d reader) likeness(a, b *Resource) float64 {
	x, y := d.of(a), d.of(b)
	switch {
	case x.tree == nil || y.tree == nil:
		return 0
	case merge.SameButNamed(x.tree, y.tree):
		return 1
	}
	const almost = 0.999
	return min(alike(x.leaves, y.leaves), almost)
}

// leaves counts the scalars of a resource by path and value, its own name and
// namespace left out.
func leaves(n *yaml.Node) map[string]int {
	out := map[string]int{}
	addLeaves(out, "", n, 0)
	return out
}

func addLeaves(out map[string]int, path string, n *yaml.Node, depth int) {
	switch {
	case depth > maxLeafDepth:
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if at := path + "." + n.Content[i].Value; at != ".metadata.name" && at != ".metadata.namespace" {
				addLeaves(out, at, n.Content[i+1], depth+1)
			}
		}
	case n.Kind == yaml.SequenceNode:
		for i, c := range n.Content {
			addLeaves(out, path+"["+strconv.Itoa(i)+"]", c, depth+1)
		}
	default:
		out[path+"="+n.Value]++
	}
}

// alike is the share of leaves that two resources have in common, from 0 to 1.
func alike(a, b map[string]int) float64 {
	common, total := 0, 0
	for leaf, n := range a {
		common += min(n, b[leaf])
		total += n
	}
	for _, n := range b {
		total += n
	}
	if total == 0 {
		return 0
	}
	return 2 * float64(common) / float64(total)
}

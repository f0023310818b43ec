package live

import "slices"

// cycles are the problems of nodes that depend on each other in a circle: one for
// each largest set in which every node depends on every other, with all dependencies
// within it (design 15.5).
func (g *graph) cycles(left []int) (problems []Problem) {
	t := tarjan{graph: g, index: map[int]int{}, low: map[int]int{}, on: map[int]bool{}}
	for _, node := range left {
		if t.index[node] == 0 {
			t.visit(node)
		}
	}
	slices.SortFunc(t.sets, func(a, b []int) int { return a[0] - b[0] })
	for _, set := range t.sets {
		if edges := g.within(set); len(edges) > 0 {
			problems = append(problems, circular(edges))
		}
	}
	return problems
}

func circular(edges []Edge) Problem {
	p := Problem{Kind: Cycle, Object: edges[0].From, Edges: edges}
	if len(edges) == 1 {
		p.Kind = Self
	}
	return p
}

// within are the dependencies between the nodes of a set.
func (g *graph) within(set []int) (edges []Edge) {
	for _, from := range set {
		for _, to := range g.to[from] {
			if _, found := slices.BinarySearch(set, to); found {
				edges = append(edges, Edge{g.objects[from].ID, g.objects[to].ID})
			}
		}
	}
	return edges
}

// tarjan finds the strongly connected sets of a graph, as R. Tarjan's algorithm does,
// in linear time.
type tarjan struct {
	graph      *graph
	index, low map[int]int // from 1
	stack      []int
	on         map[int]bool
	sets       [][]int // each sorted
}

func (t *tarjan) visit(node int) {
	t.index[node] = len(t.index) + 1
	t.low[node] = t.index[node]
	t.stack, t.on[node] = append(t.stack, node), true
	for _, to := range t.graph.to[node] {
		switch {
		case t.index[to] == 0:
			t.visit(to)
			t.low[node] = min(t.low[node], t.low[to])
		case t.on[to]:
			t.low[node] = min(t.low[node], t.index[to])
		}
	}
	if t.low[node] == t.index[node] {
		t.pop(node)
	}
}

// pop takes a set off the stack: all above its first node.
func (t *tarjan) pop(first int) {
	at := len(t.stack) - 1
	for t.stack[at] != first {
		at--
	}
	set := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, node := range set {
		t.on[node] = false
	}
	slices.Sort(set)
	t.sets = append(t.sets, set)
}

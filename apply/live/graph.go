package live

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
)

// graph has the dependencies of objects, which are its nodes: what is applied, then
// what may be pruned. A node depends on those in to, and those in from depend on it.
type graph struct {
	objects  []Object
	at       map[identity.ID]int
	to, from [][]int
	known    map[[2]int]bool
}

// newGraph finds the dependencies (rules/live: order): a custom resource's on its CRD,
// a resource's on its namespace, those of the annotation depends-on, and those on the
// sources of mutations. What is wrong with them is a list of problems.
func newGraph(objects []Object) (*graph, []Problem) {
	g := &graph{
		objects: objects, at: byID(objects), known: map[[2]int]bool{},
		to: make([][]int, len(objects)), from: make([][]int, len(objects)),
	}
	g.addDefinitions()
	g.addNamespaces()
	return g, append(g.addDependsOn(), g.addSources()...)
}

func (g *graph) add(from, to int) {
	if edge := [2]int{from, to}; !g.known[edge] {
		g.known[edge] = true
		g.to[from] = append(g.to[from], to)
		g.from[to] = append(g.from[to], from)
	}
}

func (g *graph) addDefinitions() {
	definitions := map[groupKind]int{}
	for i, o := range g.objects {
		if kind, found := o.defines(); found {
			definitions[kind] = i
		}
	}
	for i, o := range g.objects {
		if definition, found := definitions[o.groupKind()]; found {
			g.add(i, definition)
		}
	}
}

func (g *graph) addNamespaces() {
	for i, o := range g.objects {
		if o.ID.Namespace == "" {
			continue
		}
		if namespace, found := g.at[identity.ID{Kind: "Namespace", Name: o.ID.Namespace}]; found {
			g.add(i, namespace)
		}
	}
}

// addDependsOn adds what the annotations depends-on list. One that names a resource
// twice is a problem (rules/live: errors).
func (g *graph) addDependsOn() (problems []Problem) {
	for i, o := range g.objects {
		text, found := o.annotation(DependsOn)
		if !found {
			continue
		}
		ids, err := references(text)
		if err != nil {
			problems = append(problems, malformed(o.ID, DependsOn, err))
		}
		seen := map[identity.ID]bool{}
		for _, id := range ids {
			if seen[id] {
				problems = append(problems, Problem{Kind: Repeated, Object: o.ID, Annotation: DependsOn, Edges: []Edge{{o.ID, id}}})
				continue
			}
			seen[id] = true
			problems = append(problems, g.addNamed(i, id, DependsOn)...)
		}
	}
	return problems
}

// addSources adds the sources of mutations. One source may give several values.
func (g *graph) addSources() (problems []Problem) {
	for i, o := range g.objects {
		text, found := o.annotation(ApplyTimeMutation)
		if !found {
			continue
		}
		read, err := mutations(text)
		if err != nil {
			problems = append(problems, malformed(o.ID, ApplyTimeMutation, err))
		}
		seen := map[identity.ID]bool{}
		for _, m := range read {
			if !seen[m.Source] {
				problems = append(problems, g.addNamed(i, m.Source, ApplyTimeMutation)...)
			}
			seen[m.Source] = true
		}
	}
	return problems
}

// addNamed adds a dependency that an annotation names. A dependency on what is no
// node, and one on itself, is a problem.
func (g *graph) addNamed(from int, id identity.ID, annotation string) []Problem {
	p := Problem{Kind: Self, Object: g.objects[from].ID, Annotation: annotation, Edges: []Edge{{g.objects[from].ID, id}}}
	to, found := g.at[id]
	switch {
	case !found:
		p.Kind = External
	case id != p.Object:
		g.add(from, to)
		return nil
	}
	return []Problem{p}
}

func malformed(id identity.ID, annotation string, err error) Problem {
	return Problem{Kind: Malformed, Object: id, Annotation: annotation, Detail: err.Error()}
}

// DependsOn is the annotation that lists what a resource depends on.
const DependsOn = "config.kubernetes.io/depends-on"

// references are the resources that an annotation depends-on lists, with commas
// between. A malformed one is an error (rules/live: errors).
func references(text string) ([]identity.ID, error) {
	var ids []identity.ID
	for part := range strings.SplitSeq(text, ",") {
		id, err := reference(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// reference reads group/kind/name of what is cluster-scoped, and
// group/namespaces/namespace/kind/name of what is in a namespace. The group of
// Kubernetes' own kinds is empty.
func reference(text string) (identity.ID, error) {
	parts := strings.Split(text, "/")
	switch {
	case len(parts) == 3:
		return identity.ID{Group: parts[0], Kind: parts[1], Name: parts[2]}, nil
	case len(parts) == 5 && parts[1] == "namespaces":
		return identity.ID{Group: parts[0], Namespace: parts[2], Kind: parts[3], Name: parts[4]}, nil
	}
	return identity.ID{}, fmt.Errorf("%s is neither group/kind/name nor group/namespaces/namespace/kind/name", quote(text))
}

// cycles are the problems of nodes that depend on each other in a circle: one for each
// largest set in which every node depends on every other, with all dependencies within
// it (rules/live: errors).
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

// levels are the nodes of a graph by the longest way of dependencies below them: a
// node depends on nodes of the levels before its own only. The nodes that are on a
// cycle, or depend on one, are left.
func (g *graph) levels() (levels [][]int, left []int) {
	open := make([]int, len(g.objects))
	var level []int
	for i, to := range g.to {
		if open[i] = len(to); open[i] == 0 {
			level = append(level, i)
		}
	}
	for len(level) > 0 {
		levels = append(levels, level)
		level = g.release(level, open)
	}
	for i, count := range open {
		if count > 0 {
			left = append(left, i)
		}
	}
	return levels, left
}

// release counts the dependencies that are met with a level, and returns the nodes
// that have none left.
func (g *graph) release(level, open []int) (next []int) {
	for _, node := range level {
		for _, dependent := range g.from[node] {
			if open[dependent]--; open[dependent] == 0 {
				next = append(next, dependent)
			}
		}
	}
	slices.Sort(next)
	return next
}

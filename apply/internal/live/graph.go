package live

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
)

// graph has the dependencies between objects, its nodes: the config, then the prune set. A node depends on the nodes in
// to, and the nodes in from depend on it.
type graph struct {
	objects  []Object
	at       map[identity.ID]int
	to, from [][]int
	known    map[[2]int]bool
}

// newGraph finds the dependencies (rules/live: order): of a custom resource on its CRD, of a resource on its namespace,
// on the resources of the annotation depends-on, and on the sources of mutations.
func newGraph(objects []Object) (*graph, []Problem) {
	g := &graph{
		objects: objects, at: indexByID(objects), known: map[[2]int]bool{},
		to: make([][]int, len(objects)), from: make([][]int, len(objects)),
	}
	g.addDefinitions()
	g.addNamespaces()
	return g, append(g.addAnnotated(DependsOn, readReferences), g.addAnnotated(ApplyTimeMutation, readSources)...)
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
		defined := groupKind{o.text("spec", "group"), o.text("spec", "names", "kind")}
		if o.groupKind() == (groupKind{"apiextensions.k8s.io", "CustomResourceDefinition"}) && defined.kind != "" {
			definitions[defined] = i
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
		namespace, found := g.at[identity.ID{Kind: "Namespace", Name: o.ID.Namespace}]
		if found && o.ID.Namespace != "" {
			g.add(i, namespace)
		}
	}
}

// addAnnotated adds the dependencies in an annotation. A malformed annotation is a problem, and so is a depends-on that
// names a resource twice (rules/live: errors); one source may give several values.
func (g *graph) addAnnotated(annotation string, read func(text string) ([]identity.ID, error)) (problems []Problem) {
	for i, o := range g.objects {
		text, found := o.annotation(annotation)
		if !found {
			continue
		}
		ids, err := read(text)
		if err != nil {
			problems = append(problems, Problem{Kind: Malformed, Object: o.ID, Annotation: annotation, Detail: err.Error()})
		}
		seen := map[identity.ID]bool{}
		for _, id := range ids {
			switch {
			case !seen[id]:
				problems = append(problems, g.addNamed(i, id, annotation)...)
			case annotation == DependsOn:
				problems = append(problems, Problem{Kind: Repeated, Object: o.ID, Annotation: annotation, Edges: []Edge{{o.ID, id}}})
			}
			seen[id] = true
		}
	}
	return problems
}

// addNamed adds a dependency from an annotation. A dependency of a node on itself, or on no node, is a problem.
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

// readSources reads the sources of the mutations in an annotation.
func readSources(text string) (ids []identity.ID, err error) {
	mutations, err := readMutations(text)
	for _, m := range mutations {
		ids = append(ids, m.Source)
	}
	return ids, err
}

// DependsOn is the annotation that lists the dependencies of a resource.
const DependsOn = "config.kubernetes.io/depends-on"

// readReferences reads the comma-separated resources of an annotation depends-on: group/kind/name of a cluster-scoped
// resource, and group/namespaces/namespace/kind/name of a namespaced one. The core group is empty.
func readReferences(text string) ([]identity.ID, error) {
	var ids []identity.ID
	for reference := range strings.SplitSeq(text, ",") {
		reference = strings.TrimSpace(reference)
		switch parts := strings.Split(reference, "/"); {
		case len(parts) == 3:
			ids = append(ids, identity.ID{Group: parts[0], Kind: parts[1], Name: parts[2]})
		case len(parts) == 5 && parts[1] == "namespaces":
			ids = append(ids, identity.ID{Group: parts[0], Namespace: parts[2], Kind: parts[3], Name: parts[4]})
		default:
			return nil, fmt.Errorf("%s is neither group/kind/name nor group/namespaces/namespace/kind/name", quote(reference))
		}
	}
	return ids, nil
}

// cycles returns a problem for each largest set of nodes that all depend on each other, with the dependencies within
// the set (rules/live: errors).
func (g *graph) cycles(nodes []int) (problems []Problem) {
	t := tarjan{graph: g, index: map[int]int{}, low: map[int]int{}, onStack: map[int]bool{}}
	for _, node := range nodes {
		if t.index[node] == 0 {
			t.visit(node)
		}
	}
	slices.SortFunc(t.sets, func(a, b []int) int { return a[0] - b[0] })
	for _, set := range t.sets {
		switch edges := g.within(set); len(edges) {
		case 0:
		case 1:
			problems = append(problems, Problem{Kind: Self, Object: edges[0].From, Edges: edges})
		default:
			problems = append(problems, Problem{Kind: Cycle, Object: edges[0].From, Edges: edges})
		}
	}
	return problems
}

// within returns the dependencies between the nodes of a sorted set.
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

// tarjan finds the strongly connected sets of a graph with R. Tarjan's algorithm, in linear time.
type tarjan struct {
	graph      *graph
	index, low map[int]int // from 1
	stack      []int
	onStack    map[int]bool
	sets       [][]int // each sorted
}

func (t *tarjan) visit(node int) {
	t.index[node] = len(t.index) + 1
	t.low[node] = t.index[node]
	t.stack, t.onStack[node] = append(t.stack, node), true
	for _, to := range t.graph.to[node] {
		switch {
		case t.index[to] == 0:
			t.visit(to)
			t.low[node] = min(t.low[node], t.low[to])
		case t.onStack[to]:
			t.low[node] = min(t.low[node], t.index[to])
		}
	}
	if t.low[node] == t.index[node] {
		t.pop(node)
	}
}

// pop takes a set off the stack: its first node and all nodes above it.
func (t *tarjan) pop(first int) {
	at := len(t.stack) - 1
	for t.stack[at] != first {
		at--
	}
	set := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, node := range set {
		t.onStack[node] = false
	}
	slices.Sort(set)
	t.sets = append(t.sets, set)
}

// levels sorts the nodes by their longest chain of dependencies: a node depends on nodes of earlier levels only. rest
// has the nodes on a cycle, and the nodes that depend on one.
func (g *graph) levels() (levels [][]int, rest []int) {
	open := make([]int, len(g.objects)) // the dependencies that are on no level yet
	var level []int
	for i, to := range g.to {
		if open[i] = len(to); open[i] == 0 {
			level = append(level, i)
		}
	}
	for len(level) > 0 {
		levels = append(levels, level)
		level = g.released(level, open)
	}
	for i, count := range open {
		if count > 0 {
			rest = append(rest, i)
		}
	}
	return levels, rest
}

// released returns the nodes whose last dependencies are in a level. open counts the dependencies that are on no level.
func (g *graph) released(level, open []int) (next []int) {
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

// firstKinds lists the kinds that come first in a wave, in their order.
func firstKinds() []groupKind {
	return []groupKind{
		{"", "Namespace"}, {"", "ResourceQuota"}, {"storage.k8s.io", "StorageClass"},
		{"apiextensions.k8s.io", "CustomResourceDefinition"}, {"admissionregistration.k8s.io", "MutatingWebhookConfiguration"},
		{"", "ServiceAccount"}, {"extensions", "PodSecurityPolicy"}, {"policy", "PodSecurityPolicy"},
		{"rbac.authorization.k8s.io", "Role"}, {"rbac.authorization.k8s.io", "ClusterRole"},
		{"rbac.authorization.k8s.io", "RoleBinding"}, {"rbac.authorization.k8s.io", "ClusterRoleBinding"},
		{"", "ConfigMap"}, {"", "Secret"}, {"", "Service"}, {"", "LimitRange"}, {"scheduling.k8s.io", "PriorityClass"},
		{"extensions", "Deployment"}, {"apps", "Deployment"}, {"apps", "StatefulSet"}, {"batch", "CronJob"},
		{"policy", "PodDisruptionBudget"},
	}
}

// order ranks kinds within a wave (rules/live: order): the first kinds, then all kinds that are not listed, then
// ValidatingWebhookConfiguration. Resources of one rank are sorted by group, kind, namespace and name.
type order map[groupKind]int

func newOrder() order {
	kinds := firstKinds()
	ranks := order{{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration"}: 1}
	for i, kind := range kinds {
		ranks[kind] = i - len(kinds)
	}
	return ranks
}

func (o order) compare(a, b identity.ID) int {
	return cmp.Or(
		cmp.Compare(o[groupKind{a.Group, a.Kind}], o[groupKind{b.Group, b.Kind}]),
		cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name),
	)
}

// waves returns the nodes in the order of the apply (rules/live: order): the config level by level, then the prune set
// in exactly the reverse order. The nodes of one level that are applied, or pruned, are one wave.
func (p *planner) waves(levels [][]int) [][]int {
	ranks := newOrder()
	var applied, pruned [][]int
	for _, level := range levels {
		nodes := slices.Clone(level)
		slices.SortStableFunc(nodes, func(a, b int) int { return ranks.compare(p.objects[a].ID, p.objects[b].ID) })
		applied = append(applied, slices.DeleteFunc(slices.Clone(nodes), p.inPruneSet))
		slices.Reverse(nodes)
		pruned = append(pruned, slices.DeleteFunc(nodes, func(node int) bool { return !p.inPruneSet(node) }))
	}
	slices.Reverse(pruned)
	return slices.DeleteFunc(append(applied, pruned...), func(wave []int) bool { return len(wave) == 0 })
}

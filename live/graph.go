package live

import "github.com/resource-merge/resource-merge/identity"

// graph has the dependencies of objects, which are its nodes: what is applied, then
// what may be pruned. A node depends on those in to, and those in from depend on it.
type graph struct {
	objects  []Object
	at       map[identity.ID]int
	to, from [][]int
	known    map[[2]int]bool
}

// newGraph finds the dependencies (design 15.4): a custom resource's on its CRD, a
// resource's on its namespace, those of the annotation depends-on, and those on the
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
// twice is a problem (design 15.5).
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

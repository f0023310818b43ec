package main

import (
	"maps"
	"slices"
)

// objectMeta is the type of metadata.
const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

// prune returns the graph without what merging never asks for: nodes that do
// not matter nor lead to one that does, and those no kind leads to.
func (g *graph) prune(kinds []kind) *graph {
	useful := g.useful()
	for _, k := range kinds {
		useful[k.name] = true
	}
	pruned := &graph{doc: g.doc, nodes: map[string]*node{}}
	for _, k := range kinds {
		g.copyTo(pruned, k.name, useful)
	}
	return pruned
}

// useful returns the names of the nodes that matter or lead to one that does.
func (g *graph) useful() map[string]bool {
	useful := map[string]bool{}
	for grown := true; grown; {
		grown = false
		for name, n := range g.nodes {
			leads := func(to string) bool { return useful[to] }
			if !useful[name] && (n.matters() || slices.ContainsFunc(n.leads(), leads)) {
				useful[name] = true
				grown = true
			}
		}
	}
	return useful
}

// copyTo copies a node and all useful ones below it.
func (g *graph) copyTo(target *graph, name string, useful map[string]bool) {
	if !useful[name] || target.nodes[name] != nil {
		return
	}
	pruned := *g.nodes[name]
	target.nodes[name] = &pruned
	if !useful[pruned.elem] {
		pruned.elem = ""
	}
	pruned.fields = slices.DeleteFunc(slices.Clone(pruned.fields), func(e edge) bool { return !useful[e.to] })
	for _, to := range pruned.leads() {
		g.copyTo(target, to, useful)
	}
}

// names returns the names of the nodes in the order of their rows. The first
// row is that of no name.
func (g *graph) names() []string {
	return append([]string{""}, slices.Sorted(maps.Keys(g.nodes))...)
}

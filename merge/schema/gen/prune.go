package main

import (
	"maps"
	"slices"
)

// objectMeta is the type of metadata.
const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

// pruning finds what merging asks for in a graph: what matters or leads to what
// does, and below what is decided whole only what is compared in a way of its own.
type pruning struct {
	*graph
	useful, compared map[string]bool
}

// prune returns the graph without what merging never asks for: nodes that do
// not matter nor lead to one that does, and those no kind leads to.
func (g *graph) prune(kinds []kind) *graph {
	p := pruning{graph: g, useful: map[string]bool{}, compared: map[string]bool{}}
	p.grow(p.compared, func(n *node) bool { return n.scalar != "" })
	p.grow(p.useful, (*node).matters)
	for _, k := range kinds {
		p.useful[k.name] = true
	}
	pruned := &graph{doc: g.doc, nodes: map[string]*node{}}
	for _, k := range kinds {
		p.copyTo(pruned, k.name)
	}
	return pruned
}

// grow adds the names of the nodes that matter or lead to one in the set.
func (p pruning) grow(set map[string]bool, matters func(*node) bool) {
	for grown := true; grown; {
		grown = false
		for name, n := range p.nodes {
			leads := func(to string) bool { return set[to] && p.keeps(n, to) }
			if !set[name] && (matters(n) || slices.ContainsFunc(n.leads(), leads)) {
				set[name] = true
				grown = true
			}
		}
	}
}

// keeps reports whether a node keeps what it leads to, if that is useful.
func (p pruning) keeps(n *node, to string) bool {
	return !n.isWhole() || p.compared[to]
}

// copyTo copies a node and all useful ones below it.
func (p pruning) copyTo(target *graph, name string) {
	if !p.useful[name] || target.nodes[name] != nil {
		return
	}
	pruned := *p.nodes[name]
	target.nodes[name] = &pruned
	drops := func(to string) bool { return !p.useful[to] || !p.keeps(&pruned, to) }
	if drops(pruned.elem) {
		pruned.elem = ""
	}
	pruned.fields = slices.DeleteFunc(slices.Clone(pruned.fields), func(e edge) bool { return drops(e.to) })
	for _, to := range pruned.leads() {
		p.copyTo(target, to)
	}
}

// names returns the names of the nodes in the order of their rows. The first
// row is that of no name.
func (g *graph) names() []string {
	return append([]string{""}, slices.Sorted(maps.Keys(g.nodes))...)
}

package live

import "slices"

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

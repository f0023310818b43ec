package live

import "slices"

// waves are the nodes in the order in which they are done (design 15.4): the config's,
// level by level, and then those of the prune set exactly the other way round. What is
// on one level, and applied or pruned, is one wave.
func (p *planner) waves(levels [][]int) [][]int {
	ranks := newOrder()
	var applied, pruned [][]int
	for _, level := range levels {
		nodes := ranks.sorted(level, p.objects)
		applied = appendWave(applied, slices.DeleteFunc(slices.Clone(nodes), p.pruned))
		slices.Reverse(nodes)
		pruned = appendWave(pruned, slices.DeleteFunc(nodes, func(node int) bool { return !p.pruned(node) }))
	}
	slices.Reverse(pruned)
	return append(applied, pruned...)
}

func appendWave(waves [][]int, wave []int) [][]int {
	if len(wave) == 0 {
		return waves
	}
	return append(waves, wave)
}

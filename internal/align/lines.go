package align

// Lines is Pairs for the lines of two texts, or other parts of them.
func Lines(a, b []string) []int {
	index := map[string]int{}
	var ids [2][]int
	for i, lines := range [2][]string{a, b} {
		for _, line := range lines {
			id, found := index[line]
			if !found {
				id = len(index)
				index[line] = id
			}
			ids[i] = append(ids[i], id)
		}
	}
	return Pairs(ids[0], ids[1])
}

package merge

// AlignLines pairs the lines of two texts, or other parts of them, as a diff does:
// for each of a the index of its counterpart in b, or -1. The work is near-linear.
func AlignLines(a, b []string) []int {
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
	return align(ids[0], ids[1])
}

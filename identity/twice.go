package identity

import "fmt"

// checkTwice finds entries of one ID that upstream or origin has twice in one
// file: nothing could tell which of local's is which. What has no name of its
// own goes by its order.
func (m *matcher) checkTwice(id ID, group [3][]int) error {
	for _, side := range [2]Side{Upstream, Origin} {
		seen := make(map[string]int, len(group[side]))
		for _, i := range group[side] {
			e := m.sides[side][i]
			first, twice := seen[e.Path]
			if twice && e.Naming == ByName {
				return fmt.Errorf("%s occurs twice on the %s side, %s, and nothing tells which is which: "+
					"give one a merge comment, name it in renames of the function config, or leave one out by .krmignore",
					id, side, m.bothIn(side, first, i))
			}
			seen[e.Path] = i
		}
	}
	return nil
}

// bothIn says where two entries of one file are.
func (m *matcher) bothIn(side Side, a, b int) string {
	file := m.sides[side][a].Path
	at := [2]int{}
	for i := range b + 1 {
		if m.sides[side][i].Path == file {
			at[1]++
		}
		if i == a {
			at[0] = at[1]
		}
	}
	if file == "" {
		return fmt.Sprintf("as item %d and item %d of those without a path", at[0], at[1])
	}
	return fmt.Sprintf("as item %d and item %d of %s", at[0], at[1], file)
}

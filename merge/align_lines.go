package merge

import "github.com/resource-merge/resource-merge/internal/align"

// AlignLines pairs the lines of two texts, or other parts of them, as a diff does:
// for each of a the index of its counterpart in b, or -1. The work is near-linear.
func AlignLines(a, b []string) []int { return align.Lines(a, b) }

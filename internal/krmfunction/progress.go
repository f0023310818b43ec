package krmfunction

// Progress is told what a run is doing: that of a stage's total resources so
// many are done. Calls do not overlap.
type Progress func(stage string, done, total int)

// quietUpTo is the size of the largest list whose run nobody waits for.
const quietUpTo = 1000

// ofList is progress for a run over a list of n items, one that tells nothing
// where the list is small or progress nil.
func (p Progress) ofList(n int) Progress {
	if p == nil || n <= quietUpTo {
		return func(string, int, int) {}
	}
	return p
}

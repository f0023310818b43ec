package gitdiff

import (
	"cmp"
	"path"
	"slices"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

const (
	// minSimilarity is the least similarity of a renamed file in percent, as in git.
	minSimilarity = 50
	// maxComparisons limits how many pairs of unequal files are compared.
	maxComparisons = 40_000
)

// findRenames returns the changes of removed and added files. A removed and an added file of the
// same kind count as a rename if they are equal, or else if half of their lines are, the most
// similar files first. Empty files are never renamed.
func findRenames(removed, added []*pkgmerge.File) []change {
	slices.SortFunc(removed, byName)
	slices.SortFunc(added, byName)
	r := renameFinder{paired: map[*pkgmerge.File]bool{}}
	r.pairEqual(removed, added)
	r.pairSimilar(r.unpaired(removed), r.unpaired(added))
	for _, f := range r.unpaired(removed) {
		r.changes = append(r.changes, change{from: f})
	}
	for _, f := range r.unpaired(added) {
		r.changes = append(r.changes, change{to: f})
	}
	return r.changes
}

func byName(a, b *pkgmerge.File) int { return cmp.Compare(a.Name, b.Name) }

// renameFinder pairs removed and added files.
type renameFinder struct {
	paired  map[*pkgmerge.File]bool // the files that have a counterpart
	changes []change
}

func (r *renameFinder) pair(from, to *pkgmerge.File, similarity int) {
	r.paired[from], r.paired[to] = true, true
	r.changes = append(r.changes, change{from, to, similarity})
}

// unpaired returns the files without a counterpart.
func (r *renameFinder) unpaired(files []*pkgmerge.File) []*pkgmerge.File {
	var unpaired []*pkgmerge.File
	for _, f := range files {
		if !r.paired[f] {
			unpaired = append(unpaired, f)
		}
	}
	return unpaired
}

// pairEqual pairs files with equal contents, files with equal base names first.
func (r *renameFinder) pairEqual(removed, added []*pkgmerge.File) {
	type content struct {
		link       bool
		name, data string
	}
	for _, named := range [2]bool{true, false} {
		key := func(f *pkgmerge.File) content {
			c := content{link: isLink(*f), data: string(f.Data)}
			if named {
				c.name = path.Base(f.Name)
			}
			return c
		}
		byContent := map[content][]*pkgmerge.File{}
		for _, f := range r.unpaired(removed) {
			byContent[key(f)] = append(byContent[key(f)], f)
		}
		for _, f := range r.unpaired(added) {
			if all := byContent[key(f)]; len(all) > 0 && len(f.Data) > 0 {
				byContent[key(f)] = all[1:]
				r.pair(all[0], f, 100)
			}
		}
	}
}

// pairSimilar pairs files with similar contents.
func (r *renameFinder) pairSimilar(removed, added []*pkgmerge.File) {
	if len(removed)*len(added) > maxComparisons {
		return
	}
	was, is := measureFiles(removed), measureFiles(added)
	type candidate struct{ from, to, similarity, sameBase int }
	var all []candidate
	for i := range removed {
		for j := range added {
			if s := was[i].similarity(is[j]); s >= minSimilarity && isLink(*removed[i]) == isLink(*added[j]) {
				same := 0
				if path.Base(removed[i].Name) == path.Base(added[j].Name) {
					same = 1
				}
				all = append(all, candidate{i, j, s, same})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(b.sameBase, a.sameBase))
	})
	for _, c := range all {
		if from, to := removed[c.from], added[c.to]; !r.paired[from] && !r.paired[to] {
			r.pair(from, to, min(c.similarity, 99))
		}
	}
}

// measure has the size and lines of a file, by which its similarity is computed.
type measure struct {
	size  int
	lines map[string]int // number of occurrences of each line
}

func measureFiles(files []*pkgmerge.File) []measure {
	all := make([]measure, len(files))
	for i, f := range files {
		all[i] = measure{len(f.Data), map[string]int{}}
		for _, line := range linesOf(f) {
			all[i].lines[line]++
		}
	}
	return all
}

// similarity returns the common part of two files, in percent of the larger one.
func (m measure) similarity(n measure) int {
	if larger := max(m.size, n.size); larger == 0 || min(m.size, n.size)*100 < minSimilarity*larger {
		return 0
	}
	common := 0
	for line, times := range m.lines {
		common += min(times, n.lines[line]) * len(line)
	}
	return common * 100 / max(m.size, n.size)
}

package gitdiff

import (
	"cmp"
	"path"
	"slices"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// The limits of what counts as renamed: git's percentage, and how many pairs of
// files that are not equal are compared.
const (
	leastSimilarity = 50
	mostComparisons = 40_000
)

// renamed are the changes of files that are gone and files that are new. A file that
// is gone and a new one of the same kind are one that was renamed if they are equal,
// and else if half of their lines are, the most similar first. Empty files are none.
func renamed(gone, new []*pkgmerge.File) []change {
	slices.SortFunc(gone, byName)
	slices.SortFunc(new, byName)
	r := renaming{of: map[*pkgmerge.File]bool{}}
	r.equal(gone, new)
	r.similar(r.left(gone), r.left(new))
	for _, f := range r.left(gone) {
		r.changes = append(r.changes, change{from: f})
	}
	for _, f := range r.left(new) {
		r.changes = append(r.changes, change{to: f})
	}
	return r.changes
}

func byName(a, b *pkgmerge.File) int { return cmp.Compare(a.Name, b.Name) }

// renaming finds which files were renamed.
type renaming struct {
	of      map[*pkgmerge.File]bool // the files that have a counterpart
	changes []change
}

func (r *renaming) pair(from, to *pkgmerge.File, similarity int) {
	r.of[from], r.of[to] = true, true
	r.changes = append(r.changes, change{from, to, similarity})
}

// left are the files that have no counterpart.
func (r *renaming) left(files []*pkgmerge.File) []*pkgmerge.File {
	var left []*pkgmerge.File
	for _, f := range files {
		if !r.of[f] {
			left = append(left, f)
		}
	}
	return left
}

// equal pairs files with equal contents, those with the same last name first.
func (r *renaming) equal(gone, new []*pkgmerge.File) {
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
		for _, f := range r.left(gone) {
			byContent[key(f)] = append(byContent[key(f)], f)
		}
		for _, f := range r.left(new) {
			if all := byContent[key(f)]; len(all) > 0 && len(f.Data) > 0 {
				byContent[key(f)] = all[1:]
				r.pair(all[0], f, 100)
			}
		}
	}
}

// similar pairs files with similar contents.
func (r *renaming) similar(gone, new []*pkgmerge.File) {
	if len(gone)*len(new) > mostComparisons {
		return
	}
	was, is := measured(gone), measured(new)
	type candidate struct{ from, to, similarity, sameBase int }
	var all []candidate
	for i := range gone {
		for j := range new {
			if s := was[i].similarity(is[j]); s >= leastSimilarity && isLink(*gone[i]) == isLink(*new[j]) {
				same := 0
				if path.Base(gone[i].Name) == path.Base(new[j].Name) {
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
		if from, to := gone[c.from], new[c.to]; !r.of[from] && !r.of[to] {
			r.pair(from, to, min(c.similarity, 99))
		}
	}
}

// measure is what is needed to tell how similar a file is to others.
type measure struct {
	size  int
	lines map[string]int // how often a line comes
}

func measured(files []*pkgmerge.File) []measure {
	all := make([]measure, len(files))
	for i, f := range files {
		all[i] = measure{len(f.Data), map[string]int{}}
		for _, line := range linesOf(f) {
			all[i].lines[line]++
		}
	}
	return all
}

// similarity is how much of the larger of two files the other has, in percent.
func (m measure) similarity(n measure) int {
	if larger := max(m.size, n.size); larger == 0 || min(m.size, n.size)*100 < leastSimilarity*larger {
		return 0
	}
	common := 0
	for line, times := range m.lines {
		common += min(times, n.lines[line]) * len(line)
	}
	return common * 100 / max(m.size, n.size)
}

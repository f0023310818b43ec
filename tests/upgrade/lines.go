package main

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// extraLines finds lines of the result that differ from local's, though nothing asked
// for it (rules/comments-and-text: unchanged text): lines that say what local says at
// the same place, but in another text or in another order, and comments that no side
// added. A resource that local has as origin has it comes out as upstream wrote it, and
// does not count.
func extraLines(quads []*quad, before tree) ([]finding, error) {
	if before == nil {
		return nil, nil
	}
	all, err := before.resources()
	if err != nil {
		return nil, err
	}
	texts := map[id]string{} // of local's, as the program read them
	for _, r := range all {
		if r.text != nil {
			texts[at(r.id, r.file)] = r.text.text
		}
	}
	var out []finding
	for _, q := range quads {
		now, was := q.versions[result], q.versions[local]
		if now == nil || was == nil || now.text == nil || was.text == nil || q.isOrigin() {
			continue
		}
		for _, line := range q.extra(texts[at(was.id, was.file)], now.text.text) {
			out = append(out, finding{extraLine, q.name(), line})
		}
	}
	return out, nil
}

// isOrigin reports whether local has the text of origin.
func (q *quad) isOrigin() bool {
	o := q.versions[origin]
	return o != nil && o.text != nil && o.text.text == q.versions[local].text.text
}

func (q *quad) extra(was, is string) []string {
	if was == "" || was == is {
		return nil
	}
	out := append(q.rewritten(was, is), q.uncalled(was, is)...)
	if o, u := q.versions[origin], q.versions[upstream]; o == nil || u == nil || o.text == nil || u.text == nil || len(moved(o.text.text, u.text.text)) == 0 {
		out = append(out, moved(was, is)...)
	}
	return out
}

// rewritten are the lines that say the same as a line of was, and of the fork
// before any program read it, in another text.
func (q *quad) rewritten(was, is string) []string {
	var out []string
	before, after := readFacts(was), readFacts(is)
	fork := before
	if l := q.versions[local]; l != nil {
		fork = readFacts(l.text.text)
	}
	for _, fact := range after.order {
		x, y := before.text(fact), after.text(fact)
		switch {
		case before.line[fact] == 0, x == y, strings.Contains(y, "# kpt-merge:"):
		case strings.TrimSpace(x) != strings.TrimSpace(y) && strings.TrimSpace(fork.text(fact)) == strings.TrimSpace(y):
		default:
			out = append(out, fmt.Sprintf("rewritten: %q as %q", x, y))
		}
	}
	return out
}

// moved are the lines that say the same as a line of was, but stand elsewhere:
// all but the most that are in order.
func moved(was, is string) []string {
	before, after := readFacts(was), readFacts(is)
	var common []string
	var places []int
	for _, fact := range after.order {
		if n := before.line[fact]; n > 0 {
			common, places = append(common, fact), append(places, n)
		}
	}
	inOrder := increasing(places)
	var out []string
	for i, fact := range common {
		if !inOrder[i] {
			out = append(out, fmt.Sprintf("moved: %q", after.text(fact)))
		}
	}
	return out
}

// increasing marks the longest rising subsequence.
func increasing(places []int) []bool {
	var ends, length []int // the least last place by length; the length up to each
	for _, p := range places {
		n := sort.SearchInts(ends, p)
		if n == len(ends) {
			ends = append(ends, p)
		}
		ends[n] = p
		length = append(length, n)
	}
	marked := make([]bool, len(places))
	want := len(ends) - 1
	for i, n := range slices.Backward(length) {
		if n == want {
			marked[i], want = true, want-1
		}
	}
	return marked
}

// uncalled are comments that the result has more often than local, by more than
// upstream has them more often than origin.
func (q *quad) uncalled(was, is string) []string {
	byUpstream := map[string]int{}
	if u := q.versions[upstream]; u != nil && u.text != nil {
		byUpstream = comments(u.text.text)
	}
	if o := q.versions[origin]; o != nil && o.text != nil {
		for line, n := range comments(o.text.text) {
			byUpstream[line] -= n
		}
	}
	before, after := comments(was), comments(is)
	if l := q.versions[local]; l != nil { // kyaml drops some comments on its way
		for line, n := range comments(l.text.text) {
			before[line] = max(before[line], n)
		}
	}
	var out []string
	for _, line := range slices.Sorted(maps.Keys(after)) {
		if after[line]-before[line] > max(0, byUpstream[line]) {
			out = append(out, fmt.Sprintf("added: %q", line))
		}
	}
	return out
}

// comments counts the comments that have a line of their own.
func comments(text string) map[string]int {
	count := map[string]int{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			count[line]++
		}
	}
	return count
}

package resourcelist

import (
	"bytes"
	"runtime"
	"slices"

	"github.com/resource-merge/resource-merge/internal/parallel"
)

// shallow is a line that does not begin with more spaces than a column.
type shallow struct{ at, number int }

// shallows lists the lines from at on, the first of which has the given number, that do
// not begin with more spaces than a column. Empty ones are not among them. Those of large
// data are looked for on all processors.
func shallows(data []byte, at, number, column int) []shallow {
	if large := 1 << 18; len(data)-at > large {
		return shallowsIn(runtime.GOMAXPROCS(0), data, at, number, column)
	}
	return shallowsIn(1, data, at, number, column)
}

// shallowsIn is shallows in a number of parts.
func shallowsIn(parts int, data []byte, at, number, column int) []shallow {
	starts := []int{at}
	for i := range parts {
		starts = append(starts, nextLine(data, max(starts[i], at+(len(data)-at)*(i+1)/parts-1)))
	}
	found, counts := make([][]shallow, parts), make([]int, parts)
	_ = parallel.Each(parts, func(i int) error { // which cannot fail
		found[i], counts[i] = shallowsOf(data[:starts[i+1]], starts[i], column)
		return nil
	})
	for i, lines := range found {
		for n := range lines {
			lines[n].number += number
		}
		number += counts[i]
	}
	return slices.Concat(found...)
}

// shallowsOf is shallows for one part, with numbers from 0, and how many lines there are.
func shallowsOf(data []byte, at, column int) (lines []shallow, count int) {
	margin := bytes.Repeat([]byte(" "), column+1)
	for ; at < len(data); at, count = nextLine(data, at), count+1 {
		if data[at] != '\n' && !bytes.HasPrefix(data[at:], margin) {
			lines = append(lines, shallow{at, count})
		}
	}
	return lines, count
}

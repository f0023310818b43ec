package mergecheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/align"
)

// textFiles checks the files that are not YAML on some side, line by line.
func (p Package) textFiles(read [versions]reading) (out []string) {
	told := map[string]bool{}
	for _, t := range p.Told {
		if t.Kind == "" {
			told[t.File] = true
		}
	}
	names := map[string]bool{}
	for _, r := range read {
		for name := range r.texts {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if told[name] {
			continue
		}
		var count [versions]map[string]int
		var all [versions][]string
		for v, files := range []map[string]string{p.Origin, p.Upstream, p.Local, p.Result, p.Result} {
			text := files[name]
			if v >= int(Result) {
				text = sideOf(text, Version(v) == Marked)
			}
			count[v] = map[string]int{}
			for line := range strings.Lines(text) {
				line = strings.TrimRight(line, "\r\n")
				count[v][line]++
				all[v] = append(all[v], line)
			}
		}
		theirs, ours := touched(all[Origin], all[Upstream]), touched(all[Origin], all[Local])
		lines := slices.Concat(all[:]...)
		slices.Sort(lines)
		for _, line := range slices.Compact(lines) {
			o, u, l, r, x := count[Origin][line], count[Upstream][line], count[Local][line], count[Result][line], count[Marked][line]
			least, most := min(u, l, u+l-o), max(u, l, u+l-o)
			switch {
			case !theirs[line]:
				least, most = l, l
			case !ours[line]:
				least, most = u, u
			case o == u || o == l: // one of them moved it, or put it at one place for another
				most++
			}
			switch {
			case r != x && (o == l || r == l || r >= least && r <= most) && (o == u || x == u || x >= least && x <= most):
			case r == x && r >= least && r <= most:
			default:
				out = append(out, fmt.Sprintf("%s: the line %q: origin %d, upstream %d, local %d, the result %d and %d", name, line, o, u, l, r, x))
			}
		}
	}
	return out
}

// touched are the lines that a side removed from a text, or added, if only to move them.
func touched(from, to []string) map[string]bool {
	out := map[string]bool{}
	at := 0
	for i, j := range append(align.Lines(from, to), len(to)) {
		if j < 0 {
			out[from[i]] = true
			continue
		}
		for ; at < j; at++ {
			out[to[at]] = true
		}
		at = j + 1
	}
	return out
}

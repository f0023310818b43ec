package mergecheck

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// combined lays elements without a key, of which a merge made one, at the place where origin
// has it: both sides changed that element, in different parts or in part alike.
func combined(elements []*place) []*place {
	for {
		was := elementOf(elements, nil, Origin)
		theirs, ours := elementOf(elements, was, Upstream), elementOf(elements, was, Local)
		if was == nil || theirs == nil && ours == nil {
			return elements
		}
		made := elementOf(elements, was, Result)
		switch {
		case theirs == nil:
			made = elementOf(elements, was, Upstream, Result)
		case ours == nil:
			made = elementOf(elements, was, Local, Result)
		}
		if made == nil {
			return elements
		}
		for _, p := range []*place{made, theirs, ours} {
			for v := range was.spots {
				if p != nil {
					was.spots[v] = append(was.spots[v], p.spots[v]...)
				}
			}
		}
		elements = slices.DeleteFunc(elements, func(p *place) bool { return p == made || p == theirs || p == ours })
	}
}

// elementOf is the element without a key that some versions have, and no others: the one that
// is most like another, the longest where there is none. What came out is one version here.
func elementOf(elements []*place, like *place, versions ...Version) (best *place) {
	most := -1
	for _, p := range elements {
		found := p.keys == nil && len(p.steps) > 0 && strings.HasPrefix(p.steps[len(p.steps)-1], "*")
		for _, v := range []Version{Origin, Upstream, Local} {
			found = found && len(p.spots[v]) > 0 == slices.Contains(versions, v)
		}
		if !found || len(p.spots[Result])+len(p.spots[Marked]) > 0 != slices.Contains(versions, Result) {
			continue
		}
		n := len(p.path)
		if like != nil {
			n = common(like.path, p.path)
		}
		if n > most {
			best, most = p, n
		}
	}
	return best
}

// common is how many bytes two texts have in common at their ends.
func common(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	a, b = a[n:], b[n:]
	for i := 1; i <= min(len(a), len(b)) && a[len(a)-i] == b[len(b)-i]; i++ {
		n++
	}
	return n
}

// renamed lays a field of a map that a side has under another name, and that is mostly what
// origin has, at the place where origin has it: git merges what the other side changed in it.
func renamed(fields []*place) []*place {
	for _, side := range [2]Version{Upstream, Local} {
		for _, was := range fields {
			if len(was.spots[Origin]) != 1 || len(was.spots[side]) > 0 || was.spots[Origin][0].key == nil || was.spots[Origin][0].value.Kind != yaml.MappingNode {
				continue
			}
			i := slices.IndexFunc(fields, func(p *place) bool {
				return len(p.spots[side]) == 1 && len(p.spots[Origin])+len(p.spots[Upstream])+len(p.spots[Local]) == 1 && mostlyAlike(was.spots[Origin][0].value, p.spots[side][0].value)
			})
			if i < 0 {
				continue
			}
			for v := range was.spots {
				was.spots[v] = append(was.spots[v], fields[i].spots[v]...)
			}
			fields = slices.Delete(slices.Clone(fields), i, i+1)
		}
	}
	return fields
}

// mostlyAlike reports whether two values have most of their parts in common.
func mostlyAlike(a, b *yaml.Node) bool {
	x, y := strings.Split(whole(a, scalar), ","), strings.Split(whole(b, scalar), ",")
	count := map[string]int{}
	for _, part := range x {
		count[part]++
	}
	same := 0
	for _, part := range y {
		if count[part] > 0 {
			count[part]--
			same++
		}
	}
	return 10*2*same > 7*(len(x)+len(y))
}

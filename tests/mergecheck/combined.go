package mergecheck

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// combined lays elements without a key at the place where origin has them: where both sides
// changed one, or a merge made one that no side has. Of each version it is the element that is
// most alike. An element of one side that differs in nothing but its aliases is origin's.
func combined(elements []*place) []*place {
	for _, was := range slices.Clone(elements) {
		if !was.keyless() || len(was.spots[Origin]) == 0 || len(was.spots[Result])+len(was.spots[Marked]) > 0 {
			continue
		}
		var laid []*place
		for v := Upstream; v < versions; v++ {
			has := func(p *place) bool { return len(p.spots[v]) > 0 }
			if has(was) || slices.ContainsFunc(laid, has) {
				continue
			}
			if found := mostAlike(elements, laid, was, v); found != nil {
				laid = append(laid, found)
			}
		}
		if both := len(was.spots[Upstream])+len(was.spots[Local]) == 0 && len(laid) > 1; !both && !slices.ContainsFunc(laid, (*place).made) && !slices.ContainsFunc(laid, was.writtenAlike) {
			continue
		}
		for _, p := range laid {
			for v := range was.spots {
				was.spots[v] = append(was.spots[v], p.spots[v]...)
			}
		}
		elements = slices.DeleteFunc(slices.Clone(elements), func(p *place) bool { return slices.Contains(laid, p) })
	}
	return elements
}

// pairByComment finds the element without a key of origin in whose place another one came: a side
// has this one instead, with the same comment beside it, and there is no other such element
// (rules/comments-and-text: merged comments).
func pairByComment(elements []*place) {
	for _, p := range elements {
		if !p.keyless() || len(p.spots[Origin]) > 0 {
			continue
		}
		for _, v := range [2]Version{Upstream, Local} {
			if text := p.lineOf(v); text != "" && p.replaces == nil {
				p.replaces = onlyWithLine(elements, text, func(was *place) bool { return len(was.spots[v]) == 0 })
			}
		}
	}
}

// onlyWithLine is the one element without a key of origin that has a comment beside it and is
// wanted, nil if there are several.
func onlyWithLine(elements []*place, text string, wanted func(*place) bool) (found *place) {
	for _, p := range elements {
		if p.keyless() && p.lineOf(Origin) == text && wanted(p) {
			if found != nil {
				return nil
			}
			found = p
		}
	}
	return found
}

// lineOf is the comment beside a version's only element of a place, "" if it has none or several.
func (p *place) lineOf(v Version) string {
	if len(p.spots[v]) != 1 {
		return ""
	}
	return p.spots[v][0].around()[1]
}

// keyless reports whether a place is an element without a key.
func (p *place) keyless() bool {
	return p.keys == nil && len(p.steps) > 0 && strings.HasPrefix(p.steps[len(p.steps)-1], "*")
}

// writtenAlike reports whether a side has at another place what origin has here, but for what
// aliases stand for.
func (p *place) writtenAlike(other *place) bool {
	return !other.made() && written(p.spots[Origin][0].value) == written(append(other.spots[Upstream], other.spots[Local]...)[0].value)
}

// made reports whether only what came out of a merge has a place.
func (p *place) made() bool {
	return len(p.spots[Origin])+len(p.spots[Upstream])+len(p.spots[Local]) == 0
}

// mostAlike is the element without a key that a version has, that origin lacks, and that has
// more parts in common with an element of origin than any other such has, and than it has with
// any other element that the version lacks; nil if there is none. The result's candidates are only
// elements that no side has, and they are compared with the sides' versions of the element, too.
func mostAlike(elements, laid []*place, was *place, v Version) *place {
	var left, came []*place
	for _, p := range elements {
		switch {
		case !p.keyless():
		case len(p.spots[Origin]) == 0 && len(p.spots[v]) > 0 && (v < Result || p.made()):
			came = append(came, p)
		case len(p.spots[Origin]) > 0 && len(p.spots[v]) == 0:
			left = append(left, p)
		}
	}
	parts := func(p *place, of Version) []string {
		parts := partsOf(p.spots[of][0].value, "")
		if p == was && v >= Result {
			for _, side := range laid {
				if !side.made() {
					parts = append(parts, partsOf(append(side.spots[Upstream], side.spots[Local]...)[0].value, "")...)
				}
			}
		}
		return parts
	}
	best := func(all []*place, like []string, of Version) (best *place) {
		most := 0
		for _, p := range all {
			if n := inCommon(like, parts(p, of)); n > most {
				best, most = p, n
			}
		}
		return best
	}
	found := best(came, parts(was, Origin), v)
	if found == nil || best(left, parts(found, v), Origin) != was {
		return nil
	}
	return found
}

// partsOf are the scalars of a value with the fields that lead to them, strings by their lines.
func partsOf(n *yaml.Node, path string) (parts []string) {
	for _, b := range below(n) {
		at := path
		if b.key != nil {
			at += "." + b.key.Value
		}
		parts = append(parts, partsOf(b.value, at)...)
	}
	if n.Kind != yaml.ScalarNode {
		return parts
	}
	for line := range strings.Lines(n.Value) {
		parts = append(parts, path+": "+line)
	}
	return parts
}

// inCommon is the number of parts that two values have in common; one may be there several times.
func inCommon(a, b []string) (n int) {
	count := map[string]int{}
	for _, part := range a {
		count[part]++
	}
	for _, part := range b {
		if count[part] > 0 {
			count[part]--
			n++
		}
	}
	return n
}

// renamed lays a field of a map that a side has under another name, with a value mostly like
// origin's, at origin's place: git merges the other side's changes in it.
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
	return 10*2*inCommon(x, y) > 7*(len(x)+len(y))
}

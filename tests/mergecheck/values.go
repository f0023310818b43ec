package mergecheck

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// origins objects to values of the result that neither upstream nor local has
// at the place, positions in lists dropped.
func (c *checker) origins(p *place) {
	for _, v := range c.results() {
		for _, s := range p.spots[v] {
			for _, what := range p.facts(s) {
				if !c.known[p.anywhere(what)] {
					c.object(p, "%s is invented", what)
				}
			}
		}
	}
}

// results are the versions that came out.
func (c *checker) results() []Version {
	if c.Marks {
		return []Version{Result, Marked}
	}
	return []Version{Result}
}

// values objects where the result has more or less of a value than a 3-way
// merge of the counts has.
func (c *checker) values(p *place) {
	seen := map[string]bool{}
	for _, spots := range p.spots {
		for _, s := range spots {
			for _, what := range p.facts(s) {
				if !seen[what] && !c.excused(p, what) {
					c.count(p, what)
				}
				seen[what] = true
			}
		}
	}
}

// hasSetter reports whether a place is an element without a key in which a setter decides a value: only its values
// tell such an element apart. It is covered, but nothing in it may be invented.
func (p *place) hasSetter() bool {
	return p.keyless() && slices.ContainsFunc(slices.Concat(p.spots[Origin:Result]...), func(s spot) bool { return mentionsSetter(s.value) })
}

func mentionsSetter(n *yaml.Node) bool {
	return strings.Contains(n.LineComment, "$imagepolicy") || slices.ContainsFunc(n.Content, mentionsSetter)
}

// isSettled reports whether one side's value may be taken without a conflict: a setter's comment is beside it in all
// versions that have it, or the newest of two versions, or of two times of a generator, was to be taken, or the sides have one image. The comments count, whatever the values are.
func (c *checker) isSettled(p *place) bool {
	byComment, numbered, texts := true, true, map[string]bool{}
	for v, spots := range p.spots[:Result] {
		for _, s := range spots {
			comment := s.value.LineComment
			if s.key != nil {
				comment += s.key.LineComment
			}
			byComment = byComment && strings.Contains(comment, "$imagepolicy")
		}
		one := len(spots) == 1 && spots[0].value.Kind == yaml.ScalarNode && strings.ContainsAny(spots[0].value.Value, "0123456789")
		numbered = numbered && (one || Version(v) == Origin && len(spots) == 0)
		if one {
			texts[spots[0].value.Value] = true
		}
	}
	isTime := numbered && strings.HasSuffix(p.path, ".createdAt") // the newer time is taken under every policy
	return byComment || (c.Newest || isTime) && numbered && len(texts) > 1 || p.isLatest()
}

// isLatest reports whether the sides have one image, and one of them wrote its tag latest out.
func (p *place) isLatest() bool {
	if len(p.spots[Upstream]) != 1 || len(p.spots[Local]) != 1 {
		return false
	}
	u, l := p.spots[Upstream][0].value, p.spots[Local][0].value
	return u.Kind == yaml.ScalarNode && l.Kind == yaml.ScalarNode && (u.Value == l.Value+":latest" || l.Value == u.Value+":latest")
}

// excused are a null that removes its field, the name of a resource that origin does not have,
// which stays local's, and a default that is written out as local has it, goes with its
// element, or makes way for another value: to write it is no change (rules/lists: parts of keys).
func (c *checker) excused(p *place, what string) bool {
	if what == p.fallback && p.count(Result, what) == p.count(Local, what) {
		return true
	}
	if what == p.fallback && p.count(Result, what) == 0 {
		unwritten := len(p.spots[Upstream]) == 0 || len(p.spots[Local]) == 0
		return p.alone || len(p.spots[Result]) > 0 || len(p.spots[Origin]) > 0 && unwritten
	}
	if what == "null" && c.Nulls != nil && len(p.steps) > 0 && c.Nulls(p.steps) {
		return p.count(Origin, what) == 0 && (p.count(Upstream, what) == 0 || p.count(Local, what) == 0)
	}
	if p.isContained(what) {
		return true
	}
	return c.Documents[Origin] == nil && (p.path == "metadata.name" || p.path == "metadata.namespace")
}

// isContained reports whether what is a text that one side added, and the other side's addition, which came out, has its lines in
// their order: that addition is this one and more (rules/laws: added without an origin).
func (p *place) isContained(what string) bool {
	if len(p.spots[Origin]) > 0 || len(p.spots[Upstream]) != 1 || len(p.spots[Local]) != 1 || len(p.spots[Result]) != 1 {
		return false
	}
	longer := p.spots[Result][0].value
	for _, side := range []Version{Upstream, Local} {
		if v := p.spots[side][0].value; v.Kind == yaml.ScalarNode && scalar(v) == what && p.count(Upstream+Local-side, scalar(longer)) == 1 {
			return contains(longer, v)
		}
	}
	return false
}

// isWhole reports whether both sides added a value, and the one that contains the other came out: it is the other one and
// more (rules/laws: added without an origin).
func (c *checker) isWhole(p *place) bool {
	if len(p.spots[Origin]) > 0 || len(p.spots[Upstream]) != 1 || len(p.spots[Local]) != 1 {
		return false
	}
	longer, shorter := p.spots[Upstream][0].value, p.spots[Local][0].value
	if !contains(longer, shorter) {
		longer, shorter = shorter, longer
	}
	return contains(longer, shorter) && !slices.ContainsFunc(c.results(), func(v Version) bool {
		return len(p.spots[v]) != 1 || whole(p.spots[v][0].value, scalar) != whole(longer, scalar)
	})
}

// contains reports whether a value has all of another one: its fields, its elements in their order, its lines in theirs.
// Nothing else contains an empty map or list.
func contains(longer, shorter *yaml.Node) bool {
	if longer.Kind != shorter.Kind || whole(longer, scalar) == whole(shorter, scalar) {
		return longer.Kind == shorter.Kind
	}
	parts, rest := below(shorter), below(longer)
	switch shorter.Kind {
	case yaml.MappingNode:
		return len(parts) > 0 && !slices.ContainsFunc(parts, func(part spot) bool {
			return !slices.ContainsFunc(rest, func(s spot) bool { return s.key.Value == part.key.Value && contains(s.value, part.value) })
		})
	case yaml.SequenceNode:
		return len(parts) > 0 && !slices.ContainsFunc(parts, func(part spot) bool {
			at := slices.IndexFunc(rest, func(s spot) bool { return contains(s.value, part.value) })
			rest = rest[at+1:]
			return at < 0
		})
	}
	left := lines(longer)
	return strings.Contains(shorter.Value, "\n") && !slices.ContainsFunc(lines(shorter), func(line string) bool {
		at := slices.Index(left, line)
		left = left[at+1:]
		return at < 0
	})
}

func (p *place) count(v Version, what string) int {
	n := 0
	for _, s := range p.spots[v] {
		for _, fact := range p.facts(s) {
			if fact == what {
				n++
			}
		}
	}
	return n
}

// count compares how often the result has a value at a place with how often it should. Of
// lines, which may be equal, both sides may have added or removed different ones, or
// moved them. The same holds for an element without a key that origin has, and for the values in it,
// where a version has it twice and the sides' lists differ (rules/lists: lists without keys). A map
// or list may also be there for the values in it. Of what both sides added to such a list, the longer
// repetition comes.
func (c *checker) count(p *place, what string) {
	o, u, l := p.count(Origin, what), p.count(Upstream, what), p.count(Local, what)
	least, most := min(u, l), max(u, l)
	switch o {
	case u:
		least, most = l, l
	case l:
		least, most = u, u
	}
	if p.lines {
		least, most = min(u, l, u+l-o), max(u, l, u+l-o)
		if o == 0 {
			least = max(u, l)
		}
	}
	if p.byValue && o == 0 && min(u, l) > 0 {
		least = max(u, l)
	}
	if p.byValue && !p.agreed && o > 0 && max(o, u, l) > 1 {
		least, most = min(least, u+l-o), max(most, u+l-o)
	}
	r := p.count(Result, what)
	if c.Marks {
		x := p.count(Marked, what)
		isIn := func(n int) bool { return n >= least && n <= most }
		switch {
		case r != x:
			if p.lines {
				least = min(u, l, u+l-o)
			}
			if o != l && r != l && !isIn(r) || o != u && x != u && !isIn(x) {
				c.object(p, "%s is lost between markers: %d and %d (origin %d, upstream %d, local %d)", what, r, x, o, u, l)
			}
			return
		case u != l && c.Documents[Origin] == nil && c.Documents[Upstream] != nil && c.Documents[Local] != nil:
			c.object(p, "%s, which one of the sides added alone, is not between markers (upstream %d, local %d, result %d)", what, u, l, r)
			return
		}
	}
	switch {
	case r < least:
		c.object(p, "%s is lost: %d, want %d (origin %d, upstream %d, local %d)", what, r, least, o, u, l)
	case r > most && !p.filled():
		c.object(p, "%s is kept: %d, want %d (origin %d, upstream %d, local %d)", what, r, most, o, u, l)
	}
}

// filled reports whether all that the result has at a place are maps and lists
// with something in them.
func (p *place) filled() bool {
	for _, s := range p.spots[Result] {
		if s.value.Kind == yaml.ScalarNode || len(s.value.Content) == 0 {
			return false
		}
	}
	return true
}

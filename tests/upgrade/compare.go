package main

import "strings"

// The sides of a resource, and the result.
const (
	origin = iota
	upstream
	local
	result
)

// kindOf is a kind of findings.
type kindOf string

const (
	upstreamLost kindOf = "upstream's change lost"
	localLost    kindOf = "customisation lost"
	madeUp       kindOf = "made up"
	conflicting  kindOf = "conflict"
	falseAlarm   kindOf = "false conflict"
	invalid      kindOf = "invalid"
	extraLine    kindOf = "extra line"
)

// finding is one thing that a comparison noticed.
type finding struct {
	kind kindOf
	path string
	text string
}

// comparison walks the four versions of a resource and counts what each side
// changed, at the finest place where the sides can be told apart.
type comparison struct {
	upstream, local int // changes
	findings        []finding
	// told are the paths of the conflicts that were reported; "" is all of it.
	told []string
}

// isTold reports whether a conflict was reported at a path, above or below it.
func (c *comparison) isTold(path string) bool {
	for _, t := range c.told {
		if isBelow(path, t) || isBelow(t, path) {
			return true
		}
	}
	return false
}

func isBelow(path, top string) bool {
	rest, found := strings.CutPrefix(path, top)
	return found && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

func (c *comparison) find(kind kindOf, path, text string) {
	c.findings = append(c.findings, finding{kind, path, text})
}

// visit compares the versions' values at a path (rules/fields: whole values). The result
// must have a side's value of each part that only this side changed, and the value of
// either side where both changed it differently.
func (c *comparison) visit(path string, v [4]any) {
	if same(v[origin], v[upstream]) && same(v[origin], v[local]) && same(v[origin], v[result]) {
		return
	}
	byUpstream, byLocal := !same(v[origin], v[upstream]), !same(v[origin], v[local])
	switch {
	case !byUpstream && !byLocal && (isAbsent(v[result]) || !c.descend(path, v, false)):
		c.expect(madeUp, path, v, v[origin])
	case !byUpstream && !byLocal:
	case c.descend(path, v, byUpstream && byLocal):
	case byUpstream && byLocal && same(v[upstream], v[local]):
		c.upstream, c.local = c.upstream+1, c.local+1
		c.expect(madeUp, path, v, v[local])
	case byUpstream && byLocal:
		c.upstream, c.local = c.upstream+1, c.local+1
		c.both(path, v)
	case byUpstream:
		c.upstream++
		c.expect(upstreamLost, path, v, v[upstream])
	default:
		c.local++
		c.expect(localLost, path, v, v[local])
	}
}

// descend goes on below, if the versions can be told apart there. An element or
// a map that one side removed and the other changed is a conflict of its own.
func (c *comparison) descend(path string, v [4]any, both bool) bool {
	if whole(v) || both && removed(v) {
		return false
	}
	steps, children, ok := childrenOf(v)
	if !ok {
		return false
	}
	for _, step := range steps {
		c.visit(path+step, children[step])
	}
	return true
}

// whole reports whether a side alone added or removed all of it: one change,
// however much is below.
func whole(v [4]any) bool {
	return isAbsent(v[origin]) && (isAbsent(v[upstream]) || isAbsent(v[local])) || isAbsent(v[upstream]) && same(v[origin], v[local]) ||
		isAbsent(v[local]) && same(v[origin], v[upstream]) || isAbsent(v[upstream]) && isAbsent(v[local])
}

func removed(v [4]any) bool {
	return !isAbsent(v[origin]) && (isAbsent(v[upstream]) || isAbsent(v[local]))
}

// expect notes that the result has not what it should have, unless a conflict
// that was reported says so.
func (c *comparison) expect(kind kindOf, path string, v [4]any, want any) {
	if same(v[result], want) || c.isTold(path) {
		return
	}
	c.find(kind, path, show(v))
}

// both judges a place that both sides changed differently. What can be had of both,
// parts of an image and lines of a text, is no conflict (rules/fields: images).
func (c *comparison) both(path string, v [4]any) {
	told := c.isTold(path)
	if merged, can := mergeParts(path, v); can {
		if !same(v[result], merged) && !told {
			c.dropped(path, v)
		}
		return
	}
	if hasBoth(v) {
		return
	}
	c.find(conflicting, path, show(v))
	if told {
		return
	}
	c.dropped(path, v)
	if !plausible(v[result], v[:result]) {
		c.find(madeUp, path, show(v))
	}
}

// dropped notes whose value was dropped without a word.
func (c *comparison) dropped(path string, v [4]any) {
	kind := upstreamLost
	if same(v[result], v[upstream]) {
		kind = localLost
	}
	c.find(kind, path, "both changed it, without a word: "+show(v))
}

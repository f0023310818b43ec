package mergecheck

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Version is one of the documents of a merge.
type Version int

// The documents of a merge.
const (
	Origin Version = iota
	Upstream
	Local
	Result
	// Marked is the result with theirs of each conflict marker, where Result has ours.
	Marked
	versions
)

func (v Version) String() string {
	return [versions]string{"origin", "upstream", "local", "the result", "the result with theirs of each marker"}[v]
}

// Merge is a merge of one resource: what is to be checked.
type Merge struct {
	// Documents are nil where a side, or the result, lacks the resource.
	Documents [versions]*yaml.Node
	// Marks says that what collides was to be put between markers: there is a document Marked,
	// unless theirs of the markers has none.
	Marks bool
	// Conflicts are the paths that were reported, as results write them.
	Conflicts []string
	// Comments are the paths at which comments were reported that both sides changed.
	Comments []string
	// Lines are the paths of strings, or of lists of strings, that were reported to
	// be merged line by line.
	Lines []string
	// Elements are the paths of lists without keys that were reported to have the changes of both
	// sides: an element may combine them, and a string of several lines in it those of its lines.
	Elements []string
	// Keys tells elements apart.
	Keys Keys
	// Scalars returns the schema's meaning of a scalar; nil if nothing is known.
	Scalars Scalars
	// Nulls says which fields a null removes; nil if it removes none.
	Nulls Nulls
	// Silent says that strings of several lines may be merged line by line without a word, as
	// git merges them.
	Silent bool
	// Ordered says that the order of lists without keys counts.
	Ordered bool
	// Newest says that one side's version may be taken without a word where both have another text with a
	// number.
	Newest bool
}

// checker walks the places of a merge and collects objections.
type checker struct {
	Merge
	reported map[string]bool
	comments map[string]bool
	lines    map[string]bool
	known    map[string]bool // what upstream and local have, positions dropped
	// remarks counts each line of a comment in each version.
	remarks    [versions]map[string]int
	objections []string
}

// Check returns the faults of a merge, none if all is conserved. A text of YAML or JSON is conserved by its lines or by its
// fields (rules/fields: YAML in a string).
func Check(m Merge) []string {
	faults := check(m)
	if len(faults) == 0 {
		return nil
	}
	if parsed, found := m.withParsedTexts(); found {
		return check(parsed)
	}
	return faults
}

func check(m Merge) []string {
	c := checker{Merge: m, reported: map[string]bool{}, comments: map[string]bool{}, lines: map[string]bool{}, known: map[string]bool{}}
	for _, path := range m.Conflicts {
		c.reported[path] = true
	}
	for _, path := range m.Comments {
		c.comments[path] = true
	}
	for _, path := range m.Lines {
		c.lines[path] = true
	}
	root := &place{}
	for v, n := range m.Documents {
		c.remarks[v] = map[string]int{}
		countComments(c.remarks[v], n)
		if n != nil {
			root.add(Version(v), spot{value: c.withAmounts(plain(n), nil)})
		}
	}
	c.learn(root)
	c.madeUp()
	c.visit(root, c.reported[""], c.comments[""])
	return c.objections
}

func (c *checker) object(p *place, text string, args ...any) {
	c.objections = append(c.objections, p.path+": "+fmt.Sprintf(text, args...))
}

// learn notes the values and comments of upstream and local by the path
// without the positions in lists.
func (c *checker) learn(p *place) {
	for _, v := range []Version{Upstream, Local} {
		for _, s := range p.spots[v] {
			for _, what := range p.facts(s) {
				c.known[p.anywhere(what)] = true
			}
			c.known[p.anywhere(s.around()[1])] = true
		}
	}
	for _, child := range c.children(p) {
		c.learn(child)
	}
}

// visit checks a place and all below it. covered says that a conflict is
// reported there or above, commented that one about a comment is.
func (c *checker) visit(p *place, covered, commented bool) {
	if p.removed() {
		return
	}
	c.origins(p)
	covered = covered || p.hasSetter()
	p.whole = p.whole || c.isWhole(p)
	if !covered && !p.whole && !c.isSettled(p) {
		c.values(p)
	}
	if !covered && c.Ordered {
		c.checkOrder(p)
	}
	c.checkComments(p, covered, commented)
	children := c.children(p)
	if p.lines {
		return
	}
	decided := slices.ContainsFunc(children, func(child *place) bool { return c.reported[child.path] })
	for _, child := range children {
		child.whole = p.whole
		name := child.path[strings.LastIndexByte(child.path, '.')+1:]
		isDigest := decided && (strings.HasPrefix(name, "digest") || strings.HasSuffix(name, "Digest")) // it goes with the version beside it
		c.visit(child, covered || isDigest || c.reported[child.path], commented || c.comments[child.path])
	}
}

// removed reports whether one side removed a part of a document that the other side changed
// only where an alias leads: that change is where the anchor is.
func (p *place) removed() bool {
	if len(p.spots[Origin]) != 1 || len(p.spots[Upstream])+len(p.spots[Local]) != 1 || len(p.spots[Result])+len(p.spots[Marked]) > 0 {
		return false
	}
	kept := append(p.spots[Upstream], p.spots[Local]...)[0].value
	return written(p.spots[Origin][0].value) == written(kept)
}

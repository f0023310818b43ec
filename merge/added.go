package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// bothAdded reports whether both sides added the element, so that no origin tells who left out a part of it.
func (e *element) bothAdded() bool { return e.added || e.newInBoth() }

// newInBoth reports whether upstream and local have the element, and origin has not.
func (e *element) newInBoth() bool {
	return !e.has(origin) && e.effective(upstream) != nil && e.effective(local) != nil
}

// longer returns the side whose addition contains the other side's, and thus is that addition and more, such as a change
// that was copied to a release branch before it grew (rules/laws: added without an origin). Where a package has no origin, nobody
// knows that either side added something; of a file without a base, git knows it.
func (e *element) longer() (identity.Side, bool) {
	u, l := e.effective(upstream), e.effective(local)
	if !e.bothAdded() || e.rules.NoOrigin && !e.rules.RemovalsCollide || u == nil || l == nil {
		return 0, false
	}
	if e.resource && !e.rules.RemovalsCollide { // a name is no addition there
		u, l = unnamed(u), unnamed(l)
	}
	switch {
	case contains(e.typ, l, u):
		return local, true
	case contains(e.typ, u, l):
		return upstream, true
	}
	return 0, false
}

// contains reports whether a value has all of another one: the entries of a map, the elements of a list in their order, the
// lines of a text in theirs. An empty map or list is a value of its own, and nothing else contains it.
func contains(typ *schema.Type, long, short *yaml.Node) bool {
	switch {
	case same(typ, long, short):
		return true
	case !sameForm(long, short):
		return false
	case long.Kind == yaml.ScalarNode:
		return hasLines(long) && hasLines(short) && containsLines(long.Value, short.Value)
	case len(short.Content) == 0:
		return false
	case long.Kind == yaml.SequenceNode:
		return containsElements(typ, long.Content, short.Content)
	}
	field := yamlnode.Fields(long)
	for key, v := range yamlnode.Pairs(short) {
		if other := field(key.Value); other == nil || !contains(typ.Part(key.Value), other, v) {
			return false
		}
	}
	return true
}

// containsElements is contains for lists. An element that is a map may have more than its counterpart; the elements of a set
// have no order.
func containsElements(typ *schema.Type, long, short []*yaml.Node) bool {
	element := typ.Element()
	is := func(a, b *yaml.Node) bool {
		return same(element, a, b) || a.Kind == yaml.MappingNode && contains(element, a, b)
	}
	if typ != nil && typ.Relation == schema.Set {
		known := map[string]bool{}
		for _, n := range long {
			known[canonicalOf(element, n)] = true
		}
		return !slices.ContainsFunc(short, func(n *yaml.Node) bool { return !known[canonicalOf(element, n)] })
	}
	for _, n := range long {
		if len(short) > 0 && is(n, short[0]) {
			short = short[1:]
		}
	}
	return len(short) == 0
}

// containsLines reports whether a text has all lines of another one in their order, and one of them has words.
func containsLines(long, short string) bool {
	lines := slices.Collect(strings.Lines(short))
	if !slices.ContainsFunc(lines, hasWords) {
		return false
	}
	for line := range strings.Lines(long) {
		if len(lines) > 0 && lines[0] == line {
			lines = lines[1:]
		}
	}
	return len(lines) == 0
}

// isDisputed reports whether both sides of a branch added a map, and neither contains the other: each of its entries that one
// side alone has collides, unless the user names the entries.
func (e *element) isDisputed() bool {
	return e.rules.RemovalsCollide && e.form == mapping && e.bothAdded() && !e.contained && !e.isMapOfNames()
}

// tellJoined notes that a map which both sides added has parts of either side in the result, among them one that the other
// side lacks: the map is one that no side has. Where these parts collide, their conflicts say so.
func (d *decision) tellJoined(e *element, policy Policy) {
	switch {
	case e.joined, !e.bothAdded(), e.contained, e.rules.RemovalsCollide, e.rules.NoOrigin, e.added && policy.Marks(e.path):
		return
	case !e.added && e.isMapOfNames(), len(d.conflicts) > 0:
		return
	}
	if from := e.contributions(*d, e.added); !from.alone || !from.by[upstream] || !from.by[local] {
		return
	}
	d.remark(MapsJoined, e)
	d.remarks[len(d.remarks)-1].Values[origin] = nil
}

// contributions returns the sides that gave a merged value parts that the other side has otherwise, or not at all: then alone is
// set.
type contributions struct {
	by    [3]bool
	alone bool
}

// contributions returns the contributions to the parts of an element that both sides added. The user may extend a map of names;
// it counts in a resource or an element that both sides added, if names is set.
func (e *element) contributions(d decision, names bool) (out contributions) {
	for i, c := range e.children {
		if i >= len(d.children) || d.children[i].verdict == Drop || c.has(origin) || !names && c.isMapOfNames() {
			continue
		}
		switch child := d.children[i]; {
		case c.has(upstream) != c.has(local):
			out.by[upstream], out.by[local], out.alone = out.by[upstream] || c.has(upstream), out.by[local] || c.has(local), true
		case child.verdict == MergeParts:
			below := c.contributions(child, names)
			out.by[upstream], out.by[local], out.alone = out.by[upstream] || below.by[upstream], out.by[local] || below.by[local], out.alone || below.alone
		case !c.same(c.value[upstream], c.value[local]):
			out.by[upstream], out.by[local] = out.by[upstream] || child.verdict != TakeLocal, out.by[local] || child.verdict != TakeUpstream
		}
	}
	return out
}

// isAlternative reports whether a list is no set if both sides added it: the fields that a schema requires, or the values
// that it allows, belong to one of two schemas (rules/laws: added without an origin).
func (e *element) isAlternative() bool {
	return e.path != nil && slices.Contains([]string{"required", "enum"}, e.path.field) && e.newInBoth()
}

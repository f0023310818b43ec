package merge

import (
	"strings"

	"github.com/resource-merge/resource-merge/identity"
)

// decideKey takes the key of an element that both sides re-keyed from one side,
// all parts of it (design 3.3): half a key is one that neither side wrote.
func decideKey(e *element, d *decision, policy Policy) {
	chosen := policy.Side(e.path)
	for _, key := range e.keys {
		takeField(e, d, strings.Split(key.Name, "."), chosen)
	}
	d.conflict(BothChanged, e, chosen)
}

// takeField takes the field at a path below e from a side, without a word.
func takeField(e *element, d *decision, names []string, side identity.Side) {
	for i, c := range e.children {
		switch below := &d.children[i]; {
		case c.path.field != names[0]:
		case len(names) == 1 || below.verdict != MergeParts:
			*below = version(c, take(side))
		default:
			takeField(c, below, names[1:], side)
			below.order = weave(below.children, c.order[local], c.behind(c.order[upstream]))
		}
	}
}

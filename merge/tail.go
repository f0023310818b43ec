package merge

import "github.com/resource-merge/resource-merge/identity"

// tail says what an element has to do with the comment at the end of the map or
// list that it is in. The node of a side's last element has that comment, but it
// belongs to the end, whatever element will be there (DESIGN 3.6): where
// upstream appends an element, the comment is not one of the element before.
type tail struct {
	// ends says on which sides the comment below the element is the tail.
	ends [3]bool
	// text is the tail in the result, if the element is the last one there.
	text string
}

// tails merges the comment at the end of a map or list that upstream and local
// both have; order lists the children that the result has. The tails are by
// child.
func (m emitter) tails(e *element, order []int) map[int]tail {
	if len(order) == 0 || e.effective(upstream) == nil || e.effective(local) == nil {
		return nil
	}
	var s [3]slots
	out := map[int]tail{}
	for _, side := range identity.Sides() {
		if len(e.order[side]) == 0 {
			continue
		}
		at := e.order[side][len(e.order[side])-1]
		s[side].foot = e.children[at].foot(side)
		if s[side].foot != "" {
			t := out[at]
			t.ends[side] = true
			out[at] = t
		}
	}
	if len(out) > 0 {
		last := order[len(order)-1]
		t := out[last]
		t.text = m.merge(s, e.path).foot
		out[last] = t
	}
	return out
}

// foot is the comment below an element on one side.
func (e *element) foot(side identity.Side) string {
	if e.key[side] != nil {
		return fieldSlots(e.key[side], e.value[side]).foot
	}
	return nodeSlots(e.value[side]).foot
}

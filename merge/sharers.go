package merge

import (
	"slices"

	"github.com/resource-merge/resource-merge/identity"
)

// sharers are the elements of a list that share a key, by side.
type sharers [3][]*element

// sharing finds the elements that no key tells apart, by their path.
func (e *element) sharing() map[string]*sharers {
	out := map[string]*sharers{}
	for _, c := range e.children {
		if !c.unkeyed {
			continue
		}
		shared := out[c.path.String()]
		if shared == nil {
			shared = &sharers{}
			out[c.path.String()] = shared
		}
		for side := range c.value {
			if c.value[side] != nil {
				shared[side] = append(shared[side], c)
			}
		}
	}
	return out
}

// decide decides one of the elements: live's stay, unless config dropped all of them.
func (a *sharers) decide(c *element) decision {
	d := decision{verdict: Drop}
	dropped := len(a[upstream]) == 0 && len(a[origin]) > 0
	switch {
	case c.has(local) && !dropped:
		d.verdict = TakeLocal
	case c.has(local) && !a.has(origin, c):
		d.conflict(Drift, c, upstream)
	}
	return d
}

// has reports whether a side has the very element.
func (a *sharers) has(side identity.Side, c *element) bool {
	return slices.ContainsFunc(a[side], func(other *element) bool { return c.same(other.value[side], c.value[local]) })
}

// differ reports whether config has other elements than live.
func (a *sharers) differ(list *element) bool {
	u, l := a[upstream], a[local]
	return len(u) > 0 && !slices.EqualFunc(u, l, func(x, y *element) bool {
		return same(list.typ.Element(), x.value[upstream], y.value[local])
	})
}

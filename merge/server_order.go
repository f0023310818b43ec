package merge

import (
	"slices"

	"github.com/resource-merge/resource-merge/internal/managed"
)

// appliedOrder returns the order of a map's fields, or of a list's elements as a server merges them: config's elements
// in config's order, and live's other elements as soon as their predecessors in live are done. An element that config
// has later than live does not delay its successors in live.
func (e *element) appliedOrder(children []decision) []int {
	if e.form == mapping {
		return weave(children, e.order[local], e.order[upstream])
	}
	o := listOrder{config: e.order[upstream], shared: map[int]bool{}, done: map[int]bool{}}
	for _, i := range e.order[local] {
		if j, found := e.successor(i); found {
			i = j
		}
		o.live = append(o.live, i)
		o.shared[i] = e.children[i].has(upstream)
	}
	for len(o.live) > 0 || len(o.config) > 0 {
		o.step()
	}
	return present(children, o.out)
}

// successor returns the element of config that replaces several elements of live with one key.
func (e *element) successor(i int) (int, bool) {
	c := e.children[i]
	if !c.unkeyed || !c.has(local) {
		return 0, false
	}
	for _, j := range e.order[upstream] {
		if e.children[j].unkeyed && managed.SameStep(e.children[j].path.step(), c.path.step()) {
			return j, true
		}
	}
	return 0, false
}

// listOrder merges two orders of a list's elements.
type listOrder struct {
	config, live, out []int
	shared            map[int]bool // elements of config that live has
	done              map[int]bool
}

func (o *listOrder) step() {
	switch {
	case len(o.live) == 0:
		o.takeConfig()
	case o.done[o.live[0]]:
		o.live = o.live[1:]
	case !o.shared[o.live[0]]:
		o.out, o.live = append(o.out, o.live[0]), o.live[1:]
	case len(o.config) > 0 && o.live[0] != o.nextShared():
		o.live = o.live[1:] // config has it later
	default:
		o.takeConfig()
	}
}

// takeConfig takes config's next element.
func (o *listOrder) takeConfig() {
	o.done[o.config[0]] = true
	o.out, o.config = append(o.out, o.config[0]), o.config[1:]
}

// nextShared returns config's next element that live has, -1 if there is none.
func (o *listOrder) nextShared() int {
	if at := slices.IndexFunc(o.config, func(i int) bool { return o.shared[i] }); at >= 0 {
		return o.config[at]
	}
	return -1
}

package merge

import "github.com/resource-merge/resource-merge/internal/managed"

// appliedOrder is the order of a map's fields, or of a list's elements as a server merges
// them: those of config in config's order. One that only live has comes as soon as what
// is before it in live is done with. An element that both have, which config has later than
// live, does not keep back what follows it in live.
func (e *element) appliedOrder(children []decision) []int {
	if e.form == mapping {
		return weave(children, e.order[local], e.order[upstream])
	}
	o := listOrder{children: e.children, config: e.order[upstream], shared: map[int]bool{}, done: map[int]bool{}}
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

// successor is the one element that config has of a key, where live has several: these go.
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
	children     []*element
	config, live []int
	out          []int
	shared       map[int]bool // elements of config that live has
	done         map[int]bool
}

func (o *listOrder) step() {
	switch {
	case len(o.live) == 0:
		o.take()
	case o.done[o.live[0]]:
		o.live = o.live[1:]
	case !o.shared[o.live[0]]:
		o.out, o.live = append(o.out, o.live[0]), o.live[1:]
	case len(o.config) > 0 && o.live[0] != o.next():
		o.live = o.live[1:] // config has it later
	default:
		o.take()
	}
}

// take puts config's next element.
func (o *listOrder) take() {
	o.done[o.config[0]] = true
	o.out, o.config = append(o.out, o.config[0]), o.config[1:]
}

// next is the next of config's elements that live has, -1 if there is none.
func (o *listOrder) next() int {
	for _, i := range o.config {
		if o.shared[i] {
			return i
		}
	}
	return -1
}

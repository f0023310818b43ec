package merge

// appliedOrder is the order of a map's fields, or of a list's elements as a server merges
// them: those of config in config's order. One that only live has comes as soon as what
// is before it in live is done with. An element that both have, which config has later than
// live, does not keep back what follows it in live.
func (e *element) appliedOrder(children []decision) []int {
	if e.form == mapping {
		return weave(children, e.order[local], e.order[upstream])
	}
	o := listOrder{children: e.children, config: e.order[upstream], live: e.order[local], done: map[int]bool{}}
	for len(o.live) > 0 || len(o.config) > 0 {
		o.step()
	}
	return present(children, o.out)
}

// listOrder merges two orders of a list's elements.
type listOrder struct {
	children     []*element
	config, live []int
	out          []int
	done         map[int]bool
}

func (o *listOrder) step() {
	switch {
	case len(o.live) == 0:
		o.take()
	case o.done[o.live[0]]:
		o.live = o.live[1:]
	case !o.children[o.live[0]].has(upstream):
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
		if o.children[i].has(local) {
			return i
		}
	}
	return -1
}

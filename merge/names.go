package merge

// names are the keys of maps, each once and in the order in which they come.
type names struct {
	list  []value
	index map[value]int // nil while there are few
	next  int           // where the next name is if the maps have the same order
}

// few is how many names are compared with each other.
const few = 8

// find returns the place of a name, and whether it is there.
func (n *names) find(name value) (at int, found bool) {
	if n.next < len(n.list) && n.list[n.next] == name {
		n.next++
		return n.next - 1, true
	}
	if n.index != nil {
		at, found = n.index[name]
	} else {
		for at = range n.list {
			if found = n.list[at] == name; found {
				break
			}
		}
	}
	if found {
		n.next = at + 1
	}
	return at, found
}

// add adds a name that is not there, as the last.
func (n *names) add(name value) {
	n.list = append(n.list, name)
	n.next = len(n.list)
	if n.index != nil {
		n.index[name] = len(n.list) - 1
	} else if len(n.list) > few {
		n.index = make(map[value]int, 2*len(n.list))
		for i, name := range n.list {
			n.index[name] = i
		}
	}
}

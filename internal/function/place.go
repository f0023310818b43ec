package function

// slot is a place in the result: a resource, or with sources.keep an item of
// origin's or upstream's that passes through.
type slot struct {
	resource *merged
	kept     *item
}

// file is the file that the slot's item lies in.
func (s slot) file() string {
	if s.resource != nil {
		return s.resource.file
	}
	return s.kept.path
}

// number gives what was added or moved its index: after the last item of its
// file (DESIGN 1.2). upstream is the resources of the upstream side, in its
// order.
func number(all, upstream []*merged) {
	next := map[string]int{}
	for _, m := range all {
		if m.stays() && !m.moved {
			next[m.file] = max(next[m.file], m.index+1)
		}
	}
	for _, m := range upstream {
		if m.state == added || m.moved {
			m.index = next[m.file]
			next[m.file]++
		}
	}
}

// arrange orders the result: present, what has a place in the list already,
// stays in its order; each added resource comes after its nearest upstream
// predecessor that is there, else first in its file, else first of all.
func arrange(present []slot, upstream []*merged) []slot {
	files := make(map[string]bool, len(present))
	for _, s := range present {
		files[s.file()] = true
	}
	var first []slot
	inFile := map[string][]slot{}
	after := map[*merged][]slot{}
	var previous *merged
	for _, m := range upstream {
		s := slot{resource: m}
		switch {
		case m.stays():
			previous = m
		case m.state != added:
		case previous != nil:
			after[previous] = append(after[previous], s)
		case files[m.file]:
			inFile[m.file] = append(inFile[m.file], s)
		default:
			first = append(first, s)
		}
	}
	out := first
	for _, s := range present {
		out = append(out, inFile[s.file()]...)
		delete(inFile, s.file())
		out = append(append(out, s), after[s.resource]...)
	}
	return out
}

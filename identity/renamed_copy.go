package identity

import "strings"

const (
	// half is the likeness above which a pair that a change of names explains is one
	// that shows the change.
	half = 0.5
	// enoughContent is how many values a resource has to have for nothing but its content to
	// tell who it is.
	enoughContent = 3
	// maxName bounds the names that are looked at, as Kubernetes does, and maxCompared
	// how many values are compared for their likeness alone.
	maxName, maxCompared = 253, 1_000_000
)

// affixes are a change of names: what is put before and after them.
type affixes struct{ prefix, suffix string }

// renaming finds the resources of origin's that local has under other names, without a
// merge comment (rules/identity: renamed copies).
type renaming struct {
	*matcher
	triples []Triple
	// open are the triples with origin that lack local, and left those with nothing but
	// local, by kind, as indices.
	open, left map[[2]string][]int
	kinds      [][2]string
	// pairs are the pairs that each change of names explains, and known counts those that
	// merge comments make.
	pairs   map[affixes][][2]int
	changes []affixes
	known   map[affixes]int
	gone    map[int]bool
	// became says which triple of local's an open one joined, and joined the reverse.
	became, joined map[int]int
}

// joinRenamed joins what local calls otherwise than origin: where one change of names
// explains at least two pairs, most of which have half of their content in common, those
// pairs; and what exactly one candidate is mostly like, if upstream still has it.
// What is left uncertain gets Candidates.
func (m *matcher) joinRenamed(triples []Triple) []Triple {
	if !m.Renamed || m.Likeness == nil {
		return triples
	}
	r := &renaming{
		matcher: m, triples: triples, open: map[[2]string][]int{}, left: map[[2]string][]int{}, pairs: map[affixes][][2]int{},
		known: map[affixes]int{}, gone: map[int]bool{}, became: map[int]int{}, joined: map[int]int{},
	}
	if r.collect(); len(r.left) == 0 || len(r.open) == 0 {
		return triples
	}
	r.explain()
	r.joinExplained()
	r.joinAlike()
	r.suggest()
	return without(r.triples, r.gone)
}

// collect finds the open triples, what is left of local's, and what merge comments say of
// names.
func (r *renaming) collect() {
	for i, t := range r.triples {
		kind := [2]string{t.ID.Group, t.ID.Kind}
		switch {
		case t.Has(Origin) && t.Has(Local):
			name := r.sides[Local][t.At[Local]].Name
			if before, after, found := strings.Cut(name, t.ID.Name); found && name != t.ID.Name {
				r.known[affixes{before, after}]++
			}
		case t.Has(Origin) && !t.Ambiguous && r.sides[Origin][t.At[Origin]].Naming == ByName:
			if r.open[kind] == nil {
				r.kinds = append(r.kinds, kind)
			}
			r.open[kind] = append(r.open[kind], i)
		case t.only(Local) && r.isAnonymous(r.sides[Local][t.At[Local]]):
			r.left[kind] = append(r.left[kind], i)
		}
	}
}

// isAnonymous reports whether an entry of local's does not say whose version it is.
func (r *renaming) isAnonymous(e Entry) bool {
	_, commented := e.mergeComment()
	_, identified := parseIdentifier(e.Identifier)
	return e.Naming == ByName && !commented && !identified && len(e.Name) <= maxName
}

// explain finds the changes of names that explain pairs: local's name has origin's in it.
func (r *renaming) explain() {
	for _, kind := range r.kinds {
		named := map[string][]int{}
		for _, o := range r.open[kind] {
			named[r.triples[o].ID.Name] = append(named[r.triples[o].ID.Name], o)
		}
		for _, l := range r.left[kind] {
			name := r.triples[l].ID.Name
			for from := range name {
				for to := from + 1; to <= len(name); to++ {
					if to-from == len(name) {
						continue
					}
					if o, found := r.nearest(named[name[from:to]], l); found {
						r.add(affixes{name[:from], name[to:]}, o, l)
					}
				}
			}
		}
	}
}

// nearest is the one of several open triples that is in the namespace of a triple of
// local's, else the only one.
func (r *renaming) nearest(open []int, l int) (found int, is bool) {
	for _, o := range open {
		if r.triples[o].ID.Namespace == r.triples[l].ID.Namespace {
			return o, true
		}
	}
	if len(open) != 1 {
		return 0, false
	}
	return open[0], true
}

func (r *renaming) add(change affixes, o, l int) {
	if r.pairs[change] == nil {
		r.changes = append(r.changes, change)
	}
	r.pairs[change] = append(r.pairs[change], [2]int{o, l})
}

// joinExplained joins the pairs of the changes of names that are shown, where no other
// change explains as many pairs with one of the two.
func (r *renaming) joinExplained() {
	best := [2]map[int]int{{}, {}}
	tied := [2]map[int]bool{{}, {}}
	for _, change := range r.changes {
		count := len(r.pairs[change]) + r.known[change]
		for _, pair := range r.pairs[change] {
			for end, i := range pair {
				tied[end][i] = count == best[end][i] || tied[end][i] && count < best[end][i]
				best[end][i] = max(best[end][i], count)
			}
		}
	}
	for _, change := range r.changes {
		count := len(r.pairs[change]) + r.known[change]
		var sole [][2]int
		like := 0
		for _, pair := range r.pairs[change] {
			if best[0][pair[0]] != count || best[1][pair[1]] != count || tied[0][pair[0]] || tied[1][pair[1]] {
				continue
			}
			sole = append(sole, pair)
			if r.alike(pair) > half {
				like++
			}
		}
		if len(sole)+r.known[change] < 2 || 2*like <= len(sole) {
			continue
		}
		for _, pair := range sole {
			r.join(pair[0], pair[1])
		}
	}
}

// alike is how much origin's version of an open triple has in common with one of local's.
func (r *renaming) alike(pair [2]int) float64 {
	return r.likeness(join(r.triples[pair[0]], r.triples[pair[1]]), Origin)
}

func (r *renaming) join(o, l int) {
	r.triples[o] = join(r.triples[o], r.triples[l])
	r.triples[o].OtherName = true
	r.gone[l] = true
	r.became[o], r.joined[l] = l, o
}

// joinAlike joins what upstream still has with the only one of local's that is mostly
// alike, if that is mostly like nothing else.
func (r *renaming) joinAlike() {
	compared := 0
	for _, kind := range r.kinds {
		fits, fitted := map[int][]int{}, map[int]int{}
		for _, o := range r.open[kind] {
			t := r.triples[o]
			if t.Has(Local) || !t.Has(Upstream) {
				continue
			}
			content := r.content(Origin, t.At[Origin])
			if content < enoughContent {
				continue
			}
			for _, l := range r.left[kind] {
				if _, done := r.joined[l]; done {
					continue
				}
				if compared += content; compared > maxCompared {
					return
				}
				if r.alike([2]int{o, l}) > alike {
					fits[o] = append(fits[o], l)
					fitted[l]++
				}
			}
		}
		for _, o := range r.open[kind] {
			if l := fits[o]; len(l) == 1 && fitted[l[0]] == 1 {
				r.join(o, l[0])
				r.triples[o].ByContent = true
			} else {
				for _, i := range l {
					r.triples[o].Candidates = append(r.triples[o].Candidates, r.triples[i].At[Local])
				}
			}
		}
	}
}

// suggest notes which of local's may be what upstream still has, by its name.
func (r *renaming) suggest() {
	for _, change := range r.changes {
		for _, pair := range r.pairs[change] {
			t := &r.triples[pair[0]]
			_, done := r.joined[pair[1]]
			if at := r.triples[pair[1]].At[Local]; !done && !t.Has(Local) && t.Has(Upstream) && len(t.Candidates) == 0 && r.alike(pair) > half {
				t.Candidates = append(t.Candidates, at)
			}
		}
	}
}

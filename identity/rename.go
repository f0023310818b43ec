package identity

import "strings"

// Rename is a resource with a new name in upstream (rules/identity: by identity). From and To are a name, in any
// namespace, or namespace/name, or /name for a resource without a namespace; a To that is a name keeps the namespace. A
// nil Group matches any.
type Rename struct {
	Group          *string
	Kind, From, To string
}

// renames finds the configured rename for an ID.
type renames struct {
	all    []Rename
	byName map[[2]string][]int // by kind and name
	used   []bool
}

func newRenames(all []Rename) renames {
	r := renames{all: all, byName: map[[2]string][]int{}, used: make([]bool, len(all))}
	for i, one := range all {
		_, name, _ := splitName(one.From)
		key := [2]string{one.Kind, name}
		r.byName[key] = append(r.byName[key], i)
	}
	return r
}

// apply returns the ID after the first rename that matches, else id itself.
func (r renames) apply(id ID) ID {
	if len(r.all) == 0 {
		return id
	}
	for _, i := range r.byName[[2]string{id.Kind, id.Name}] {
		if r.all[i].matches(id) {
			r.used[i] = true
			return r.all[i].apply(id)
		}
	}
	return id
}

// unused returns the renames that no ID has matched.
func (r renames) unused() []int {
	var out []int
	for i, used := range r.used {
		if !used {
			out = append(out, i)
		}
	}
	return out
}

func (r Rename) matches(id ID) bool {
	namespace, name, named := splitName(r.From)
	return r.Kind == id.Kind && name == id.Name && (!named || namespace == id.Namespace) &&
		(r.Group == nil || *r.Group == id.Group)
}

func (r Rename) apply(id ID) ID {
	namespace, name, named := splitName(r.To)
	id.Name = name
	if named {
		id.Namespace = namespace
	}
	return id
}

// splitName parses a name, namespace/name or /name. named reports whether text says which namespace, or that there is none.
func splitName(text string) (namespace, name string, named bool) {
	if namespace, name, found := strings.Cut(text, "/"); found {
		return namespace, name, true
	}
	return "", text, false
}

// Move is a namespace that local replaced: resources that origin has in From are in To in local's
// version (rules/identity: by identity).
type Move struct {
	// From is upstream's namespace, To local's. Either may be "", for resources without a namespace.
	From, To string
	// Moved counts the resources of origin's that made this move, Others the resources of From that local has in
	// another namespace, such as From itself. Namespace objects and cluster-scoped resources do not count.
	Moved, Others int
	// object reports that local renamed the Namespace object From to To.
	object bool
	// inhabited reports that local has a resource in From, even if only one of its own.
	inhabited bool
}

// isMajority reports whether most of local's resources of From are in To.
func (m Move) isMajority() bool { return m.Moved > m.Others }

// isWhole reports whether local has replaced From altogether: a resource of it is in To, and none is in any other
// namespace.
func (m Move) isWhole() bool {
	return (m.Moved > 0 || m.object) && m.Others == 0 && !m.inhabited
}

// isCertain reports whether local has replaced From altogether, by the evidence of several
// resources or of the Namespace object.
func (m Move) isCertain() bool { return m.isWhole() && (m.Moved > 1 || m.object) }

const (
	// halfLikeness is the likeness above which a pair is evidence for a change of names.
	halfLikeness = 0.5
	// enoughContent is the number of values that a resource needs to be identified by its content alone.
	enoughContent = 3
	// maxName is the longest name that is compared, as in Kubernetes; maxCompared limits the values
	// that are compared for their likeness alone.
	maxName, maxCompared = 253, 1_000_000
)

// affixes are a change of names: the text before and after the old name.
type affixes struct{ prefix, suffix string }

// renaming finds the resources of origin's that local has under other names, without a merge
// comment (rules/identity: renamed copies).
type renaming struct {
	*matcher
	triples []Triple
	// open are the triples with origin that lack local, unmatched the triples with local only, and added those with
	// upstream only; all are indices by kind.
	open, unmatched, added map[[2]string][]int
	kinds                  [][2]string
	// pairs are the pairs that each change of names explains; commented counts the pairs that merge comments show.
	pairs     map[affixes][][2]int
	changes   []affixes
	commented map[affixes]int
	gone      map[int]bool
	// localOf maps an open triple to the local triple that it joined, openOf the reverse.
	localOf, openOf map[int]int
}

// joinRenamed joins resources that have different names in origin and local: the pairs of a change of names that
// explains at least two pairs, if most of them are alike by half; and a resource that upstream still has with the only
// local one that is mostly alike. Uncertain triples get Candidates.
func (m *matcher) joinRenamed(triples []Triple) []Triple {
	if !m.Renamed || m.Likeness == nil {
		return triples
	}
	r := &renaming{
		matcher: m, triples: triples, open: map[[2]string][]int{}, unmatched: map[[2]string][]int{}, added: map[[2]string][]int{}, pairs: map[affixes][][2]int{},
		commented: map[affixes]int{}, gone: map[int]bool{}, localOf: map[int]int{}, openOf: map[int]int{},
	}
	if r.collect(); len(r.unmatched)+len(r.added) == 0 {
		return triples
	}
	r.findChanges()
	r.joinExplained()
	r.joinAlike()
	r.suggestCandidates()
	r.findSuccessors()
	return removeJoined(r.triples, r.gone)
}

// collect finds the open triples, the unmatched local ones, and the changes of names in merge comments.
func (r *renaming) collect() {
	for i, t := range r.triples {
		kind := [2]string{t.ID.Group, t.ID.Kind}
		switch {
		case t.Has(Origin) && t.Has(Local):
			name := r.sides[Local][t.At[Local]].Name
			for at := range name {
				if after, found := strings.CutPrefix(name[at:], t.ID.Name); found && name != t.ID.Name {
					r.commented[affixes{name[:at], after}]++
				}
			}
		case t.Has(Origin) && !t.Ambiguous && r.sides[Origin][t.At[Origin]].Naming != ByPath:
			if r.open[kind] == nil {
				r.kinds = append(r.kinds, kind)
			}
			r.open[kind] = append(r.open[kind], i)
		case t.only(Local) && r.isAnonymous(r.sides[Local][t.At[Local]]):
			r.unmatched[kind] = append(r.unmatched[kind], i)
		case t.only(Upstream) && r.sides[Upstream][t.At[Upstream]].Naming != ByPath:
			r.added[kind] = append(r.added[kind], i)
		}
	}
}

// isAnonymous reports whether a local entry neither has a merge comment nor an identifier.
func (r *renaming) isAnonymous(e Entry) bool {
	_, commented := e.mergeComment()
	_, identified := parseIdentifier(e.Identifier)
	return e.Naming != ByPath && !commented && !identified && len(e.Name) <= maxName
}

// findChanges finds the changes of names that explain pairs: local's name contains origin's.
func (r *renaming) findChanges() {
	for _, kind := range r.kinds {
		named := map[string][]int{}
		for _, o := range r.open[kind] {
			named[r.triples[o].ID.Name] = append(named[r.triples[o].ID.Name], o)
		}
		for _, l := range r.unmatched[kind] {
			name := r.triples[l].ID.Name
			for from := range name {
				for to := from + 1; to <= len(name); to++ {
					if to-from == len(name) {
						continue
					}
					if o, found := r.pickOpen(named[name[from:to]], l); found {
						r.add(affixes{name[:from], name[to:]}, o, l)
					}
				}
			}
		}
	}
}

// pickOpen returns the open triple in the namespace of a local triple, else the only one.
func (r *renaming) pickOpen(open []int, l int) (found int, is bool) {
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

// joinExplained joins the pairs of the changes of names with enough evidence, if no other change
// explains as many pairs with one of the two.
func (r *renaming) joinExplained() {
	best, tied := r.bestExplanations()
	for _, change := range r.changes {
		count := len(r.pairs[change]) + r.commented[change]
		var sole [][2]int
		like := 0
		for _, pair := range r.pairs[change] {
			if best[0][pair[0]] != count || best[1][pair[1]] != count || tied[0][pair[0]] || tied[1][pair[1]] {
				continue
			}
			sole = append(sole, pair)
			if r.alike(pair) > halfLikeness {
				like++
			}
		}
		if len(sole)+r.commented[change] < 2 || 2*like <= len(sole) {
			continue
		}
		for _, pair := range sole {
			r.join(pair[0], pair[1])
		}
	}
}

// bestExplanations returns, for each end of the pairs and each triple there, the most pairs that one change explains,
// and whether several changes explain as many.
func (r *renaming) bestExplanations() (best [2]map[int]int, tied [2]map[int]bool) {
	best = [2]map[int]int{{}, {}}
	tied = [2]map[int]bool{{}, {}}
	for _, change := range r.changes {
		count := len(r.pairs[change]) + r.commented[change]
		for _, pair := range r.pairs[change] {
			for end, i := range pair {
				tied[end][i] = count == best[end][i] || tied[end][i] && count < best[end][i]
				best[end][i] = max(best[end][i], count)
			}
		}
	}
	return best, tied
}

// alike returns the likeness of origin's version of an open triple and a local one.
func (r *renaming) alike(pair [2]int) float64 {
	return r.likeness(join(r.triples[pair[0]], r.triples[pair[1]]), Origin)
}

func (r *renaming) join(o, l int) {
	r.triples[o] = join(r.triples[o], r.triples[l])
	r.triples[o].OtherName = true
	r.gone[l] = true
	r.localOf[o], r.openOf[l] = l, o
}

// joinAlike joins a resource that upstream still has with the only local one that is mostly alike, if the local one
// is mostly alike to no other resource that upstream has. Other local ones that are mostly alike become Candidates.
func (r *renaming) joinAlike() {
	compared := 0
	for _, kind := range r.kinds {
		fits, fitted, ok := r.findAlike(kind, &compared)
		if !ok {
			return
		}
		for _, o := range r.open[kind] {
			if l := fits[o]; len(l) == 1 && fitted[l[0]] == 1 && r.triples[o].Has(Upstream) {
				r.join(o, l[0])
				r.triples[o].ByContent = true
			}
		}
		for _, o := range r.open[kind] {
			r.addCandidates(o, fits[o])
		}
	}
}

// addCandidates adds the local triples that joined no other as Candidates of an open triple that lacks local.
func (r *renaming) addCandidates(o int, local []int) {
	t := &r.triples[o]
	for _, l := range local {
		if _, done := r.openOf[l]; !done && !t.Has(Local) {
			t.Candidates = append(t.Candidates, r.triples[l].At[Local])
		}
	}
}

// findAlike returns the local triples of a kind that are mostly alike to each open one, and the number of open ones
// with upstream that each of them fits. It adds the compared content to a count. ok is false if the count exceeds its limit.
func (r *renaming) findAlike(kind [2]string, compared *int) (fits map[int][]int, fitted map[int]int, ok bool) {
	fits, fitted = map[int][]int{}, map[int]int{}
	for _, o := range r.open[kind] {
		t := r.triples[o]
		if t.Has(Local) {
			continue
		}
		content := r.content(Origin, t.At[Origin])
		if content < enoughContent {
			continue
		}
		for _, l := range r.unmatched[kind] {
			if _, done := r.openOf[l]; done {
				continue
			}
			if *compared += content; *compared > maxCompared {
				return nil, nil, false
			}
			if r.alike([2]int{o, l}) > minLikeness {
				fits[o] = append(fits[o], l)
				if t.Has(Upstream) {
					fitted[l]++
				}
			}
		}
	}
	return fits, fitted, true
}

// suggestCandidates adds the local resources with matching names as Candidates of resources that upstream still has.
func (r *renaming) suggestCandidates() {
	for _, change := range r.changes {
		for _, pair := range r.pairs[change] {
			t := &r.triples[pair[0]]
			_, done := r.openOf[pair[1]]
			if at := r.triples[pair[1]].At[Local]; !done && !t.Has(Local) && t.Has(Upstream) && len(t.Candidates) == 0 && r.alike(pair) > halfLikeness {
				t.Candidates = append(t.Candidates, at)
			}
		}
	}
}

// findSuccessors adds the resource that upstream may have renamed one to that local deleted, or renamed, too: the only new one
// that is mostly alike, and to no other of these. Half alike is enough if the new name contains the old one, and local renamed it.
func (r *renaming) findSuccessors() {
	compared, fits, fitted := 0, map[int][]int{}, map[int]int{}
	for o, t := range r.triples {
		if !r.isLeft(t) || r.content(Origin, t.At[Origin]) < enoughContent {
			continue
		}
		for _, u := range r.added[[2]string{t.ID.Group, t.ID.Kind}] {
			at := r.triples[u].At[Upstream]
			if compared += r.content(Upstream, at); compared > maxCompared {
				return
			}
			least := minLikeness
			if t.Has(Local) && strings.Contains(r.sides[Upstream][at].Name, t.ID.Name) {
				least = halfLikeness
			}
			if r.Likeness(EntryIndex{Origin, t.At[Origin]}, EntryIndex{Upstream, at}) > least {
				fits[o] = append(fits[o], at)
				fitted[at]++
			}
		}
	}
	for o, all := range fits {
		if len(all) == 1 && fitted[all[0]] == 1 {
			r.triples[o].Successors = all
		}
	}
}

// isLeft reports whether a triple has a resource of origin that upstream lacks, and that local lacks or has under another name.
func (r *renaming) isLeft(t Triple) bool {
	if !t.Has(Origin) || t.Has(Upstream) || t.Ambiguous || r.sides[Origin][t.At[Origin]].Naming == ByPath {
		return false
	}
	return !t.Has(Local) || r.sides[Local][t.At[Local]].Name != t.ID.Name
}

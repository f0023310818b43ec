package identity

import (
	"slices"
	"strings"
)

// joinLastLeft joins the last incomplete triples of one ID within each area.
func (m *matcher) joinLastLeft(where area, triples []Triple) []Triple {
	index := map[string]int{}
	var all []*leftover
	for i, t := range triples {
		if t.complete() {
			continue
		}
		key := where(m.representative(t))
		n, found := index[key]
		if !found {
			n = len(all)
			index[key] = n
			all = append(all, &leftover{})
		}
		all[n].add(i, t)
	}
	gone := map[int]bool{}
	for _, l := range all {
		m.joinLeftover(l, triples, gone)
	}
	return removeJoined(triples, gone)
}

// leftover holds the incomplete triples of an area: the ones with an origin, the ones with upstream but no origin,
// and the ones with local only.
type leftover struct{ origin, upstream, local []int }

func (l *leftover) add(i int, t Triple) {
	switch {
	case t.Has(Origin):
		l.origin = append(l.origin, i)
	case t.Has(Upstream):
		l.upstream = append(l.upstream, i)
	default:
		l.local = append(l.local, i)
	}
}

// joinLeftover joins the only triple with an origin and the triples of the other sides, and adds
// the triples that joined it to gone.
func (m *matcher) joinLeftover(l *leftover, triples []Triple, gone map[int]bool) {
	if len(l.origin) != 1 {
		return
	}
	t := triples[l.origin[0]]
	var with []int
	if !t.Has(Upstream) {
		if len(l.upstream) != 1 || !disjoint(t, triples[l.upstream[0]]) {
			return
		}
		with = append(with, l.upstream[0])
		t = join(t, triples[l.upstream[0]])
	}
	if !t.Has(Local) && len(l.local) > 0 {
		n, sole := m.soleLocal(l.local, triples)
		if !sole {
			triples[l.origin[0]].Ambiguous = triples[l.origin[0]].Has(Upstream)
			return
		}
		with = append(with, n)
		t = join(t, triples[n])
	}
	triples[l.origin[0]] = t
	for _, n := range with {
		gone[n] = true
	}
}

// soleLocal returns the triple of soleOwner.
func (m *matcher) soleLocal(local []int, triples []Triple) (found int, sole bool) {
	entries := make([]int, len(local))
	at := make(map[int]int, len(local))
	for n, i := range local {
		entries[n] = triples[i].At[Local]
		at[entries[n]] = i
	}
	owner, sole := m.soleOwner(entries)
	return at[owner], sole
}

// joinNameless follows rules/identity: lists without a name. A List without a name is identified by its path, which is
// no evidence if one side has all resources in one file and another has a file for each. So incomplete triples of Lists
// of one kind join if they have an item of a name in common.
func (m *matcher) joinNameless(triples []Triple) []Triple {
	lists := map[ID]int{} // by an item, without its namespace
	gone := map[int]bool{}
	for i, t := range triples {
		if t.complete() || m.Items == nil || m.representative(t).Naming != ByPath || !strings.HasSuffix(t.ID.Kind, "List") {
			continue
		}
		into := i
		items := m.items(t)
		for _, item := range items {
			if other, found := lists[item]; found && triples[other].ID.Kind == t.ID.Kind && disjoint(triples[other], t) {
				into = other
				break
			}
		}
		if into != i {
			triples[into] = join(triples[into], t)
			gone[i] = true
		}
		for _, item := range items {
			lists[item] = into
		}
	}
	return removeJoined(triples, gone)
}

// items returns the resources of a List in all sides, without their namespaces.
func (m *matcher) items(t Triple) []ID {
	var out []ID
	for _, side := range Sides() {
		if t.Has(side) {
			for _, item := range m.Items(side, t.At[side]) {
				out = append(out, withoutNamespace(item))
			}
		}
	}
	return out
}

// completeKinds follows rules/identity: files without a named resource. A kustomization.yaml may have no kind on one
// side, and get one on another: so an entry without a kind and a name has the kind of the only such entry that another
// side has in the file.
func (m *matcher) completeKinds() {
	files := m.namelessFiles()
	for side, entries := range m.sides {
		for i, e := range entries {
			if f := files[e.Path]; e.Naming == ByPath && e.Kind == "" && f != nil && len(f.kinds) == 1 && slices.Max(f.entries[:]) == 1 {
				m.ids[side][i].Group, m.ids[side][i].Kind = f.kinds[0].Group, f.kinds[0].Kind
			}
		}
	}
}

// namelessFile has the kinds of the entries without a name in a file, and their number on each side.
type namelessFile struct {
	kinds   []ID
	entries [3]int
}

// namelessFiles returns the files that have entries without a name, by their paths.
func (m *matcher) namelessFiles() map[string]*namelessFile {
	files := map[string]*namelessFile{}
	for side, entries := range m.sides {
		for _, e := range entries {
			if e.Naming != ByPath || e.Path == "" {
				continue
			}
			f := files[e.Path]
			if f == nil {
				f = &namelessFile{}
				files[e.Path] = f
			}
			f.entries[side]++
			if kind := (ID{Group: Group(e.APIVersion), Kind: e.Kind}); e.Kind != "" && !slices.Contains(f.kinds, kind) {
				f.kinds = append(f.kinds, kind)
			}
		}
	}
	return files
}

// joinMigrated follows rules/identity: by migrated group: incomplete triples join across the groups
// between which kinds have moved, those at one path first, then the last two of an ID. Triples of any
// kind join across groups if they are at one path and have much in common.
func (m *matcher) joinMigrated(triples []Triple) []Triple {
	known := func(id ID) (string, bool) { return migratedGroup(id.Group, id.Kind), migrates(id.Kind) }
	evident := func(Triple, Triple) bool { return true }
	triples = m.joinGroups(anywhere, known, evident, m.joinGroups(inFile, known, evident, triples))
	return m.joinGroups(inFile, func(ID) (string, bool) { return "", true }, m.isRegrouped, triples)
}

// joinGroups joins the two incomplete triples of an ID in an area that have different groups, if isOne reports that
// they are one resource. group returns the group that stands for others, and whether a kind may have several.
func (m *matcher) joinGroups(where area, group func(ID) (string, bool), isOne func(a, b Triple) bool, triples []Triple) []Triple {
	order, at := m.groupByArea(where, group, triples)
	gone := map[int]bool{}
	for _, key := range order {
		two := at[key]
		if len(two) != 2 {
			continue
		}
		if a, b := triples[two[0]], triples[two[1]]; a.ID.Group != b.ID.Group && disjoint(a, b) && isOne(a, b) {
			triples[two[0]] = join(a, b)
			gone[two[1]] = true
		}
	}
	return removeJoined(triples, gone)
}

// groupByArea returns the incomplete triples whose kinds may have several groups, by their areas and the groups that stand
// for others, with the keys in their order.
func (m *matcher) groupByArea(where area, group func(ID) (string, bool), triples []Triple) (order []areaKey, at map[areaKey][]int) {
	at = map[areaKey][]int{}
	for i, t := range triples {
		if t.complete() {
			continue
		}
		key := areaKey{id: t.ID, area: where(m.representative(t))}
		var several bool
		if key.id.Group, several = group(t.ID); !several {
			continue
		}
		if at[key] == nil {
			order = append(order, key)
		}
		at[key] = append(at[key], i)
	}
	return order, at
}

// minRegrouped is the likeness from which two resources with one kind and name in a file are one, whose group changed.
const minRegrouped = 0.5

// isRegrouped reports whether a resource has another group in one of two triples. Local's version is compared with a version
// of the other triple; where local has none, origin's is compared with upstream's.
func (m *matcher) isRegrouped(a, b Triple) bool {
	if m.Likeness == nil {
		return false
	}
	for _, sides := range [3][2]Side{{Upstream, Local}, {Origin, Local}, {Upstream, Origin}} {
		for _, pair := range [2][2]Triple{{a, b}, {b, a}} {
			if x, y := sides[0], sides[1]; pair[0].Has(x) && pair[1].Has(y) {
				first := pair[0].At[x]
				return m.sides[x][first].Naming != ByPath && m.Likeness(EntryIndex{x, first}, EntryIndex{y, pair[1].At[y]}) >= minRegrouped
			}
		}
	}
	return false
}

// migrates reports whether a kind was in the extensions group.
func migrates(kind string) bool { return migratedGroup("extensions", kind) != "extensions" }

// migratedGroup returns the current group of a kind of the extensions group.
func migratedGroup(group, kind string) string {
	if group != "extensions" {
		return group
	}
	switch kind {
	case "DaemonSet", "Deployment", "ReplicaSet":
		return "apps"
	case "Ingress", "NetworkPolicy":
		return "networking.k8s.io"
	case "PodSecurityPolicy":
		return "policy"
	}
	return group
}

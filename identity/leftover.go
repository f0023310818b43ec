package identity

import "strings"

// joinLast joins the last ones left of one ID within each area.
func (m *matcher) joinLast(where area, triples []Triple) []Triple {
	index := map[string]int{}
	var all []*leftover
	for i, t := range triples {
		if t.complete() {
			continue
		}
		key := where(m.foremost(t))
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
	return without(triples, gone)
}

// leftover is the triples of an area that lack a side: those with an origin,
// those without one that have upstream, and those that have local only.
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

// joinLeftover joins the one that origin has left with those of the other sides.
// What joins another is gone.
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

// soleLocal is the triple of soleOwner.
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

// joinNameless follows rules/identity: lists without a name. A List without a name is
// identified by its path, which says nothing where one side has all resources in one
// file and another has a file for each. So Lists of a kind that lack a side join if
// they have an item of a name in common.
func (m *matcher) joinNameless(triples []Triple) []Triple {
	lists := map[ID]int{} // by an item, without its namespace
	gone := map[int]bool{}
	for i, t := range triples {
		if t.complete() || m.Items == nil || m.foremost(t).Naming != ByPath || !strings.HasSuffix(t.ID.Kind, "List") {
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
	return without(triples, gone)
}

// items are the resources that a List has on some side, without their namespaces.
func (m *matcher) items(t Triple) []ID {
	var out []ID
	for _, side := range Sides() {
		if t.Has(side) {
			for _, item := range m.Items(side, t.At[side]) {
				out = append(out, anyNamespace(item))
			}
		}
	}
	return out
}

// joinMigrated follows rules/identity: by migrated group: triples that lack a side join
// across the groups that kinds have moved between, those at one path first, then the
// last two of an ID.
func (m *matcher) joinMigrated(triples []Triple) []Triple {
	return m.joinGroups(anywhere, m.joinGroups(inFile, triples))
}

// joinGroups joins the two triples of an ID in an area that lack a side and are
// of different groups.
func (m *matcher) joinGroups(where area, triples []Triple) []Triple {
	at := map[idAt][]int{}
	var order []idAt
	for i, t := range triples {
		if t.complete() || !migrates(t.ID.Kind) {
			continue
		}
		key := idAt{id: t.ID, path: where(m.foremost(t))}
		key.id.Group = migratedGroup(t.ID.Group, t.ID.Kind)
		if at[key] == nil {
			order = append(order, key)
		}
		at[key] = append(at[key], i)
	}
	gone := map[int]bool{}
	for _, key := range order {
		if two := at[key]; len(two) == 2 && triples[two[0]].ID.Group != triples[two[1]].ID.Group && disjoint(triples[two[0]], triples[two[1]]) {
			triples[two[0]] = join(triples[two[0]], triples[two[1]])
			gone[two[1]] = true
		}
	}
	return without(triples, gone)
}

// migrates reports whether a kind has lived in the extensions group.
func migrates(kind string) bool { return migratedGroup("extensions", kind) != "extensions" }

// migratedGroup is the group that a kind of the extensions group lives in now.
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

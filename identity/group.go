package identity

// joinMigrated is design 2, step 3: triples that lack a side join across the
// groups that kinds have moved between, those at one path first, then the last
// two of an ID.
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

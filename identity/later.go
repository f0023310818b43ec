package identity

import "strings"

// joinByIdentifier is DESIGN 2, step 2: a triple that lacks local joins an
// unmatched local entry whose upstream-identifier names it. kpt writes that
// annotation, and it outlives what strips comments. Namespaces `default` and
// `~C` in it match any: kpt writes them for cluster-scoped kinds too.
func joinByIdentifier(triples []Triple, local []Entry) []Triple {
	missing := newCandidates(triples)
	gone := make([]bool, len(triples))
	for i, t := range triples {
		if t.Has(Origin) || t.Has(Upstream) {
			continue
		}
		id, ok := parseIdentifier(local[t.At[Local]].Identifier)
		if !ok {
			continue
		}
		if found, sole := soleCandidate(triples, missing, id); sole {
			triples[found] = join(triples[found], t)
			gone[i] = true
		}
	}
	return without(triples, gone)
}

// candidates are the triples without local, by ID and by ID without namespace.
type candidates struct{ exact, any map[ID][]int }

func newCandidates(triples []Triple) candidates {
	c := candidates{exact: map[ID][]int{}, any: map[ID][]int{}}
	for i, t := range triples {
		if t.Has(Local) {
			continue
		}
		c.exact[t.ID] = append(c.exact[t.ID], i)
		c.any[anyNamespace(t.ID)] = append(c.any[anyNamespace(t.ID)], i)
	}
	return c
}

// soleCandidate finds the one triple of candidates that an identifier means.
func soleCandidate(triples []Triple, c candidates, id ID) (found int, sole bool) {
	if free := free(triples, c.exact, id); len(free) > 0 {
		return free[0], true
	}
	if id.Namespace != "default" && id.Namespace != "~C" {
		return 0, false
	}
	count := 0
	for _, i := range free(triples, c.any, anyNamespace(id)) {
		if !triples[i].Has(Local) {
			found = i
			count++
		}
		if count > 1 {
			break
		}
	}
	return found, count == 1
}

// free is the triples of an ID from the first on that no earlier entry took.
func free(triples []Triple, of map[ID][]int, id ID) []int {
	found := of[id]
	for len(found) > 0 && triples[found[0]].Has(Local) {
		found = found[1:]
	}
	of[id] = found
	return found
}

// parseIdentifier reads group|kind|namespace|name.
func parseIdentifier(text string) (ID, bool) {
	parts := strings.Split(text, "|")
	if len(parts) != 4 || parts[1] == "" || parts[3] == "" {
		return ID{}, false
	}
	return ID{Group: parts[0], Kind: parts[1], Namespace: parts[2], Name: parts[3]}, true
}

func anyNamespace(id ID) ID {
	id.Namespace = ""
	return id
}

// joinMigrated is DESIGN 2, step 3: triples that lack a side join across the
// groups that kinds have moved between.
func joinMigrated(triples []Triple) []Triple {
	at := map[ID]int{}
	gone := make([]bool, len(triples))
	for i, t := range triples {
		if t.Has(Origin) && t.Has(Upstream) && t.Has(Local) {
			continue
		}
		id := t.ID
		id.Group = migratedGroup(id.Group, id.Kind)
		first, found := at[id]
		switch {
		case !found:
			at[id] = i
		case triples[first].ID.Group != t.ID.Group && disjoint(triples[first], t):
			triples[first] = join(triples[first], t)
			gone[i] = true
		}
	}
	return without(triples, gone)
}

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

func without(triples []Triple, gone []bool) []Triple {
	out := triples[:0]
	for i, t := range triples {
		if !gone[i] {
			out = append(out, t)
		}
	}
	return out
}

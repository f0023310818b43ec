package identity

import "strings"

// joinByIdentifier is DESIGN 2, step 2: a triple that lacks local joins an
// unmatched local entry whose upstream-identifier names it. kpt writes that
// annotation, and it outlives what strips comments. Namespaces `default` and
// `~C` in it match any: kpt writes them for cluster-scoped kinds too.
func joinByIdentifier(triples []Triple, local []Entry) []Triple {
	missing := map[ID][]int{} // triples without local, by ID without namespace
	for i, t := range triples {
		if !t.Has(Local) {
			missing[anyNamespace(t.ID)] = append(missing[anyNamespace(t.ID)], i)
		}
	}
	gone := make([]bool, len(triples))
	for i, t := range triples {
		if t.Has(Origin) || t.Has(Upstream) {
			continue
		}
		id, ok := parseIdentifier(local[t.At[Local]].Identifier)
		if !ok {
			continue
		}
		if found, sole := soleCandidate(triples, missing[anyNamespace(id)], id); sole {
			triples[found] = join(triples[found], t)
			gone[i] = true
		}
	}
	return without(triples, gone)
}

// soleCandidate finds the one triple of candidates that an identifier means.
func soleCandidate(triples []Triple, candidates []int, id ID) (found int, sole bool) {
	count := 0
	for _, i := range candidates {
		if triples[i].Has(Local) {
			continue // taken by an earlier entry
		}
		if triples[i].ID.Namespace == id.Namespace {
			return i, true
		}
		if id.Namespace == "default" || id.Namespace == "~C" {
			found = i
			count++
		}
	}
	return found, count == 1
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

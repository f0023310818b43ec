package identity

import "strings"

// joinByIdentifier is design 2, step 2: a triple that lacks local joins an
// unmatched local entry whose upstream-identifier names it. kpt writes that
// annotation, and it outlives what strips comments. Namespaces `default` and
// `~C` in it match any: kpt writes them for cluster-scoped kinds too.
func (m *matcher) joinByIdentifier(triples []Triple) []Triple {
	identifier := func(t Triple) (ID, bool) {
		e := m.sides[Local][t.At[Local]]
		id, ok := parseIdentifier(e.Identifier)
		return m.called(Local, e.scoped(id)), ok
	}
	triples = m.meet(triples, meeting{
		wanted: identifier,
		is:     func(t Triple) (ID, bool) { return t.ID, true },
	})
	return m.meet(triples, meeting{
		wanted: func(t Triple) (ID, bool) {
			id, ok := identifier(t)
			return anyNamespace(id), ok && (id.Namespace == "default" || id.Namespace == "~C")
		},
		is: func(t Triple) (ID, bool) { return anyNamespace(t.ID), true },
	})
}

// parseIdentifier reads group|kind|namespace|name.
func parseIdentifier(text string) (ID, bool) {
	parts := strings.Split(text, "|")
	if len(parts) != 4 || parts[1] == "" || parts[3] == "" {
		return ID{}, false
	}
	return ID{Group: parts[0], Kind: parts[1], Namespace: parts[2], Name: parts[3]}, true
}

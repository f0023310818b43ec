package pkgmerge

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// doubtRemovals finds the resources of origin's and upstream's that local seems to have
// removed and may have nevertheless. Local did not remove them on purpose, for all that is
// known: what upstream changed in them is a conflict (rules/resources: removed on
// purpose).
func (m *merger) doubtRemovals(matches []*Match) {
	m.findUnread(matches)
	inhabited, strays := m.ownOf(matches)
	for _, match := range matches {
		if match.Has(identity.Local) {
			continue
		}
		stray := strays[withoutNamespace(match.Newest())]
		match.removalsCollide = match.removalsCollide || match.how.Ambiguous || stray && !inhabited[match.Newest().Meta.Namespace]
	}
}

// ownOf are the namespaces that local has something in, and what local alone has, by
// kind and name: where local has nothing left in a namespace, such a resource may be
// one that local moved away from there.
func (m *merger) ownOf(matches []*Match) (inhabited map[string]bool, strays map[identity.ID]bool) {
	inhabited, strays = map[string]bool{}, map[identity.ID]bool{}
	for _, match := range matches {
		if l := match.Versions[identity.Local]; l != nil {
			inhabited[l.Meta.Namespace] = true
			if match.onlyLocal() && l.Meta.Naming == identity.ByName {
				strays[withoutNamespace(l)] = true
			}
		}
	}
	return inhabited, strays
}

// withoutNamespace is a resource's own identity without its namespace.
func withoutNamespace(r *Resource) identity.ID {
	id := r.ID()
	id.Namespace = ""
	return id
}

// unreadFiles are the files of a side that cannot be read. One that another side has just so
// holds nothing that the other side has elsewhere.
func (m *merger) unreadFiles(side identity.Side) []*unread {
	var out []*unread
	for _, c := range m.packages[side].contents {
		reason := c.fault
		if at, isText := m.findText(c.Name); isText && reason == "" {
			reason = m.texts[at].reason
		}
		if reason != "" && !m.isElsewhere(side, c) {
			if u := newUnread(c, reason); len(u.kinds) > 0 {
				out = append(out, u)
			}
		}
	}
	return out
}

// isElsewhere reports whether another side has a file as side has it.
func (m *merger) isElsewhere(side identity.Side, c *content) bool {
	for _, other := range identity.Sides() {
		if same := m.packages[other].content(c.Name); other != side && same != nil && bytes.Equal(same.Data, c.Data) {
			return true
		}
	}
	return false
}

// findUnread finds what files that cannot be read may hold of the resources that their side
// seems to lack. That upstream changed such a resource of local's is a conflict
// (rules/files: unreadable files).
func (m *merger) findUnread(matches []*Match) {
	m.unread = [3][]*unread{}
	for _, side := range identity.Sides() {
		m.unread[side] = m.unreadFiles(side)
		if len(m.unread[side]) == 0 {
			continue
		}
		for _, match := range matches {
			if match.Has(side) {
				continue
			}
			for _, u := range m.unread[side] {
				if !u.mayHold(match.Newest()) {
					continue
				}
				u.held = append(u.held, match)
				match.removalsCollide = match.removalsCollide || side == identity.Local
			}
		}
	}
}

// unreadNotices warn of the files that cannot be read and may hold resources: of all such files
// of local's, and of those of the other sides that may hold what these lack.
func (m *merger) unreadNotices() []Notice {
	var out []Notice
	for _, side := range identity.Sides() {
		for _, u := range m.unread[side] {
			if _, isText := m.findText(u.Name); len(u.held) == 0 && (side != identity.Local || isText) {
				continue // a notice says that it is merged as text
			}
			text := fmt.Sprintf("%s: %s cannot be read", m.source(side), u.Name)
			if len(u.held) > 0 {
				text += fmt.Sprintf(", and may hold %s, which %s seems to lack", names(u.held), side)
			}
			out = append(out, Notice{Warning: true, File: u.Name, Text: text + ": " + u.reason})
		}
	}
	return out
}

// names name a few resources.
func names(matches []*Match) string {
	const most = 3
	var out []string
	for i, m := range matches {
		if i == most {
			return strings.Join(out, ", ") + " and " + wording.Plural(len(matches)-most, "more resource")
		}
		out = append(out, m.Newest().Meta.Kind+" "+m.Newest().Meta.Name)
	}
	return strings.Join(out, ", ")
}

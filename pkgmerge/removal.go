package pkgmerge

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// doubtRemovals finds the resources of origin and upstream that local may still have under another name
// or in an unreadable file. It is not certain that local removed them on purpose, so a change of upstream
// in them is a conflict (rules/resources: removed on purpose).
func (m *merger) doubtRemovals(matches []*Match) {
	m.findUnread(matches)
	inhabited, strays := m.localOnly(matches)
	for _, match := range matches {
		if match.Has(identity.Local) {
			continue
		}
		stray := strays[withoutNamespace(match.Newest())]
		match.removalsCollide = match.removalsCollide || match.how.Ambiguous || stray && !inhabited[match.Newest().Meta.Namespace]
	}
}

// localOnly returns the namespaces of local's resources, and the resources that only local has, by kind and
// name: such a resource may come from a namespace that local no longer uses.
func (m *merger) localOnly(matches []*Match) (inhabited map[string]bool, strays map[identity.ID]bool) {
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

// withoutNamespace returns a resource's identity without its namespace.
func withoutNamespace(r *Resource) identity.ID {
	id := r.ID()
	id.Namespace = ""
	return id
}

// unreadFiles returns the files of a side that cannot be read, except for files that another side has
// too: their resources are missing on both sides.
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

// isElsewhere reports whether another side has an equal file.
func (m *merger) isElsewhere(side identity.Side, c *content) bool {
	for _, other := range identity.Sides() {
		if same := m.packages[other].content(c.Name); other != side && same != nil && bytes.Equal(same.Data, c.Data) {
			return true
		}
	}
	return false
}

// findUnread finds the files that cannot be read and may hold resources that their side seems to lack. A
// change of upstream in such a resource of local is a conflict (rules/files: unreadable files).
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

// unreadNotices warns of files that cannot be read and may hold resources: of all of local's, and of the
// other sides' if the side lacks such a resource.
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

// names lists a few resources.
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

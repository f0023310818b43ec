package pkgmerge

import (
	"path"
	"slices"

	"github.com/resource-merge/resource-merge/identity"
)

// findRemoved finds the directories of origin that local emptied, and moved nothing elsewhere, and the files
// without resources that local removed and upstream moved: what upstream adds there stays away (rules/resources: removed on
// purpose).
func (m *plan) findRemoved(matches []*Match) {
	if m.driven != nil || m.options.NoOrigin || m.options.RemovalsCollide || m.isEmpty(identity.Local) ||
		slices.ContainsFunc(m.packages[:], func(p Package) bool { return p.IsStream }) {
		return
	}
	had, stays := map[string]bool{}, map[string]bool{}
	add := func(to map[string]bool, file string) {
		if dir := path.Dir(file); file != "" {
			addDirectories(to, dir)
		}
	}
	for side, to := range map[identity.Side]map[string]bool{identity.Origin: had, identity.Local: stays} {
		for _, r := range m.packages[side].Resources {
			add(to, m.ownFile(side, r.File))
		}
		for _, f := range m.packages[side].Files {
			add(to, m.ownFile(side, f.Name))
		}
	}
	for _, match := range matches {
		if o := match.Versions[identity.Origin]; o != nil && (match.Has(identity.Local) || match.removalsCollide) {
			add(stays, m.ownFile(identity.Origin, o.File))
		}
	}
	for from := range m.followed {
		add(stays, from)
	}
	heirs := m.successors(identity.Local)
	for from := range heirs {
		add(stays, from)
	}
	local := map[string]bool{}
	for _, f := range m.packages[identity.Local].Files {
		local[f.Name] = true
	}
	for _, r := range m.packages[identity.Local].Resources {
		local[r.File] = true
	}
	m.removedFiles = map[string]bool{}
	for from, to := range m.successors(identity.Upstream) {
		m.removedFiles[to] = !local[from] && !local[to] && heirs[from] == ""
	}
	m.removed = map[string]bool{}
	for dir := range had {
		if !stays[dir] {
			m.removed[dir] = true
		}
	}
	for _, match := range matches {
		if u := match.Versions[identity.Upstream]; u != nil && match.Versions[identity.Origin] == nil && !match.Has(identity.Local) {
			file := m.upstreamFile(u)
			match.staysAway = m.removedAround(file) != "" || u.Meta.Naming == identity.ByPath && m.removedFiles[file]
		}
	}
}

// staysAway reports whether a new file of upstream's without resources stays away.
func (m *plan) staysAway(file string) bool {
	return m.removedFiles[file] || m.removedAround(file) != ""
}

// removedAround returns the nearest directory around a file that local emptied, "" if there is none.
func (m *plan) removedAround(file string) string {
	for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if m.removed[dir] {
			return dir
		}
	}
	return ""
}

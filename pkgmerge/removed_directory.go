package pkgmerge

import (
	"path"

	"github.com/resource-merge/resource-merge/identity"
)

// findRemoved finds the directories of origin that local emptied, and moved nothing elsewhere, and the files
// without resources that local removed and upstream moved: what upstream adds there stays away (rules/resources: removed on
// purpose).
func (p *plan) findRemoved(matches []*Match) {
	if p.driven != nil || p.options.NoOrigin || p.options.Profile.removalsCollide() || p.isEmpty(identity.Local) ||
		p.hasStream() {
		return
	}
	had, stays := map[string]bool{}, map[string]bool{}
	add := func(to map[string]bool, file string) {
		if dir := path.Dir(file); file != "" {
			addDirectories(to, dir)
		}
	}
	for side, to := range map[identity.Side]map[string]bool{identity.Origin: had, identity.Local: stays} {
		for _, r := range p.packages[side].Resources {
			add(to, p.ownFile(side, r.File))
		}
		for _, f := range p.packages[side].Files {
			add(to, p.ownFile(side, f.Name))
		}
	}
	for _, match := range matches {
		if o := match.Versions[identity.Origin]; o != nil && (match.Has(identity.Local) || match.removalsCollide) {
			add(stays, p.ownFile(identity.Origin, o.File))
		}
	}
	for from := range p.followed {
		add(stays, from)
	}
	heirs := p.successors(identity.Local)
	for from := range heirs {
		add(stays, from)
	}
	local := map[string]bool{}
	for _, f := range p.packages[identity.Local].Files {
		local[f.Name] = true
	}
	for _, r := range p.packages[identity.Local].Resources {
		local[r.File] = true
	}
	p.removedFiles = map[string]bool{}
	for from, to := range p.successors(identity.Upstream) {
		p.removedFiles[to] = !local[from] && !local[to] && heirs[from] == ""
	}
	p.removed = map[string]bool{}
	for dir := range had {
		if !stays[dir] {
			p.removed[dir] = true
		}
	}
	for _, match := range matches {
		if u := match.Versions[identity.Upstream]; u != nil && match.Versions[identity.Origin] == nil && !match.Has(identity.Local) {
			file := p.upstreamFile(u)
			match.staysAway = p.removedAround(file) != "" || u.Meta.Naming == identity.ByPath && p.removedFiles[file]
		}
	}
}

// staysAway reports whether a new file of upstream's without resources stays away.
func (p *plan) staysAway(file string) bool {
	return p.removedFiles[file] || p.removedAround(file) != ""
}

// removedAround returns the nearest directory around a file that local emptied, "" if there is none.
func (p *plan) removedAround(file string) string {
	for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if p.removed[dir] {
			return dir
		}
	}
	return ""
}

package pkgmerge

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// alignNames lets the names of one file be one name in the versions of a kustomization, before these are merged: a file that
// a side moved has another name there, and is the same entry (rules/laws: names follow). All versions get local's name, else
// origin's; the listing then gives the file the name that it has in the result.
func (p *plan) alignNames(matches []*Match) {
	if p.driven != nil || p.options.NoOrigin || p.hasStream() {
		return
	}
	var moved *[3]map[string]string
	for _, match := range matches {
		if !bookkeeping.IsKustomization(match.Newest().File) || slices.Contains(match.Versions[:], nil) ||
			match.sameText(identity.Origin, identity.Upstream) || match.sameText(identity.Origin, identity.Local) {
			continue
		}
		if moved == nil {
			moved = &[3]map[string]string{identity.Upstream: p.movedFiles(matches, identity.Upstream), identity.Local: p.movedFiles(matches, identity.Local)}
		}
		if len(moved[identity.Upstream])+len(moved[identity.Local]) > 0 {
			match.names = p.namesOf(match, *moved)
		}
	}
}

// movedFiles maps the files of origin that a side lacks to the only file with their resources there, or with their text; and
// the directories of kustomizations likewise.
func (p *plan) movedFiles(matches []*Match, side identity.Side) map[string]string {
	has, to := map[string]bool{}, map[string]map[string]bool{}
	for _, r := range p.packages[side].Resources {
		addDirectories(has, p.ownFile(side, r.File))
	}
	for _, f := range p.packages[side].Files {
		addDirectories(has, p.ownFile(side, f.Name))
	}
	for _, match := range matches {
		o, r := match.Versions[identity.Origin], match.Versions[side]
		if o == nil || r == nil {
			continue
		}
		from := p.ownFile(identity.Origin, o.File)
		if to[from] == nil {
			to[from] = map[string]bool{}
		}
		to[from][p.ownFile(side, r.File)] = true
	}
	successors := p.movedByBoth()
	maps.Copy(successors, p.successors(side))
	for from, file := range successors {
		if from = p.ownFile(identity.Origin, from); to[from] == nil {
			to[from] = map[string]bool{p.ownFile(side, file): true}
		}
	}
	for from, file := range p.followed {
		if side == identity.Local && has[file] && to[from] == nil {
			to[from] = map[string]bool{file: true}
		}
	}
	out := map[string]string{}
	for from, files := range to {
		for file := range files {
			if len(files) > 1 || has[from] || file == "" || from == "" {
				continue
			}
			out[from] = file
			if dir := path.Dir(from); bookkeeping.IsKustomization(from) && bookkeeping.IsKustomization(file) && !has[dir] {
				out[dir] = path.Dir(file)
			}
		}
	}
	return out
}

// movedByBoth maps the files of origin without resources that both sides moved to one place to their new name: the only one
// that ends alike, and has origin's text on a side.
func (p *plan) movedByBoth() map[string]string {
	texts := [3]map[string][]byte{}
	for side, version := range p.packages {
		texts[side] = map[string][]byte{}
		for _, f := range version.Files {
			texts[side][f.Name] = f.Data
		}
	}
	byBase := map[string][]string{}
	for name := range texts[identity.Local] {
		if _, both := texts[identity.Upstream][name]; both && texts[identity.Origin][name] == nil {
			byBase[path.Base(name)] = append(byBase[path.Base(name)], name)
		}
	}
	out := map[string]string{}
	for from, text := range texts[identity.Origin] {
		_, inUpstream := texts[identity.Upstream][from]
		_, inLocal := texts[identity.Local][from]
		if to := byBase[path.Base(from)]; !inUpstream && !inLocal && len(to) == 1 &&
			(bytes.Equal(texts[identity.Upstream][to[0]], text) || bytes.Equal(texts[identity.Local][to[0]], text)) {
			out[from] = to[0]
		}
	}
	return out
}

// ownFile returns the name that a side has for a file, also where the file follows a directory that local moved.
func (p *plan) ownFile(side identity.Side, file string) string {
	if side == identity.Local {
		return file
	}
	return cmp.Or(p.unfollowed[file], file)
}

// namesOf returns a function that gives a side's version of a kustomization the common names; nil if no name differs.
func (p *plan) namesOf(match *Match, moved [3]map[string]string) func(side identity.Side, tree *yaml.Node) *yaml.Node {
	var at [3]map[string]string // the text of each named file, by field and file
	for side, r := range match.Versions {
		at[side] = map[string]string{}
		for _, n := range namesIn(r) {
			file := resolved(p.ownFile(identity.Side(side), r.File), n.name)
			at[side][n.field+"\x00"+file] = n.entry
		}
	}
	var renamed [3]map[string]string // by field and text
	for side := range renamed {
		renamed[side] = map[string]string{}
	}
	for _, n := range namesIn(match.Versions[identity.Origin]) {
		file := resolved(p.ownFile(identity.Origin, match.Versions[identity.Origin].File), n.name)
		common := n.entry
		if to := moved[identity.Local][file]; to != "" {
			common = cmp.Or(at[identity.Local][n.field+"\x00"+to], common)
		}
		if common != n.entry {
			renamed[identity.Origin][n.field+"\x00"+n.entry] = common
			renamed[identity.Upstream][n.field+"\x00"+n.entry] = common
		}
		if to := moved[identity.Upstream][file]; to != "" {
			if entry, named := at[identity.Upstream][n.field+"\x00"+to]; named {
				renamed[identity.Upstream][n.field+"\x00"+entry] = common
			}
		}
	}
	if len(renamed[identity.Origin])+len(renamed[identity.Upstream]) == 0 {
		return nil
	}
	return func(side identity.Side, tree *yaml.Node) *yaml.Node {
		for _, field := range nameFields() {
			tree = replaceNames(tree, field, func(n *yaml.Node) []*yaml.Node {
				if to, found := renamed[side][joinField(field)+"\x00"+n.Value]; found {
					return []*yaml.Node{yamlnode.WithText(n, to)}
				}
				return []*yaml.Node{n}
			})
		}
		return tree
	}
}

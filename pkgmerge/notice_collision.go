package pkgmerge

import (
	"cmp"
	"path"

	"github.com/resource-merge/resource-merge/identity"
)

// collisions warns of two resources of the result that are one to a cluster,
// and were not before the merge: local renamed one to what upstream calls
// another, say. What lies below different kustomizations is not one: a base and
// its overlays, or two overlays, are built apart.
func collisions(all []*Change) []Notice {
	var notices []Notice
	roots := kustomizationRoots(all)
	seen := map[identity.Entry]*Change{}
	for _, m := range all {
		if !m.present() || m.Newest().Meta.Naming != identity.ByName {
			continue
		}
		other := roots.find(seen, m)
		if other == nil || collided(m, other, identity.Local) || collided(m, other, identity.Upstream) {
			continue
		}
		notices = append(notices, Notice{Warning: true, Change: m, Text: "the result has it twice; " + cmp.Or(other.file, "another item") + " has it too"})
	}
	return notices
}

// roots are the directories of the result that have a kustomization.
type roots map[string]bool

func kustomizationRoots(all []*Change) roots {
	out := roots{}
	for _, m := range all {
		switch path.Base(m.file) {
		case "kustomization.yaml", "kustomization.yml", "Kustomization":
			if m.present() {
				out[path.Dir(m.file)] = true
			}
		}
	}
	return out
}

// of names the nearest directory above a file that has a kustomization, "" if
// none has.
func (r roots) of(file string) string {
	for dir := path.Dir(file); file != ""; dir = path.Dir(dir) {
		if r[dir] {
			return "below " + dir
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	return ""
}

// find is a change seen before that is one with m to a cluster, nil if there is
// none. Of what lies below no kustomization nothing says that it is built apart.
func (r roots) find(seen map[identity.Entry]*Change, m *Change) *Change {
	plain := calledAs(m.called(), m.Package())
	anywhere, below := plain, plain
	anywhere.Path, below.Path = "anywhere", r.of(m.file)
	other := seen[anywhere]
	if below != plain {
		other = cmp.Or(seen[below], seen[plain])
	}
	for _, key := range [2]identity.Entry{anywhere, below} {
		if seen[key] == nil {
			seen[key] = m
		}
	}
	return other
}

// calledAs is an item's own identity in its package.
func calledAs(m identity.Meta, pkg string) identity.Entry {
	return identity.Entry{Package: pkg, Meta: identity.Meta{
		APIVersion: identity.Group(m.APIVersion), Kind: m.Kind, Namespace: m.Namespace, Name: m.Name,
	}}
}

// collided reports whether a side has both already under one name.
func collided(a, b *Change, side identity.Side) bool {
	x, y := a.Versions[side], b.Versions[side]
	return x != nil && y != nil && calledAs(x.Meta, a.packages[side]) == calledAs(y.Meta, b.packages[side])
}

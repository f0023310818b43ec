package pkgmerge

import (
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// ownFields are the fields of a Kptfile that belong to the copy (design 7), and
// sourceFields those that say where it comes from.
func ownFields() []string {
	return []string{"metadata.name", "metadata.namespace", "inventory", "status"}
}

func sourceFields() []string { return []string{"upstream", "upstreamLock"} }

// kptfileTrees are the versions of a resource; of a Kptfile with the fields that
// are not to be merged as if the side that does not own them had left them alone
// (design 7). Local's own fields stay local's. Where the package comes from is
// local's too at the root, for the update command writes it; below the root it is
// upstream's where upstream says it.
func kptfileTrees(m *Match) ([3]*yaml.Node, error) {
	trees, err := m.Trees()
	l := trees[identity.Local]
	if err != nil || l == nil || !m.Newest().isKptfile() {
		return trees, err
	}
	own := ownFields()
	if path.Dir(m.Versions[identity.Local].File) == "." {
		own = append(own, sourceFields()...)
	} else {
		trees = agreeOnSource(trees)
	}
	for _, side := range [2]identity.Side{identity.Origin, identity.Upstream} {
		for _, name := range own {
			trees[side] = yamlnode.CopyField(trees[side], l, strings.Split(name, "."))
		}
	}
	return trees, nil
}

// isOwnKptfile reports whether a match is the Kptfile of the root package, and only
// local has one. It says where the copy comes from: it stays under every strategy, and
// to have it is no change of the package (design 7).
func (m *Match) isOwnKptfile() bool {
	return m.onlyLocal() && m.Newest().isKptfile() && path.Dir(m.Newest().File) == "."
}

// agreeOnSource has origin agree with local about where a subpackage comes
// from, where upstream says it, and upstream agree with origin where upstream
// does not say it.
func agreeOnSource(trees [3]*yaml.Node) [3]*yaml.Node {
	o, u, l := trees[identity.Origin], trees[identity.Upstream], trees[identity.Local]
	if o == nil || u == nil {
		return trees
	}
	for _, name := range sourceFields() {
		if yamlnode.Field(u, name) != nil {
			trees[identity.Origin] = yamlnode.CopyField(trees[identity.Origin], l, []string{name})
		} else {
			trees[identity.Upstream] = yamlnode.CopyField(trees[identity.Upstream], o, []string{name})
		}
	}
	return trees
}

// Same reports whether two sides have the same version by value (design 3), or
// neither has one.
func (m *Match) Same(a, b identity.Side) (bool, error) {
	if m.SameText(a, b) {
		return true, nil
	}
	trees, err := kptfileTrees(m)
	return err == nil && merge.Same(trees[a], trees[b]), err
}

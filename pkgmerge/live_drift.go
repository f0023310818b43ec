package pkgmerge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/merge"
)

// findDrift says of each live change that an apply overwrites who made it, where the live
// object has managedFields, and finds more: what another than the applier owns, and
// nobody applied (design 13.2).
func (m *Match) findDrift(out *merge.Outcome, trees [3]*yaml.Node, differences func() ([]merge.Difference, error)) error {
	entries, err := owners(trees[identity.Local])
	if err != nil || len(entries) == 0 || out.Verdict == merge.TakeLocal {
		return err
	}
	for i, c := range out.Conflicts {
		if c.Kind == merge.Drift {
			out.Conflicts[i].Managers = ownersAt(entries, c.Path)
		}
	}
	changed, err := differences()
	if err != nil {
		return err
	}
	for _, d := range changed {
		if c, is := m.foreign(d, entries, trees[identity.Origin]); is && !isTold(out.Conflicts, d.Path) {
			out.Conflicts = append(out.Conflicts, c)
		}
	}
	return nil
}

// foreign is the conflict of a live value that goes, though the last config had none there
// and another than the applier owns it.
func (m *Match) foreign(d merge.Difference, entries managed.Entries, last *yaml.Node) (merge.Conflict, bool) {
	if d.From == nil || d.To == nil {
		return merge.Conflict{}, false
	}
	if _, there := d.Path.Find(last); there && last != nil {
		return merge.Conflict{}, false
	}
	managers := ownersAt(entries, d.Path)
	return merge.Conflict{
		Kind: merge.Drift, Path: d.Path, Chosen: identity.Upstream, Managers: managers,
		Values: [3]*yaml.Node{identity.Upstream: d.To, identity.Local: d.From},
	}, len(managers) > 0
}

// isTold reports whether there is a conflict at a path.
func isTold(conflicts []merge.Conflict, at *merge.Path) bool {
	text := at.String()
	return slices.ContainsFunc(conflicts, func(c merge.Conflict) bool { return c.Path.String() == text })
}

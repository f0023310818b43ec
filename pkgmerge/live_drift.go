package pkgmerge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
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
	owners, told := holdersOf(entries), map[string]bool{}
	for i, c := range out.Conflicts {
		if told[c.Path.String()] = true; c.Kind == merge.Drift {
			out.Conflicts[i].Managers = owners.at(c.Path)
		}
	}
	changed, err := differences()
	if err != nil {
		return err
	}
	last := merge.NewFinder(trees[identity.Origin])
	for _, d := range changed {
		if c, is := foreign(d, owners, last, trees[identity.Origin] != nil); is && !told[d.Path.String()] {
			out.Conflicts = append(out.Conflicts, c)
		}
	}
	return nil
}

// foreign is the conflict of a live value that goes, though the last config had none there
// and another than the applier owns it.
func foreign(d merge.Difference, owners *holders, last *merge.Finder, applied bool) (merge.Conflict, bool) {
	if d.From == nil || d.To == nil {
		return merge.Conflict{}, false
	}
	if applied {
		if _, there := last.Find(d.Path); there {
			return merge.Conflict{}, false
		}
	}
	managers := owners.at(d.Path)
	return merge.Conflict{
		Kind: merge.Drift, Path: d.Path, Chosen: identity.Upstream, Managers: managers,
		Values: [3]*yaml.Node{identity.Upstream: d.To, identity.Local: d.From},
	}, len(managers) > 0
}

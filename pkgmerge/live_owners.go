package pkgmerge

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/lastapplied"
	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// owners reads who owns what of a live object; nil where managedFields are not there,
// which kubectl hides by default.
func owners(live *yaml.Node) (managed.Entries, error) {
	entries, err := managed.ReadEntries(yamlnode.Lookup(live, "metadata", "managedFields"))
	if err != nil {
		err = fmt.Errorf("metadata.%w", err)
	}
	return entries, err
}

// isApplier reports whether an entry is of who applies on the client's side: it owns the
// annotation last-applied.
func isApplier(e managed.Entry) bool {
	return e.Fields.At(managed.Path{managed.Field("metadata"), managed.Field("annotations"), managed.Field(lastapplied.Annotation)}).Member()
}

// holders are the owners of a live object but for who applies on the client's side, who are
// asked for many places.
type holders struct {
	entries  managed.Entries
	elements managed.Elements
}

func holdersOf(entries managed.Entries) *holders {
	return &holders{entries: slices.DeleteFunc(slices.Clone(entries), isApplier)}
}

// at are the managers that own a place itself, as kubectl names them.
func (h *holders) at(path *merge.Path) []string {
	var out []string
	steps := path.Steps()
	for _, e := range h.entries {
		if slices.ContainsFunc(h.setsAt(e.Fields, steps), (*managed.Set).Member) {
			out = append(out, e.Owner.String())
		}
	}
	return out
}

// setsAt are the sets at a path: several, if the keys of its elements are only a part of
// those that the server knows.
func (h *holders) setsAt(s *managed.Set, steps []merge.Step) []*managed.Set {
	if len(steps) == 0 {
		return []*managed.Set{s}
	}
	step, rest := steps[0], steps[1:]
	if step.Keys == nil {
		return h.setsAt(s.Below(managed.Field(step.Field)), rest)
	}
	var parts []managed.KeyPart
	for _, k := range step.Keys {
		parts = append(parts, managed.KeyPart{Name: k.Name, Value: k.Value})
	}
	var out []*managed.Set
	for _, below := range h.elements.At(s, parts...) {
		out = append(out, h.setsAt(below, rest)...)
	}
	return out
}

// findDrift says of each live change that an apply overwrites who made it, where the live
// object has managedFields, and finds more: what another than the applier owns, and
// nobody applied (rules/apply: drift).
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

package apply

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/internal/admission"
	"github.com/resource-merge/resource-merge/apply/internal/lastapplied"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// merge applies the config of one object; a live object without config stays.
func (r *run) merge(m *pkgmerge.Match) (merge.Outcome, error) {
	if out, found, err := r.planned(m); found || err != nil {
		return out, err
	}
	if !m.Has(identity.Upstream) {
		return merge.Outcome{Verdict: merge.TakeLocal}, nil
	}
	trees, err := m.Trees()
	if err != nil {
		return merge.Outcome{}, err
	}
	out, err := merge.ResourceBy(r.rules, trees, r.kindOf(m), m.Policy())
	if fault := (*merge.Fault)(nil); errors.As(err, &fault) && m.Has(fault.Side) {
		return out, m.Versions[fault.Side].Located(fault)
	}
	for i, c := range out.Conflicts {
		if c.Kind == merge.DuplicateKey {
			out.Conflicts[i].Reason = "the key of the list does not tell its elements apart"
		}
	}
	differences := sync.OnceValues(func() ([]merge.Difference, error) {
		return merge.Differences(trees[identity.Local], resultOf(out, trees), r.kindOf(m))
	})
	if _, byClient := r.rules.(merge.ClientApply); byClient && err == nil {
		err = findDrift(&out, trees, differences)
	}
	if err == nil {
		err = r.refuse(m, &out, trees, differences)
	}
	if err != nil {
		return out, fmt.Errorf("%s: %w", m.Newest(), err)
	}
	return out, nil
}

// resultOf is what the server would hold: the live object with what the apply changes,
// or the config of one that is created.
func resultOf(out merge.Outcome, trees [3]*yaml.Node) *yaml.Node {
	if out.Node == nil {
		return trees[identity.Upstream]
	}
	return out.Node
}

// refuse adds what a server would refuse of the result of an apply (rules/apply:
// refused objects).
func (r *run) refuse(m *pkgmerge.Match, out *merge.Outcome, trees [3]*yaml.Node, differences func() ([]merge.Difference, error)) error {
	out.Conflicts = append(out.Conflicts, r.objects[m.ID].stale...)
	if out.Verdict == merge.TakeLocal {
		return nil
	}
	_, byServer := r.rules.(merge.ServerSide)
	if kind := m.Versions[identity.Upstream].Meta; byServer && !r.schema.IsBuiltIn(identity.Group(kind.APIVersion), kind.Kind) {
		out.Conflicts = append(out.Conflicts, admission.Nulls(r.kindOf(m), trees[identity.Upstream])...)
	}
	refused, err := admission.Refusals(r.kindOf(m), trees[identity.Local], resultOf(*out, trees), differences)
	out.Conflicts = append(out.Conflicts, refused...)
	return err
}

// preconditions are the fields of metadata that config may have to say which live object
// it is about: another one is refused (rules/patches: patches for kustomize). Only a
// server that creates what it applies asks whether config means an object that was there
// before.
func preconditions(config, live *yaml.Node, byServer bool) []merge.Conflict {
	var out []merge.Conflict
	for _, name := range [2]string{"resourceVersion", "uid"} {
		u, l := yamlnode.Lookup(config, "metadata", name), yamlnode.Lookup(live, "metadata", name)
		reason := fmt.Sprintf("config has another metadata.%s than the live object", name)
		switch {
		case live == nil && name == "uid" && byServer:
			reason = "config has a metadata.uid, and no such object is live"
		case live == nil, name == "resourceVersion" && isVersion(u, l):
			continue
		}
		if u == nil || u.ShortTag() == "!!null" || u.Value == "" || l != nil && u.Value == l.Value {
			continue
		}
		out = append(out, merge.Conflict{
			Kind: merge.Refused, Path: (*merge.Path)(nil).Field("metadata").Field(name), Chosen: identity.Upstream,
			Values: [3]*yaml.Node{identity.Upstream: u, identity.Local: l}, Reason: reason,
		})
	}
	return out
}

// isVersion reports whether a resourceVersion asks for that of a live object, as a number,
// or for any, which 0 does.
func isVersion(asked, live *yaml.Node) bool {
	is, err := strconv.ParseUint(yamlnode.Text(asked), 10, 64)
	has, unread := strconv.ParseUint(yamlnode.Text(live), 10, 64)
	return err == nil && (is == 0 || unread == nil && is == has)
}

// kindOf is what is known about the kind of the config.
func (r *run) kindOf(m *pkgmerge.Match) schema.Resource {
	meta := m.Versions[identity.Upstream].Meta
	return r.schema.Resource(identity.Group(meta.APIVersion), identity.Version(meta.APIVersion), meta.Kind)
}

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
func findDrift(out *merge.Outcome, trees [3]*yaml.Node, differences func() ([]merge.Difference, error)) error {
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

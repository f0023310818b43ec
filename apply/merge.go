package apply

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/internal/admission"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// merge applies the config of one object; a live object without config stays.
func (r *run) merge(m *pkgmerge.Match) (merge.Outcome, error) {
	if out, found, err := r.mergePlanned(m); found || err != nil {
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
	for i, c := range out.Conflicts {
		if c.Kind == merge.DuplicateKey {
			out.Conflicts[i].Reason = "several elements of the list have one key"
		}
	}
	result := cmp.Or(out.Node, trees[identity.Upstream]) // the changed live object, or the config of a created one
	differences := sync.OnceValues(func() ([]merge.Comparison, error) {
		return merge.Differences(trees[identity.Local], result, r.kindOf(m))
	})
	if !r.strategy.ServerSide && err == nil {
		err = addDrift(&out, trees, differences)
	}
	if err == nil {
		err = r.addRefusals(m, &out, trees, result, differences)
	}
	if err != nil {
		return out, fmt.Errorf("%s: %w", m.Newest(), err)
	}
	return out, nil
}

// addRefusals adds the conflicts for which a server would refuse the result of an apply (rules/apply: refused objects).
func (r *run) addRefusals(m *pkgmerge.Match, out *merge.Outcome, trees [3]*yaml.Node, result *yaml.Node, differences func() ([]merge.Comparison, error)) error {
	out.Conflicts = append(out.Conflicts, r.objects[m.ID].stale...)
	if out.Verdict == merge.TakeLocal {
		return nil
	}
	if kind := m.Versions[identity.Upstream].Meta; r.strategy.ServerSide && !r.schema.IsBuiltIn(identity.Group(kind.APIVersion), kind.Kind) {
		out.Conflicts = append(out.Conflicts, admission.Nulls(r.kindOf(m), trees[identity.Upstream])...)
	}
	refused, err := admission.Refusals(r.kindOf(m), trees[identity.Local], result, differences)
	out.Conflicts = append(out.Conflicts, refused...)
	return err
}

// preconditions returns a conflict for each field of metadata with which config names another live object: the server
// refuses it (rules/patches: patches for kustomize). Only a server that creates what it applies checks whether config
// names an object that existed before.
func preconditions(config, live *yaml.Node, byServer bool) []merge.Conflict {
	var out []merge.Conflict
	for _, name := range [2]string{"resourceVersion", "uid"} {
		u, l := yamlnode.Lookup(config, "metadata", name), yamlnode.Lookup(live, "metadata", name)
		reason := fmt.Sprintf("metadata.%s in config differs from the live object's", name)
		switch {
		case live == nil && name == "uid" && byServer:
			reason = "config has a metadata.uid, but no live object has it"
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

// isVersion reports whether a resourceVersion of config matches that of a live object, as numbers; 0 matches any.
func isVersion(wanted, live *yaml.Node) bool {
	want, err := strconv.ParseUint(yamlnode.Text(wanted), 10, 64)
	has, errLive := strconv.ParseUint(yamlnode.Text(live), 10, 64)
	return err == nil && (want == 0 || errLive == nil && want == has)
}

// kindOf returns the schema of the config's kind.
func (r *run) kindOf(m *pkgmerge.Match) schema.Resource {
	meta := m.Versions[identity.Upstream].Meta
	return r.schema.Resource(identity.Group(meta.APIVersion), identity.Version(meta.APIVersion), meta.Kind)
}

// addDrift adds its managers to each live change that an apply overwrites, if the live object has managedFields, and a
// conflict for each value that another manager than the applier set and nobody applied (rules/apply: drift).
func addDrift(out *merge.Outcome, trees [3]*yaml.Node, differences func() ([]merge.Comparison, error)) error {
	entries, err := readOwners(trees[identity.Local])
	if err != nil || len(entries) == 0 || out.Verdict == merge.TakeLocal {
		return err
	}
	o := &owners{entries: slices.DeleteFunc(slices.Clone(entries), isApplier)}
	reported := map[string]bool{}
	for i, c := range out.Conflicts {
		if reported[c.Path.String()] = true; c.Kind == merge.Drift {
			out.Conflicts[i].Managers = o.of(c.Path)
		}
	}
	changed, err := differences()
	if err != nil {
		return err
	}
	last := merge.NewFinder(trees[identity.Origin])
	for _, d := range changed {
		if d.From == nil || d.To == nil || reported[d.Path.String()] {
			continue
		}
		if trees[identity.Origin] != nil {
			if value := last.Value(d.Path); value != nil && (value.Kind != yaml.ScalarNode || value.Value != "") {
				continue
			}
		}
		if managers := o.of(d.Path); len(managers) > 0 {
			out.Conflicts = append(out.Conflicts, merge.Conflict{
				Kind: merge.Drift, Path: d.Path, Chosen: identity.Upstream, Managers: managers,
				Values: [3]*yaml.Node{identity.Upstream: d.To, identity.Local: d.From},
			})
		}
	}
	return nil
}

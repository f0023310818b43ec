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
	"github.com/resource-merge/resource-merge/internal/managed"
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
	if o := r.objects[m.ID]; o.otherVersion {
		return merge.Outcome{Verdict: merge.TakeLocal, Conflicts: o.stale}, nil
	}
	out, err := r.foresee(r.rules, m, trees)
	server, is := r.rules.(merge.ServerSide)
	if err != nil || !is || !wasClientApplied(trees[identity.Local]) {
		return out, err
	}
	return r.mergeFirst(server, m, trees, out)
}

// mergeFirst makes the first server-side apply of an object that a client-side apply made. kubectl leaves the fields that
// config dropped since then if the server refuses the object without them.
func (r *run) mergeFirst(server merge.ServerSide, m *pkgmerge.Match, trees [3]*yaml.Node, out merge.Outcome) (merge.Outcome, error) {
	server.First = true
	first, err := r.foresee(server, m, trees)
	if refused := refusals(out); len(refused) > 0 && len(refusals(first)) == 0 {
		r.objects[m.ID].unfinished = fmt.Sprintf("kubectl leaves the fields that config dropped since the client-side apply, with a warning: %s", refused[0].Reason)
		return first, err
	}
	if len(refusals(first)) > 0 {
		return first, err
	}
	return out, err
}

// wasClientApplied reports whether an entry of a live object belongs to a client-side apply, whose fields kubectl takes
// over in a second request (rules/server-side-apply: after client-side apply).
func wasClientApplied(live *yaml.Node) bool {
	entries, err := managed.EntriesOf(live)
	return err == nil && slices.ContainsFunc(entries, isApplier)
}

// refusals returns the conflicts for which the server refuses an outcome.
func refusals(out merge.Outcome) []merge.Conflict {
	return slices.DeleteFunc(slices.Clone(out.Conflicts), func(c merge.Conflict) bool { return c.Kind != merge.Refused })
}

// foresee returns the outcome of a request with its conflicts.
func (r *run) foresee(rules merge.Rules, m *pkgmerge.Match, trees [3]*yaml.Node) (merge.Outcome, error) {
	out, err := merge.ResourceBy(rules, trees, r.kindOf(m), m.Policy())
	for i, c := range out.Conflicts {
		if c.Kind == merge.DuplicateKey {
			out.Conflicts[i].Reason = "several elements of the list have one key for kubectl"
		}
	}
	result := cmp.Or(out.Node, trees[identity.Upstream]) // the changed live object, or the config of a created one
	differences := sync.OnceValues(func() ([]merge.Comparison, error) {
		return merge.Differences(trees[identity.Local], result, r.kindOf(m))
	})
	if !r.strategy.ServerSide && err == nil {
		err = addDrift(&out, trees, r.kindOf(m).Type, differences)
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
	if r.strategy.ServerSide {
		out.Conflicts = append(out.Conflicts, admission.Emptied(r.kindOf(m), trees[identity.Upstream], trees[identity.Local], result, out.Conflicts)...)
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

func (r *run) kindOf(m *pkgmerge.Match) schema.Resource {
	meta := m.Versions[identity.Upstream].Meta
	return r.schema.Resource(identity.Group(meta.APIVersion), identity.Version(meta.APIVersion), meta.Kind)
}

// addDrift adds its managers to each live change that an apply overwrites, if the live object has managedFields, and a
// conflict for each value that another manager than the applier set and nobody applied (rules/apply: drift).
func addDrift(out *merge.Outcome, trees [3]*yaml.Node, typ *schema.Type, differences func() ([]merge.Comparison, error)) error {
	entries, err := managed.EntriesOf(trees[identity.Local])
	if err != nil || len(entries) == 0 || out.Verdict == merge.TakeLocal {
		return err
	}
	l := losses{owners: owners{entries: slices.DeleteFunc(slices.Clone(entries), isApplier)}, reported: map[string]bool{}}
	for i, c := range out.Conflicts {
		if l.reported[c.Path.String()] = true; c.Kind == merge.Drift {
			out.Conflicts[i].Managers = l.owners.of(c.Path)
		}
	}
	changed, err := differences()
	if err != nil {
		return err
	}
	l.last, l.result = merge.NewFinder(trees[identity.Origin]), merge.NewFinder(out.Node)
	for _, d := range changed {
		if d.From != nil && !l.isReported(d.Path) {
			l.find(d.Path, typeAt(typ, d.Path), d.From)
		}
	}
	out.Conflicts = append(out.Conflicts, l.found...)
	return nil
}

// losses finds the values of other managers than the applier that an apply changes or removes.
type losses struct {
	owners       owners
	last, result *merge.Finder
	reported     map[string]bool // by path
	found        []merge.Conflict
}

// isReported reports whether a loss at a path or above it is reported.
func (l *losses) isReported(path *merge.Path) bool {
	for at := path; at != nil; at = at.Parent() {
		if l.reported[at.String()] {
			return true
		}
	}
	return false
}

// find reports a value that another manager owns and the last config lacked, or such values below it.
func (l *losses) find(at *merge.Path, typ *schema.Type, live *yaml.Node) {
	result := l.result.Value(at)
	if result != nil && merge.Same(result, live) || l.reported[at.String()] {
		return
	}
	last := l.last.Value(at)
	if last == nil || last.Kind == yaml.ScalarNode && (last.Value == "" || yamlnode.IsNull(last)) {
		if managers := l.owners.of(at); len(managers) > 0 {
			l.found = append(l.found, merge.Conflict{
				Kind: merge.Drift, Path: at, Chosen: identity.Upstream, Managers: managers,
				Values: [3]*yaml.Node{identity.Origin: last, identity.Upstream: result, identity.Local: live},
			})
			return
		}
	}
	l.findBelow(at, typ, live)
}

// findBelow reports the lost values in the fields or elements of a value.
func (l *losses) findBelow(at *merge.Path, typ *schema.Type, live *yaml.Node) {
	switch live.Kind {
	case yaml.MappingNode:
		for key, v := range yamlnode.Pairs(live) {
			l.find(at.Field(key.Value), typ.Part(key.Value), v)
		}
	case yaml.SequenceNode:
		for i, e := range live.Content {
			if keys := l.owners.keysOf(typ, at, e, i); keys != nil {
				l.find(at.Element(keys), typ.Element(), e)
			}
		}
	}
}

// typeAt returns the type of the value at a path, nil if it is unknown.
func typeAt(typ *schema.Type, path *merge.Path) *schema.Type {
	for _, step := range path.Steps() {
		if step.Keys != nil {
			typ = typ.Element()
		} else {
			typ = typ.Part(step.Field)
		}
	}
	return typ
}

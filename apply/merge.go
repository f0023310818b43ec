package apply

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	if r.isLeft(m) && !isKept(m.Versions[identity.Local]) {
		return merge.Outcome{Verdict: merge.Drop}, nil
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
	rules := r.rules
	server, is := rules.(merge.ServerSide)
	if is {
		server.Sent = r.objects[m.ID].sent
		rules = server
	}
	out, err := r.foresee(rules, m, trees)
	if err == nil && is && wasClientApplied(trees[identity.Local]) {
		out, err = r.mergeFirst(server, m, trees, out)
	}
	o := r.objects[m.ID]
	o.fields, o.openRules = out.fields, out.openRules
	return out.Outcome, err
}

// foreseen is the outcome of a request as it is foreseen.
type foreseen struct {
	merge.Outcome
	fields    int      // the number of changed fields, as Step has it
	openRules []string // the rules of the CRD on what changes that are not evaluated
}

// mergeFirst makes the first server-side apply of an object that a client-side apply made. kubectl leaves the fields that
// config dropped since then if the server refuses the object without them.
func (r *run) mergeFirst(server merge.ServerSide, m *pkgmerge.Match, trees [3]*yaml.Node, out foreseen) (foreseen, error) {
	server.First = true
	first, err := r.foresee(server, m, trees)
	if err != nil || len(refusals(first.Outcome)) > 0 {
		return first, err
	}
	refused := refusals(out.Outcome)
	if len(refused) == 0 { // the second request finds what the first one has made
		kind, live, result := r.kindOf(m), cmp.Or(first.Node, trees[identity.Local]), cmp.Or(out.Node, trees[identity.Local])
		stored := [2]*yaml.Node{r.fields.Stored(kind, live), r.fields.Updated(kind, live, result)}
		if refused, err = admission.Refusals(kind, live, result, stored, func(*merge.Path) string { return "" }); err != nil {
			return out, err
		}
	}
	if len(refused) > 0 {
		r.objects[m.ID].unfinished = fmt.Sprintf("kubectl leaves the fields that config dropped since the client-side apply, with a warning: %s", refused[0].Reason)
		return first, nil
	}
	return out, nil
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
func (r *run) foresee(rules merge.Rules, m *pkgmerge.Match, trees [3]*yaml.Node) (out foreseen, err error) {
	out.Outcome, err = merge.ResourceBy(rules, trees, r.kindOf(m), m.Policy())
	for i, c := range out.Conflicts {
		if c.Kind == merge.DuplicateKey {
			out.Conflicts[i].Reason = "several elements of the list have one key for kubectl"
		}
	}
	result := cmp.Or(out.Node, trees[identity.Upstream]) // the changed live object, or the config of a created one
	if err == nil && out.Verdict != merge.TakeLocal {
		err = r.addLosses(m, &out, trees, result)
	} else if err == nil {
		out.Conflicts = append(out.Conflicts, r.objects[m.ID].stale...)
	}
	if err != nil {
		return out, fmt.Errorf("%s: %w", m.Newest(), err)
	}
	return out, nil
}

// addLosses adds the drift and the refusals of an outcome that changes or creates an object, and counts the fields that it
// changes. One that a server stores as it is live, with the same records, is no change (rules/apply: defaults).
func (r *run) addLosses(m *pkgmerge.Match, out *foreseen, trees [3]*yaml.Node, result *yaml.Node) error {
	kind, live := r.kindOf(m), trees[identity.Local]
	stored := [2]*yaml.Node{r.fields.Stored(kind, live), r.fields.Updated(kind, live, result)}
	entries, err := managed.EntriesOf(live)
	if err != nil {
		return err
	}
	if live != nil {
		differences, err := merge.Differences(live, result, kind)
		if err != nil {
			return err
		}
		fields, _ := changedFields(differences, live, stored, entries)
		out.fields = len(fields)
		if !r.strategy.ServerSide {
			r.addDrift(&out.Outcome, trees, kind, stored, entries, differences)
		}
		was, is := merge.NewFinder(stored[0]), merge.NewFinder(stored[1])
		out.Conflicts = slices.DeleteFunc(out.Conflicts, func(c merge.Conflict) bool {
			return c.Kind == merge.Drift && isEqual(was.Value(c.Path), is.Value(c.Path))
		})
	}
	out.Conflicts = withoutMixed(out.Conflicts)
	if err := r.addRefusals(m, out, trees, result, stored, entries); err != nil {
		return err
	}
	isRefused := slices.ContainsFunc(out.Conflicts, func(c merge.Conflict) bool { return c.Kind == merge.Refused || c.Kind == merge.Owned })
	if live == nil || isRefused || !merge.Same(metadataOf(live), metadataOf(result)) {
		return nil
	}
	changed, err := merge.Differences(stored[0], stored[1], kind)
	if err == nil && len(changed) == 0 {
		out.Outcome = merge.Outcome{Verdict: merge.TakeLocal}
	}
	return err
}

// withoutMixed returns conflicts without the drift of nobody known within a list in which kubectl mixes elements of one key
// up: that conflict has the whole list, and what becomes of its elements is no change of somebody.
func withoutMixed(conflicts []merge.Conflict) []merge.Conflict {
	isMixed := map[string]bool{}
	for _, c := range conflicts {
		isMixed[c.Path.String()] = isMixed[c.Path.String()] || c.Kind == merge.DuplicateKey
	}
	return slices.DeleteFunc(conflicts, func(c merge.Conflict) bool {
		for at := c.Path.Parent(); c.Kind == merge.Drift && c.Managers == nil && at != nil; at = at.Parent() {
			if isMixed[at.String()] {
				return true
			}
		}
		return false
	})
}

// metadataOf returns the metadata of an object, in which the records of applies are.
func metadataOf(n *yaml.Node) *yaml.Node { return yamlnode.MapOf(yamlnode.Field(n, "metadata")) }

// isEqual reports whether both values are absent, or the same.
func isEqual(a, b *yaml.Node) bool {
	return a == nil && b == nil || a != nil && b != nil && merge.Same(a, b)
}

// addRefusals adds the conflicts for which a server would refuse the result of an apply (rules/apply: refused objects).
func (r *run) addRefusals(m *pkgmerge.Match, out *foreseen, trees [3]*yaml.Node, result *yaml.Node, stored [2]*yaml.Node, entries managed.Entries) error {
	out.Conflicts = append(out.Conflicts, r.objects[m.ID].stale...)
	if r.strategy.ServerSide {
		out.Conflicts = append(out.Conflicts, admission.Emptied(r.kindOf(m), trees[identity.Upstream], trees[identity.Local], result, out.Conflicts)...)
	}
	o := &owners{entries: slices.DeleteFunc(slices.Clone(entries), isApplier)}
	refused, err := admission.Refusals(r.kindOf(m), trees[identity.Local], result, stored, func(path *merge.Path) string {
		if managers := o.within(path); managers != nil {
			return "set by " + strings.Join(managers, " and ")
		}
		return ""
	})
	last, config := merge.NewFinder(trees[identity.Origin]), merge.NewFinder(trees[identity.Upstream])
	for _, c := range refused {
		isRecorded := trees[identity.Origin] != nil && strings.HasSuffix(c.Reason, admission.IsImmutable)
		if !isRecorded || !isSame(last.Value(c.Path), config.Value(c.Path)) || o.around(c.Path) != nil || o.within(c.Path) != nil {
			out.Conflicts = append(out.Conflicts, c) // else live has more defaults than the tables know
		}
	}
	out.openRules = admission.OpenRules(r.kindOf(m), stored[0], stored[1])
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

package learn

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
	"github.com/resource-merge/resource-merge/source"
)

// Decision is the decision that people made about a conflict of an upgrade.
type Decision struct {
	commit string
	// rule selects the resource; its path and preference are empty.
	rule report.Rule
	path []step
	// side is the side whose version people decided for, "" if for neither, and committed the one that the commit has.
	side, committed string
	// isLearned is false for a conflict of a kind that is never learned, and for one whose value people replaced later by another one.
	isLearned bool
}

// step is a step of a path as text.
type step struct {
	text      string
	isElement bool
}

// stepsOf returns the steps of a path, whose texts make up its text.
func stepsOf(p *merge.Path) (steps []step) {
	for _, s := range p.Steps() {
		var none *merge.Path
		if s.Keys != nil {
			steps = append(steps, step{none.Element(s.Keys).String(), true})
			continue
		}
		text := none.Field(s.Field).String()
		if len(steps) > 0 && text[0] != '[' {
			text = "." + text
		}
		steps = append(steps, step{text, false})
	}
	return steps
}

// replay merges upgrades of a package again.
type replay struct {
	dir      string
	settings config.Settings
}

// decisions merges an upgrade again and returns the decisions of people. A conflict that a rule written by hand decides
// is none, and neither is one that is never learned. until is the revision before the next upgrade, up to which people repaired this one.
func (r replay) decisions(ctx context.Context, u Upgrade, until string) (out []Decision, err error) {
	packages, after, err := r.read(ctx, u)
	if err != nil {
		return nil, err
	}
	upstream, local, err := r.mergeBoth(ctx, packages)
	if err != nil || local == nil {
		return nil, err
	}
	var c commits
	if c.upgrade, err = r.committed(ctx, packages[identity.Local], after); err != nil {
		return nil, err
	}
	if last, err := r.at(ctx, until); err == nil { // else the package is gone
		if c.repaired, err = r.committed(ctx, packages[identity.Local], last); err != nil {
			return nil, err
		}
	}
	if out, err = allDecided(upstream, local, c); err != nil {
		return nil, err
	}
	for i := range out {
		out[i].commit = u.Commit
	}
	return r.byPeople(out), nil
}

// byPeople returns the decisions of an upgrade that people made. If the commit has in all conflicts the side that the policy prefers,
// it is the program's work, and says nothing of them.
func (r replay) byPeople(all []Decision) []Decision {
	preferred := identity.Upstream.String()
	if r.settings.Rules().Default == merge.PreferLocal {
		preferred = identity.Local.String()
	}
	isWritten := !slices.ContainsFunc(all, func(d Decision) bool { return d.committed != preferred })
	return slices.DeleteFunc(all, func(d Decision) bool { return !d.isLearned || isWritten && d.side == preferred })
}

// mergeBoth merges in favor of upstream and in favor of local. Without conflicts the second merge is nil.
func (r replay) mergeBoth(ctx context.Context, packages [3]pkgmerge.Package) (upstream, local *pkgmerge.Result, err error) {
	upstream, err = r.merge(ctx, packages, merge.PreferUpstream)
	if err != nil || !hasConflicts(upstream) {
		return nil, nil, err
	}
	if local, err = r.merge(ctx, packages, merge.PreferLocal); err != nil {
		return nil, nil, err
	}
	if len(local.Changes) != len(upstream.Changes) {
		return nil, nil, errors.New("the merges differ in more than their conflicts")
	}
	return upstream, local, nil
}

// allDecided returns people's decisions of the conflicts in all resources, from two merges with one list of changes.
func allDecided(upstream, local *pkgmerge.Result, committed commits) (out []Decision, err error) {
	for i, c := range upstream.Changes {
		if len(c.Conflicts) == 0 {
			continue
		}
		found, err := decided(c, local.Changes[i], committed)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

func hasConflicts(r *pkgmerge.Result) bool {
	return slices.ContainsFunc(r.Changes, func(c *pkgmerge.Change) bool { return len(c.Conflicts) > 0 })
}

// read reads the versions of an upgrade, and the package as it was committed.
func (r replay) read(ctx context.Context, u Upgrade) (packages [3]pkgmerge.Package, after pkgmerge.Package, err error) {
	local, err := source.Parse(r.dir+"@"+u.Commit+"^1", nil)
	if err != nil {
		return packages, after, err
	}
	if packages, err = source.Three(ctx, u.origin, u.upstream, local); err != nil {
		return packages, after, err
	}
	after, err = r.at(ctx, u.Commit)
	return packages, after, err
}

// at reads the package at a revision.
func (r replay) at(ctx context.Context, revision string) (pkgmerge.Package, error) {
	from, err := source.Parse(r.dir+"@"+revision, nil)
	if err != nil {
		return pkgmerge.Package{}, err
	}
	return from.Read(ctx)
}

// merge merges packages with the rules written by hand, and a preference for all other conflicts.
func (r replay) merge(ctx context.Context, packages [3]pkgmerge.Package, prefer merge.Preference) (*pkgmerge.Result, error) {
	o, err := r.settings.Options(packages[identity.Local])
	if err != nil {
		return nil, err
	}
	o.Strategy, o.MergeComments, o.NoOrigin = pkgmerge.ResourceMerge{}, pkgmerge.CommentNever, false
	o.Policy = pkgmerge.Rules{Rules: r.settings.Rules().Rules, Default: prefer}
	return pkgmerge.Merge(ctx, packages, o)
}

// commits have the changes of local's resources in the commit of an upgrade, and up to the next upgrade.
type commits struct {
	upgrade, repaired map[resourceAt]*pkgmerge.Change
}

// resourceAt is the place of a resource in a package.
type resourceAt struct {
	file  string
	index int
}

// committed returns the changes of local's resources in an upgrade.
func (r replay) committed(ctx context.Context, local, after pkgmerge.Package) (map[resourceAt]*pkgmerge.Change, error) {
	compared, err := r.merge(ctx, [3]pkgmerge.Package{local, after, local}, merge.PreferUpstream)
	if err != nil {
		return nil, fmt.Errorf("compare with the commit: %w", err)
	}
	changes := map[resourceAt]*pkgmerge.Change{}
	for _, c := range compared.Changes {
		if was := c.Versions[identity.Local]; was != nil {
			changes[resourceAt{was.File, was.Index}] = c
		}
	}
	return changes, nil
}

// decided returns people's decisions of the conflicts in a resource; two merges have the versions of the sides.
func decided(upstream, local *pkgmerge.Change, committed commits) (out []Decision, err error) {
	was := upstream.Versions[identity.Local]
	if was == nil {
		return nil, nil
	}
	after := committed.upgrade[resourceAt{was.File, was.Index}]
	if after == nil {
		return nil, nil // it could not be read
	}
	o, err := readOutcomes(after, committed.repaired[resourceAt{was.File, was.Index}], upstream, local)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, conflict := range conflictsOf(upstream) {
		at := conflict.Path.String()
		if known[at] || merge.Same(o.byUpstream.Value(conflict.Path), o.byLocal.Value(conflict.Path)) {
			continue
		}
		known[at] = true
		d := Decision{rule: *report.NewRule(upstream, conflict.Path, identity.Upstream), path: stepsOf(conflict.Path)}
		d.rule.Path, d.rule.Prefer = "", ""
		d.committed, d.isLearned = o.side(o.people, conflict.Path), upstream.Learnable(conflict)
		d.side = d.committed
		if d.side != "" && o.isReplaced(conflict.Path) {
			switch now := o.side(o.repaired, conflict.Path); {
			case now == identity.Local.String():
				d.side = now
			case d.side == identity.Upstream.String() || now != "":
				d.isLearned = false
			}
		}
		out = append(out, d)
	}
	return out, nil
}

// outcomes are the versions of a resource that people committed, the one before the next upgrade, nil if there is none, and those that
// two merges have.
type outcomes struct{ people, repaired, byUpstream, byLocal *merge.Finder }

// readOutcomes reads the committed versions of a resource, and the results of the merges for upstream and for local.
func readOutcomes(after, repaired, upstream, local *pkgmerge.Change) (o outcomes, err error) {
	versions, _, err := after.Contents()
	if err != nil {
		return o, err
	}
	o.people = merge.NewFinder(versions[identity.Upstream])
	if repaired != nil {
		if versions, _, err = repaired.Contents(); err != nil {
			return o, err
		}
		o.repaired = merge.NewFinder(versions[identity.Upstream])
	}
	if o.byUpstream, err = resultOf(upstream); err != nil {
		return o, err
	}
	o.byLocal, err = resultOf(local)
	return o, err
}

// isReplaced reports whether people replaced the committed value at a path before the next upgrade.
func (o outcomes) isReplaced(at *merge.Path) bool {
	return o.repaired != nil && !merge.Same(o.people.Value(at), o.repaired.Value(at))
}

// side returns the name of the side whose value one version has at a path, "" if that is neither.
func (o outcomes) side(version *merge.Finder, at *merge.Path) string {
	switch is := version.Value(at); {
	case merge.Same(is, o.byLocal.Value(at)):
		return identity.Local.String()
	case merge.Same(is, o.byUpstream.Value(at)):
		return identity.Upstream.String()
	}
	return ""
}

// resultOf returns the fields of a resource in the result of a merge.
func resultOf(c *pkgmerge.Change) (*merge.Finder, error) {
	_, result, err := c.Contents()
	return merge.NewFinder(result), err
}

// conflictsOf returns the conflicts in a resource. People decide the fields of an image in a map one by one, so each of
// them is a conflict of its own (rules/fields: images).
func conflictsOf(c *pkgmerge.Change) (all []merge.Conflict) {
	for _, conflict := range c.Conflicts {
		image := conflict.Values[identity.Local]
		if conflict.Part == "" || image == nil || image.Kind != yaml.MappingNode {
			all = append(all, conflict)
			continue
		}
		for _, name := range yamlnode.Names(image) {
			field := merge.Conflict{Kind: conflict.Kind, Path: conflict.Path.Field(name)}
			for side, version := range conflict.Values {
				field.Values[side] = yamlnode.Field(version, name)
			}
			all = append(all, field)
		}
	}
	return all
}

package pkgmerge

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/resource-merge/resource-merge/merge"
)

// MergeMarked merges packages so that collisions can be marked: ours has local's version of each collision that the
// rules do not decide, and theirs has upstream's. Both are the same result if no decision depends on the side. In
// theirs, only the files and the paths of conflicts are meant for use. Of the default of the rules only PreferNewest
// counts, and the policy of the options does not. A rule for MarkLocal lets collisions be marked.
func MergeMarked(ctx context.Context, packages [3]Package, o Options, rules Rules) (ours, theirs *Result, err error) {
	theirRules := Rules{Rules: markingUpstream(rules.Rules), Default: merge.MarkUpstream | rules.Default&merge.PreferNewest}
	rules.Default, rules.asked = merge.MarkLocal|rules.Default&merge.PreferNewest, new(atomic.Bool)
	o.Policy = rules
	m, err := newMerger(packages, o)
	if err != nil {
		return nil, nil, err
	}
	again := &second{policy: theirRules.indexed()}
	m.second = again
	changes, err := m.changes(ctx)
	if err != nil {
		return nil, nil, err
	}
	m.second = nil // ours keeps m
	if ours, err = m.assembled(ctx, changes); err != nil || !rules.asked.Load() {
		return ours, ours, err
	}
	if again.merger == nil {
		o.Policy = theirRules
		theirs, err = Merge(ctx, packages, o)
	} else {
		theirs, err = again.merger.assembled(ctx, again.changes)
		for i, c := range again.changes {
			c.Match = changes[i].Match // what the policy changes in a match is in the files
		}
	}
	return ours, theirs, err
}

// markingUpstream returns rules in which the ones for MarkLocal are for MarkUpstream.
func markingUpstream(rules []Rule) []Rule {
	rules = slices.Clone(rules)
	for i := range rules {
		if rules[i].Prefer == merge.MarkLocal {
			rules[i].Prefer = merge.MarkUpstream
		}
	}
	return rules
}

// second is a second merge with another policy, which reuses the first one's matches and parsed texts.
type second struct {
	policy  Policy
	merger  *merger // nil if the merges share only the packages
	changes []*Change
}

func (s *second) begin(first *merger, resources int) {
	s.merger, s.changes = first.withOptions(func(o *Options) { o.Policy = s.policy }), make([]*Change, resources)
	s.merger.second, s.merger.isSecond = nil, true
}

func (s *second) isRunning() bool { return s != nil && s.merger != nil }

// change returns the change of the second merge for a change of the first: a copy, unless that depends on the preference for marks.
func (s *second) change(of *Change) (*Change, error) {
	if of.marked {
		match := *of.Match
		match.policy = sync.OnceValue(func() merge.Policy { return policyOf(s.policy, &match) })
		defer match.forget()
		return s.merger.change(&match)
	}
	c := *of
	c.notes, c.Remarks, c.Conflicts = slices.Clip(c.notes), slices.Clip(c.Remarks), slices.Clip(c.Conflicts)
	if c.Result != nil {
		result := *c.Result
		c.Result = &result
	}
	return &c, nil
}

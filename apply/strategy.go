package apply

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/live"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// ClientSide makes of live objects what `kubectl apply` would (rules/apply: the strategy
// apply). It is never taken from a Kptfile.
type ClientSide struct {
	// Namespace is that of config which names none; "" is default.
	Namespace string
	// Inventory says what of the cluster a package with an inventory may take (rules/live:
	// owners).
	Inventory live.Policy
	// MayBeEmpty says that a config without resources is meant: the apply prunes what its
	// inventory lists (rules/live: the prune set).
	MayBeEmpty bool
}

// Name is what the function config calls the strategy.
func (ClientSide) Name() string { return "apply" }

// Begin begins an apply. Origin is read from the live objects, and has no resources.
func (c ClientSide) Begin(versions [3]pkgmerge.Package) (pkgmerge.Run, [3]pkgmerge.Package, error) {
	return begin(versions, &run{
		cluster: cluster{namespace: c.Namespace}, name: c.Name(), rules: merge.ClientApply{}, column: schema.StrategicMerge,
		read: (*reading).lastApplied, policy: c.Inventory, mayBeEmpty: c.MayBeEmpty,
	})
}

// Prepare has nothing to decide.
func (ClientSide) Prepare(context.Context, []*pkgmerge.Match) (map[int]merge.Outcome, error) {
	return nil, nil
}

// Merge applies the config of one object. A live object without config stays.
func (ClientSide) Merge(m *pkgmerge.Match) (merge.Outcome, error) { return mergeInRun(m) }

// ServerSide makes of live objects what `kubectl apply --server-side` would
// (rules/server-side-apply: managers). It is never taken from a Kptfile.
type ServerSide struct {
	// Namespace is that of config which names none; "" is default.
	Namespace string
	// Manager is who applies; "" is kubectl.
	Manager string
	// Force takes fields that other managers own.
	Force bool
	// Inventory says what of the cluster a package with an inventory may take (rules/live:
	// owners).
	Inventory live.Policy
	// MayBeEmpty says that a config without resources is meant: the apply prunes what its
	// inventory lists (rules/live: the prune set).
	MayBeEmpty bool
}

// Name is what the function config calls the strategy.
func (ServerSide) Name() string { return "server-side-apply" }

// Begin begins an apply. Origin is read from the live objects, and has no resources.
func (s ServerSide) Begin(versions [3]pkgmerge.Package) (pkgmerge.Run, [3]pkgmerge.Package, error) {
	return begin(versions, &run{
		cluster: cluster{namespace: s.Namespace}, name: s.Name(), rules: merge.ServerSide{Manager: s.Manager, Force: s.Force},
		column: schema.Structured, read: (*reading).owned, policy: s.Inventory, mayBeEmpty: s.MayBeEmpty,
	})
}

// Prepare has nothing to decide.
func (ServerSide) Prepare(context.Context, []*pkgmerge.Match) (map[int]merge.Outcome, error) {
	return nil, nil
}

// Merge applies the config of one object. A live object without config stays.
func (ServerSide) Merge(m *pkgmerge.Match) (merge.Outcome, error) { return mergeInRun(m) }

// Applies reports whether a strategy is about an apply.
func Applies(s pkgmerge.Strategy) bool {
	switch s.(type) {
	case ClientSide, ServerSide:
		return true
	}
	return false
}

// run is one apply: a Reader, a Writer and a Finisher.
type run struct {
	cluster
	// name is the strategy's, and rules decide about fields.
	name  string
	rules merge.Rules
	// column is the one of the schema that the server goes by.
	column schema.Column
	// read makes origin of a live object, and of the config what is compared with it.
	read func(*reading) error
	// policy says what of the cluster an inventory may take, and mayBeEmpty that it may prune
	// everything.
	policy     live.Policy
	mayBeEmpty bool
	// inventories are the config's resources that may name its inventory, and plan is nil
	// without one.
	inventories []*pkgmerge.Resource
	plan        *plan
	// objects has what is known of each object. Only the merge of an object alters that.
	objects map[identity.ID]*object
	applied *Applied
}

// object is what an apply knows of one object.
type object struct {
	// stale are the preconditions of the config that the live object does not meet.
	stale []merge.Conflict
	// fields is how many fields of the live object change.
	fields int
}

// begin leaves out what is no config, and takes Lists apart.
func begin(versions [3]pkgmerge.Package, r *run) (pkgmerge.Run, [3]pkgmerge.Package, error) {
	r.packages, r.config, r.live = versions, identity.Upstream, identity.Local
	r.namespace = cmp.Or(r.namespace, "default")
	if err := r.open(); err != nil {
		return nil, versions, err
	}
	var config []*pkgmerge.Resource
	for _, c := range r.packages[r.config].Resources {
		switch {
		case isInventory(c):
			r.inventories = append(r.inventories, c)
		case isApplied(c):
			config = append(config, c)
		}
	}
	if len(config) == 0 && len(r.inventories) == 0 {
		return nil, versions, errors.New("upstream has no config: nothing in it is for a cluster")
	}
	r.packages[r.config].Resources = config
	return r, r.packages, nil
}

// Match finds the live object of each config, and makes the plan.
func (r *run) Match(known *schema.Schema) (pkgmerge.Matching, error) {
	r.schema = known.InColumn(r.column)
	matches, err := r.match()
	if err != nil {
		return pkgmerge.Matching{}, err
	}
	if matches, err = r.makePlan(matches); err != nil {
		return pkgmerge.Matching{}, err
	}
	r.objects = map[identity.ID]*object{}
	for _, m := range matches {
		r.objects[m.ID] = &object{}
	}
	return pkgmerge.Matching{Matches: matches, Packages: r.packages, Schema: r.schema}, nil
}

// Read makes origin of a live object, and of the config what is compared with it.
func (r *run) Read(m *pkgmerge.Match, versions [3]*yaml.Node) ([3]*yaml.Node, []string, error) {
	if !m.Has(identity.Upstream) {
		return versions, nil, nil
	}
	read := &reading{cluster: &r.cluster, run: r, match: m, trees: versions}
	err := r.read(read)
	return read.trees, read.warnings, err
}

// Write writes the live object with edits, or an object that is created as a text of its own.
// Neither has comments of the config's (rules/apply: live objects).
func (r *run) Write(m *pkgmerge.Match, result merge.Outcome) (*pkgmerge.Resource, error) {
	if m.Has(identity.Local) {
		r.objects[m.ID].fields = changedFields(result.Part)
	}
	return m.Rewrite(result)
}

// Finish plans again without what is refused, and lists the steps.
func (r *run) Finish(changes []*pkgmerge.Change) ([]pkgmerge.Notice, error) {
	if r.plan != nil {
		if err := r.plan.refused(changes); err != nil {
			return nil, err
		}
	}
	r.applied = r.steps(changes)
	return nil, nil
}

// mergeInRun applies the config of one object in the run that matched it.
func mergeInRun(m *pkgmerge.Match) (merge.Outcome, error) {
	r, is := m.Run().(*run)
	if !is {
		return merge.Outcome{}, fmt.Errorf("%s: an apply has a merge of its own: give Merge its strategy", m.Newest())
	}
	return r.merge(m)
}

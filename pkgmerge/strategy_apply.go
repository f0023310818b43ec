package pkgmerge

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/resource-merge/resource-merge/apply/live"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// applying is a Strategy that says what a cluster makes of an apply: upstream is the
// config, local the live objects, and origin is read from each of those (rules/apply:
// the strategy apply).
type applying interface {
	Strategy
	// defaultNamespace is where config without a namespace goes, "" for default.
	defaultNamespace() string
	// inventoryPolicy says what of the cluster a package with an inventory may take.
	inventoryPolicy() live.Policy
	// column is the one of the schema that the server goes by.
	column() schema.Column
	// read makes origin of a live object, and of the config what is compared with it.
	read(*cluster, *Match) error
}

// IsApply reports whether a strategy is about live objects, and not about packages.
func IsApply(s Strategy) bool {
	_, is := s.(applying)
	return is
}

// Apply makes of live objects what `kubectl apply` would (rules/apply: the strategy
// apply). It is never taken from a Kptfile.
type Apply struct {
	// Namespace is that of config which names none; "" is default.
	Namespace string
	// Inventory says what of the cluster a package with an inventory may take (rules/live:
	// owners).
	Inventory live.Policy
}

// Name is what the function config calls the strategy.
func (Apply) Name() string { return "apply" }

// Prepare has nothing to decide.
func (Apply) Prepare(context.Context, []*Match) (map[int]merge.Outcome, error) { return nil, nil }

// Merge applies the config of one object. A live object without config stays.
func (a Apply) Merge(m *Match) (merge.Outcome, error) {
	return m.apply(merge.ClientApply{})
}

func (a Apply) defaultNamespace() string { return a.Namespace }

func (a Apply) inventoryPolicy() live.Policy { return a.Inventory }

func (Apply) column() schema.Column { return schema.StrategicMerge }

func (Apply) read(c *cluster, m *Match) error { return c.readLastApplied(m) }

// ServerSideApply makes of live objects what `kubectl apply --server-side` would
// (rules/server-side-apply: managers). It is never taken from a Kptfile.
type ServerSideApply struct {
	// Namespace is that of config which names none; "" is default.
	Namespace string
	// Manager is who applies; "" is kubectl.
	Manager string
	// Force takes fields that other managers own.
	Force bool
	// Inventory says what of the cluster a package with an inventory may take (rules/live:
	// owners).
	Inventory live.Policy
}

// Name is what the function config calls the strategy.
func (ServerSideApply) Name() string { return "server-side-apply" }

// apply applies the config of one object by rules; a live object without config stays.
func (m *Match) apply(rules merge.Rules) (merge.Outcome, error) {
	if out, found, err := m.planned(); found || err != nil {
		return out, err
	}
	if !m.Has(identity.Upstream) {
		return take(m, identity.Local), nil
	}
	trees, err := m.Trees()
	if err != nil {
		return merge.Outcome{}, err
	}
	out, err := merge.ResourceBy(rules, trees, m.appliedKind(), m.policy())
	if fault := (*merge.Fault)(nil); errors.As(err, &fault) && m.Has(fault.Side) {
		return out, faulty(m.Versions[fault.Side], fault)
	}
	for i, c := range out.Conflicts {
		if c.Kind == merge.DuplicateKey {
			out.Conflicts[i].Reason = "the key of the list does not tell its elements apart"
		}
	}
	differences := sync.OnceValues(func() ([]merge.Difference, error) {
		return merge.Differences(trees[identity.Local], applyResult(out, trees), m.appliedKind())
	})
	if _, byClient := rules.(merge.ClientApply); byClient && err == nil {
		err = m.findDrift(&out, trees, differences)
	}
	if err == nil {
		err = m.refuse(rules, &out, trees, differences)
	}
	if err != nil {
		return out, fmt.Errorf("%s: %w", m.Newest(), err)
	}
	return out, nil
}

// Prepare has nothing to decide.
func (ServerSideApply) Prepare(context.Context, []*Match) (map[int]merge.Outcome, error) {
	return nil, nil
}

// Merge applies the config of one object. A live object without config stays.
func (s ServerSideApply) Merge(m *Match) (merge.Outcome, error) {
	return m.apply(merge.ServerSide{Manager: s.Manager, Force: s.Force})
}

func (s ServerSideApply) defaultNamespace() string { return s.Namespace }

func (s ServerSideApply) inventoryPolicy() live.Policy { return s.Inventory }

func (ServerSideApply) column() schema.Column { return schema.Structured }

func (ServerSideApply) read(c *cluster, m *Match) error { return c.readOwned(m) }

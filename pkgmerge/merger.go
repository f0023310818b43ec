package pkgmerge

import (
	"slices"
	"sync"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// merger is one run of Merge.
type merger struct {
	options  Options
	packages [3]Package
	strategy Strategy
	schema   *schema.Schema
	// crds are the CRDs that the schema asks, and defining the resources that they are.
	crds     []schema.CRD
	defining []*Resource
	// patches finds the files that a kustomization of any side uses as patches.
	patches func() map[string]bool
	// secretFiles finds the files that a kustomization of any side makes Secrets of.
	secretFiles func() map[string]bool
	// cluster is what is known of live objects, nil where no side has any.
	cluster *cluster
	// moves are the namespaces that local replaced, known once the versions are matched.
	moves []identity.Move
	// read reads the resources that matching compares. It is let go when that is done.
	read reader
	// habit says what local did that upstream's new resources follow, "" if they follow nothing.
	habit string

	// directories say which directories local moved, as far as files of upstream's follow them.
	directories []string
	// ofFiles says that all packages are made of files.
	ofFiles bool
	// unread are the files of the sides that cannot be read and may hold resources.
	unread [3][]*unread
	// heirs has, by the name of a file of the result, the file of local's that goes and of which the
	// other one has what stands around its documents.
	heirs map[string]string
	// filesLeft are the files of the result that have documents.
	filesLeft map[string]bool
	// texts are the files that merge as text though not all sides have them so, sorted
	// by name; more says that there are more of them than the run knew.
	texts []textFile
	more  bool
	mutex sync.Mutex // of texts and more
}

// textFile is a file that merges as text though some side has it such that it could
// merge by structure (design 17.2).
type textFile struct{ name, reason string }

// isApply reports whether the run is an apply: local is live objects.
func (m *merger) isApply() bool { return m.cluster != nil && m.cluster.live == identity.Local }

// isEmpty reports whether a side has nothing.
func (m *merger) isEmpty(side identity.Side) bool {
	p := m.packages[side]
	return len(p.Resources) == 0 && len(p.Files) == 0
}

// resources are the resources of all sides.
func (m *merger) resources() []*Resource {
	var all []*Resource
	for _, p := range m.packages {
		all = append(all, p.Resources...)
	}
	return all
}

// comesOut reports whether an annotation is bookkeeping that local's resources
// keep.
func (m *merger) comesOut(annotation string) bool {
	return annotation != bookkeeping.MergeSource && m.options.Bookkeeping(annotation)
}

// newMatch is a resource as it was matched, its versions left out.
func (m *merger) newMatch(how identity.Triple) *Match {
	match := &Match{
		ID: how.ID, how: how, schema: m.schema, isBookkeeping: m.options.Bookkeeping,
		noOrigin: m.options.NoOrigin, removalsCollide: m.options.RemovalsCollide, localFirst: m.options.LocalFirst,
		moves:    m.moves,
		streamed: m.packages[identity.Origin].IsStream || m.packages[identity.Upstream].IsStream,
	}
	match.nullIsValue = func() bool {
		return m.options.NullIsValue || slices.ContainsFunc(match.Versions[:], func(r *Resource) bool { return r != nil && m.patches()[r.File] })
	}
	match.policy = sync.OnceValue(func() merge.Policy { return m.options.Policy.For(match) })
	return match
}

// strategyOf is the strategy that decides about a file.
func (m *merger) strategyOf(file string) Strategy {
	if by, several := m.strategy.(FileStrategy); several {
		return by.StrategyOf(file)
	}
	return m.strategy
}

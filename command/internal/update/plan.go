package update

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// plan is how the subpackages of a package that have an upstream of their own take
// part in its merge.
type plan struct {
	// held are files of local's that the merge does not see.
	held files
	// root is the strategy of the package, below are those of subpackages that have
	// another one.
	root  pkgmerge.Strategy
	below map[string]pkgmerge.Strategy
}

// newPlan decides how each subpackage takes part. One that only the copy has is none of
// the package's business. One that the package only names, without its files, is merged
// as far as its Kptfile goes: its files come from its own upstream. One that the
// package has with its files is merged like others, by its own strategy. One that the
// user had come from elsewhere is left alone entirely (rules/kptfiles: subpackages).
func newPlan(ctx context.Context, v *versions, s *sides, strategy string) (*plan, error) {
	p := &plan{below: map[string]pkgmerge.Strategy{}}
	var err error
	if p.root, err = pkgmerge.StrategyNamed(strategy); err != nil {
		return nil, fmt.Errorf("the Kptfile's upstream.updateStrategy: %w", err)
	}
	for _, d := range s.local.dependencies() {
		dir, l := d.dir, d.kptfile
		o, n := s.origin.kptfile(dir), s.upstream.kptfile(dir)
		switch {
		case o == nil && n == nil, o != nil && (o.upstream == nil || *o.upstream != *l.upstream):
			p.leaveAlone(s, dir)
		case o != nil && n == nil:
			err = compareWithOwnOrigin(ctx, v, s, dir, o, l)
		case o != nil && n.isUnfetched():
			p.onlyKptfile(s, dir)
		case o != nil && o.isUnfetched():
			if err = compareWithOwnOrigin(ctx, v, s, dir, o, l); err == nil {
				err = p.strategyOf(dir, l)
			}
		case o != nil:
			err = p.strategyOf(dir, l)
		}
		if err != nil {
			return nil, fmt.Errorf("subpackage %s: %w", dir, err)
		}
	}
	return p, nil
}

// isUnfetched reports whether a package is only named: kpt fetches it from its
// upstream.
func (k *kptfile) isUnfetched() bool { return k.upstream != nil && k.lock == nil }

// hold keeps files of a subpackage out of the merge.
func (p *plan) hold(s *sides, dir string, what func(name string) bool) {
	for _, f := range s.local {
		if isBelow(f.Name, dir) && what(f.Name) {
			p.held = append(p.held, f)
		}
	}
	s.local = s.local.without(func(name string) bool { return isBelow(name, dir) && what(name) })
}

// leaveAlone keeps a subpackage out of the merge.
func (p *plan) leaveAlone(s *sides, dir string) {
	p.hold(s, dir, func(string) bool { return true })
	for _, side := range [2]*files{&s.origin, &s.upstream} {
		*side = side.without(func(name string) bool { return isBelow(name, dir) })
	}
}

// onlyKptfile has only the Kptfile of a subpackage take part in the merge.
func (p *plan) onlyKptfile(s *sides, dir string) {
	kptfile := path.Join(dir, "Kptfile")
	p.hold(s, dir, func(name string) bool { return name != kptfile })
	for _, side := range [2]*files{&s.origin, &s.upstream} {
		*side = side.without(func(name string) bool { return isBelow(name, dir) && name != kptfile })
	}
	p.below[dir] = pkgmerge.ResourceMerge{}
}

// errNoOrigin is kpt's error of a subpackage that was never fetched.
var errNoOrigin = errors.New("no origin available for package")

// compareWithOwnOrigin puts into origin what the copy of a subpackage began as: the
// package only named it. So it shows what the user changed of it.
func compareWithOwnOrigin(ctx context.Context, v *versions, s *sides, dir string, origin, local *kptfile) error {
	if !origin.isUnfetched() {
		return nil
	}
	if local.lock == nil {
		return errNoOrigin
	}
	version, err := v.fetch(ctx, *local.lock)
	if err != nil {
		return err
	}
	began := filesOf(version).unignored(s.local.in(dir))
	f := pkgmerge.File{Name: "Kptfile", Mode: 0o644, Data: local.data}
	if own := began.find("Kptfile"); own != nil {
		f.Data, err = edited(own.Data, func(tree *yaml.Node) *yaml.Node { return withSource(tree, local) })
		if err != nil {
			return fmt.Errorf("%s: %w", version.Remote, err)
		}
	}
	s.origin = s.origin.without(func(name string) bool { return isBelow(name, dir) }).and(began.put(f), dir)
	return nil
}

// withSource is the tree of a Kptfile that comes from where local's does.
func withSource(tree *yaml.Node, local *kptfile) *yaml.Node {
	item, _, _, err := documentOf(local.data)
	if err != nil {
		return tree
	}
	for _, field := range [2][2]string{{"upstream", "metadata"}, {"upstreamLock", "upstream"}} {
		if value := yamlnode.Field(item.Node, field[0]); value != nil {
			tree = set(tree, field[0], value, field[1])
		}
	}
	return tree
}

// strategyOf has the subpackage merge by its own strategy.
func (p *plan) strategyOf(dir string, k *kptfile) error {
	if k.strategy == "" || k.strategy == p.root.Name() {
		return nil
	}
	own, err := pkgmerge.StrategyNamed(k.strategy)
	if err != nil {
		return fmt.Errorf("upstream.updateStrategy: %w", err)
	}
	p.below[dir] = own
	return nil
}

// strategy is that of the merge: the package's, where no subpackage has another one.
func (p *plan) strategy() pkgmerge.Strategy {
	differs := false
	for _, own := range p.below {
		differs = differs || own.Name() != p.root.Name()
	}
	if !differs {
		return p.root
	}
	return byPackage{root: p.root, below: p.below}
}

// dependency is a subpackage that has an upstream of its own.
type dependency struct {
	dir string
	*kptfile
	// direct says that no other subpackage is around it.
	direct bool
}

// dependencies are the subpackages that have an upstream of their own, without those
// in others of them, sorted.
func (fs files) dependencies() (all []dependency) {
	var around []string
	for _, f := range fs {
		if dir := path.Dir(f.Name); path.Base(f.Name) == "Kptfile" && dir != "." {
			around = append(around, dir)
		}
	}
	slices.Sort(around)
	for _, dir := range around {
		k := fs.kptfile(dir)
		inOther := slices.ContainsFunc(all, func(other dependency) bool { return isBelow(dir, other.dir) })
		if k == nil || k.upstream == nil || inOther {
			continue
		}
		direct := !slices.ContainsFunc(around, func(other string) bool { return isBelow(dir, other) })
		all = append(all, dependency{dir, k, direct})
	}
	return all
}

// byPackage is the strategy of a package whose subpackages have strategies of their
// own.
type byPackage struct {
	root  pkgmerge.Strategy
	below map[string]pkgmerge.Strategy
}

// Name is that of the package's own strategy.
func (b byPackage) Name() string { return b.root.Name() }

// of is the strategy that a resource has.
func (b byPackage) of(m *pkgmerge.Match) pkgmerge.Strategy {
	return b.nearest(m.Package())
}

// StrategyOf is the strategy that a file has.
func (b byPackage) StrategyOf(file string) pkgmerge.Strategy { return b.nearest(path.Dir(file)) }

// nearest is the strategy of the nearest package around a directory which has one.
func (b byPackage) nearest(dir string) pkgmerge.Strategy {
	for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
		if own := b.below[dir]; own != nil {
			return own
		}
	}
	return b.root
}

// Prepare has each strategy decide about its own resources.
func (b byPackage) Prepare(ctx context.Context, matches []*pkgmerge.Match) (map[int]merge.Outcome, error) {
	decided := map[int]merge.Outcome{}
	for _, s := range pkgmerge.Strategies() {
		var own []*pkgmerge.Match
		var at []int
		for i, m := range matches {
			if b.of(m).Name() == s.Name() {
				own, at = append(own, m), append(at, i)
			}
		}
		if len(own) == 0 {
			continue
		}
		some, err := s.Prepare(ctx, own)
		if err != nil {
			return nil, err
		}
		for i, outcome := range maps.All(some) {
			decided[at[i]] = outcome
		}
	}
	return decided, nil
}

// Merge merges a resource by the strategy of its package.
func (b byPackage) Merge(m *pkgmerge.Match) (merge.Outcome, error) { return b.of(m).Merge(m) }

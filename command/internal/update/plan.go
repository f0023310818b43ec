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

// plan says how subpackages with an upstream of their own take part in the merge of a package.
type plan struct {
	// excluded has the files of local that are kept out of the merge.
	excluded files
	// root is the strategy of the package, subpackages has the subpackages with another one.
	root        pkgmerge.Strategy
	subpackages map[string]pkgmerge.Strategy
}

// newPlan decides how each subpackage takes part. A subpackage that only local has is excluded. If
// the package only references it, without its files, only its Kptfile is merged, since its files
// come from its own upstream. If the package has its files, it is merged by its own strategy. If
// the user changed its upstream, it is excluded (rules/kptfiles: subpackages).
func newPlan(ctx context.Context, v *versionCache, s *sides, strategy string) (*plan, error) {
	p := &plan{subpackages: map[string]pkgmerge.Strategy{}}
	var err error
	if p.root, err = pkgmerge.StrategyNamed(strategy); err != nil {
		return nil, fmt.Errorf("the Kptfile's upstream.updateStrategy: %w", err)
	}
	for _, d := range s.local.dependencies() {
		if err := p.add(ctx, v, s, d); err != nil {
			return nil, fmt.Errorf("subpackage %s: %w", d.dir, err)
		}
	}
	return p, nil
}

// add decides how a subpackage takes part.
func (p *plan) add(ctx context.Context, v *versionCache, s *sides, d dependency) error {
	dir, l := d.dir, d.kptfile
	o, n := s.origin.kptfile(dir), s.upstream.kptfile(dir)
	switch {
	case o == nil && n == nil, o != nil && (o.upstream == nil || *o.upstream != *l.upstream):
		p.excludeAll(s, dir)
	case o != nil && n == nil:
		return useOwnOrigin(ctx, v, s, dir, o, l)
	case o != nil && n.isUnfetched():
		p.excludeAllButKptfile(s, dir)
	case o != nil && o.isUnfetched():
		if err := useOwnOrigin(ctx, v, s, dir, o, l); err != nil {
			return err
		}
		return p.setStrategy(dir, l)
	case o != nil:
		return p.setStrategy(dir, l)
	}
	return nil
}

// isUnfetched reports whether a package is only referenced: kpt fetches it from its upstream.
func (k *kptfile) isUnfetched() bool { return k.upstream != nil && k.lock == nil }

// exclude keeps matching files of a subpackage out of the merge.
func (p *plan) exclude(s *sides, dir string, match func(name string) bool) {
	for _, f := range s.local {
		if isBelow(f.Name, dir) && match(f.Name) {
			p.excluded = append(p.excluded, f)
		}
	}
	s.local = s.local.except(func(name string) bool { return isBelow(name, dir) && match(name) })
}

// excludeAll keeps a subpackage out of the merge.
func (p *plan) excludeAll(s *sides, dir string) {
	p.exclude(s, dir, func(string) bool { return true })
	for _, side := range [2]*files{&s.origin, &s.upstream} {
		*side = side.except(func(name string) bool { return isBelow(name, dir) })
	}
}

// excludeAllButKptfile keeps a subpackage except for its Kptfile out of the merge.
func (p *plan) excludeAllButKptfile(s *sides, dir string) {
	kptfile := path.Join(dir, "Kptfile")
	p.exclude(s, dir, func(name string) bool { return name != kptfile })
	for _, side := range [2]*files{&s.origin, &s.upstream} {
		*side = side.except(func(name string) bool { return isBelow(name, dir) && name != kptfile })
	}
	p.subpackages[dir] = pkgmerge.ResourceMerge{}
}

// errNoOrigin is kpt's error for a subpackage that was never fetched.
var errNoOrigin = errors.New("no origin available for package")

// useOwnOrigin adds the version from which a subpackage was copied to origin, where the package
// only referenced it. So the user's changes of the subpackage show.
func useOwnOrigin(ctx context.Context, v *versionCache, s *sides, dir string, origin, local *kptfile) error {
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
	original, err := filesOf(version).unignored(s.local.inside(dir))
	if err != nil {
		return fmt.Errorf("%s: %w", version.Remote, err)
	}
	f := pkgmerge.File{Name: "Kptfile", Mode: 0o644, Data: local.data}
	if own := original.find("Kptfile"); own != nil {
		f.Data, err = editDocument(own.Data, func(tree *yaml.Node) *yaml.Node { return withSource(tree, local) })
		if err != nil {
			return fmt.Errorf("%s: %w", version.Remote, err)
		}
	}
	s.origin = s.origin.except(func(name string) bool { return isBelow(name, dir) }).with(original.replace(f), dir)
	return nil
}

// withSource returns the tree of a Kptfile with local's upstream and lock.
func withSource(tree *yaml.Node, local *kptfile) *yaml.Node {
	item, _, _, err := parseDocument(local.data)
	if err != nil {
		return tree
	}
	for _, field := range [2][2]string{{"upstream", "metadata"}, {"upstreamLock", "upstream"}} {
		if value := yamlnode.Field(item.Node, field[0]); value != nil {
			tree = setField(tree, field[0], value, field[1])
		}
	}
	return tree
}

// setStrategy makes the subpackage merge by its own strategy.
func (p *plan) setStrategy(dir string, k *kptfile) error {
	if k.strategy == "" || k.strategy == p.root.Name() {
		return nil
	}
	own, err := pkgmerge.StrategyNamed(k.strategy)
	if err != nil {
		return fmt.Errorf("upstream.updateStrategy: %w", err)
	}
	p.subpackages[dir] = own
	return nil
}

// strategy returns the strategy of the merge: the package's, unless a subpackage has another one.
func (p *plan) strategy() pkgmerge.Strategy {
	differs := false
	for _, own := range p.subpackages {
		differs = differs || own.Name() != p.root.Name()
	}
	if !differs {
		return p.root
	}
	return byPackage{root: p.root, subpackages: p.subpackages}
}

// dependency is a subpackage with an upstream of its own.
type dependency struct {
	dir string
	*kptfile
	// isDirect means that no other subpackage contains it.
	isDirect bool
}

// dependencies returns the outermost subpackages with an upstream of their own, sorted.
func (fs files) dependencies() (all []dependency) {
	var dirs []string
	for _, f := range fs {
		if dir := path.Dir(f.Name); path.Base(f.Name) == "Kptfile" && dir != "." {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		k := fs.kptfile(dir)
		inOther := slices.ContainsFunc(all, func(other dependency) bool { return isBelow(dir, other.dir) })
		if k == nil || k.upstream == nil || inOther {
			continue
		}
		direct := !slices.ContainsFunc(dirs, func(other string) bool { return isBelow(dir, other) })
		all = append(all, dependency{dir, k, direct})
	}
	return all
}

// byPackage is the strategy of a package whose subpackages have strategies of their own.
type byPackage struct {
	root        pkgmerge.Strategy
	subpackages map[string]pkgmerge.Strategy
}

// Name returns the name of the package's own strategy.
func (b byPackage) Name() string { return b.root.Name() }

// StrategyOf returns the strategy of a file.
func (b byPackage) StrategyOf(file string) pkgmerge.Strategy { return b.nearest(path.Dir(file)) }

// nearest returns the strategy of the nearest package that contains a directory.
func (b byPackage) nearest(dir string) pkgmerge.Strategy {
	for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
		if own := b.subpackages[dir]; own != nil {
			return own
		}
	}
	return b.root
}

// Prepare prepares the matches of each strategy.
func (b byPackage) Prepare(ctx context.Context, matches []*pkgmerge.Match) (map[int]merge.Outcome, error) {
	decided := map[int]merge.Outcome{}
	for _, s := range pkgmerge.Strategies() {
		var matched []*pkgmerge.Match
		var indices []int
		for i, m := range matches {
			if b.nearest(m.Package()).Name() == s.Name() {
				matched, indices = append(matched, m), append(indices, i)
			}
		}
		if len(matched) == 0 {
			continue
		}
		outcomes, err := s.Prepare(ctx, matched)
		if err != nil {
			return nil, err
		}
		for i, outcome := range maps.All(outcomes) {
			decided[indices[i]] = outcome
		}
	}
	return decided, nil
}

// Merge merges a resource by the strategy of its package.
func (b byPackage) Merge(m *pkgmerge.Match) (merge.Outcome, error) {
	return b.nearest(m.Package()).Merge(m)
}

package update

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Options says how a package is updated.
type Options struct {
	// Version is a branch, a tag or a commit; "" means the ref of the Kptfile.
	Version string
	// Strategy is written to the Kptfile for later updates; "" means the Kptfile's, or else resource-merge.
	Strategy string
	// Merge says how the versions are merged. Its Strategy, MergeComments and NoOrigin are ignored.
	Merge pkgmerge.Options
	// MergePackage merges the versions of one package; nil means pkgmerge.Merge. Its result has files.
	MergePackage MergeFunc
	// Git fetches the versions.
	Git gitrepo.Git
}

// Update is an updated package.
type Update struct {
	// Files are the files of the package, sorted by name.
	Files []pkgmerge.File
	// Packages are the merged packages: the package itself, then subpackages with an upstream of their own.
	Packages []Package
}

// updater updates a package with its subpackages.
type updater struct {
	Options
	done []Package
	// root is the Kptfile of the package before the update.
	root     *kptfile
	versions *versionCache
}

// Run updates a package with local's files. It writes only to the cache.
func Run(ctx context.Context, local []pkgmerge.File, o Options) (*Update, error) {
	if o.Strategy != "" {
		if _, err := pkgmerge.StrategyNamed(o.Strategy); err != nil {
			return nil, fmt.Errorf("strategy: %w", err)
		}
	}
	root, err := readRoot(local)
	if err != nil {
		return nil, err
	}
	u := &updater{Options: o, root: root, versions: &versionCache{git: o.Git, fetched: map[gitrepo.Remote]*gitrepo.Version{}}}
	all, err := u.update(ctx, "", local)
	if err == nil {
		all, err = identify(all, u.done)
	}
	if err != nil {
		return nil, err
	}
	return &Update{Files: all, Packages: u.done}, nil
}

// readRoot reads the Kptfile of a package, which has an upstream.
func readRoot(local []pkgmerge.File) (*kptfile, error) {
	f := files(local).find("Kptfile")
	if f == nil {
		return nil, errors.New("the package has no Kptfile with its upstream, and no upstream in its .resource-merge.yaml, which resource-merge track writes; resource-merge merge needs none")
	}
	k, err := readKptfile(*f)
	if err != nil {
		return nil, err
	}
	if k.upstream == nil {
		return nil, fmt.Errorf("%s: %w; resource-merge track writes one into .resource-merge.yaml, and resource-merge merge needs none", f.Name, errNoUpstream)
	}
	return k, nil
}

// update updates the package in a directory, and then the subpackages with an upstream of their own. Of subpackages
// inside other subpackages it updates, as kpt does, only those whose upstream the merge has just changed.
func (u *updater) update(ctx context.Context, dir string, local files) (files, error) {
	merged, err := u.merge(ctx, dir, local)
	if err != nil {
		if dir != "" {
			err = fmt.Errorf("subpackage %s: %w", dir, err)
		}
		return nil, err
	}
	for _, sub := range merged.dependencies() {
		if was := local.kptfile(sub.dir); !sub.isDirect && was != nil && was.upstream != nil && *was.upstream == *sub.upstream {
			continue
		}
		inside, err := u.update(ctx, path.Join(dir, sub.dir), merged.inside(sub.dir))
		if err != nil {
			return nil, err
		}
		merged = merged.except(func(name string) bool { return isBelow(name, sub.dir) }).with(inside, sub.dir)
	}
	return merged, nil
}

// merge merges the package in a directory with its upstream, and updates its Kptfile. A subpackage
// whose upstream is unchanged stays as it is.
func (u *updater) merge(ctx context.Context, dir string, local files) (files, error) {
	k, err := readKptfile(*local.find("Kptfile"))
	if err != nil {
		return nil, err
	}
	target, strategy := u.target(dir, k)
	done := Package{Dir: dir, lock: k.lock, ref: target.ref}
	if done.Upstream, err = u.versions.fetch(ctx, target); err != nil {
		return nil, err
	}
	sides := sides{upstream: filesOf(done.Upstream), local: local}
	if k.lock != nil {
		if done.Origin, err = u.versions.fetch(ctx, *k.lock); err != nil {
			return nil, err
		}
		sides.origin = filesOf(done.Origin)
	}
	if dir != "" && done.Origin != nil && done.isUnchanged() {
		return updateKptfile(local, target, done.Upstream, strategy)
	}
	if err := sides.ignore(); err != nil {
		return nil, err
	}
	sides.addKptfiles(k)
	plan, err := newPlan(ctx, u.versions, &sides, strategy)
	if err != nil {
		return nil, err
	}
	options := u.Merge
	options.NoOrigin, options.MergeComments = k.lock == nil, pkgmerge.CommentAlways
	options.Strategy = plan.strategy()
	done.Result, err = sides.merge(ctx, options, u.MergePackage)
	if refused := (*pkgmerge.FastForwardError)(nil); errors.As(err, &refused) {
		err = fmt.Errorf("%w; use a different update --strategy", err)
	}
	if err != nil {
		return nil, err
	}
	merged, err := done.Result.Files()
	if err != nil {
		return nil, err
	}
	u.done = append(u.done, done)
	return updateKptfile(files(merged).with(plan.excluded, ""), target, done.Upstream, strategy)
}

// target returns the version to which a package is updated, and the strategy (rules/update:
// versions). The requested version and strategy apply to the package itself, and to subpackages
// from the same repository, directory and ref, as in kpt.
func (u *updater) target(dir string, k *kptfile) (target reference, strategy string) {
	target, strategy = *k.upstream, k.strategy
	from := u.root.upstream
	if dir == "" || target.repo == from.repo && target.ref == from.ref &&
		strings.HasPrefix(path.Clean(target.directory), path.Clean(from.directory)) {
		target.ref = cmp.Or(u.Version, target.ref)
		strategy = cmp.Or(u.Strategy, strategy)
	}
	return target, cmp.Or(strategy, pkgmerge.ResourceMerge{}.Name())
}

// updateKptfile records the new upstream version in the Kptfile.
func updateKptfile(merged files, target reference, upstream *gitrepo.Version, strategy string) (files, error) {
	f := merged.find("Kptfile")
	if f == nil {
		return nil, errors.New("the merged package has no Kptfile")
	}
	k, err := readKptfile(*f)
	if err != nil {
		return nil, err
	}
	lock := target
	lock.ref, lock.commit = upstream.Ref, upstream.ID
	noted := *f
	if noted.Data, err = k.withUpstream(target, lock, strategy); err != nil {
		return nil, fmt.Errorf("note the upstream in the Kptfile: %w", err)
	}
	return merged.replace(noted), nil
}

// MergeFunc merges the versions of a package.
type MergeFunc func(context.Context, [3]pkgmerge.Package, pkgmerge.Options) (*pkgmerge.Result, error)

// sides has the files of the three versions of a package.
type sides struct {
	origin, upstream, local files
}

// ignore removes the files from origin and upstream that their own .krmignore or local's names:
// they are not part of the copy.
func (s *sides) ignore() (err error) {
	if s.origin, err = s.origin.unignored(s.local); err != nil {
		return fmt.Errorf("%s: %w", identity.Origin, err)
	}
	if s.upstream, err = s.upstream.unignored(s.local); err != nil {
		return fmt.Errorf("%s: %w", identity.Upstream, err)
	}
	return nil
}

func (s *sides) merge(ctx context.Context, o pkgmerge.Options, do MergeFunc) (*pkgmerge.Result, error) {
	var packages [3]pkgmerge.Package
	for side, all := range [3]files{identity.Origin: s.origin, identity.Upstream: s.upstream, identity.Local: s.local} {
		var err error
		if packages[side], err = pkgmerge.NewPackage(all); err != nil {
			return nil, fmt.Errorf("%s: %w", identity.Side(side), err)
		}
	}
	if do == nil {
		do = pkgmerge.Merge
	}
	return do(ctx, packages, o)
}

// addKptfiles adds a minimal Kptfile to versions without one, since a package needs none in its repository.
func (s *sides) addKptfiles(k *kptfile) {
	text := fmt.Sprintf("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: %q\n", k.name)
	for _, side := range [2]*files{&s.origin, &s.upstream} {
		if side.find("Kptfile") == nil && (side != &s.origin || k.lock != nil) {
			*side = side.replace(pkgmerge.File{Name: "Kptfile", Mode: 0o644, Data: []byte(text)})
		}
	}
}

// versionCache fetches versions and keeps them.
type versionCache struct {
	git     gitrepo.Git
	fetched map[gitrepo.Remote]*gitrepo.Version
}

// fetch fetches a version once.
func (v *versionCache) fetch(ctx context.Context, r reference) (*gitrepo.Version, error) {
	remote := r.remote()
	if known := v.fetched[remote]; known != nil {
		return known, nil
	}
	version, err := v.git.Fetch(ctx, remote)
	if err == nil && version.IsFile {
		err = fmt.Errorf("read %s: it is a file or a link, and a package is a directory", version.Remote)
	}
	if err != nil {
		return nil, err
	}
	v.fetched[remote] = version
	return version, nil
}

// Package is a package that was merged with its upstream.
type Package struct {
	// Dir is the directory of the package in the updated package, "" for that itself.
	Dir string
	// Origin and Upstream are the versions between which the package was updated. Origin is nil if
	// the Kptfile has no lock.
	Origin, Upstream *gitrepo.Version
	// Result is the result of the merge. Its files lack the changes of the Kptfile's upstream and
	// lock, and its names are relative to Dir.
	Result *pkgmerge.Result
	// lock is the Kptfile's, and ref the upstream version as the user or the Kptfile names it.
	lock *reference
	ref  string
}

// Step says from which version the package was updated to which, such as "v1 (df13d84) -> v2 (e42e796)".
func (p *Package) Step() string {
	to := versionText(cmp.Or(p.ref, p.Upstream.Ref), p.Upstream.ID)
	switch {
	case p.Origin == nil:
		return "unknown version -> " + to
	case p.isUnchanged():
		return "already at " + to
	}
	return versionText(p.lock.ref, p.Origin.ID) + " -> " + to
}

// versionText returns a branch or tag with the first digits of its commit, or these alone.
func versionText(ref, id string) string {
	short := id[:min(len(id), 7)]
	if ref == "" || strings.HasPrefix(id, ref) {
		return short
	}
	return ref + " (" + short + ")"
}

// isUnchanged reports whether upstream is the version from which the package was copied.
func (p *Package) isUnchanged() bool {
	o, u := p.Origin, p.Upstream
	return o.ID == u.ID && o.Repository == u.Repository && o.Directory == u.Directory
}

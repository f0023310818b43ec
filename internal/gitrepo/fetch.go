package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/version"
)

// Fetch reads the first of the remotes whose repository answers (rules/versions: fetching). It fetches only
// the requested version, without its history, and only if the cache lacks it. It reads a cached commit
// without a connection.
func (g Git) Fetch(ctx context.Context, remotes ...Remote) (*Version, error) {
	var first error
	for _, remote := range remotes {
		if err := remote.check(); err != nil {
			return nil, err
		}
		version, err := g.fetch(ctx, remote)
		if silent := (*unanswered)(nil); !errors.As(err, &silent) || ctx.Err() != nil {
			return version, err
		}
		if first == nil {
			first = err
		}
	}
	if len(remotes) > 1 {
		first = fmt.Errorf("no repository answers there or above; .git or // says where it ends: %w", first)
	}
	return nil, first
}

// Prefetch fetches many versions of the first of the remotes whose repository answers into the cache at once, for a Fetch
// of each. A version that is no branch or tag is left out.
func (g Git) Prefetch(ctx context.Context, versions []string, remotes ...Remote) (err error) {
	for _, remote := range remotes {
		var repository string
		if repository, err = absolute(remote.Repository); err == nil {
			err = remote.check()
		}
		if err != nil {
			return err
		}
		var all refs
		if all, err = g.list(ctx, repository, false); err != nil {
			continue
		}
		e, err := g.entry(repository)
		if err != nil {
			return err
		}
		return e.use(ctx, func() error { return e.getAll(ctx, all, remote.Directory, versions) })
	}
	return err
}

// getAll fetches the versions that the entry lacks.
func (e *entry) getAll(ctx context.Context, all refs, dir string, versions []string) error {
	var refspecs []string
	id := ""
	for _, version := range versions {
		if _, id = all.find(dir, version); id != "" && !e.has(ctx, id) {
			refspecs = append(refspecs, "+"+id+":refs/kept/"+id)
		}
	}
	if len(refspecs) == 0 {
		return nil
	}
	slices.Sort(refspecs)
	refspecs = slices.Compact(refspecs) // several tags may have one commit
	id, _, _ = strings.Cut(refspecs[0][1:], ":")
	return e.change(ctx, format(id), func() error {
		for some := range slices.Chunk(refspecs, 500) { // a command line has a limit
			if err := e.fetch(ctx, "--depth=1", some...); err != nil {
				return err
			}
		}
		return nil
	})
}

// unanswered is the error of a repository that did not list its refs.
type unanswered struct{ err error }

func (u *unanswered) Error() string { return u.err.Error() }
func (u *unanswered) Unwrap() error { return u.err }

func (g Git) fetch(ctx context.Context, r Remote) (*Version, error) {
	if r.Ref == "HEAD" { // the default branch, which the version then names
		r.Ref = ""
	}
	repository, err := absolute(r.Repository)
	if err != nil {
		return nil, err
	}
	e, err := g.entry(repository)
	if err != nil {
		return nil, err
	}
	v := &Version{Remote: r, ID: r.Ref}
	var all refs
	if !IsCommit(r.Ref) {
		if all, err = g.list(ctx, repository, r.Ref == ""); err != nil {
			return nil, &unanswered{err}
		}
		err = v.resolve(all)
	}
	isKnown := v.ID != ""
	if err == nil {
		err = e.use(ctx, func() error { return e.read(ctx, v) })
	}
	if err != nil && !isKnown {
		err = version.Explain(err, r.Ref, all.versions(r.Directory))
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// read gets a version into the cache and reads its files.
func (e *entry) read(ctx context.Context, version *Version) error {
	if err := e.get(ctx, version); err != nil {
		return fmt.Errorf("fetch %s: %w", version.Remote, err)
	}
	reader := tree{repository: e.asRepository(), commit: version.ID, dir: version.Remote.Directory}
	if err := reader.read(ctx, version); err != nil {
		return fmt.Errorf("read %s: %w", version.Remote, err)
	}
	return nil
}

// resolve finds the version among the refs of its repository. An abbreviated commit stays without an id.
func (v *Version) resolve(all refs) error {
	ref := v.Ref
	if ref == "" {
		v.Ref, v.ID = all.defaultBranch()
		if v.ID == "" {
			return fmt.Errorf("%s has no default branch", v.Remote)
		}
		return nil
	}
	v.Ref, v.ID = all.find(v.Directory, ref)
	if v.ID == "" && !isShortCommit(ref) {
		return fmt.Errorf("%s has no branch, tag or commit %q", Redact(v.Repository), ref)
	}
	return nil
}

// get fetches the version into the entry, and completes its id.
func (e *entry) get(ctx context.Context, v *Version) error {
	if v.ID == "" {
		return e.getShort(ctx, v)
	}
	if e.has(ctx, v.ID) {
		return nil
	}
	return e.change(ctx, format(v.ID), func() error {
		err := e.fetch(ctx, "--depth=1", "+"+v.ID+":refs/kept/"+v.ID)
		if err != nil && strings.Contains(err.Error(), "unadvertised") {
			err = e.fetchAll(ctx) // the server sends only commits of branches and tags
		}
		return err
	})
}

// getShort finds the commit of an abbreviated id, which needs all commits.
func (e *entry) getShort(ctx context.Context, v *Version) error {
	err := e.change(ctx, "sha1", func() error { return e.fetchAll(ctx) })
	if err != nil {
		return err
	}
	id, err := e.run(ctx, command{args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", v.Ref + "^{commit}"}})
	if err != nil {
		return fmt.Errorf("there is no branch, tag or commit %q, or there are several commits", v.Ref)
	}
	v.ID = strings.TrimSpace(string(id))
	return nil
}

func (e *entry) has(ctx context.Context, id string) bool {
	isThere := false
	err := e.asRepository().read(ctx, func(r *reader) error {
		found, err := r.objects.Read(id + "^{tree}")
		isThere = found.ID != ""
		return err
	})
	return err == nil && isThere
}

// fetchAll fetches all branches and tags with their history.
func (e *entry) fetchAll(ctx context.Context) error {
	return e.fetch(ctx, "--depth=2147483647", "+refs/heads/*:refs/all/heads/*", "+refs/tags/*:refs/all/tags/*")
}

// fetch fetches refs. Refspecs with patterns prune their refs; a single commit leaves the other refs.
func (e *entry) fetch(ctx context.Context, depth string, refspecs ...string) error {
	args := []string{"fetch", "--progress", "--no-tags", "--no-recurse-submodules", depth}
	if strings.Contains(refspecs[0], "*") {
		args = append(args, "--prune")
	}
	_, err := e.run(ctx, command{args: append(append(args, "--", e.repository), refspecs...), remote: e.repository})
	return err
}

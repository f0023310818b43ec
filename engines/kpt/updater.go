package kpt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
	"github.com/resource-merge/resource-merge/sink"
)

// Updater is kpt's Updater. O is kpt's type Options. The zero Updater merges as the
// defaults of the function config say. It may be used by several goroutines for
// different packages, if what is in it may be.
type Updater[O kptOptions] struct {
	// Merge says how packages are merged. No Strategy is pkgmerge.ResourceMerge: kpt has
	// read the Kptfile's strategy when it chooses an updater. NoOrigin is set where
	// OriginPath has no files. MergeComments does not matter: kpt writes the merge
	// comments itself, and here what has another name than upstream's gets one.
	Merge pkgmerge.Options
	// Report is told of each merge before anything is written, also of one that fails
	// because of its conflicts. Its error ends the update. nil: nobody is told.
	Report func(Options, *pkgmerge.Result) error
	// Context ends an update, nil is one that doesn't: kpt's interface has none.
	Context context.Context
}

// Update merges the new version into the user's copy. After an error, no file of the
// package is changed.
func (u Updater[O]) Update(o O) error {
	ctx := u.Context
	if ctx == nil {
		ctx = context.Background()
	}
	if err := u.update(ctx, Options(o)); err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	return nil
}

// update merges and writes.
func (u Updater[O]) update(ctx context.Context, o Options) error {
	copies := u.Merge.Strategy != nil && u.Merge.Strategy.Name() == "copy-merge" // it takes all of a package, as in kpt
	versions, err := read(ctx, o, copies)
	if err != nil {
		return err
	}
	result, err := u.merged(ctx, o, versions)
	if err != nil {
		return err
	}
	files, err := result.Files()
	if err != nil {
		return err
	}
	local := versions.unplaced(versions.packages[identity.Local].Files)
	return sink.Overwrite{Dir: o.LocalPath, Read: local}.Write(ctx, result.WithFiles(versions.unplaced(files)))
}

// merged merges the versions, and tells of it.
func (u Updater[O]) merged(ctx context.Context, o Options, s *sides) (*pkgmerge.Result, error) {
	options := u.Merge
	options.NoOrigin = options.NoOrigin || len(s.packages[identity.Origin].Files) == 0
	options.MergeComments = pkgmerge.CommentRenamed
	if options.Strategy == nil {
		options.Strategy = pkgmerge.ResourceMerge{}
	}
	result, err := pkgmerge.Merge(ctx, s.packages, options)
	if refused := (*pkgmerge.FastForwardError)(nil); errors.As(err, &refused) {
		err = fmt.Errorf("%w; use a different update --strategy", err)
	}
	if err != nil {
		return nil, err
	}
	if u.Report != nil {
		if err := u.Report(o, result); err != nil {
			return nil, err
		}
	}
	return result, failing(o.LocalPath, result)
}

// Options say which package is updated. They are kpt's Options, field by field.
type Options struct {
	// RelPackagePath is the subpackage below the root, "." for the root itself.
	RelPackagePath string
	// LocalPath is the directory of the user's copy, which is written.
	LocalPath string
	// OriginPath is the directory of the version that the copy was made of, without files
	// if there is none.
	OriginPath string
	// UpdatedPath is the directory of the new version.
	UpdatedPath string
	// IsRoot says that both versions were fetched for the Kptfile in LocalPath.
	IsRoot bool
}

// kptOptions is every type that has the fields of kpt's Options: that of kpt's package
// internal/util/update, of its package updatetypes, and of the copies in Porch.
type kptOptions interface {
	~struct {
		RelPackagePath string
		LocalPath      string
		OriginPath     string
		UpdatedPath    string
		IsRoot         bool
	}
}

// remote are the subpackages that have an upstream of their own in some version, and
// that no other subpackage is around: kpt asks for these itself. One in another
// subpackage takes part in the merge, because nobody else would ask for it.
func remote(packages [3]pkgmerge.Package) (dirs []string, err error) {
	for _, p := range packages {
		var around []string
		for _, r := range kptfiles(p) {
			around = append(around, path.Dir(r.File))
		}
		for _, r := range kptfiles(p) {
			dir := path.Dir(r.File)
			if slices.ContainsFunc(around, func(outer string) bool { return isBelow(dir, outer) }) {
				continue
			}
			has, err := hasUpstream(r)
			if err != nil {
				return nil, err
			}
			if has {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs, nil
}

// kptfiles are the Kptfiles of the subpackages.
func kptfiles(p pkgmerge.Package) (all []*pkgmerge.Resource) {
	for _, r := range p.Resources {
		if path.Base(r.File) == "Kptfile" && path.Dir(r.File) != "." {
			all = append(all, r)
		}
	}
	return all
}

// hasUpstream reports whether a Kptfile says where its package is from.
func hasUpstream(kptfile *pkgmerge.Resource) (bool, error) {
	tree, err := kptfile.Tree()
	if err != nil {
		return false, err
	}
	for i := 0; i+1 < len(tree.Content); i += 2 {
		if tree.Content[i].Value == "upstream" {
			return true, nil
		}
	}
	return false, nil
}

// isBelow reports whether a file lies in a directory, or deeper.
func isBelow(name, dir string) bool { return strings.HasPrefix(name, dir+"/") }

// Print is a Report for a terminal: it writes a line for each conflict, as kpt writes
// the results of functions. What Secrets hold is hidden.
func Print(to io.Writer) func(Options, *pkgmerge.Result) error {
	return func(_ Options, result *pkgmerge.Result) error {
		all, err := report.New(result, report.Options{})
		if err != nil {
			return err
		}
		for _, r := range all.Resources {
			for _, c := range r.Conflicts {
				if _, err := fmt.Fprintf(to, "[%s] %s\n", c.Severity, c.Message); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// ConflictError is the error of an update whose Policy says that a conflict is to fail
// it. Nothing was written.
type ConflictError struct {
	// Package is the directory of the user's copy.
	Package string
	// Conflicts say, a sentence each, which resource and field it is, and what both
	// sides did. What Secrets hold is hidden.
	Conflicts []string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("package %q has conflicts that are to fail the update: %s", e.Package, strings.Join(e.Conflicts, "; "))
}

// failing is the error of the conflicts that are to fail the update, nil if there are
// none.
func failing(local string, result *pkgmerge.Result) error {
	if result.FirstFailing() == "" {
		return nil
	}
	all, err := report.New(result, report.Options{})
	if err != nil {
		return err
	}
	failed := &ConflictError{Package: local}
	for _, r := range all.Resources {
		for _, c := range r.Conflicts {
			if c.Severity == "error" {
				failed.Conflicts = append(failed.Conflicts, c.Message)
			}
		}
	}
	return failed
}

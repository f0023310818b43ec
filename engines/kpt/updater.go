package kpt

import (
	"context"
	"errors"
	"fmt"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink"
)

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
	r := run{Options: Options(o), merge: u.Merge, report: u.Report}
	if err := r.update(ctx); err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	return nil
}

// run is one update.
type run struct {
	Options
	merge  pkgmerge.Options
	report func(Options, *pkgmerge.Result) error
}

// update merges and writes.
func (r run) update(ctx context.Context) error {
	versions, err := r.read(ctx)
	if err != nil {
		return err
	}
	result, err := r.merged(ctx, versions)
	if err != nil {
		return err
	}
	files, err := result.Files()
	if err != nil {
		return err
	}
	return sink.Overwrite{Dir: r.LocalPath, Read: versions.unplaced(versions.packages[identity.Local].Files)}.
		Write(ctx, result.WithFiles(versions.unplaced(files)))
}

// merged merges the versions, and tells of it.
func (r run) merged(ctx context.Context, s *sides) (*pkgmerge.Result, error) {
	options := r.merge
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
	if r.report != nil {
		if err := r.report(r.Options, result); err != nil {
			return nil, err
		}
	}
	return result, failing(r.LocalPath, result)
}

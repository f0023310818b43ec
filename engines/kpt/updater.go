package kpt

import (
	"context"
	"errors"
	"fmt"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
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

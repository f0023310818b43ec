package cli

import (
	"context"

	"github.com/resource-merge/resource-merge/internal/config"
	"github.com/resource-merge/resource-merge/internal/marking"
	"github.com/resource-merge/resource-merge/internal/progress"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// merged is a package that was merged as the settings say.
type merged struct {
	*pkgmerge.Result
	// place is where a field stands in the merged files.
	place func(*pkgmerge.Change, *merge.Path) (file string, line int)
	// marks says that conflicts are marked, and left is how many nobody has decided:
	// those that are marked, and those of files that cannot carry markers.
	marks bool
	left  int
}

// mergePackages merges packages, and shows on a terminal how far that is.
func mergePackages(ctx context.Context, packages [3]pkgmerge.Package, options pkgmerge.Options, settings config.Settings, s streams) (*merged, error) {
	line := progress.On(s.err)
	defer line.Clear()
	options.Progress = line.Show
	if !settings.Marks || options.NoOrigin { // without an origin nothing collides
		result, err := pkgmerge.Merge(ctx, packages, options)
		if err != nil {
			return nil, err
		}
		return &merged{Result: result, place: result.Place}, nil
	}
	m, err := marking.Merge(ctx, packages, options, settings.Rules())
	if err != nil {
		return nil, err
	}
	return &merged{Result: m.Result, place: m.Place, marks: true, left: m.Conflicts}, nil
}

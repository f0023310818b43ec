package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/command/internal/marking"
	"github.com/resource-merge/resource-merge/command/internal/progress"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
)

// merging is a run of the command merge.
type merging struct {
	common
	output
	sides [3]string
}

// mergeCommand is resource-merge merge (rules/commands: merge).
func mergeCommand(s streams) *cobra.Command {
	m := merging{}
	c := &cobra.Command{
		Use:   "merge --origin S --upstream S --local S [--write | -o DIR | --diff] [--patches]",
		Short: "Merge three versions of a package",
		Example: `  # Show what a new version of upstream changes in your copy
  resource-merge merge --origin up/v1 --upstream up/v2 --local shop --diff

  # Change your copy
  resource-merge merge --origin up/v1 --upstream up/v2 --local shop --write

  # Upstream is a repository
  resource-merge merge --origin https://example.com/up.git/shop@v1 \
    --upstream https://example.com/up.git/shop@v2 --local shop --write

  # Upstream is a directory of your own repository
  resource-merge merge --origin base@v1 --upstream base --local shop -o merged

  # Write what the new version changes in your copy as patches
  resource-merge merge --origin up/v1 --upstream up/v2 --local shop --patches -o patches`,
		Long: `What upstream changed since origin comes into local, and what local changed stays.
With none of --write, -o and --diff the merged documents go to stdout, and no file is
touched. --write refuses a package with changes that git does not have yet.

S is a directory, a file, - for a stream of documents on stdin, a directory or file
at a revision of the repository that it lies in (deploy@v1.2), or a remote directory
(https://host/repo.git/dir@ref, or https://host/repo//dir?ref=v1).

Where both sides changed a field, the file gets markers around both versions, as git
writes them, unless --conflicts or the config says whose to take. Patches have no place
for markers: with --patches nothing is written then.

Reports hide the values of Secrets; documents, differences and patches have them.

The exit code is 0 if all was merged, 1 if markers are left or something failed, and
2 if the command was called in a wrong way.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return misuse("unknown argument %q; the versions are --origin, --upstream and --local", args[0])
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(c *cobra.Command, _ []string) error { return m.run(c.Context(), s) },
	}
	c.Flags().SortFlags = false
	for side, what := range [3]string{"where both started", "the new version of it", "your copy"} {
		c.Flags().StringVar(&m.sides[side], identity.Side(side).String(), "", "`S`, "+what)
	}
	m.output.add(c, "change local's files in place")
	m.addPatches(c, "resource that differs")
	m.addPatchesFrom(c)
	m.common.add(c, config.Mark)
	return c
}

// run merges.
func (m *merging) run(ctx context.Context, s streams) error {
	settings, err := m.settings(m.choose)
	if err != nil {
		return err
	}
	if err := m.output.check(); err != nil {
		return err
	}
	reports, err := m.outputs(m.usesStdout())
	if err != nil {
		return err
	}
	sources, err := m.sources(settings, s)
	if err != nil {
		return err
	}
	local, err := findPlace(ctx, sources[identity.Local])
	if err != nil {
		return err
	}
	if err := local.settle(m.write, s.err); err != nil {
		return err
	}
	if m.write {
		if err := local.prepare(ctx, m.force); err != nil {
			return err
		}
	}
	packages, err := source.Three(ctx, sources[identity.Origin], sources[identity.Upstream], sources[identity.Local])
	if err != nil {
		return err
	}
	options, err := settings.Options(packages[identity.Local])
	if err != nil {
		return err
	}
	if settings.MergeComment == nil && !m.asked {
		options.MergeComments = pkgmerge.CommentRenamed
	}
	done, err := mergePackages(ctx, packages, options, settings, s)
	if err != nil {
		return err
	}
	unsaid, err := m.unsaid(done.Result)
	if err != nil {
		return err
	}
	return outcome{
		read: packages[identity.Local].Files, result: done.Result,
		parts: []part{{done, local.prefix, append(settings.Idle(done.Result), unsaid...)}},
	}.finish(ctx, &m.output, reports, local, s)
}

// choose settles whether the result goes as patches. A patch has no place for markers: then
// a conflict that nothing decides fails the merge.
func (m *merging) choose(settings *config.Settings) error {
	if err := m.output.choose(settings); err != nil || !m.asked {
		return err
	}
	if m.conflicts == config.Mark {
		return misuse("--conflicts mark: a patch has no place for markers")
	}
	m.otherwise = "fail"
	return nil
}

// sources are where the sides are: what the flags say, else the dir of the config.
func (m *merging) sources(settings config.Settings, s streams) (out [3]source.Source, err error) {
	var missing []string
	where := m.sides
	for _, side := range identity.Sides() {
		from := settings.Sources.BySide()[side]
		if from.Path != "" {
			return out, misuse("sources.%s.path is for a ResourceList; give --%[1]s", side)
		}
		if where[side] == "" {
			where[side] = from.Dir
		}
		if where[side] == "" && !(side == identity.Origin && (settings.Sources.Origin.None || settings.Sources.Origin.From != "")) {
			missing = append(missing, "--"+side.String())
		}
	}
	if missing != nil {
		return out, misuse("%s: not given", strings.Join(missing, ", "))
	}
	return source.ParseThree(where[identity.Origin], where[identity.Upstream], where[identity.Local], s.in)
}

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
	line := progress.New(s.err)
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

package cli

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/command/internal/marking"
	"github.com/resource-merge/resource-merge/command/internal/reportfile"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/progress"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
)

// mergeRun is a run of the command merge.
type mergeRun struct {
	common
	output
	sides [3]string
	// isUndecided reports that patches are written, and that neither a flag nor the config has a preference for conflicts.
	isUndecided bool
}

// mergeCommand is the command resource-merge merge (rules/commands: merge).
func mergeCommand(s streams) *cobra.Command {
	m := mergeRun{}
	c := &cobra.Command{
		Use:   "merge --origin VERSION --upstream VERSION --local VERSION [--write | -o DIR | --diff] [--patches]",
		Short: "Merge three versions of a package",
		Example: `  # Show the changes that a new version of upstream makes in your copy
  resource-merge merge --origin up/v1 --upstream up/v2 --local shop --diff

  # Change your copy
  resource-merge merge --origin up/v1 --upstream up/v2 --local shop --write

  # Upstream is a repository
  resource-merge merge --origin https://example.com/up.git/shop@v1 \
    --upstream https://example.com/up.git/shop@v2 --local shop --write

  # Upstream is a directory of your own repository
  resource-merge merge --origin base@v1 --upstream base --local shop -o merged

  # Write these changes as patches
  resource-merge merge --origin up/v1 --upstream up/v2 --local shop --patches -o patches`,
		Long: `merge brings upstream's changes since origin into local, and keeps local's changes. Without
--write, -o and --diff it writes the merged documents to stdout, and changes no file. --write
refuses a package with uncommitted changes.

VERSION is a directory, a file, - for a stream of documents on stdin, a pipe, a directory or
file at a revision of the repository that it lies in (deploy@v1.2), a remote directory
(https://host/repo.git/dir@ref, or https://host/repo//dir?ref=v1), an archive on disk or at
an https URL (https://host/v1.tgz//dir), or an OCI artifact (oci://host/repo:v1//dir).

Where both sides changed a field, the file gets both versions between conflict markers, as
in git, unless --conflicts or the config chooses a side. Patches cannot have markers: with
--patches such a conflict is an error.

Reports hide the values of Secrets; documents, differences and patches show them.

The exit code is 0 if everything was merged, 1 if markers are left or an error occurred, and
2 for wrong usage.`,
		Args:              onlyVersions,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(c *cobra.Command, _ []string) error { return m.run(c.Context(), s) },
	}
	c.Flags().SortFlags = false
	for side, what := range [3]string{"the version that you copied", "its new version", "your copy"} {
		addInput(c, &m.sides[side], identity.Side(side).String(), "`VERSION`, "+what)
	}
	m.output.add(c, "change the files of --local in place")
	m.addPatches(c, "resource that differs")
	m.addPatchesFrom(c)
	m.common.add(c, config.Mark)
	return c
}

// onlyVersions returns an error if there are arguments.
func onlyVersions(_ *cobra.Command, args []string) error {
	if form := patchForm(args); form != "" {
		return misuse("unknown argument %q; did you mean --patches=%[1]s?", form)
	}
	if len(args) > 0 {
		return misuse("unknown argument %q; the versions are --origin, --upstream and --local", args[0])
	}
	return nil
}

// run merges the versions and writes the result.
func (m *mergeRun) run(ctx context.Context, s streams) error {
	if m.write {
		if err := recoverFirst(m.sides[identity.Local], s.err); err != nil {
			return err
		}
	}
	settings, err := m.settings(m.sides[identity.Local], m.choose)
	if err != nil {
		return err
	}
	if m.sides[identity.Origin] != "" { // the flag wins over a config that says that there is no origin
		settings.Sources.Origin.None = false
	}
	if err := cmp.Or(m.output.check(), checkDirectory(m.dir)); err != nil {
		return err
	}
	reports, err := m.outputs(m.usesStdout())
	if err != nil {
		return err
	}
	packages, local, err := m.read(ctx, settings, reports, s)
	if err != nil {
		return err
	}
	options, err := settings.Options(packages[identity.Local])
	if err != nil {
		return err
	}
	if settings.MergeComment == nil && !m.asPatches {
		options.MergeComments = pkgmerge.CommentRenamed
	}
	done, err := mergePackages(ctx, packages, options, settings, s)
	if err != nil {
		return err
	}
	unpatched, err := m.unpatched(done.Result)
	if err != nil {
		return err
	}
	warnings := slices.Concat(settings.Idle(done.Result), unpatched, m.failHint(done.Result))
	if len(reports) > 0 {
		hint := strangerHint(done.Result, m.sides)
		if hint == nil {
			hint = likenessHint(packages, m.sides)
		}
		warnings = slices.Concat(warnings, valuesHint(packages, m.sides), hint)
	}
	o, u, l := m.sides[identity.Origin], m.sides[identity.Upstream], m.sides[identity.Local]
	return outcome{
		name:    fmt.Sprintf("%s: %s → %s", directoryName(l), path.Base(o), path.Base(u)),
		command: shownCommand("merge", "--origin", o, "--upstream", u, "--local", l), versions: [2]string{path.Base(o), path.Base(u)},
		read: packages[identity.Local].Files, result: done.Result,
		parts: []mergedPart{{done, local.prefix, warnings}},
	}.finish(ctx, &m.output, reports, local, s)
}

// read reads the versions, and finds local in its repository.
func (m *mergeRun) read(ctx context.Context, settings config.Settings, reports []reportfile.Output, s streams) (packages [3]pkgmerge.Package, local localPackage, err error) {
	sources, err := m.sources(settings, s)
	if err == nil {
		err = cmp.Or(checkOutsideAll(m.dir, sources), m.checkReports(reports), checkAllReports(reports, m.sides), m.checkWritten())
	}
	if err != nil {
		return packages, local, err
	}
	if local, err = findWhole(sources[identity.Local], &m.output, s.err); err != nil {
		return packages, local, err
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	err = parallel.On(2, 2, func(i int) (err error) { // git looks for changes while the versions are read
		if i == 0 {
			if err = local.findCommitted(ctx, &m.output); err != nil {
				stop()
			}
			return err
		}
		packages, err = source.Three(reading, sources[identity.Origin], sources[identity.Upstream], sources[identity.Local])
		return err
	})
	if err != nil {
		return packages, local, err
	}
	return packages, local, cmp.Or(m.checkStdout(packages, s), checkMarkers(packages))
}

// choose decides whether the result is patches. A patch has no place for markers, so then an
// undecided conflict fails the merge.
func (m *mergeRun) choose(settings *config.Settings) error {
	if err := m.output.choose(settings); err != nil || !m.asPatches {
		return err
	}
	if m.conflicts == config.Mark {
		return misuse("--conflicts mark: a patch has no place for markers")
	}
	m.defaultConflicts, m.isUndecided = "fail", m.conflicts == "" && settings.Conflicts.Prefer == ""
	return nil
}

// failHint returns the ways to decide conflicts that fail only because a patch has no place for markers.
func (m *mergeRun) failHint(result *pkgmerge.Result) []string {
	if !m.isUndecided || result.FirstFailing() == "" {
		return nil
	}
	return []string{"a patch has no place for markers: decide the conflicts with --conflicts upstream or local, or with rules of a config"}
}

// sources returns the sources of the sides: the ones of the flags, else the directories of the config, which become the
// sides.
func (m *mergeRun) sources(settings config.Settings, s streams) (out [3]source.Source, err error) {
	var needed [][2]string
	for _, side := range identity.Sides() {
		from := settings.Sources.BySide()[side]
		if from.Path != "" {
			return out, misuse("sources.%s.path is for a ResourceList; give --%[1]s", side)
		}
		if m.sides[side] == "" {
			m.sides[side] = from.Dir
		}
		if side != identity.Origin || !settings.Sources.Origin.None && settings.Sources.Origin.From == "" {
			needed = append(needed, [2]string{"--" + side.String(), m.sides[side]})
		}
	}
	if err := checkGiven(needed...); err != nil {
		return out, err
	}
	return parseVersions(m.sides, s)
}

// parseVersions parses the three versions. It is wrong usage to read two of them from stdin.
func parseVersions(texts [3]string, s streams) ([3]source.Source, error) {
	sources, err := source.ParseThree(texts[identity.Origin], texts[identity.Upstream], texts[identity.Local], s.in)
	if streams := slices.DeleteFunc(texts[:], func(text string) bool { return text != "-" }); err != nil && len(streams) > 1 {
		err = usageError{err}
	}
	return sources, err
}

// mergeResult is a package that was merged according to the settings.
type mergeResult struct {
	*pkgmerge.Result
	// locate returns the location of a field in the merged files.
	locate func(*pkgmerge.Change, *merge.Path) (file string, line int)
	// unresolved counts the undecided conflicts: marked ones, and all conflicts of files without markers.
	unresolved int
}

// mergePackages merges packages and shows the progress on a terminal.
func mergePackages(ctx context.Context, packages [3]pkgmerge.Package, options pkgmerge.Options, settings config.Settings, s streams) (*mergeResult, error) {
	limitGarbage(sizeOf(packages))
	line := progress.New(s.err)
	defer line.Clear()
	options.Progress = line.Show
	if !settings.Marks {
		result, err := pkgmerge.Merge(ctx, packages, options)
		if err != nil {
			return nil, err
		}
		return &mergeResult{Result: result, locate: result.Location}, nil
	}
	m, err := marking.Merge(ctx, packages, options, settings.Rules())
	if err != nil {
		return nil, err
	}
	return &mergeResult{Result: m.Result, locate: m.Place, unresolved: m.Conflicts}, nil
}

// sizeOf returns the size of the files of packages.
func sizeOf(packages [3]pkgmerge.Package) (size int) {
	for _, p := range packages {
		for _, f := range p.Files {
			size += len(f.Data)
		}
	}
	return size
}

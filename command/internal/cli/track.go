package cli

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/command/internal/reportfile"
	"github.com/resource-merge/resource-merge/command/internal/update"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/progress"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/render"
	"github.com/resource-merge/resource-merge/source"
)

// trackedUpdate is an update of a copy whose config names its upstream (rules/update: the upstream in the config).
type trackedUpdate struct {
	*update.Tracked
	// argument is the argument of the command, and version its version, "" if there is none.
	argument, version string
	settings          config.Settings
	reports           []reportfile.Output
}

// updateTracked updates a copy, or lists the versions to which it can be updated.
func (u *updateRun) updateTracked(ctx context.Context, t trackedUpdate, s streams) error {
	if listed, err := u.chooseVersion(ctx, &t, s); listed || err != nil {
		return err
	}
	local := source.Dir(t.Dir)
	where, err := findLocal(ctx, local, &u.output, s.err)
	if err != nil {
		return err
	}
	packages, upstream, renders, err := u.versions(ctx, t, local, s)
	if err != nil {
		return err
	}
	done, err := u.mergeTracked(ctx, packages, renders, t.settings, s)
	if err != nil {
		return err
	}
	var noted config.Edited
	warnings := t.settings.Idle(done.Result)
	if u.write {
		if noted, err = t.Noting(upstream); err == nil {
			warnings, err = where.untrackedHint(ctx, t, warnings)
		}
		if err != nil {
			return err
		}
	}
	step := t.Version + " -> " + t.version
	if t.Version == t.version {
		step = "already at " + t.version
	}
	if err := u.say(s, "%s: %s", directoryName(t.Dir), step); err != nil {
		return err
	}
	result := outcome{
		name: directoryName(t.Dir) + "@" + t.version, command: shownCommand("update", t.argument), versions: [2]string{t.Version, t.version},
		read: packages[identity.Local].Files, result: done.Result,
		parts: []mergedPart{{done, where.prefix, warnings}}, config: noted,
	}
	return result.finish(ctx, &u.output, t.reports, where, s)
}

// untrackedHint adds a warning for an update of a config that git does not have: git would take the files back, and leave
// the new version in the config, so that the next update would begin there.
func (p localPackage) untrackedHint(ctx context.Context, t trackedUpdate, warnings []string) ([]string, error) {
	if p.tree == nil || t.Version == t.version {
		return warnings, nil
	}
	name := path.Join(p.prefix, file.Config)
	untracked, err := p.tree.Untracked(ctx, []string{name})
	if err == nil && len(untracked) > 0 {
		warnings = append(warnings, fmt.Sprintf("git does not have %s: to take the update back, restore the files, and write version %s there again; git add it before the next one", name, t.Version))
	}
	return warnings, err
}

// chooseVersion sets the version of an update without one to the newest release, if the user asks for that and there is a
// newer one. Otherwise nothing is merged: it lists the newer versions, or says that there is none.
func (u *updateRun) chooseVersion(ctx context.Context, t *trackedUpdate, s streams) (listed bool, err error) {
	if t.version != "" {
		return false, nil
	}
	versions, release, err := t.Newer(ctx)
	switch {
	case err != nil:
		return false, err
	case !u.latest:
		return true, u.list(*t, versions, s)
	case release == "":
		return true, u.say(s, "%s: no release is newer than %s", directoryName(t.Dir), t.Version)
	}
	t.version = release
	return false, nil
}

// versions reads the versions of the merge, and renders them if upstream is a command; else renders is nil.
func (u *updateRun) versions(ctx context.Context, t trackedUpdate, local source.Dir, s streams) (packages [3]pkgmerge.Package, upstream update.Version, renders *render.Renders, err error) {
	var origin update.Version
	if t.Command != nil {
		origin, upstream, renders, err = u.render(ctx, t, local, s)
	} else if origin, err = t.Origin(ctx); err == nil {
		if upstream, err = t.Read(ctx, t.version); err != nil {
			err = t.Explain(ctx, t.version, err)
		}
	}
	if err == nil {
		err = cmp.Or(checkOutsideAll(u.dir, [3]source.Source{origin.Source, upstream.Source, local}),
			checkAllReports(t.reports, [3]string{pathOf(origin.Source), pathOf(upstream.Source), t.Dir}))
	}
	if err == nil {
		packages, err = source.Three(ctx, origin, upstream, local)
	}
	return packages, upstream, renders, err
}

// render renders the versions if the user allows it.
func (u *updateRun) render(ctx context.Context, t trackedUpdate, local source.Dir, s streams) (origin, upstream update.Version, r *render.Renders, err error) {
	if !u.allowExec {
		return origin, upstream, nil, fmt.Errorf("%s: upstream.command runs a program, %s; give --allow-exec to run it", filepath.Join(t.Dir, file.Config), t.Program(t.version))
	}
	p, err := local.Read(ctx)
	if err == nil {
		err = checkMarkers([3]pkgmerge.Package{identity.Local: p})
	}
	if err != nil {
		return origin, upstream, nil, err
	}
	options, err := t.settings.Options(p)
	if err != nil {
		return origin, upstream, nil, err
	}
	line := progress.New(s.err)
	defer line.Clear()
	options.Strategy, options.MergeComments, options.Progress = pkgmerge.ResourceMerge{}, pkgmerge.CommentNever, line.Show
	return t.Render(ctx, t.version, p, options)
}

// mergeTracked merges the versions as the command merge does. renders is nil unless they are renders.
func (u *updateRun) mergeTracked(ctx context.Context, packages [3]pkgmerge.Package, renders *render.Renders, settings config.Settings, s streams) (*mergeResult, error) {
	if err := checkMarkers(packages); err != nil {
		return nil, err
	}
	options, err := settings.Options(packages[identity.Local])
	if err != nil {
		return nil, err
	}
	options.NoOrigin = false // the tracked version is the origin, whatever the config says
	if settings.MergeComment == nil {
		options.MergeComments = pkgmerge.CommentRenamed
	}
	if renders == nil {
		return mergePackages(ctx, packages, options, settings, s)
	}
	known := len(options.Renames)
	options.Renames, options.NullIsValue = slices.Concat(options.Renames, renders.Renames), true
	done, err := mergePackages(ctx, packages, options, settings, s)
	if err != nil {
		return nil, err
	}
	done.IdleRenames = slices.DeleteFunc(done.IdleRenames, func(i int) bool { return i >= known })
	notices, err := renders.Notices(done.Result)
	done.Notices = append(done.Notices, notices...)
	return done, err
}

// list prints the versions that are newer than the copy's.
func (u *updateRun) list(t trackedUpdate, versions []string, s streams) error {
	if u.diff || u.dir != "" || len(u.common.reports) > 0 {
		return misuse("no version is given: name one, as %s@VERSION, or give --latest", t.Dir)
	}
	for _, version := range versions {
		wording.Say(s.out, "%s", version)
	}
	if len(versions) == 0 {
		return u.say(s, "%s: no version is newer than %s", directoryName(t.Dir), t.Version)
	}
	return u.say(s, "%s: %s newer than %s; update %s@VERSION merges one, and --latest the newest release",
		directoryName(t.Dir), wording.Plural(len(versions), "version"), t.Version, t.Dir)
}

// say writes a line on stderr, unless the run is quiet.
func (u *updateRun) say(s streams, format string, args ...any) error {
	if !u.quiet {
		wording.Say(s.err, format, args...)
	}
	return nil
}

// trackCommand is the command resource-merge track (rules/update: tracking).
func trackCommand(s streams) *cobra.Command {
	upstream, quiet, asked := "", false, askedVersion("")
	c := &cobra.Command{
		Use:   "track [DIR] --upstream SOURCE[@VERSION]",
		Short: "Write down where a copy comes from, for update",
		Example: `  # metallb was copied from v0.13.10
  resource-merge track metallb --upstream https://github.com/metallb/metallb.git/config/manifests@v0.13.10

  # Find the version from which it was copied
  resource-merge track metallb --upstream https://github.com/metallb/metallb.git/config/manifests

  # It was copied from an archive, and the version is in its name
  resource-merge track shop --upstream 'https://example.com/shop-{version}.tgz//deploy@1.2.0'`,
		Long: `DIR is the directory of a copy, the default is the current one. track compares the copy with
the version of SOURCE, says how many resources and fields differ, and writes the source and
the version as upstream into the copy's .resource-merge.yaml, which resource-merge update
reads. Other lines of the file stay.

Without a version track compares the copy with each version of SOURCE, the tags of a
repository for example, and writes the nearest one, which has the fewest differences.

SOURCE is a source of resource-merge merge, such as a directory of a repository, an archive or
an OCI artifact. {version} in it stands for the version; the default is behind the @ of a
repository, and the tag of an OCI artifact.

The exit code is 0 if upstream was written, 1 if an error occurred, and 2 for wrong usage.`,
		Args: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("version") && (len(args) > 0 || upstream != "") {
				name := strings.TrimPrefix(string(asked), "true")
				if name == "" && len(args) > 0 {
					name = args[len(args)-1]
				}
				return misuse("a version stands behind the source; did you mean --upstream %s@%s?", cmp.Or(upstream, "SOURCE"), cmp.Or(name, "VERSION"))
			}
			if len(args) > 1 {
				return misuse("unknown argument %q; want one directory", args[1])
			}
			return nil
		},
		ValidArgsFunction: firstArgument(cobra.ShellCompDirectiveFilterDirs),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("version") {
				return asked.print(c)
			}
			if upstream == "" {
				return misuse("--upstream: not given")
			}
			if len(args) == 0 {
				args = []string{"."}
			}
			return track(c.Context(), args[0], upstream, quiet, s)
		},
	}
	addInput(c, &upstream, "upstream", "`SOURCE` of the copy, with @VERSION or without")
	addQuiet(c, &quiet)
	asked.add(c)
	return c
}

// track compares a copy with its upstream, and writes the upstream into the copy's config.
func track(ctx context.Context, dir, upstream string, quiet bool, s streams) error {
	if err := cmp.Or(isDirectory(dir), recoverFirst(dir, s.err)); err != nil {
		return err
	}
	t, err := update.Track(dir, upstream)
	if err != nil {
		return usageError{err}
	}
	options, err := comparison(ctx, dir)
	if err != nil {
		return err
	}
	found, all, err := distance(ctx, t, options, s)
	if err != nil {
		return err
	}
	noted, err := t.Noting(found.Version)
	if err == nil {
		err = withoutInterrupts(ctx, func() error { return noted.Write(ctx, dir) })
	}
	if err != nil || quiet {
		return err
	}
	sayDistance(s, directoryName(dir), found, all)
	return nil
}

// sayDistance says how far a copy is from its version: the nearest one of all versions, whose number is 0 if the user named
// the version.
func sayDistance(s streams, name string, found update.Distance, all int) {
	if all > 0 {
		wording.Say(s.err, "%s: %s is the nearest of %s", name, found.Version.Name, wording.Plural(all, "version"))
	}
	wording.Say(s.err, "%s: %s", name, found)
}

// distance compares a copy with its version of upstream. Without one it compares the copy with all versions, which all
// counts, and finds the nearest.
func distance(ctx context.Context, t *update.Tracked, options pkgmerge.Options, s streams) (found update.Distance, all int, err error) {
	if err := t.CheckPlace(ctx); err != nil {
		return found, 0, err
	}
	if t.Version == "" {
		line := progress.New(s.err)
		defer line.Clear()
		return t.Nearest(ctx, options, func(done, total int) { line.Show("versions", done, total) })
	}
	found, err = t.Measure(ctx, t.Version, options)
	if err == nil && found.Common == 0 {
		err = fmt.Errorf("%s has no resource or file of version %s; see whether the source and its directory are right", t.Dir, t.Version)
	}
	return found, 0, err
}

// comparison returns the options for a comparison of a copy with a version: the options of a merge by the copy's
// config.
func comparison(ctx context.Context, dir string) (o pkgmerge.Options, err error) {
	settings, err := readConfig("", dir)
	if err != nil {
		return o, err
	}
	local, err := source.Dir(dir).Read(ctx)
	if err != nil {
		return o, err
	}
	settings.Output, settings.Strategy = config.OutputMerged, pkgmerge.ResourceMerge{}.Name()
	o, err = settings.Options(local)
	o.Strategy, o.MergeComments = pkgmerge.ResourceMerge{}, pkgmerge.CommentNever
	return o, err
}

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/command/internal/reportfile"
	"github.com/resource-merge/resource-merge/command/internal/update"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/version"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
)

// updateRun is a run of the command update.
type updateRun struct {
	common
	output
	latest, allowExec bool
}

// updateCommand is the command resource-merge update (rules/update: the command).
func updateCommand(s streams) *cobra.Command {
	u, asked := updateRun{}, askedVersion("")
	c := &cobra.Command{
		Use:   "update [PKG][@VERSION]",
		Short: "Update a package to a version of its upstream",
		Example: `  # Update the package in the current directory to the newest commit of its ref
  resource-merge update

  # Update the package shop to a tag
  resource-merge update shop@v1.2

  # Show the changes of such an update
  resource-merge update shop@v1.2 --diff

  # Update it to the newest release
  resource-merge update shop --latest

  # Update a chart's render, whose config has upstream: {command: [helm, template, ...]}
  resource-merge update redis@25.5.3 --allow-exec`,
		Long: `PKG is a directory with a Kptfile that names its upstream, as kpt pkg get writes it; the
default is the current directory. VERSION is a branch, a tag or a commit of upstream; the
default is the Kptfile's ref. update merges upstream's changes since the commit of
upstreamLock into the package, and records the new version in the Kptfile. It also updates
subpackages with an upstream of their own.

Without a Kptfile, upstream in the package's .resource-merge.yaml names any upstream:
resource-merge track writes it. Then update without VERSION lists the newer versions and
changes nothing, and update with VERSION merges upstream's changes since upstream.version,
and records the new one there. If upstream has a command instead, such as helm template,
--allow-exec lets it render both versions.

Without -o and --diff the package is changed in place. A package with uncommitted changes is
refused.

Where both sides changed a field, update takes upstream's value, as kpt does, and reports the
three values. --conflicts mark writes both with conflict markers.

Reports hide the values of Secrets; documents, differences and patches show them.

The exit code is 0 if everything was merged, 1 if markers are left or an error occurred, and
2 for wrong usage.`,
		Args: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("version") && len(args) > 0 {
				return misuse("a version stands behind the package; did you mean %s@%s?", args[0], cmp.Or(strings.Join(args[1:], " "), strings.TrimPrefix(string(asked), "true"), "VERSION"))
			}
			if len(args) > 1 {
				return misuse("unknown argument %q; did you mean %s@%[1]s?", args[1], args[0])
			}
			return nil
		},
		ValidArgsFunction: firstArgument(cobra.ShellCompDirectiveFilterDirs),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("version") {
				return asked.print(c)
			}
			return u.run(c.Context(), append(args, "")[0], s)
		},
	}
	c.Flags().SortFlags = false
	u.output.add(c, "change the package in place, as without -o and --diff")
	c.Flags().BoolVar(&u.latest, "latest", false, "update to the newest release of upstream")
	c.Flags().BoolVar(&u.allowExec, "allow-exec", false, "run the program that upstream.command names")
	u.common.add(c, "upstream")
	asked.add(c)
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) && c.Flags().Changed("version") { // as in update shop -v2
			return misuse("a version stands behind the package; did you mean %s@v%s?", cmp.Or(strings.Join(c.Flags().Args(), ""), "PKG"), unknown.GetSpecifiedShortnames())
		}
		return explainFlag(c, err)
	})
	return c
}

// askedVersion is the value of --version, a flag without a value like that of the other commands: a version of upstream's behind it is
// a mistake, for which update, track and values have an answer.
type askedVersion string

// add adds the flag to a command.
func (v *askedVersion) add(c *cobra.Command) {
	c.Flags().VarPF(v, "version", "v", "version for "+c.Name()).NoOptDefVal = "true"
}

// print prints the version of the program, as the flag of the other commands does.
func (v *askedVersion) print(c *cobra.Command) error {
	_, err := fmt.Fprintf(c.OutOrStdout(), "%s version %s\n", c.Name(), c.Root().Version)
	return err
}

func (v *askedVersion) Set(text string) error { *v = askedVersion(text); return nil }
func (v *askedVersion) String() string        { return string(*v) }
func (v *askedVersion) Type() string          { return "bool" }

// checkOutput returns an error if the config has another output than the merged package, or reads
// origin from live objects.
func checkOutput(settings *config.Settings) error {
	if from := settings.Sources.Origin.From; from != "" {
		return misuse("the config's sources.origin.from is %s; resource-merge merge is for that", from)
	}
	if o := settings.Output; o != "" && o != config.OutputMerged {
		return misuse("the config's output is %s; an update writes the merged package", o)
	}
	return nil
}

// run updates the package of the argument.
func (u *updateRun) run(ctx context.Context, argument string, s streams) error {
	dir, version, err := update.ParseArgument(argument)
	if err != nil {
		return usageError{err}
	}
	return u.update(ctx, dir, version, argument, s)
}

// withVersionHint adds the way to write a version to the error for a missing directory with the name of a version, or with one behind
// a colon, as of an image.
func withVersionHint(err error, dir string) error {
	if name, version, found := strings.Cut(dir, ":"); found && isDirectory(name) == nil {
		return fmt.Errorf("%w; did you mean %s@%s?", err, name, version)
	}
	if len(version.Sorted([]string{dir})) == 0 {
		return err
	}
	return fmt.Errorf("%w; a version stands behind an @, as in @%s", err, dir)
}

// update updates a package. argument is for the page of a report.
func (u *updateRun) update(ctx context.Context, dir, version, argument string, s streams) error {
	if u.latest && version != "" {
		return misuse("--latest and the version %q exclude each other", version)
	}
	if err := isDirectory(dir); err != nil {
		return withVersionHint(err, dir)
	}
	if err := cmp.Or(u.output.check(), checkDirectory(u.dir)); err != nil {
		return err
	}
	if u.write = u.dir == "" && !u.diff; u.write {
		if err := recoverFirst(dir, s.err); err != nil {
			return err
		}
	}
	settings, err := u.settings(dir, checkOutput)
	if err != nil {
		return err
	}
	reports, err := u.outputs(u.usesStdout())
	if err := cmp.Or(err, u.checkReports(reports), checkReports(reports, "local", dir)); err != nil {
		return err
	}
	tracked, err := update.ReadTracked(dir)
	if err != nil {
		return err
	}
	if tracked != nil {
		return u.updateTracked(ctx, trackedUpdate{Tracked: tracked, version: version, argument: argument, settings: settings, reports: reports}, s)
	}
	return u.updateKpt(ctx, kptUpdate{dir, argument, version, settings, reports}, s)
}

// kptUpdate is an update of a package with a Kptfile.
type kptUpdate struct {
	dir, argument, version string
	settings               config.Settings
	reports                []reportfile.Output
}

// updateKpt updates a package with a Kptfile, and its subpackages.
func (u *updateRun) updateKpt(ctx context.Context, k kptUpdate, s streams) error {
	local := source.Dir(k.dir)
	if err := cmp.Or(update.CheckKptfile(k.dir), checkOutside(u.dir, "local", local)); err != nil {
		return err
	}
	where, err := findLocal(ctx, local, &u.output, s.err)
	if err != nil {
		return err
	}
	p, err := local.Read(ctx)
	if err != nil {
		return err
	}
	if u.latest {
		if k.version, err = update.Latest(ctx, gitrepo.Git{}, p.Files); err != nil {
			return fmt.Errorf("%s: %w", k.dir, err)
		}
	}
	updated, known, err := k.run(ctx, p, s)
	if err != nil {
		return fmt.Errorf("%s: %w", k.dir, err)
	}
	done := outcome{name: directoryName(k.dir) + "@" + k.version, command: shownCommand("update", k.argument), read: p.Files, result: updated.Packages[0].Result.WithFiles(updated.Files)}
	done.versions[0], done.versions[1], _ = strings.Cut(updated.Packages[0].Step(), " -> ")
	for _, one := range updated.Packages {
		if !u.quiet {
			wording.Say(s.err, "%s: %s", path.Join(directoryName(k.dir), one.Dir), one.Step())
		}
		dir := path.Join(where.prefix, one.Dir)
		warnings := append(k.settings.Idle(one.Result), noOriginHint(one, dir)...)
		done.parts = append(done.parts, mergedPart{known[one.Result], dir, warnings})
	}
	return done.finish(ctx, &u.output, k.reports, where, s)
}

// noOriginHint returns a warning for an update of a package without a lock: the merge takes upstream's value wherever local has
// another one.
func noOriginHint(p update.Package, dir string) []string {
	if p.Origin != nil {
		return nil
	}
	return []string{fmt.Sprintf("%s has no upstreamLock, so your changes are unknown: where you had another value, upstream's was taken", path.Join(dir, "Kptfile"))}
}

// run merges the new versions of a package and of its subpackages. known has the merges by their results.
func (k kptUpdate) run(ctx context.Context, p pkgmerge.Package, s streams) (updated *update.Update, known map[*pkgmerge.Result]*mergeResult, err error) {
	options, err := k.settings.Options(p)
	if err != nil {
		return nil, nil, err
	}
	known = map[*pkgmerge.Result]*mergeResult{}
	updated, err = update.Run(ctx, p.Files, update.Options{
		Version: k.version, Strategy: k.settings.Strategy, Merge: options,
		MergePackage: func(ctx context.Context, packages [3]pkgmerge.Package, o pkgmerge.Options) (*pkgmerge.Result, error) {
			if err := checkMarkers(packages); err != nil {
				return nil, err
			}
			done, err := mergePackages(ctx, packages, o, k.settings, s)
			if err != nil {
				return nil, err
			}
			known[done.Result] = done
			return done.Result, nil
		},
	})
	return updated, known, err
}

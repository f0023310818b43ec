package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/command/internal/update"
	"github.com/resource-merge/resource-merge/internal/progress"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
)

// trackCommand is the command resource-merge track (rules/update: tracking).
func trackCommand(s streams) *cobra.Command {
	upstream, quiet := "", false
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
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return misuse("unknown argument %q; want one directory", args[1])
			}
			return nil
		},
		ValidArgsFunction: firstArgument(cobra.ShellCompDirectiveFilterDirs),
		RunE: func(c *cobra.Command, args []string) error {
			if upstream == "" {
				return misuse("--upstream: not given")
			}
			if len(args) == 0 {
				args = []string{"."}
			}
			return track(c.Context(), args[0], upstream, quiet, s)
		},
	}
	c.Flags().StringVar(&upstream, "upstream", "", "`SOURCE` of the copy, with @VERSION or without")
	addQuiet(c, &quiet)
	return c
}

// track compares a copy with its upstream, and writes that down.
func track(ctx context.Context, dir, upstream string, quiet bool, s streams) error {
	if err := isDirectory(dir); err != nil {
		return err
	}
	if err := checkWhole(dir); err != nil {
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
	found, all := update.Distance{}, 0
	if t.Version != "" {
		found, err = t.Measure(ctx, t.Version, options)
		if err == nil && found.Common == 0 {
			err = fmt.Errorf("%s has no resource or file of version %s; see whether the source and its directory are right", dir, t.Version)
		}
	} else {
		line := progress.New(s.err)
		found, all, err = t.Nearest(ctx, options, func(done, total int) { line.Show("versions", done, total) })
		line.Clear()
	}
	if err != nil {
		return err
	}
	if err := t.Note(found.Version); err != nil || quiet {
		return err
	}
	if all > 0 {
		wording.Say(s.err, "%s: %s is the nearest of %s", directoryName(dir), found.Version.Name, wording.Plural(all, "version"))
	}
	wording.Say(s.err, "%s: %s", directoryName(dir), found)
	return nil
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

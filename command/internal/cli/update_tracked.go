package cli

import (
	"context"
	"fmt"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/command/internal/reportfile"
	"github.com/resource-merge/resource-merge/command/internal/update"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
)

// trackedUpdate is an update of a copy whose config names its upstream (rules/update: the upstream in the
// config).
type trackedUpdate struct {
	*update.Tracked
	// argument is the argument of the command, and version its version, "" if there is none.
	argument, version string
	settings          config.Settings
	reports           []reportfile.Output
}

// updateTracked updates a copy, or lists the versions to which it can be updated.
func (u *updateRun) updateTracked(ctx context.Context, t trackedUpdate, s streams) error {
	if t.version == "" {
		versions, release, err := t.Newer(ctx)
		if err != nil {
			return err
		}
		if !u.latest {
			return u.list(t, versions, s)
		}
		if t.version = release; release == "" {
			return u.say(s, "%s: no release is newer than %s", directoryName(t.Dir), t.Version)
		}
	}
	local := source.Dir(t.Dir)
	where, err := findLocal(ctx, local, &u.output, s.err)
	if err != nil {
		return err
	}
	origin, err := t.Origin(ctx)
	if err != nil {
		return err
	}
	upstream, err := t.Read(ctx, t.version)
	if err != nil {
		return err
	}
	packages, err := source.Three(ctx, origin, upstream, local)
	if err != nil {
		return err
	}
	done, err := u.mergeTracked(ctx, packages, t.settings, s)
	if err != nil {
		return err
	}
	step := t.Version + " -> " + t.version
	if t.Version == t.version {
		step = "already at " + t.version
	}
	if err := u.say(s, "%s: %s", directoryName(t.Dir), step); err != nil {
		return err
	}
	result := outcome{
		name: directoryName(t.Dir) + "@" + t.version, command: shownCommand("update", t.argument),
		read: packages[identity.Local].Files, result: done.Result,
		parts: []mergedPart{{done, where.prefix, t.settings.Idle(done.Result)}},
	}
	if u.write {
		result.written = func() error { return t.Note(upstream) }
	}
	return result.finish(ctx, &u.output, t.reports, where, s)
}

// mergeTracked merges the versions as the command merge does.
func (u *updateRun) mergeTracked(ctx context.Context, packages [3]pkgmerge.Package, settings config.Settings, s streams) (*mergeResult, error) {
	if err := checkMarkers(packages); err != nil {
		return nil, err
	}
	options, err := settings.Options(packages[identity.Local])
	if err != nil {
		return nil, err
	}
	if settings.MergeComment == nil {
		options.MergeComments = pkgmerge.CommentRenamed
	}
	return mergePackages(ctx, packages, options, settings, s)
}

// list prints the versions that are newer than the copy's.
func (u *updateRun) list(t trackedUpdate, versions []string, s streams) error {
	if u.diff || u.dir != "" || len(u.common.reports) > 0 {
		return misuse("no version is given: name one, as %s@VERSION, or give --latest", t.Dir)
	}
	for _, version := range versions {
		if _, err := fmt.Fprintln(s.out, version); err != nil {
			return err
		}
	}
	if len(versions) == 0 {
		return u.say(s, "%s: no version is newer than %s", directoryName(t.Dir), t.Version)
	}
	return u.say(s, "%s: %s, newer than %s; update %s@VERSION merges one, and --latest the newest release",
		directoryName(t.Dir), wording.Plural(len(versions), "version"), t.Version, t.Dir)
}

// say writes a line on stderr, unless the run is quiet.
func (u *updateRun) say(s streams, format string, args ...any) error {
	if !u.quiet {
		wording.Say(s.err, format, args...)
	}
	return nil
}

package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/overlay"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink"
	"github.com/resource-merge/resource-merge/source"
)

// overlayRun is a run of the command overlay.
type overlayRun struct {
	sides     [3]string
	config    string
	dir, base string
	// baseName names the flag or the field that has the base.
	baseName string
	force    bool
	quiet    bool
	// note is about the base, "" if there is none.
	note string
}

// overlayCommand is the command resource-merge overlay (rules/overlay: overlays).
func overlayCommand(s streams) *cobra.Command {
	o := overlayRun{}
	c := &cobra.Command{
		Use:   "overlay --origin VERSION --local VERSION [--upstream VERSION] -o DIR",
		Short: "Turn a customised copy into a kustomize overlay",
		Example: `  # Turn your copy, shop, into an overlay over the version that you copied
  resource-merge overlay --origin up/v1 --local shop -o overlays/shop

  # Over a new version; list which of your changes are still needed
  resource-merge overlay --origin up/v1 --upstream up/v2 --local shop -o overlays/shop

  # Over a remote version
  resource-merge overlay --origin "https://example.com/up.git//shop?ref=v1" --local shop -o overlays/shop`,
		Long: `overlay writes the changes of your copy (local) as a kustomization over the package that it
was copied from (origin): kustomize build makes your copy of it. Images, replicas, the
namespace, names, labels and annotations become kustomize's own fields where these have
exactly that effect. Other changes become patches, one for each resource, and your own
resources become files.

With --upstream the overlay is over the new version: it builds the merge that takes your
side of each conflict. Each of your changes is listed on stderr: needed; redundant, if
upstream has it too; colliding, with the three values, if upstream changed it differently;
or dead, if upstream dropped the resource. Changes that kustomize cannot express are listed
on stderr, too.

The base is the directory of --upstream, or else of --origin, unless --base names another.
If the base has no kustomization.yaml, the overlay gets a copy of it with one, in base/.

With --force the overlay replaces an earlier one. Your entries in its kustomization.yaml
and files that you edited or added stay; they are listed, and the exit code is 1.

Reports hide the values of Secrets; the overlay's files show them.

VERSION is written as for resource-merge merge.`,
		Args:              onlyVersions,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(c *cobra.Command, _ []string) error { return o.run(c.Context(), s) },
	}
	flags := c.Flags()
	flags.SortFlags = false
	for side, what := range [3]string{"the version that you copied", "its new version", "your copy"} {
		addInput(c, &o.sides[side], identity.Side(side).String(), "`VERSION`, "+what)
	}
	flags.StringVarP(&o.dir, "output", "o", "", "write the overlay into `DIR`, a new directory")
	addInput(c, &o.base, "base", "list `TARGET` as the base: a directory, from the one of the overlay, or a remote target of kustomize")
	addInput(c, &o.config, "config", "read settings from `FILE`, of the kind ResourceMerge")
	flags.BoolVar(&o.force, "force", false, "replace an earlier overlay; files that you edited stay")
	addQuiet(c, &o.quiet)
	complete(c, "output", directoryOf())
	complete(c, "config", manifests())
	return c
}

// settings returns the settings of the config, which may be the one in local's top directory. Its base applies if no flag
// has one.
func (o *overlayRun) settings() (config.Settings, error) {
	settings, err := readConfig(o.config, o.sides[identity.Local])
	switch from := settings.Sources.Origin.From; {
	case err != nil || o.config == "":
	case settings.Output == config.OutputPatches:
		err = misuse("the config's output is patches; resource-merge merge is for that")
	case from != "":
		err = misuse("the config's sources.origin.from is %s; resource-merge merge is for that", from)
	}
	o.baseName = "--base"
	if o.base == "" {
		o.base, o.baseName = settings.Overlay.Base, "overlay.base of the config"
	}
	return settings, err
}

// run makes and writes the overlay.
func (o *overlayRun) run(ctx context.Context, s streams) error {
	if err := o.checkGiven(); err != nil {
		return err
	}
	settings, err := o.settings()
	if err != nil {
		return err
	}
	if err := checkWhole(o.sides[identity.Local]); err != nil {
		return err
	}
	made, err := o.make(ctx, settings, s)
	if err != nil {
		return err
	}
	kept, err := o.writeFiles(ctx, s, made)
	if err != nil {
		return err
	}
	o.report(s, made)
	if kept {
		return exit(1)
	}
	return nil
}

// checkGiven returns an error that names the flags without which no overlay can be made.
func (o *overlayRun) checkGiven() error {
	err := checkGiven([2]string{"--origin", o.sides[identity.Origin]}, [2]string{"--local", o.sides[identity.Local]}, [2]string{"-o", o.dir})
	return cmp.Or(err, checkDirectory(o.dir))
}

// make makes the overlay. One over a base without a kustomization.yaml has a copy of the base.
func (o *overlayRun) make(ctx context.Context, settings config.Settings, s streams) (*overlay.Overlay, error) {
	packages, resources, err := o.read(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := o.checkBase(); err != nil {
		return nil, err
	}
	if o.base == "" && !slices.ContainsFunc(packages[identity.Upstream].Files, isTopKustomization) {
		resources = baseCopy
	}
	options, err := settings.Options(packages[identity.Local])
	if err != nil {
		return nil, err
	}
	made, err := overlay.Make(ctx, packages, overlay.Options{Resources: resources, Merge: options})
	if err != nil || made.Base == nil {
		return made, err
	}
	return made, o.addBase(made, packages[identity.Upstream])
}

// checkBase returns an error for a base that kustomize will not find from the overlay.
func (o *overlayRun) checkBase() error {
	isThere := isDirectory(filepath.Join(o.dir, o.base)) == nil
	switch {
	case o.base == "", transform.IsRemote(o.base), isThere && !filepath.IsAbs(o.base):
		return nil
	case isDirectory(o.base) != nil:
		return misuse("%s: no directory %s from the overlay, %s; write its path from there, or an address such as https://example.com/up.git//shop?ref=v1", o.baseName, o.base, o.dir)
	}
	meant, err := relativePath(o.dir, o.base)
	if err != nil {
		return err
	}
	return misuse("%s: kustomize looks for %s from the overlay, %s; from there it is %s", o.baseName, o.base, o.dir, meant)
}

// addBase adds a copy of the base, with a kustomization.yaml, unless the user names the base.
func (o *overlayRun) addBase(made *overlay.Overlay, base pkgmerge.Package) error {
	if o.base != "" {
		o.note = o.base + " needs a kustomization.yaml: the base has none"
		return nil
	}
	files, err := copyBase(made.Base, base)
	if err != nil {
		return err
	}
	made.Files = append(made.Files, files...)
	o.note = fmt.Sprintf("the base has no kustomization.yaml; %s is a copy with one", filepath.Join(o.dir, baseCopy))
	return nil
}

// baseCopy is the directory in the overlay with a copy of a base that has no kustomization.yaml: the base is an input
// and stays as it is, and kustomize reads no file outside of a kustomization's directory (rules/overlay: the base).
const baseCopy = "base"

func isTopKustomization(f pkgmerge.File) bool {
	return path.Dir(f.Name) == "." && bookkeeping.IsKustomization(f.Name)
}

// copyBase returns a base as files of the overlay: its kustomization, and the files that this lists.
func copyBase(kustomization []byte, base pkgmerge.Package) ([]pkgmerge.File, error) {
	var listed struct{ Resources []string }
	if err := yaml.Unmarshal(kustomization, &listed); err != nil {
		return nil, err
	}
	files := []pkgmerge.File{{Name: path.Join(baseCopy, "kustomization.yaml"), Mode: 0o644, Data: kustomization}}
	for _, f := range base.Files {
		if slices.Contains(listed.Resources, f.Name) {
			f.Name = path.Join(baseCopy, f.Name)
			files = append(files, f)
		}
	}
	return files, nil
}

// read reads the versions, and returns the entry for the base in the overlay. Without a new version
// upstream is origin, which is read once.
func (o *overlayRun) read(ctx context.Context, s streams) (packages [3]pkgmerge.Package, resources string, err error) {
	origin, upstream := o.sides[identity.Origin], o.sides[identity.Upstream]
	parsed := cmp.Or(upstream, origin)
	if upstream == "" && origin == "-" {
		parsed = "." // stdin is read once
	}
	sources, err := parseVersions([3]string{origin, parsed, o.sides[identity.Local]}, s)
	if err != nil {
		return packages, "", err
	}
	side := identity.Upstream
	if upstream == "" {
		side, sources[identity.Upstream] = identity.Origin, source.Nothing{}
	}
	if err := checkOutsideAll(o.dir, sources); err != nil {
		return packages, "", err
	}
	if resources, err = o.baseOf(o.sides[side], sources[side]); err != nil {
		return packages, "", err
	}
	packages, err = source.Three(ctx, sources[identity.Origin], sources[identity.Upstream], sources[identity.Local])
	packages[identity.Upstream] = packages[side]
	if err == nil && len(packages[side].Files) == 0 {
		err = fmt.Errorf("%s has no files, so there is no base; name the directory of the package", side)
	}
	return packages, resources, err
}

func (o *overlayRun) baseOf(text string, upstream source.Source) (string, error) {
	dir, isDir := upstream.(source.Dir)
	switch {
	case o.base != "":
		return o.base, nil
	case isDir:
		return relativePath(o.dir, string(dir))
	case strings.Contains(text, "?ref=") || strings.Contains(strings.TrimPrefix(text, "https://"), "//"):
		return text, nil
	}
	return "", misuse("%s is not a directory: say with --base where kustomize finds it", text)
}

// writeFiles writes the overlay's files. With --force the directory may have files: unedited files of an earlier
// overlay are replaced. kept reports whether a file or field that differs from the overlay's was kept.
func (o *overlayRun) writeFiles(ctx context.Context, s streams, made *overlay.Overlay) (kept bool, err error) {
	if err := recoverFirst(o.dir, s.err); err != nil {
		return false, err
	}
	if there, err := os.ReadDir(o.dir); err == nil && len(there) > 0 && !o.force {
		return false, fmt.Errorf("write %s: %w; give --force to put the overlay among its files", o.dir, sink.ErrNotEmpty)
	}
	update, err := planUpdate(ctx, file.Tree(o.dir), made.Files)
	if err == nil {
		err = withoutInterrupts(ctx, func() error { return sink.ForcedDir(o.dir).WriteFiles(ctx, update.files, update.removed...) })
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", o.dir, err)
	}
	if o.note != "" {
		o.printf(s, "%s", o.note)
	}
	for _, name := range update.removed {
		o.printf(s, "removed %s: the overlay that was there had it", filepath.Join(o.dir, filepath.FromSlash(name)))
	}
	for _, name := range update.kept {
		o.printf(s, "kept %s: somebody wrote or edited it; remove it, and run this again, to have the overlay's", filepath.Join(o.dir, filepath.FromSlash(name)))
	}
	for _, path := range update.conflicts {
		o.printf(s, "kept %s of %s: somebody edited it, and the overlay has another value", path, filepath.Join(o.dir, "kustomization.yaml"))
	}
	return len(update.kept)+len(update.conflicts) > 0, nil
}

// report prints each change of the fork, if there is a new upstream, and the changes that the overlay cannot express.
func (o *overlayRun) report(s streams, made *overlay.Overlay) {
	for _, text := range slices.Concat(strangerHint(made.Merged, o.sides), ownHint(o.sides)) {
		o.printf(s, "warning: %s", text)
	}
	counts := map[overlay.Status]int{}
	for _, c := range made.Changes {
		counts[c.Status]++
		if o.sides[identity.Upstream] != "" {
			o.printf(s, "%s", changeLine(c))
		}
	}
	for _, u := range made.Unexpressed {
		o.printf(s, "not expressed in the overlay: %s", u)
	}
	summary := fmt.Sprintf("%s: %s", o.dir, wording.Plural(len(made.Files), "file"))
	if o.sides[identity.Upstream] != "" {
		summary += fmt.Sprintf("; %d needed, %d redundant, %d colliding, %d dead",
			counts[overlay.Needed], counts[overlay.Redundant], counts[overlay.Colliding], counts[overlay.Dead])
	}
	o.printf(s, "%s", summary)
}

func (o *overlayRun) printf(s streams, format string, args ...any) {
	if !o.quiet {
		wording.Say(s.err, format, args...)
	}
}

// relativePath returns the path from one directory to another. Like kustomize it follows links.
func relativePath(from, to string) (string, error) {
	var paths [2]string
	for i, dir := range [2]string{from, to} {
		absolute, err := filepath.Abs(dir)
		if err != nil {
			return "", err
		}
		paths[i] = resolveLinks(absolute)
	}
	way, err := filepath.Rel(paths[0], paths[1])
	return filepath.ToSlash(way), err
}

// resolveLinks resolves the links in the existing part of a path.
func resolveLinks(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil || filepath.Dir(path) == path {
		return cmp.Or(real, path)
	}
	return filepath.Join(resolveLinks(filepath.Dir(path)), filepath.Base(path))
}

// changeLine returns the line about one change: the status, the resource, the path, and the three
// values of a colliding change, unless they may be secrets.
func changeLine(s overlay.Change) string {
	line := fmt.Sprintf("%-9s  %s", s.Status, wording.Object(s.Resource.Kind, s.Resource.Namespace, s.Resource.Name))
	if s.Path != "" {
		line += "  " + s.Path
	}
	if s.Status == overlay.Colliding && !s.Secret {
		line += fmt.Sprintf(": origin %s, upstream %s, local %s",
			valueText(s.Values[identity.Origin]), valueText(s.Values[identity.Upstream]), valueText(s.Values[identity.Local]))
	}
	return strings.TrimRight(line, " ")
}

func valueText(n *yaml.Node) string {
	if n == nil {
		return "(absent)"
	}
	return wording.Cut(wording.Flow(n), 60)
}

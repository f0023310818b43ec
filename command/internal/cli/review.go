package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/command/internal/reportfile"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/progress"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
	"github.com/resource-merge/resource-merge/review"
	"github.com/resource-merge/resource-merge/source"
	"github.com/resource-merge/resource-merge/values"
)

// reviewRun is a run of the command review.
type reviewRun struct {
	common
	output
	prune, all, render bool
	// from and to are versions of the release of a file.
	from, to string
}

// reviewCommand is the command resource-merge review (rules/review: bumps).
func reviewCommand(s streams) *cobra.Command {
	r := reviewRun{}
	c := &cobra.Command{
		Use:   "review [BASE..HEAD | FILE --to VERSION] [--write] [--prune] [--exit-code]",
		Short: "Say what a bump means for the values and patches over it",
		Example: `  # What Renovate's branch means for your values and patches
  resource-merge review main..renovate/redis-20.x

  # What a version would mean
  resource-merge review apps/redis/release.yaml --to 20.1.0

  # A bump that is not committed yet; then write the renames
  resource-merge review
  resource-merge review --write`,
		Long: `review finds what was bumped between two commits, and says of each line of the layers over
it whether it is needed, moved beneath (upstream changed what it overrides), redundant
(upstream now has it), renamed, dead (it changes nothing) or refused (the new version does
not take it). Without a range it compares the checked-out commit with your files; of
BASE.. and of BASE alone, the new version is your files, too. With --from or --to, FILE
has one release, or a kustomization's bases, whose old or new version that is.

Bumps are versions of charts, and repositories of charts, in HelmReleases, Applications,
kustomizations with helmCharts, and the objects that these name, and of remote bases and
components of kustomizations, what Flux's Kustomizations and Applications build, and packages
that record the version of their upstream. Their layers are values, patches, images and replicas, also
of the kustomizations that include the one with the version. A version that cannot be
fetched is named, and the others are judged. With --render the helm in PATH renders both
charts, so that postRenderers and patches over charts are judged, too; nothing else runs.

A line that did as little over the old version is counted and not named; --all names it.

With --write the keys that were renamed move in your files, and with --prune, too, redundant
and dead lines go. All other lines stay as they are. --diff shows the edits in place of writing them.

The exit code is 0 if the review went through, 1 if with --exit-code a line is of another
class than needed because of the bump, or if something failed, and 2 if the command was
called in a wrong way.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 && !strings.Contains(args[0], "..") && r.from+r.to == "" && path.Ext(args[0]) != "" {
				return misuse("unknown argument %q; the new version of the release in a file is --to VERSION", args[1])
			}
			if len(args) > 1 {
				return misuse("unknown argument %q; a range is one argument, BASE..HEAD", args[1])
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return r.run(c.Context(), strings.Join(args, ""), s)
		},
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&r.from, "from", "", "`VERSION`, the old version of the release in FILE (default: the file's)")
	flags.StringVar(&r.to, "to", "", "`VERSION`, the new version of the release in FILE (default: the file's)")
	flags.BoolVar(&r.write, "write", false, "move renamed keys in your files")
	flags.BoolVar(&r.diff, "diff", false, "show the changes as git diff does, and write nothing")
	flags.BoolVar(&r.prune, "prune", false, "with --write or --diff, remove redundant and dead lines, too")
	flags.BoolVar(&r.all, "all", false, "name lines that did as little over the old version, too")
	flags.BoolVar(&r.render, "render", false, "judge the patches over charts, with the helm in PATH")
	flags.BoolVar(&r.force, "force", false, "write over changes that git does not have yet")
	flags.BoolVar(&r.exitCode, "exit-code", false, "exit with 1 if a line is of another class than needed because of the bump")
	r.color.add(c, "a --diff")
	r.formats = report.Formats()
	r.addReports(c, "text, on stderr")
	return c
}

// run reviews, and writes what was asked for.
func (r *reviewRun) run(ctx context.Context, span string, s streams) error {
	if err := r.output.check(); err != nil {
		return err
	}
	_, noFile := os.Stat(span)
	switch isFile := r.from+r.to != ""; {
	case isFile && span == "":
		return misuse("--from and --to are for the release in a FILE")
	case isFile && noFile != nil && strings.Contains(span, ".."):
		return misuse("--from and --to are for the release in one FILE, and %s is a range; leave one of them out", span)
	case !isFile && noFile == nil && r.isNoRevision(ctx, span):
		return misuse("%s is no range of commits, but a file or directory; give a file with --to VERSION, or no argument to compare the checked-out commit with your files", span)
	case r.prune && !r.write && !r.diff:
		return misuse("--prune removes lines in your files; add --write, or --diff to see what it would remove")
	case r.to != "" && (r.write || r.diff):
		return misuse("--to only reviews; change the version in %s, and then --write", span)
	}
	outputs, err := r.outputs(r.diff)
	if err != nil {
		return err
	}
	return r.review(ctx, ".", span, s, func(found *reviewed) error { return r.finish(ctx, found, outputs, s) })
}

// isNoRevision reports whether the repository of the working directory has no revision of a name.
func (r *reviewRun) isNoRevision(ctx context.Context, name string) bool {
	work, err := gitrepo.Git{}.Find(ctx, ".")
	if err != nil || work == nil {
		return false
	}
	_, err = work.Resolve(ctx, name)
	return err != nil
}

// reviewed are the bumps of a repository.
type reviewed struct {
	bumps []*review.Bump
	notes []string
	// now is the new version, and top the work tree.
	now review.Files
	top string
}

// review reviews the bumps of a range in the repository of a directory.
func (r *reviewRun) review(ctx context.Context, dir, span string, s streams, use func(*reviewed) error) error {
	work, err := gitrepo.Git{}.Find(ctx, dir)
	if err != nil {
		return err
	}
	if work == nil {
		return errors.New("review compares two commits, and this directory is in no repository of git; resource-merge values compares a manifest with a version")
	}
	objects, err := work.Objects(ctx)
	if err != nil {
		return err
	}
	defer objects.Close()
	versions := revisions{work: work, objects: objects}
	old, now, err := r.versions(ctx, versions, span)
	if err != nil {
		return err
	}
	line := progress.New(s.err)
	defer line.Clear()
	found := &reviewed{now: now, top: work.Top}
	if found.bumps, found.notes, err = review.Find(old, now); err != nil {
		return err
	}
	from := r.upstream(ctx, s)
	for _, b := range found.bumps {
		if b.Review(from); b.Unjudged != nil && r.from+r.to != "" { // the user typed the version
			return b.Unjudged
		}
	}
	line.Clear()
	return use(found)
}

// versions returns the old and the new version of the files: of a range, or of one file with other versions.
func (r *reviewRun) versions(ctx context.Context, in revisions, span string) (old, now review.Files, err error) {
	if r.from+r.to == "" {
		return in.parse(ctx, span)
	}
	if now, err = in.files(ctx); err != nil {
		return old, now, err
	}
	file, err := gitrepo.Git{}.Find(ctx, span)
	if err != nil || file == nil || file.Top != in.work.Top {
		return old, now, cmp.Or(err, fmt.Errorf("%s: it is not in the repository %s", span, in.work.Top))
	}
	old = now
	if r.from != "" {
		if old, err = review.At(old, file.Name, r.from); err != nil {
			return old, now, err
		}
	}
	if r.to != "" {
		now, err = review.At(now, file.Name, r.to)
	}
	return old, now, err
}

// upstream reads charts and bases, each once.
func (r *reviewRun) upstream(ctx context.Context, s streams) review.Upstream {
	charts := chartReader{v: &valuesRun{}, s: s, read: map[string]*values.Chart{}}
	bases := baseReader{ctx: ctx, read: map[string]base{}}
	from := review.Upstream{
		Charts: func(release *values.Release) (*values.Chart, error) {
			return charts.version(ctx, release, release.Version)
		},
		Bases: bases.of,
	}
	if r.render {
		from.Render = func(release *values.Release, c *values.Chart, name, namespace string) ([]byte, error) {
			helm, err := values.HelmAs(name, namespace)
			if err != nil {
				return nil, err
			}
			return helm(ctx, c, release.Values())
		}
	}
	return from
}

// reviewCommits reviews the bumps between two commits for a pull request (docs/pull-requests.md).
func reviewCommits(ctx context.Context, root, base, head string) (text string, hasNews bool, err error) {
	var b strings.Builder
	r := reviewRun{}
	err = r.review(ctx, root, base+".."+head, streams{in: strings.NewReader(""), out: os.Stderr, err: os.Stderr}, func(found *reviewed) error {
		hasNews = slices.ContainsFunc(found.bumps, (*review.Bump).HasNews)
		formats := report.Formats()
		markdown := slices.IndexFunc(formats, func(f report.Format) bool { return f.Name == "markdown" })
		return formats[markdown].Write(&b, report.NewReview(found.bumps, found.notes, false))
	})
	return b.String(), hasNews, err
}

// finish writes the files and the reports.
func (r *reviewRun) finish(ctx context.Context, found *reviewed, outputs []reportfile.Output, s streams) error {
	open, err := reportfile.Open(outputs, s.out, s.err)
	if err != nil {
		return err
	}
	if r.write || r.diff {
		err = r.writeEdits(ctx, found.bumps, found.now, found.top, s)
	}
	if err != nil {
		return errors.Join(err, open.Discard())
	}
	if err := open.Write(report.NewReview(found.bumps, found.notes, r.all)); err != nil {
		return err
	}
	if r.exitCode && slices.ContainsFunc(found.bumps, (*review.Bump).HasNews) {
		return exit(failed)
	}
	return nil
}

// writeEdits writes the edits of the layers into your files, or shows them. Your files must be as the new version has them.
func (r *reviewRun) writeEdits(ctx context.Context, bumps []*review.Bump, now review.Files, top string, s streams) error {
	var changes []values.Replacement
	for _, b := range bumps {
		own, err := b.Edits(r.prune)
		if err != nil {
			return err
		}
		changes = append(changes, own...)
	}
	var names []string
	for _, c := range changes {
		names = append(names, c.File)
	}
	slices.Sort(names)
	var locals []localPackage
	var was, is []pkgmerge.File
	for _, name := range slices.Compact(names) {
		data, err := now.Read(name)
		if err != nil {
			return err
		}
		f := pkgmerge.File{Name: filepath.Join(top, filepath.FromSlash(name)), Data: data}
		if own, err := file.ReadRegular(f.Name); err != nil || !bytes.Equal(own, data) {
			return fmt.Errorf("%s: your file is not as the new version has it; check that version out first", name)
		}
		edited, err := values.Replace(pkgmerge.File{Name: name, Data: data}, changes)
		if err != nil {
			return err
		}
		edited.Name = f.Name
		local, err := findLocal(ctx, source.File(f.Name), &r.output, s.err)
		if err != nil {
			return err
		}
		locals, was, is = append(locals, local), append(was, f), append(is, edited)
	}
	writer := valuesRun{output: r.output}
	return writer.writeFiles(ctx, locals, was, is, s)
}

// revisions reads versions of a repository.
type revisions struct {
	work    *gitrepo.WorkTree
	objects *gitrepo.Objects
}

// parse returns the two versions of a range as git writes it, BASE..HEAD. An empty base is the checked-out commit, and an empty head is
// the work tree.
func (v revisions) parse(ctx context.Context, span string) (old, now review.Files, err error) {
	base, head, isRange := strings.Cut(span, "..")
	if isRange && strings.HasPrefix(head, ".") {
		return old, now, misuse("%s: a range is BASE..HEAD, with two dots", span)
	}
	if base == "" {
		base = "HEAD"
	}
	if old, err = v.commit(ctx, base); err != nil {
		return old, now, err
	}
	if head == "" {
		now, err = v.files(ctx)
	} else {
		now, err = v.commit(ctx, head)
	}
	return old, now, err
}

// commit returns the files of a revision.
func (v revisions) commit(ctx context.Context, revision string) (f review.Files, err error) {
	id, err := v.work.Resolve(ctx, revision)
	if err != nil {
		return f, err
	}
	if f.IDs, err = v.work.BlobIDs(ctx, id); err != nil {
		return f, err
	}
	f.Read = func(name string) ([]byte, error) {
		object, err := v.objects.Read(f.IDs[name])
		return object.Data, err
	}
	return f, nil
}

// files returns the files of the work tree: those of the checked-out commit, and what git calls changed.
func (v revisions) files(ctx context.Context) (f review.Files, err error) {
	top := *v.work
	top.Name = ""
	if f, err = v.commit(ctx, "HEAD"); err != nil {
		return f, err
	}
	changed, err := top.Changes(ctx, true)
	if err != nil {
		return f, err
	}
	committed, own := f.Read, map[string][]byte{}
	for _, name := range changed {
		data, err := file.ReadRegular(filepath.Join(top.Top, filepath.FromSlash(name)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			delete(f.IDs, name)
		case err == nil:
			f.IDs[name], own[name] = "your file", data
		}
	}
	f.Read = func(name string) ([]byte, error) {
		if data, is := own[name]; is {
			return data, nil
		}
		return committed(name)
	}
	return f, nil
}

// baseReader reads remote bases of kustomizations, each once.
type baseReader struct {
	ctx  context.Context
	read map[string]base
}

// base is a remote base, and the error if it could not be read.
type base struct {
	files review.Files
	name  string
	err   error
}

// of returns the files of a base, and the directory or file in them that it is.
func (r *baseReader) of(entry string) (review.Files, string, error) {
	b, found := r.read[entry]
	if !found {
		b = r.fetch(entry)
		r.read[entry] = b
	}
	return b.files, b.name, b.err
}

// fetch reads a base: a manifest, or a directory of a repository, with the whole repository if a kustomization there refers to a directory
// above it.
func (r *baseReader) fetch(entry string) base {
	isURL := strings.HasPrefix(entry, "https://") || strings.HasPrefix(entry, "http://")
	if isURL && slices.Contains([]string{".yaml", ".yml"}, path.Ext(entry)) {
		from, err := source.Parse(entry, nil)
		if err != nil {
			return base{err: err}
		}
		p, err := from.Read(r.ctx)
		if err != nil || len(p.Files) == 0 {
			return base{err: cmp.Or(err, fmt.Errorf("%s: it is empty", entry))}
		}
		return base{files: filesOf(file.As[file.File](p.Files), ""), name: p.Files[0].Name}
	}
	if artifact, dir, _ := strings.Cut(strings.TrimPrefix(entry, "oci://"), "//"); strings.HasPrefix(entry, "oci://") {
		from, err := source.Parse("oci://"+artifact, nil)
		if err != nil {
			return base{err: err}
		}
		p, err := from.Read(r.ctx)
		return base{files: filesOf(file.As[file.File](p.Files), ""), name: cmp.Or(dir, "."), err: err}
	}
	remotes, err := gitrepo.Parse(entry)
	if err != nil {
		return base{err: err}
	}
	v, err := gitrepo.Git{}.Fetch(r.ctx, remotes...)
	if err != nil {
		return base{err: err}
	}
	dir := v.Directory
	climbs := func(f file.File) bool {
		name := path.Base(f.Name)
		return strings.EqualFold(strings.TrimSuffix(name, path.Ext(name)), "kustomization") && bytes.Contains(f.Data, []byte("../"))
	}
	switch {
	case v.IsFile:
		return base{files: filesOf(v.Files, ""), name: v.Files[0].Name}
	case dir != "" && slices.ContainsFunc(v.Files, climbs):
		if v, err = (gitrepo.Git{}).Fetch(r.ctx, gitrepo.Remote{Repository: v.Repository, Ref: v.Ref}); err != nil {
			return base{err: err}
		}
		return base{files: filesOf(v.Files, ""), name: dir}
	}
	return base{files: filesOf(v.Files, dir), name: path.Join(dir, ".")}
}

// filesOf returns files below a directory.
func filesOf(files []file.File, dir string) review.Files {
	ids, data := map[string]string{}, map[string][]byte{}
	for _, f := range files {
		name := path.Join(dir, f.Name)
		ids[name], data[name] = "", f.Data
	}
	return review.Files{IDs: ids, Read: func(name string) ([]byte, error) { return data[name], nil }}
}

package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink"
	"github.com/resource-merge/resource-merge/source"
)

// contributeRun is a run of the command contribute.
type contributeRun struct {
	file           string
	branch, clone  string
	paths, commits []string
	patterns       []merge.Pattern
	force, quiet   bool
	// secrets are the places of changes that are left out, since their values may be secret.
	secrets []string
	// changed are the paths of the changes, and the paths above them.
	changed []string
	// leftOut are the places of changes that upstream lacks.
	leftOut []string
	// files are the changed files that are no resources, and so are left out.
	files []string
}

// contributeCommand is the command resource-merge contribute (rules/blame: contributions).
func contributeCommand(s streams) *cobra.Command {
	r := contributeRun{}
	c := &cobra.Command{
		Use:   "contribute DIR [-o FILE | --branch NAME --clone DIR] [--path PATH]... [--commit REV]...",
		Short: "Write changes of a copy as a patch for upstream's newest version",
		Example: `  # Offer upstream the changes of one commit of your copy
  resource-merge contribute shop --commit 3f2a9c1 -o probe.patch
  git -C ../upstream apply ../ours/probe.patch

  # Offer the limits of all containers
  resource-merge contribute shop --path 'spec.template.spec.containers[*].resources' -o limits.patch

  # The same as a branch of a clone of upstream's repository
  resource-merge contribute shop --commit 3f2a9c1 --branch probe --clone ../upstream`,
		Long: `contribute takes changes of your copy since the version that it was made from, merges them
into the newest version of upstream, and writes the difference as a patch that git apply
takes in upstream's repository, or makes a branch with it in a clone of that.

--path chooses the changes of fields at and below a path, and --commit the changes that a
commit of your repository made; both may be repeated, and of both a change must satisfy one each.
Without them all changes are taken but names, namespaces, and whole resources, which are
yours alone. Values that may be secret are left out, unless --path names them.

The Kptfile, or upstream in .resource-merge.yaml, names upstream. Its newest version is the
newest release, or the head of the branch that the Kptfile names.

The exit code is 0 if a patch or branch was made, 1 if there is no such change or an error, and 2 for
wrong usage.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return misuse("want one DIR, the copy with the changes")
			}
			return nil
		},
		ValidArgsFunction: firstArgument(cobra.ShellCompDirectiveFilterDirs),
		RunE:              func(c *cobra.Command, args []string) error { return r.run(c.Context(), args[0], s) },
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVarP(&r.file, "output", "o", "", "write the patch to `FILE` (default: stdout)")
	flags.BoolVar(&r.force, "force", false, "write over a FILE that exists")
	flags.StringVar(&r.branch, "branch", "", "make the branch `NAME` with one commit, instead of a patch")
	addInput(c, &r.clone, "clone", "with --branch: make it in `DIR`, a clone of upstream's repository")
	complete(c, "clone", directoryOf())
	flags.StringArrayVar(&r.paths, "path", nil, "take changes at and below the path `PATH` of a field; may be repeated")
	flags.StringArrayVar(&r.commits, "commit", nil, "take changes that the commit `REV` made; may be repeated")
	addQuiet(c, &r.quiet)
	return c
}

// run writes the patch.
func (r *contributeRun) run(ctx context.Context, dir string, s streams) error {
	if err := r.check(); err != nil {
		return err
	}
	up, err := findUpstream(ctx, dir)
	if err != nil {
		return err
	}
	packages, err := source.Three(ctx, up.origin, up.newest, source.Dir(dir))
	if err != nil {
		return err
	}
	chosen, n, err := r.choose(ctx, dir, packages)
	if err != nil {
		return err
	}
	if n == 0 {
		return r.errNone(dir, up)
	}
	packages[identity.Local], packages[identity.Upstream] = packages[identity.Upstream], chosen
	merged, err := pkgmerge.Merge(ctx, packages, quietly())
	if err != nil {
		return err
	}
	if r.leftOut, err = leftOut(merged); err != nil {
		return err
	}
	if r.branch != "" {
		err = r.makeBranch(ctx, dir, up, packages[identity.Local].Files, merged)
	} else {
		err = r.makePatch(ctx, s, up, packages[identity.Local].Files, merged)
	}
	if err != nil || r.quiet {
		return err
	}
	r.say(s, dir, n, up, merged)
	return nil
}

// errNone is the error for a copy without a change that was asked for.
func (r *contributeRun) errNone(dir string, up upstreams) error {
	switch {
	case len(r.secrets) > 0:
		return fmt.Errorf("%s has no such change since %s but in values that may be secret: %s; --path takes a field of them", dir, up.names[0], strings.Join(r.secrets, ", "))
	case len(r.files) > 0:
		return fmt.Errorf("%s has no such change since %s but in files that are no resources: %s; offer these by hand", dir, up.names[0], strings.Join(r.files, ", "))
	}
	return fmt.Errorf("%s has no such change since %s%s", dir, up.names[0], r.didYouMean())
}

// didYouMean asks whether a path of the flags means a changed one that is near.
func (r *contributeRun) didYouMean() string {
	elements := regexp.MustCompile(`\[[^\]]*\]`)
	for _, text := range r.paths {
		candidates := r.changed
		if strings.Contains(text, "[*]") {
			candidates = nil
			for _, at := range r.changed {
				candidates = append(candidates, elements.ReplaceAllString(at, "[*]"))
			}
		}
		if question := wording.DidYouMean(text, candidates); question != "" {
			return question
		}
	}
	return ""
}

// noteChanged notes the path of a change, and those above it, for the error about a path that no change has.
func (r *contributeRun) noteChanged(at *merge.Path) {
	for ; at != nil; at = at.Parent() {
		r.changed = append(r.changed, at.String())
	}
}

// check parses the flags, and returns an error for flags that do not go together.
func (r *contributeRun) check() error {
	switch {
	case (r.branch == "") != (r.clone == ""):
		return misuse("--branch and --clone go together: the branch is made in a clone of upstream's repository")
	case r.branch != "" && r.file != "":
		return misuse("-o and --branch exclude each other")
	}
	for _, text := range r.paths {
		pattern, err := merge.ParsePattern(text)
		if err != nil {
			return usageError{fmt.Errorf("--path: %w", err)}
		}
		r.patterns = append(r.patterns, pattern)
	}
	return nil
}

// makePatch writes the patch.
func (r *contributeRun) makePatch(ctx context.Context, s streams, up upstreams, newest []pkgmerge.File, merged *pkgmerge.Result) error {
	var text strings.Builder
	if err := (sink.Diff{To: &text, Read: newest, Below: up.dir}).Write(ctx, merged); err != nil {
		return err
	}
	if text.Len() == 0 {
		return errNothing(up, r.leftOut)
	}
	if r.file == "" || r.file == "-" {
		_, err := io.WriteString(s.data(), text.String())
		return err
	}
	return writeNew(r.file, []byte(text.String()), r.force)
}

// errNothing is the error for changes that change nothing upstream: upstream has them, or lacks their places.
func errNothing(up upstreams, leftOut []string) error {
	if len(leftOut) > 0 {
		return fmt.Errorf("%s of upstream has nothing to change: it lacks %s", up.names[1], strings.Join(leftOut, ", "))
	}
	return fmt.Errorf("%s of upstream has the changes already", up.names[1])
}

// leftOut returns the places of chosen changes that upstream dropped, and that the merge left out.
func leftOut(merged *pkgmerge.Result) (places []string, err error) {
	for _, c := range merged.Changes {
		o, chosen := c.Versions[identity.Origin], c.Versions[identity.Upstream]
		if o == nil || chosen == nil || o == chosen {
			continue
		}
		name := wording.Object(chosen.Meta.Kind, chosen.Meta.Namespace, chosen.Meta.Name)
		if c.Versions[identity.Local] == nil {
			places = append(places, name)
			continue
		}
		missing, err := missingFields(c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, field := range missing {
			places = append(places, name+" "+field)
		}
	}
	return places, nil
}

// missingFields returns the paths of the fields that were changed or added, and that the merged resource lacks.
func missingFields(c *pkgmerge.Change) (paths []string, err error) {
	versions, result, err := c.Contents()
	if err != nil || result == nil {
		return nil, err
	}
	is := c.Versions[identity.Upstream].Meta
	kind := schema.New(nil, nil, true).Resource(identity.Group(is.APIVersion), identity.Version(is.APIVersion), is.Kind)
	all, err := merge.Compare(versions[identity.Origin], versions[identity.Upstream], kind)
	if err != nil {
		return nil, err
	}
	there := merge.NewFinder(result)
	var visit func(at *merge.Comparison)
	visit = func(at *merge.Comparison) {
		switch {
		case at.To == nil || at.From != nil && at.Equal():
		case at.Parts == nil && there.Value(at.Path) == nil:
			paths = append(paths, at.Path.String())
		}
		for _, part := range at.Parts {
			visit(part)
		}
	}
	visit(all)
	return paths, nil
}

// makeBranch makes the branch.
func (r *contributeRun) makeBranch(ctx context.Context, dir string, up upstreams, newest []pkgmerge.File, merged *pkgmerge.Result) error {
	clone, err := findRepository(ctx, "--clone", r.clone)
	if err != nil {
		return err
	}
	b := gitrepo.NewBranch{Name: r.branch, From: up.names[1], Message: r.message(ctx, dir)}
	after, err := merged.Files()
	if err != nil {
		return err
	}
	b.Files, b.Removed = changedFiles(up.dir, newest, after)
	if len(b.Files)+len(b.Removed) == 0 {
		return errNothing(up, r.leftOut)
	}
	return clone.AddBranch(ctx, b)
}

// message returns the message of the branch's commit: that of the chosen commit, if there is one.
func (r *contributeRun) message(ctx context.Context, dir string) string {
	if len(r.commits) == 1 {
		if out, _, err := gitrepo.Inside(ctx, dir, nil, "log", "-1", "--format=%B", r.commits[0], "--"); err == nil {
			return strings.TrimSpace(string(out)) + "\n"
		}
	}
	return "Take changes of " + directoryName(dir) + "\n"
}

// changedFiles returns the new and changed files of a package, and the names of those it lacks now, below a directory.
func changedFiles(below string, before, after []pkgmerge.File) (changed []file.File, removed []string) {
	had := map[string]string{}
	for _, f := range before {
		had[f.Name] = string(f.Data)
	}
	for _, f := range after {
		text, known := had[f.Name]
		if !known || text != string(f.Data) {
			changed = append(changed, file.File{Name: path.Join(below, f.Name), Mode: f.Mode, Data: f.Data})
		}
		delete(had, f.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(had)) {
		removed = append(removed, path.Join(below, name))
	}
	return changed, removed
}

// say tells which changes were taken.
func (r *contributeRun) say(s streams, dir string, n int, up upstreams, merged *pkgmerge.Result) {
	wording.Say(s.err, "%s: %s, over %s", directoryName(dir), wording.Plural(n, "change"), up.names[1])
	for _, name := range r.secrets {
		wording.Say(s.err, "it may be secret, so it is left out (--path takes a field): %s", name)
	}
	for _, name := range r.files {
		wording.Say(s.err, "it is no resource, so your change of it is left out: %s", name)
	}
	for _, name := range r.leftOut {
		wording.Say(s.err, "upstream lacks it, so your change of it is left out: %s", name)
	}
	for _, c := range merged.Changes {
		for _, conflict := range c.Conflicts {
			wording.Say(s.err, "upstream changed it, too, and yours is taken: %s %s", wording.Object(c.Newest().Meta.Kind, "", c.Newest().Meta.Name), conflict.Path)
		}
	}
}

// quietly returns the options of a merge that adds nothing of its own.
func quietly() pkgmerge.Options {
	return pkgmerge.Options{
		Strategy: pkgmerge.ResourceMerge{}, Policy: pkgmerge.Prefer(merge.PreferUpstream),
		MergeComments: pkgmerge.CommentNever, Adopt: []pkgmerge.Adoption{},
	}
}

// choose returns origin's package with the chosen changes.
func (r *contributeRun) choose(ctx context.Context, dir string, packages [3]pkgmerge.Package) (pkgmerge.Package, int, error) {
	compared, err := pkgmerge.Merge(ctx, [3]pkgmerge.Package{packages[identity.Origin], packages[identity.Origin], packages[identity.Local]}, quietly())
	if err != nil {
		return pkgmerge.Package{}, 0, err
	}
	made, err := r.changesOfCommits(ctx, dir, packages[identity.Origin])
	if err != nil {
		return pkgmerge.Package{}, 0, err
	}
	r.files = r.changedTexts(compared, made)
	return chosenChanges(compared, packages[identity.Origin], func(c *pkgmerge.Change, at *merge.Comparison) bool {
		switch {
		case c.Newest().Meta.Kind == "Kptfile":
			return false
		case len(r.commits) > 0 && !made.has(c, at):
			return false
		case len(r.patterns) > 0:
			r.noteChanged(at.Path)
			return slices.ContainsFunc(r.patterns, func(p merge.Pattern) bool { return p.Covers(at.Path) })
		}
		return (len(r.commits) > 0 || at.Path != nil && !isOwnName(at.Path)) && !r.isSecret(c, at.Path)
	})
}

// isSecret reports whether a value may be secret, and notes its place. A path that somebody names is taken nevertheless.
func (r *contributeRun) isSecret(c *pkgmerge.Change, at *merge.Path) bool {
	if !c.MayHoldSecret(at) {
		return false
	}
	is := c.Newest().Meta
	name := strings.TrimSpace(wording.Object(is.Kind, is.Namespace, is.Name) + " " + at.String())
	if !slices.Contains(r.secrets, name) {
		r.secrets = append(r.secrets, name)
	}
	return true
}

// isOwnName reports whether a field names a resource, which a copy changes for itself.
func isOwnName(at *merge.Path) bool {
	return slices.Contains([]string{"metadata.name", "metadata.namespace"}, at.String())
}

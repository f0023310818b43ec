package gitrepo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/resource-merge/resource-merge/internal/file"
)

// WorkTree is a file or directory in the work tree of a repository.
type WorkTree struct {
	// Top is the directory of the work tree.
	Top string
	// Name is the path of the file or directory below Top, with slashes; "" is Top itself.
	Name string
	// Commit is the checked-out commit, "" before the first one.
	Commit string

	git Git
	// dir is the directory of the repository itself, and attributes its own file of attributes.
	dir, attributes string
}

// Find finds the work tree that contains a file or directory, which may be missing: that of the nearest .git above
// it, whatever git might take for a repository below that. Without a .git it returns nil and does not start git.
func (g Git) Find(ctx context.Context, name string) (*WorkTree, error) {
	dir, rest, err := existing(name)
	if err != nil {
		return nil, err
	}
	top, found := topAbove(dir)
	below := strings.Trim(filepath.ToSlash(strings.TrimPrefix(dir, top)), "/")
	if !found || below == ".git" || strings.HasPrefix(below, ".git/") {
		return nil, nil
	}
	w, err := kept(sessionOf(ctx), func(s *session) map[string]WorkTree { return s.trees }, top, func() (WorkTree, error) { return g.workTree(ctx, top, name) })
	if err != nil || w.Top == "" {
		return nil, err
	}
	w.Name = clean(path.Join(w.Name, below, rest))
	return &w, ctx.Err()
}

// workTree looks up the work tree at the directory of a .git, for a file or directory. It is empty if there is none.
func (g Git) workTree(ctx context.Context, top, name string) (w WorkTree, err error) {
	out, err := g.run(ctx, command{env: local(), args: []string{
		"-C", top, "rev-parse", "--is-inside-work-tree", "--absolute-git-dir", "--show-toplevel", "--show-prefix",
		"--git-path", "info/attributes", "--revs-only", "HEAD",
	}})
	lines := strings.Split(string(out), "\n")
	switch failure := (*Failure)(nil); {
	case errors.As(err, &failure) && strings.HasPrefix(failure.Message, "not a git repository ("):
		return w, nil // the .git is not a repository
	case lines[0] == "false":
		return w, nil // the repository has no work tree there
	case err != nil:
		return w, fmt.Errorf("look at the repository of %s: %w", name, err)
	case len(lines) < 6:
		return w, fmt.Errorf("look at the repository of %s: git wrote %q", name, printable(string(out)))
	case !belongsTo(filepath.FromSlash(lines[1]), top):
		return w, fmt.Errorf("look at the repository of %s: %s is not a repository, and git uses %s; remove one of them", name, filepath.Join(top, ".git"), lines[1])
	}
	w = WorkTree{git: g, dir: lines[1], Top: filepath.FromSlash(lines[2]), Name: clean(lines[3]), Commit: lines[5]}
	if w.attributes = filepath.FromSlash(lines[4]); !filepath.IsAbs(w.attributes) {
		w.attributes = filepath.Join(top, w.attributes)
	}
	return w, nil
}

// existing returns the nearest existing directory at or above name, with symbolic links resolved, and the
// rest of name below it.
func existing(name string) (dir, rest string, err error) {
	dir, err = filepath.Abs(name)
	for err == nil {
		if info, statErr := os.Stat(dir); statErr == nil && info.IsDir() || dir == filepath.Dir(dir) {
			break
		}
		rest = path.Join(filepath.Base(dir), rest)
		dir = filepath.Dir(dir)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir, rest, err
}

// Changes returns the uncommitted files at or below Name, by their paths below Top: changed and staged ones, but not
// ignored ones, and the untracked ones on request (rules/update: refused packages).
func (w *WorkTree) Changes(ctx context.Context, withUntracked bool) (names []string, err error) {
	untracked := "no"
	if withUntracked {
		untracked = "all"
	}
	out, err := w.run(ctx, command{args: []string{
		"--literal-pathspecs", "status", "--porcelain", "-z", "--untracked-files=" + untracked, "--ignore-submodules=none",
		"--no-renames", "--", cmp.Or(w.Name, "."),
	}})
	if err != nil {
		return nil, fmt.Errorf("look for changes in %s: %w", w.Top, err)
	}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if len(entry) > len("XY ") {
			names = append(names, entry[len("XY "):])
		}
	}
	return names, nil
}

// Untracked returns those of some files that the index lacks, by their names below Top. A file of a submodule is that one's.
func (w *WorkTree) Untracked(ctx context.Context, names []string) (untracked []string, err error) {
	out, err := w.run(ctx, command{args: []string{"--literal-pathspecs", "ls-files", "--stage", "-z", "--", cmp.Or(w.Name, ".")}})
	if err != nil {
		return nil, fmt.Errorf("list the tracked files of %s: %w", w.Top, err)
	}
	tracked, modules := map[string]bool{}, []string{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		about, name, _ := strings.Cut(entry, "\t")
		if tracked[name] = true; strings.HasPrefix(about, "160000 ") {
			modules = append(modules, name+"/")
		}
	}
	for _, name := range names {
		below := func(module string) bool { return strings.HasPrefix(name, module) }
		if !tracked[name] && !slices.ContainsFunc(modules, below) {
			untracked = append(untracked, name)
		}
	}
	return untracked, nil
}

// repository returns the repository of the work tree.
func (w *WorkTree) repository() repository {
	return repository{dir: w.dir, top: w.Top, attributes: w.attributes, run: w.run}
}

// run runs git in the repository.
func (w *WorkTree) run(ctx context.Context, c command) ([]byte, error) {
	c.dir = cmp.Or(c.dir, w.Top)
	c.env = append(c.env, local()...)
	c.args = append([]string{"--git-dir=" + w.dir, "--work-tree=" + w.Top}, c.args...)
	return w.git.run(ctx, c)
}

// History returns the commits up to the checked-out one, the oldest first: all of them, or the ones that changed
// files, named by their paths below Top, without merges.
func (w *WorkTree) History(ctx context.Context, names ...string) ([]string, error) {
	args := []string{"--literal-pathspecs", "rev-list", "--reverse", "--topo-order"}
	if len(names) > 0 {
		args = append(args, "--no-merges")
	}
	out, err := w.run(ctx, command{args: slices.Concat(args, []string{w.Commit, "--"}, names)})
	if err != nil {
		return nil, fmt.Errorf("read the history of %s: %w", w.Top, err)
	}
	return strings.Fields(string(out)), nil
}

// IsAncestor reports whether a commit is another one, or one of its ancestors.
func (w *WorkTree) IsAncestor(ctx context.Context, commit, of string) (bool, error) {
	out, err := w.run(ctx, command{args: []string{"rev-list", "-1", commit, "^" + of, "--"}})
	if err != nil {
		return false, fmt.Errorf("read the history of %s: %w", w.Top, err)
	}
	return len(out) == 0, nil
}

// Resolve returns the commit of a revision, as Revision finds it.
func (w *WorkTree) Resolve(ctx context.Context, revision string) (id string, err error) {
	if err := checkRevision(revision); err != nil {
		return "", err
	}
	err = w.repository().read(ctx, func(r *reader) error {
		found, err := r.objects.Read(revision + "^{commit}")
		if id = found.ID; id == "" {
			err = cmp.Or(err, errUnusual)
		}
		return err
	})
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%s has no revision %q", w.Top, revision)
	}
	return id, err
}

// Revision reads the file or directory at a revision of its repository: a branch, a tag, a commit, or another
// form of git, such as HEAD~2. It fetches nothing.
func (w *WorkTree) Revision(ctx context.Context, revision string) (*Version, error) {
	id, err := w.Resolve(ctx, revision)
	if err != nil {
		return nil, err
	}
	version := &Version{Remote: Remote{Repository: w.Top, Directory: w.Name, Ref: revision}, ID: id}
	reader := tree{repository: w.repository(), commit: version.ID, dir: w.Name}
	if err := reader.read(ctx, version); err != nil {
		return nil, fmt.Errorf("read %s: %w", version.Remote, err)
	}
	return version, nil
}

// checkRevision returns an error for a text that git could take for an option, or that cannot name a commit.
func checkRevision(revision string) error {
	if strings.HasPrefix(revision, "-") {
		return fmt.Errorf("the revision %q looks like an option of git", revision)
	}
	if revision == "" || strings.ContainsAny(revision, ":") || strings.ContainsFunc(revision, unicode.IsControl) {
		return fmt.Errorf("the revision %q is not allowed", revision)
	}
	return nil
}

// WriteFile writes a file of a commit for git fast-import.
func WriteFile(to *bytes.Buffer, f file.File) {
	fmt.Fprintf(to, "M %s inline %s\ndata %d\n%s\n", Mode(f.Mode), quoted(f.Name), len(f.Data), f.Data)
}

// quoted returns a path as git fast-import reads it.
func quoted(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(name) + `"`
}

package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
)

// WorkTree is a repository in whose work tree a file or directory lies.
type WorkTree struct {
	// Top is the directory of the work tree.
	Top string
	// Name is the file's or directory's below Top, with slashes; "" is Top itself.
	Name string
	// Commit is the one that is checked out, "" before the first one.
	Commit string

	git Git
	// dir is the directory of the repository itself.
	dir string
}

// Find finds the repository in whose work tree a file or directory lies, or would
// lie if it were there. There is none where no directory above has a .git: then
// it returns nil, and git is not started. The repository is the one that this .git stands
// for, whatever else git would take for one below it.
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
	out, err := g.run(ctx, command{env: local(), args: []string{
		"-C", top, "rev-parse", "--is-inside-work-tree", "--absolute-git-dir", "--show-toplevel", "--show-prefix", "--revs-only", "HEAD",
	}})
	lines := strings.Split(string(out), "\n")
	switch failure := (*Failure)(nil); {
	case errors.As(err, &failure) && strings.HasPrefix(failure.Message, "not a git repository ("):
		return nil, nil // the .git is none
	case lines[0] == "false":
		return nil, nil // the repository has no work tree there
	case err != nil:
		return nil, fmt.Errorf("look at the repository of %s: %w", name, err)
	case len(lines) < 5:
		return nil, fmt.Errorf("look at the repository of %s: git wrote %q", name, printable(string(out)))
	case !isOf(filepath.FromSlash(lines[1]), top):
		return nil, fmt.Errorf("look at the repository of %s: %s is none, and git takes %s for one; remove either", name, filepath.Join(top, ".git"), lines[1])
	}
	w := &WorkTree{git: g, dir: lines[1], Top: filepath.FromSlash(lines[2]), Name: clean(path.Join(lines[3], below, rest)), Commit: lines[4]}
	return w, ctx.Err()
}

// existing is the nearest directory above name, or name itself, that is there, with its
// symbolic links followed, and the rest of name below it.
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

// Changes are the files that git doesn't have as they are, of the file or directory
// that was found, by their names below Top: tracked ones that changed, staged ones and
// untracked ones. Ignored ones don't count (rules/update: refused packages).
func (w *WorkTree) Changes(ctx context.Context) (names []string, err error) {
	name := w.Name
	if name == "" {
		name = "."
	}
	out, err := w.run(ctx, command{dir: w.Top, args: []string{
		"--literal-pathspecs", "status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=none",
		"--no-renames", "--", name,
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

// run runs git in the repository.
func (w *WorkTree) run(ctx context.Context, c command) ([]byte, error) {
	work := w.Top
	if c.dir == "" {
		c.dir = w.Top
	}
	c.env = append(c.env, local()...)
	c.args = append([]string{"--git-dir=" + w.dir, "--work-tree=" + work}, c.args...)
	return w.git.run(ctx, c)
}

// Revision reads the file or directory that was found as it is at a revision of
// its repository: a branch, a tag, a commit, or what else git takes for one, such
// as HEAD~2. Nothing is fetched.
func (w *WorkTree) Revision(ctx context.Context, revision string) (*Version, error) {
	if err := checkRevision(revision); err != nil {
		return nil, err
	}
	args := []string{"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"}
	out, err := w.run(ctx, command{args: args})
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s has no revision %q", w.Top, revision)
	}
	version := &Version{
		Remote: Remote{Repository: w.Top, Directory: w.Name, Ref: revision},
		ID:     strings.TrimSpace(string(out)),
	}
	reader := tree{run: w.run, commit: version.ID, dir: w.Name}
	if err := reader.read(ctx, version); err != nil {
		return nil, fmt.Errorf("read %s: %w", version.Remote, err)
	}
	return version, nil
}

// checkRevision returns an error about a text that git could take for an option,
// or that names no commit.
func checkRevision(revision string) error {
	if strings.HasPrefix(revision, "-") {
		return fmt.Errorf("the revision %q looks like an option of git", revision)
	}
	if revision == "" || strings.ContainsAny(revision, ":") || strings.ContainsFunc(revision, unicode.IsControl) {
		return fmt.Errorf("the revision %q is none", revision)
	}
	return nil
}

package pullrequest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/resource-merge/resource-merge/internal/gitrepo"
)

// sandbox is a repository in a temporary directory, which borrows the objects of the checkout. It has none of
// the checkout's configuration and hooks, and its attributes switch off the filters of files. So files of a
// pull request are nothing but data in it.
type sandbox struct {
	dir      string
	checkout string
}

// newSandbox makes a sandbox of a checkout, for a branch that is not trusted. One beside the checkout is for a branch
// that is: relative paths lead out of it to the same places, as long as a directory can be made there.
func newSandbox(ctx context.Context, checkout string, beside bool) (s *sandbox, err error) {
	about, err := linesInCheckout(ctx, checkout, "rev-parse", "--show-object-format", "--show-toplevel", "--git-path", "objects")
	if err == nil && len(about) != 3 {
		err = fmt.Errorf("the path of %s has a line break", checkout)
	}
	if err != nil {
		return nil, err
	}
	format, top, objects := about[0], about[1], about[2]
	if !filepath.IsAbs(objects) {
		objects = filepath.Join(checkout, objects)
	}
	if objects, err = filepath.Abs(objects); err != nil {
		return nil, err
	}
	dir, err := makeDirectory(top, beside)
	if err != nil {
		return nil, err
	}
	s = &sandbox{dir: dir, checkout: checkout}
	if err := s.initialize(ctx, format, objects, beside); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// initialize makes the sandbox a repository that borrows objects. A link of a branch that is not trusted leads nowhere.
func (s *sandbox) initialize(ctx context.Context, format, objects string, isTrusted bool) error {
	if _, err := s.git(ctx, "init", "--quiet", "--template=", "--object-format="+format); err != nil {
		return err
	}
	var err error
	if !isTrusted {
		_, err = s.git(ctx, "config", "core.symlinks", "false")
	}
	return errors.Join(err,
		s.write("objects/info/alternates", filepath.ToSlash(objects)+"\n"),
		s.write("info/attributes", "* -filter -ident -working-tree-encoding\n"))
}

// makeDirectory makes a temporary directory, beside another one if that is wanted and can be.
func makeDirectory(top string, beside bool) (string, error) {
	dir, err := "", os.ErrPermission
	if beside {
		dir, err = os.MkdirTemp(filepath.Dir(top), ".resource-merge-pr-")
	}
	if err != nil {
		dir, err = os.MkdirTemp("", "resource-merge-pr-")
	}
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

func (s *sandbox) close() error { return os.RemoveAll(s.dir) }

func (s *sandbox) write(name, text string) error {
	name = filepath.Join(s.dir, ".git", filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

// git runs git in the sandbox, and returns the first line of its output.
func (s *sandbox) git(ctx context.Context, args ...string) (string, error) {
	out, _, err := gitrepo.Git{}.Alone(ctx, s.dir, args...)
	line, _, _ := strings.Cut(string(out), "\n")
	return line, err
}

func (s *sandbox) checkOut(ctx context.Context, commit string) error {
	if err := s.write("HEAD", commit+"\n"); err != nil {
		return err
	}
	_, err := s.git(ctx, "read-tree", "--reset", "-u", commit)
	return err
}

func (s *sandbox) tree(ctx context.Context, force bool) (string, error) {
	args := []string{"add", "--all"}
	if force { // a file that .gitignore names counts too
		args = append(args, "--force")
	}
	if _, err := s.git(ctx, append(args, "--", ".")...); err != nil {
		return "", err
	}
	return s.git(ctx, "write-tree")
}

// commit writes a commit, gives it to the checkout as a ref below refs/resource-merge, and returns its id.
func (s *sandbox) commit(ctx context.Context, tree, message, ref string, parents ...string) (id string, err error) {
	var args []string
	for _, name := range []string{"user.name", "user.email"} {
		if value, err := inCheckout(ctx, s.checkout, "config", "--get", name); err == nil && value != "" {
			args = append(args, "-c", name+"="+value)
		}
	}
	args = append(args, "commit-tree", "-m", message)
	for _, parent := range parents {
		args = append(args, "-p", parent)
	}
	if id, err = s.git(ctx, append(args, tree)...); err != nil {
		return "", err
	}
	if err := s.write("refs/heads/result", id+"\n"); err != nil {
		return "", err
	}
	_, err = gitrepo.Git{}.Run(ctx, nil, "-C", s.checkout, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head",
		"--", s.dir, "+refs/heads/result:refs/resource-merge/"+ref)
	return id, err
}

// inCheckout runs git in the checkout, and returns the first line of its output.
func inCheckout(ctx context.Context, dir string, args ...string) (string, error) {
	lines, err := linesInCheckout(ctx, dir, args...)
	return lines[0], err
}

// linesInCheckout runs git in the checkout, and returns the lines of its output, at least one.
func linesInCheckout(ctx context.Context, dir string, args ...string) ([]string, error) {
	out, err := gitrepo.Git{}.Run(ctx, nil, append([]string{"-C", dir}, args...)...)
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"), err
}

// fetched is a ref of the remote that is fetched into refs/resource-merge/NAME.
type fetched struct{ ref, name string }

// fetch fetches refs of the remote, and returns their commits. A clone without its history gets that too: a
// merge needs it.
func (r *run) fetch(ctx context.Context, refs ...fetched) (commits []string, err error) {
	args := []string{"-C", r.Dir, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"}
	if shallow, err := inCheckout(ctx, r.Dir, "rev-parse", "--is-shallow-repository"); err != nil {
		return nil, err
	} else if shallow == "true" {
		args = append(args, "--unshallow")
	}
	args = append(args, "--", r.Remote)
	for _, f := range refs {
		args = append(args, "+"+f.ref+":refs/resource-merge/"+f.name)
	}
	if _, err := (gitrepo.Git{}).Run(ctx, nil, args...); err != nil {
		return nil, fmt.Errorf("fetch from %s: %w", r.Remote, err)
	}
	args = []string{"rev-parse"}
	for _, f := range refs {
		args = append(args, "refs/resource-merge/"+f.name+"^{commit}")
	}
	return linesInCheckout(ctx, r.Dir, args...)
}

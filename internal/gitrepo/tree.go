package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/file"
)

// Version is a directory at a version, with all its files.
type Version struct {
	// Remote is the source of the version. Its Ref is the found name: a tag of the directory, or the default branch.
	Remote
	// ID is the id of the commit, or, as in a Kptfile, of an annotated tag.
	ID string
	// Files are the files of the directory, sorted by name, or the single file if the version is one.
	Files []file.File
	// IsFile reports that the version is a file or a symbolic link instead of a directory.
	IsFile bool
	// Submodules are directories with repositories of their own, whose files are not read.
	Submodules []string
}

// tree is a directory of a commit.
type tree struct {
	repository
	commit string // or the id of a tag
	dir    string // shadows that of the repository
}

// errNoDirectory is the error for a directory that a version lacks.
var errNoDirectory = errors.New("the version has no such directory")

const (
	executable = "100755"
	symlink    = "120000"
	submodule  = "160000"
)

// Mode returns the mode of a file of a package as git writes it.
func Mode(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return symlink
	case mode&0o100 != 0:
		return executable
	}
	return "100644"
}

// read reads the files and submodules of the directory, or a single file, into a version.
func (t tree) read(ctx context.Context, v *Version) error {
	if err := t.repository.read(ctx, func(r *reader) error { return t.readPlain(r, v) }); err == nil {
		return nil
	}
	return t.checkOut(ctx, v)
}

// checkOut has git check out the version.
func (t tree) checkOut(ctx context.Context, v *Version) error {
	args := []string{"--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", t.commit}
	if t.dir != "" {
		args = append(args, "--", t.dir)
	}
	out, err := t.run(ctx, command{args: args})
	if err != nil {
		return err
	}
	var paths []string
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		mode, _, _ := strings.Cut(entry, " ")
		_, name, found := strings.Cut(entry, "\t")
		if !found {
			continue
		}
		if err := t.add(v, name, mode); err != nil {
			return err
		}
		if mode != submodule {
			paths = append(paths, name)
		}
	}
	if t.dir != "" && len(v.Files)+len(v.Submodules) == 0 {
		return fmt.Errorf("%w: %q", errNoDirectory, t.dir)
	}
	if err := t.readFiles(ctx, v.Files, paths); err != nil {
		return err
	}
	v.sort()
	return nil
}

// sort sorts the files by name.
func (v *Version) sort() {
	slices.SortFunc(v.Files, func(a, b file.File) int { return strings.Compare(a.Name, b.Name) })
}

// add adds the file or submodule with a name in the commit to a version.
func (t tree) add(v *Version, name, mode string) error {
	f := file.File{Name: strings.TrimPrefix(name, t.dir+"/"), Mode: 0o644}
	if name == t.dir {
		f.Name, v.IsFile = path.Base(name), true
	}
	switch {
	case checkName(f.Name) != nil:
		return checkName(f.Name)
	case mode == submodule && v.IsFile:
		return fmt.Errorf("%w: %q", errNoDirectory, t.dir)
	case mode == submodule:
		v.Submodules = append(v.Submodules, f.Name)
		return nil
	case mode == executable:
		f.Mode = 0o755
	case mode == symlink:
		f.Mode = fs.ModeSymlink
	}
	v.Files = append(v.Files, f)
	return nil
}

// readFiles fills files with their contents at paths of the commit, as git writes them to a work tree
// (rules/versions: checked-out files). It is a temporary one, in which links are files with their targets.
func (t tree) readFiles(ctx context.Context, files []file.File, paths []string) (err error) {
	if len(files) == 0 {
		return nil
	}
	work, err := os.MkdirTemp("", "resource-merge-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	git := func(stdin string, args ...string) error {
		options := []string{"-c", "core.bare=false", "-c", "core.symlinks=false", "-c", "core.splitIndex=false", "--work-tree=" + work}
		_, err := t.run(ctx, command{
			dir: work, env: []string{"GIT_INDEX_FILE=" + filepath.Join(work, ".git")}, stdin: strings.NewReader(stdin), args: append(options, args...),
		})
		return err
	}
	if err := git("", "read-tree", "--no-sparse-checkout", t.commit); err != nil {
		return err
	}
	if err := git(strings.Join(paths, "\x00"), "checkout-index", "--quiet", "-z", "--stdin"); err != nil {
		return err
	}
	return readBelow(work, files, paths)
}

// readBelow fills files with their contents at paths below a directory.
func readBelow(dir string, files []file.File, paths []string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for i, name := range paths {
		if files[i].Data, err = root.ReadFile(filepath.FromSlash(name)); err != nil {
			return err
		}
	}
	return nil
}

// checkName returns an error for a name that git itself never writes, but that a forged tree may have to
// place files elsewhere.
func checkName(name string) error {
	isGit := func(step string) bool { return strings.EqualFold(step, ".git") }
	if name == "." || name != path.Clean(name) || !filepath.IsLocal(filepath.FromSlash(name)) ||
		strings.ContainsRune(name, 0) || slices.ContainsFunc(strings.Split(name, "/"), isGit) {
		return fmt.Errorf("the file name %q is not allowed", name)
	}
	return nil
}

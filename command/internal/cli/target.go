package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/command/internal/update"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/sink"
	"github.com/resource-merge/resource-merge/source"
)

// localPackage is the location of local's package in the file system.
type localPackage struct {
	// dir is its directory, "" if local is a stream or a version in a repository.
	dir string
	// prefix is put before the names of files in reports: the package's directory in its repository.
	prefix string
	// name is the directory, or the file if local is a file. tree is its work tree, nil if it is in no repository.
	name string
	tree *gitrepo.WorkTree
}

// findLocal finds the package of local. If the output overwrites it, findLocal reverts a killed run in it, and returns
// an error if git lacks the package or some of its changes (rules/update: refused packages) and no force permits that.
// Otherwise it returns an error for a package that a killed run left half written.
func findLocal(ctx context.Context, local source.Source, to *output, stderr io.Writer) (p localPackage, err error) {
	if p, err = findWhole(local, to, stderr); err == nil {
		err = p.findCommitted(ctx, to)
	}
	return p, err
}

// findWhole is findLocal without what git knows of the package.
func findWhole(local source.Source, to *output, stderr io.Writer) (p localPackage, err error) {
	switch s := local.(type) {
	case source.Dir:
		p.name, p.dir = string(s), string(s)
	case source.File:
		p.name, p.dir = string(s), filepath.Dir(string(s))
	default:
		if to.write {
			err = misuse("--write: local is neither a directory nor a file; write the result elsewhere with -o")
		}
		return p, err
	}
	if !to.write {
		return p, checkWhole(p.dir)
	}
	err = cmp.Or(isDirectory(p.dir), p.checkNoLink())
	if err == nil {
		err = recoverFirst(p.dir, stderr)
	}
	return p, err
}

// findCommitted asks git about the package of findWhole.
func (p *localPackage) findCommitted(ctx context.Context, to *output) error {
	if p.dir == "" {
		return nil
	}
	err := p.findTree(ctx)
	if gitrepo.IsMissing(err) && (!to.write || to.force) {
		err = nil // without git the package counts as one outside of a repository, as in a container
	}
	if err != nil {
		return err
	}
	return p.checkCommitted(ctx, to)
}

// findTree finds the work tree of the package, and its place in that.
func (p *localPackage) findTree(ctx context.Context) (err error) {
	if p.tree, err = (gitrepo.Git{}).Find(ctx, p.name); err != nil {
		return err
	}
	if p.tree != nil {
		if p.prefix = p.tree.Name; p.name != p.dir {
			p.prefix = path.Join(p.prefix, "..")
		}
		if p.prefix == "." {
			p.prefix = ""
		}
	}
	return nil
}

// recoverFirst reverts a killed run in a package, a directory or a file, that a command is about to read and to write, and
// says so: nobody wants half a merge (rules/files: interrupted runs). The package's config is read after it.
func recoverFirst(name string, stderr io.Writer) error {
	info, err := os.Stat(name)
	if err != nil {
		return nil // it is told by the command that reads it
	}
	dir := name
	if !info.IsDir() {
		dir = filepath.Dir(name)
	}
	found, err := sink.Recover(dir)
	if found {
		wording.Say(stderr, "%s: a run was killed here; all files are as they were before it", dir)
	}
	return err
}

// checkNoLink returns an error for a file that is a symbolic link: the file that it leads to would be replaced by a copy.
func (p *localPackage) checkNoLink() error {
	info, err := os.Lstat(p.name)
	if err != nil || p.name == p.dir || info.Mode()&os.ModeSymlink == 0 {
		return err
	}
	target, err := filepath.EvalSymlinks(p.name)
	if err == nil {
		err = fmt.Errorf("%s is a symbolic link; name the file that it leads to, %s", p.name, target)
	}
	return err
}

// checkCommitted returns an error if the output overwrites the package, git lacks it or some of its changes, and no force
// permits that.
func (p localPackage) checkCommitted(ctx context.Context, to *output) error {
	if !to.write || to.force {
		return nil
	}
	if p.tree == nil {
		return fmt.Errorf("%s is in no git repository, so the files that would be replaced could not be restored; write the result elsewhere with -o, or give --force", p.name)
	}
	err := update.CheckClean(ctx, p.tree, p.name, true)
	if dirty := (*update.DirtyError)(nil); errors.As(err, &dirty) {
		return fmt.Errorf("%w; commit them, or give --force", err)
	}
	return err
}

// checkIgnored returns an error if a result changes or removes files that git ignores and does not track: then it could
// not restore them (rules/update: refused packages).
func (p localPackage) checkIgnored(ctx context.Context, done outcome, to *output) error {
	if !to.write || to.force || p.tree == nil {
		return nil
	}
	after, err := done.result.Files()
	if err != nil {
		return err
	}
	left := map[string][]byte{}
	for _, f := range after {
		left[f.Name] = f.Data
	}
	var names []string
	for _, f := range done.read {
		if data, stays := left[f.Name]; !stays || !bytes.Equal(data, f.Data) {
			names = append(names, path.Join(p.prefix, f.Name))
		}
	}
	if len(names) == 0 {
		return nil
	}
	untracked, err := p.tree.Untracked(ctx, names)
	if err == nil && len(untracked) > 0 {
		err = fmt.Errorf("git ignores %s, so what the merge changes there could not be restored; add it to git, write the result elsewhere with -o, or give --force", wording.FirstFile(untracked))
	}
	return err
}

// checkWhole returns an error if a killed run has left a directory, "" for none, half written.
func checkWhole(dir string) error {
	if dir == "" || isDirectory(dir) != nil { // another source than a directory
		return nil
	}
	pending, err := sink.Pending(dir)
	if pending {
		err = fmt.Errorf("%s: a run was killed here, and some files are replaced; run resource-merge recover %[1]s first", dir)
	}
	return err
}

// isDirectory returns an error if a directory does not exist.
func isDirectory(dir string) error {
	switch info, err := os.Stat(dir); {
	case err != nil:
		return fmt.Errorf("%s: no such directory%s", dir, file.Nearest(dir))
	case !info.IsDir():
		return fmt.Errorf("%s is a file; name its directory", dir)
	}
	return nil
}

// isThere returns an error if neither a file nor a directory has a name.
func isThere(name string) error {
	if _, err := os.Lstat(name); err != nil {
		return fmt.Errorf("%s: %w", name, errors.Unwrap(err))
	}
	return nil
}

// recoverCommand is the command resource-merge recover (rules/files: interrupted runs).
func recoverCommand(s streams) *cobra.Command {
	quiet := false
	c := &cobra.Command{
		Use:   "recover DIR",
		Short: "Restore the files of a package after a killed run",
		Example: `  # A run that wrote to shop was killed
  resource-merge recover shop`,
		Long: `A run that was killed while it wrote to a package has changed some of its files and not
others. recover restores all of them. So does the next merge or update that writes to the
package, before it reads it.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return misuse("want one argument, the directory of a package")
			}
			return nil
		},
		ValidArgsFunction: firstArgument(cobra.ShellCompDirectiveFilterDirs),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := recoverPackage(args[0])
			if err == nil && !quiet {
				wording.Say(s.err, "%s: %s", args[0], text)
			}
			return err
		},
	}
	addQuiet(c, &quiet)
	return c
}

// recoverPackage restores the files of a package after a killed run, and says whether there was one.
func recoverPackage(dir string) (text string, err error) {
	if err := isDirectory(dir); err != nil {
		return "", err
	}
	found, err := sink.Recover(dir)
	if found {
		return "recovered: all files are as they were before the run", err
	}
	return "nothing to recover", err
}

// checkPackage returns an error for a path that is no directory, or whose files a killed run left half written.
func checkPackage(dir string) error {
	if err := isDirectory(dir); err != nil {
		return err
	}
	return checkWhole(dir)
}

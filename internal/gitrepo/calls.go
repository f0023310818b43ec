package gitrepo

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Call is a git command that the program starts.
type Call struct {
	// Command is git's subcommand.
	Command string
	// Purpose is the reason for the call.
	Purpose string
	// Runs lists the programs of the user's configuration that git may start for it.
	Runs string
}

// Calls lists every git command that the program starts. SECURITY.md has the same table. Calls that are not
// listed fail.
func Calls() []Call {
	return []Call{
		{"log", "lists the changes of a file", "nothing"},
		{"rev-parse", "finds the repository of a package, and the commit of a revision", "nothing"},
		{"rev-list", "lists the commits that changed a package's version", "nothing"},
		{"status", "looks for changes that are not committed", "clean filters of the user's repository"},
		{"ls-tree", "lists the files of a version", "nothing"},
		{"read-tree", "writes a temporary index of a version", "nothing"},
		{"checkout-index", "reads the files of a version, as git checks them out", "smudge filters of the user's repository or configuration"},
		{"ls-remote", "lists the branches and tags of a remote", "the transport: ssh, credential helpers"},
		{"fetch", "gets one version into the cache, or the branches of a pull request", "the transport: ssh, credential helpers"},
		{"init", "makes an entry of the cache, or a temporary repository", "nothing"},
		{"fast-import", "puts two versions of files into a temporary repository, and makes a branch", "nothing"},
		{"var", "reads the user's name for the commit of a branch", "nothing"},
		{"diff-tree", "shows the difference between them", "nothing"},
		{"fsck", "checks that an entry of the cache is whole", "nothing"},
		{"merge-file", "merges three versions by lines", "nothing"},
		{"config", "reads the conflict style, and installs the driver", "nothing"},
		{"ls-files", "lists the files that are unmerged, or tracked", "nothing"},
		{"cat-file", "reads the versions of an unmerged file, and commits", "smudge filters of the user's repository or configuration"},
		{"mktree", "writes a tree of one file, to learn git's result of its merge", "nothing"},
		{"write-tree", "writes a tree of the files that `resource-merge pr` merged", "nothing"},
		{"commit-tree", "writes a commit of such a tree, which no branch has", "nothing"},
		{"merge-tree", "merges such commits as git merge does", "merge drivers of the user's repository"},
		{"add", "stages a file that was solved", "clean filters of the user's repository"},
		{"merge", "runs as the user asked with `resource-merge git merge`", "whatever git runs for the user: hooks, filters, merge drivers, the editor, `--exec`"},
		{"rebase", "runs as the user asked with `resource-merge git rebase`", "whatever git runs for the user: hooks, filters, merge drivers, the editor, `--exec`"},
		{"cherry-pick", "runs as the user asked with `resource-merge git cherry-pick`", "whatever git runs for the user: hooks, filters, merge drivers, the editor, `--exec`"},
	}
}

// hardened returns the options of every call but Pass's, which override all configuration. With them git starts no
// file monitor and no hook of a repository, and takes no directory for a bare repository by its files
// (rules/versions: the user's git).
func hardened() []string {
	return append(onlyRealRepositories(), "-c", "core.fsmonitor=false", "-c", "core.hooksPath="+os.DevNull)
}

// onlyRealRepositories returns the option with which git takes no directory for a bare repository by its files.
func onlyRealRepositories() []string { return []string{"-c", "safe.bareRepository=explicit"} }

// local returns variables for a call that reads a repository of the user. With them git fetches nothing, not
// even the missing objects of a partial clone, and so starts no transport of the repository's configuration.
func local() []string { return []string{"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1"} }

// checkListed returns an error for a subcommand that Calls does not list.
func checkListed(args []string) error {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-c" || arg == "-C":
			i++
		case strings.HasPrefix(arg, "-"):
		case slices.ContainsFunc(Calls(), func(c Call) bool { return c.Command == arg }):
			return nil
		default:
			return fmt.Errorf("git %s is not a listed call", arg)
		}
	}
	return fmt.Errorf("git %q has no subcommand", args)
}

// topAbove finds the nearest directory with a .git: dir, which has no symbolic links, or one above it. A
// directory that only looks like a bare repository does not count: the author of a package may have written it.
func topAbove(dir string) (top string, found bool) {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, true
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", false
		}
		dir = above
	}
}

// belongsTo reports whether the .git of top, or of a directory above it, is or links to a repository.
func belongsTo(gitDir, top string) bool {
	for dir := top; ; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, ".git")
		if text, err := os.ReadFile(name); err == nil {
			target, isLink := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
			if !filepath.IsAbs(target) {
				target = filepath.Join(dir, target)
			}
			if isLink && sameFile(target, gitDir) {
				return true
			}
		} else if sameFile(name, gitDir) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// checkDiscovery returns an error if git, started in dir, could take dir or a directory between it and the
// nearest .git for a bare repository. Git since 2.38 refuses these itself. With GIT_DIR git looks for none.
func checkDiscovery(dir string) error {
	if os.Getenv("GIT_DIR") != "" {
		return nil
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for top, _ := topAbove(dir); dir != top; dir = filepath.Dir(dir) {
		if looksBare(dir) && filepath.Base(dir) != ".git" {
			return fmt.Errorf("%s has files that git takes for a repository of its own (HEAD, objects, refs): rename them, or clone a bare repository, and run this elsewhere", dir)
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return nil
}

// BareAbove returns the bare repository that a path is in, or names, and the path below its top; "" if there is none.
func BareAbove(name string) (top, below string) {
	absolute, err := filepath.Abs(name)
	if err != nil {
		return "", ""
	}
	for top = absolute; !looksBare(top); top = filepath.Dir(top) {
		if top == filepath.Dir(top) {
			return "", ""
		}
	}
	below, _ = filepath.Rel(top, absolute) // top is above
	return top, below
}

// looksBare reports whether git may take a directory for a bare repository.
func looksBare(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

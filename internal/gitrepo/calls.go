package gitrepo

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/file"
)

// calls lists every git command that the program starts; any other fails. SECURITY.md says for each why it is started,
// and which programs of the user's configuration git may start for it.
func calls() []string {
	return strings.Fields(`log rev-parse rev-list status ls-tree read-tree checkout-index ls-remote fetch init fast-import
		diff-tree fsck merge-file config ls-files cat-file mktree write-tree commit-tree merge-tree add merge rebase cherry-pick`)
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

// checkListed returns an error for a subcommand that calls does not list.
func checkListed(args []string) error {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-c" || arg == "-C":
			i++
		case strings.HasPrefix(arg, "-"):
		case slices.Contains(calls(), arg):
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
		if text, err := file.ReadGitFile(name); err == nil {
			target, isLink := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
			if !filepath.IsAbs(target) {
				target = filepath.Join(dir, target)
			}
			if isLink && file.IsSame(target, gitDir) {
				return true
			}
		} else if file.IsSame(name, gitDir) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
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

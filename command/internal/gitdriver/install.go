package gitdriver

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/resource-merge/resource-merge/internal/gitrepo"
)

// setting is an entry of git's configuration.
type setting struct{ name, value string }

// sections are the sections of git's configuration that Install writes.
var sections = [...]string{"merge.resource-merge", "mergetool.resource-merge"}

// settings returns git's configuration of the driver and the mergetool, which run a program. Git runs both with a
// shell. If the program is gone, git merges the lines: a driver that is not found would leave ours without a marker.
func settings(program string) []setting {
	program = "'" + strings.ReplaceAll(filepath.ToSlash(program), "'", `'\''`) + "'"
	const gone = ` || { c=$?; [ $c = 126 ] || [ $c = 127 ] || exit $c; ` +
		`echo "resource-merge is not where it was installed from; git merges the lines" >&2; ` +
		`git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B; }`
	return []setting{
		{"merge.resource-merge.name", "Kubernetes resources and other YAML, field by field"},
		{"merge.resource-merge.driver", program + " git driver %O %A %B -L %L -p %P -s %S -x %X -y %Y" + gone},
		{"mergetool.resource-merge.cmd", program + ` git solve "$MERGED"`},
		{"mergetool.resource-merge.trustExitCode", "true"},
	}
}

// Install configures the driver and the mergetool for the repository, or for the user, and prints
// the lines of .gitattributes that select the files for the driver. program is the command that git
// runs; an absolute path is found from a git with another PATH, too.
func (g Git) Install(ctx context.Context, program string, global bool, stdout io.Writer) error {
	for _, s := range settings(program) {
		if _, err := g.output(ctx, "config", scope(global), s.name, s.value); err != nil {
			return g.explainOutside(ctx, global, err)
		}
	}
	_, err := io.WriteString(stdout, `# The merge driver resource-merge is installed. Add these lines to .gitattributes, and commit it:
`+attributes)
	return err
}

// Uninstall removes the settings of Install.
func (g Git) Uninstall(ctx context.Context, global bool, stdout io.Writer) error {
	removed := false
	for _, section := range sections {
		if _, code, err := g.run(ctx, "config", scope(global), "--get-regexp", "^"+section+"\\."); code == 1 {
			continue // git has no such section
		} else if err != nil {
			return g.explainOutside(ctx, global, err)
		}
		if _, err := g.output(ctx, "config", scope(global), "--remove-section", section); err != nil {
			return err
		}
		removed = true
	}
	text := "# The merge driver was not installed here.\n"
	if removed {
		text = "# The merge driver is removed. Git merges the lines of files that .gitattributes still gives it.\n"
	}
	_, err := io.WriteString(stdout, text)
	return err
}

// explainOutside returns an error with the two ways out for a call outside of a repository, else err.
func (g Git) explainOutside(ctx context.Context, global bool, err error) error {
	if _, _, outside := g.run(ctx, "rev-parse", "--git-dir"); outside != nil && !global && !gitrepo.IsMissing(outside) {
		return fmt.Errorf("%w; run it inside a repository, or give --global for all your repositories", outside)
	}
	return err
}

// scope returns git's option for the configuration of the user or the repository.
func scope(global bool) string {
	if global {
		return "--global"
	}
	return "--local"
}

// attributes are the lines of .gitattributes that select the files for the driver.
const attributes = "*.yaml merge=resource-merge\n*.yml merge=resource-merge\nKptfile merge=resource-merge\n"

// Once runs merge, rebase or cherry-pick of the user's git with the driver for this one run (rules/git:
// one run), and returns git's exit code. program is the command that git runs as the driver. Nothing is
// written into a configuration: git gets the driver as options, and the files for it from a temporary file.
func (g Git) Once(ctx context.Context, program string, args []string, s gitrepo.Streams) (code int, err error) {
	own, err := g.userAttributes(ctx)
	if err != nil {
		return 0, err
	}
	file, err := attributesFile(own)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.Remove(file)) }()
	return gitrepo.Pass(ctx, g.Dir, s, append(onceOptions(program, file, favored(args)), args...)...)
}

// favored returns the side that the arguments of git's -X favor in conflicts, ours or theirs, "" if they favor none: git
// passes no such option to a merge driver.
func favored(args []string) (side string) {
	for i, arg := range args {
		option, isShort := strings.CutPrefix(arg, "-X")
		option, isLong := strings.CutPrefix(option, "--strategy-option")
		switch {
		case arg == "--":
			return side
		case !isShort && !isLong:
			continue
		case option == "" && i+1 < len(args):
			option = args[i+1]
		}
		if option = strings.TrimPrefix(option, "="); option == "ours" || option == "theirs" {
			side = option
		}
	}
	return side
}

// onceOptions are git's options for one run with the driver, and with a file of attributes. favor is the side that conflicts take,
// "" if they are marked.
func onceOptions(program, file, favor string) []string {
	options := []string{"-c", "core.attributesFile=" + filepath.ToSlash(file)}
	for _, s := range settings(program) {
		if strings.HasPrefix(s.name, sections[0]) {
			if favor != "" {
				s.value = strings.Replace(s.value, " git driver ", " git driver --favor "+favor+" ", 1)
			}
			options = append(options, "-c", s.name+"="+s.value)
		}
	}
	return options
}

// MergeAlone merges a commit into a repository that the program made for itself, as git merge does with the
// driver, and commits nothing. It reports whether conflicts stay, whose markers show the base, and the last words of the driver. No other driver,
// no filter and no hook runs.
func (g Git) MergeAlone(ctx context.Context, program, commit string) (conflicts bool, output string, err error) {
	file, err := attributesFile(nil)
	if err != nil {
		return false, "", err
	}
	defer func() { err = errors.Join(err, os.Remove(file)) }()
	_, code, err := gitrepo.Git{}.Alone(ctx, g.Dir, append(onceOptions(program, file, ""), "-c", "merge.conflictStyle=diff3", "merge", "--no-commit", "--no-ff", commit)...)
	if failure := (*gitrepo.Failure)(nil); code == 1 && errors.As(err, &failure) {
		return true, failure.Message, nil
	}
	return false, "", err
}

// attributesFile writes a temporary file with the attributes of the driver, followed by the
// attributes of the user, which win as later lines do. The attributes of a repository win over both.
func attributesFile(own []byte) (name string, err error) {
	f, err := os.CreateTemp("", "resource-merge-attributes-")
	if err != nil {
		return "", err
	}
	_, err = f.Write(append([]byte(attributes), own...))
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// userAttributes returns the text of the user's file of attributes: core.attributesFile, by default
// git/attributes in the user's directory of configurations. No file is no text.
func (g Git) userAttributes(ctx context.Context) ([]byte, error) {
	out, code, err := g.run(ctx, "config", "--type=path", "--null", "--get", "core.attributesFile")
	name := string(bytes.TrimSuffix(out, []byte{0}))
	switch {
	case code == 1: // it is not set
		if name = defaultAttributes(); name == "" {
			return nil, nil
		}
	case err != nil:
		return nil, err
	case name == "":
		return nil, nil
	case !filepath.IsAbs(name):
		if name, err = g.belowTop(ctx, name); err != nil {
			return nil, err
		}
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// belowTop returns the path of a file by its name below the repository's top.
func (g Git) belowTop(ctx context.Context, name string) (string, error) {
	top, _, err := g.Top(ctx)
	return filepath.Join(top, name), err
}

// Top returns the path of the top of the work tree, which is relative if the directory of g is, and the name of that
// directory below the top, with slashes, "" if it is the top.
func (g Git) Top(ctx context.Context) (top, below string, err error) {
	out, err := g.output(ctx, "rev-parse", "--show-cdup", "--show-prefix")
	top, below, _ = strings.Cut(string(out), "\n")
	return filepath.Join(cmp.Or(g.Dir, "."), strings.TrimRight(top, "\r")), strings.TrimRight(below, "\r\n"), err
}

// defaultAttributes returns the path of git's default file of attributes; "" without a home, where git has no such file
// either.
func defaultAttributes() string {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "git", "attributes")
}

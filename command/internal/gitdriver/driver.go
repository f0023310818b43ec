package gitdriver

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// Exit codes of a merge driver.
const (
	exitMerged   = 0
	exitConflict = 1
	// exitError tells git, as any code above 128, that the driver itself failed: then git leaves the merge to the user.
	exitError = 129
)

// Call has the arguments that git passes to a merge driver.
type Call struct {
	// Base, Ours and Theirs are files with the versions: %O, %A and %B. The result replaces Output, or Ours if that is "".
	Base, Ours, Theirs, Output string
	// Path is the path of the file in the repository: %P.
	Path string
	// Size is the length of a marker: %L.
	Size int
	// Labels are the names of the sides in markers: %X, %S and %Y. Git before 2.44 leaves the placeholders as they are.
	Labels [3]string
	// Favor is the side that conflicts take, ours or theirs, as git's -X says; "" marks them.
	Favor string
}

// name returns the name of the file in messages. A call by hand may lack the path.
func (c Call) name() string { return cmp.Or(c.Path, c.Ours) }

// Drive merges one file as a merge driver and returns the exit code: 0, or 1 if the file has
// markers. On an error it leaves the file unchanged, and the code is above 128.
func (g Git) Drive(ctx context.Context, c Call, stderr io.Writer) int {
	code, err := g.drive(ctx, c, stderr)
	if err != nil {
		wording.Say(stderr, "resource-merge: %s: %v", c.name(), err)
		return exitError
	}
	return code
}

func (g Git) drive(ctx context.Context, c Call, stderr io.Writer) (code int, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%v", cause)
		}
	}()
	v, err := g.readCall(c)
	if err != nil {
		return exitError, err
	}
	if g.isOld = strings.HasPrefix(c.Labels[marker.Ours], "%"); g.isOld {
		c.Labels = rebaseLabels(mergeLabels(c.Labels, os.Environ()), gitDirectory(g.Dir))
	}
	if g.popsStash(ctx, c, v) {
		v.Settings = v.Settings.WithLocalAsTheirs()
	}
	f := marker.Format{Size: c.Size, Labels: withDefaults(c.Labels)}
	m, err := g.mergeFavoring(ctx, v, f, c.Favor)
	if err != nil {
		return exitError, err
	}
	m.tell(stderr, c.name())
	switch {
	case c.Output != "":
		err = file.Put(c.Output, m.Text)
	case string(m.Text) != string(v.Texts[marker.Ours]):
		err = file.Replace(c.Ours, m.Text)
	}
	if err == nil && m.Conflicts > 0 {
		code = exitConflict
	}
	return code, err
}

// mergeFavoring merges a file in which conflicts take a side, ours or theirs, whatever the config says; "" is Merge. The side is
// that of all markers. Where lines are merged, git takes it.
func (g Git) mergeFavoring(ctx context.Context, v Versions, f marker.Format, favor string) (m Merged, err error) {
	if favor == "" {
		return g.Merge(ctx, v, f)
	}
	side := marker.Ours
	if favor == "theirs" {
		side = marker.Theirs
	}
	v.unconfigured, v.Settings = nil, config.Settings{Config: v.Settings.Config}
	v.Settings.Conflicts.Rules, f.Style = nil, marker.Merge
	if err := v.Settings.Override("", config.Mark, ""); err != nil {
		return m, err
	}
	if m, err = g.Merge(ctx, v, f); err != nil || m.Conflicts == 0 {
		return m, err
	}
	m.Conflicts = 0
	if m.Method == ByFields {
		m.Text = f.Parse(m.Text).Resolve(func(int) marker.Side { return side })
		return m, nil
	}
	if m.Text, _, err = g.mergeFile(ctx, v, f, "--"+favor); errors.Is(err, errBinary) {
		m = Merged{Text: v.Texts[side], Method: OneSide}
		err = nil
	}
	return m, err
}

// readCall reads the versions of a file that git gives the driver.
func (g Git) readCall(c Call) (v Versions, err error) {
	v.Path = c.Path
	for side, file := range [3]string{marker.Ours: c.Ours, marker.Base: c.Base, marker.Theirs: c.Theirs} {
		if v.Texts[side], err = os.ReadFile(file); err != nil {
			return v, err
		}
	}
	v.NoBase = len(v.Texts[marker.Base]) == 0
	v.Settings, v.unconfigured = g.settings(c.Path)
	return v, nil
}

// tell writes how the file of a path was merged, if there is something to tell.
func (m Merged) tell(stderr io.Writer, path string) {
	switch {
	case m.Method == NotMerged:
		wording.Say(stderr, "resource-merge: %s: %s; ours stays, and it is in conflict", path, m.Reason)
	case m.Reason != "":
		wording.Say(stderr, "resource-merge: %s: %s; its lines are merged, as git does", path, m.Reason)
	}
	switch git := wording.Plural(m.OfLines, "conflict"); {
	case m.OfLines <= m.Conflicts:
	case m.Conflicts == 0:
		wording.Say(stderr, "resource-merge: %s: solved by fields; git would have left %s", path, git)
	default:
		wording.Say(stderr, "resource-merge: %s: %s left by fields; git would have left %s", path, wording.Plural(m.Conflicts, "conflict"), git)
	}
	for _, d := range m.Decisions {
		wording.Say(stderr, "resource-merge: %s: %s", path, d)
	}
	if m.Fault != "" {
		wording.Say(stderr, "resource-merge: %s: %s", path, m.explainFault())
	}
}

// settings reads the config that lies beside a file of the work tree or in the nearest directory above
// it, up to the top (rules/git: the config file). The config itself merges without one.
func (g Git) settings(name string) (config.Settings, error) {
	path, err := filepath.Abs(filepath.Join(g.Dir, filepath.FromSlash(name)))
	if name == "" || err != nil || filepath.Base(path) == file.Config {
		return config.Settings{}, err
	}
	if err := checkWay(g.Dir, filepath.Dir(path)); err != nil {
		return config.Settings{}, err
	}
	found := ""
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, file.Config)); found == "" && err == nil {
			found = filepath.Join(dir, file.Config)
		}
		_, err := os.Lstat(filepath.Join(dir, ".git"))
		switch isTop := err == nil; {
		case isTop && found != "":
			read, err := config.ReadFound(found)
			if err == nil && rebases(dir) {
				read = read.WithLocalAsTheirs()
			}
			return read, err
		case isTop || dir == filepath.Dir(dir):
			return config.Settings{}, nil
		}
	}
}

// checkWay returns an error if a symbolic link leads to a directory from one above it: the config behind it is not the
// repository's.
func checkWay(from, dir string) error {
	from, err := filepath.Abs(from)
	if err != nil {
		return err
	}
	if below, err := filepath.Rel(from, dir); err != nil || !filepath.IsLocal(below) {
		return nil
	}
	for ; dir != from; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return fmt.Errorf("read the config: %s: it is a symbolic link, which is not followed", dir)
		}
	}
	return nil
}

// mergeLabels replaces the labels that git before 2.44 does not pass by those of git merge, which has the name of each
// commit that it merges in the environment. Other commands of git, and a merge of several commits, have no such name.
func mergeLabels(labels [3]string, environment []string) [3]string {
	var names []string
	for _, variable := range environment {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "GITHEAD_") && !strings.ContainsAny(value, "\r\n") {
			names = append(names, value)
		}
	}
	if len(names) == 1 {
		labels[marker.Ours], labels[marker.Theirs] = "HEAD", names[0]
	}
	return labels
}

// rebaseLabels replaces the labels that git before 2.44 does not pass in a rebase by those of newer ones: HEAD, and the commit that
// is put on it. Git's list of the commits that it has begun with ends with this one.
func rebaseLabels(labels [3]string, dir string) [3]string {
	begun, err := os.ReadFile(filepath.Join(dir, "rebase-merge", "done"))
	if err != nil || !strings.HasPrefix(labels[marker.Theirs], "%") {
		return labels
	}
	lines := strings.Split(strings.TrimSpace(string(begun)), "\n")
	words := strings.Fields(strings.ReplaceAll(lines[len(lines)-1], " # ", " "))
	if len(words) < 3 || len(words[1]) < 7 {
		return labels
	}
	labels[marker.Ours], labels[marker.Theirs] = "HEAD", words[1][:7]+" ("+strings.Join(words[2:], " ")+")"
	labels[marker.Base] = "parent of " + labels[marker.Theirs]
	return labels
}

// popsStash reports whether theirs is the stashed version, as in git stash pop, and a preference takes a side: then local's is
// theirs. Git before 2.44 does not tell; there theirs is compared with the last stash, except in git merge.
func (g Git) popsStash(ctx context.Context, c Call, v Versions) bool {
	switch {
	case !v.Settings.TakesSide():
		return false
	case !g.isOld:
		return c.Labels[marker.Ours] == "Updated upstream"
	}
	stashed, err := g.output(ctx, "cat-file", "blob", "stash:"+c.Path)
	return err == nil && c.Labels[marker.Ours] != "HEAD" && bytes.Equal(stashed, v.Texts[marker.Theirs])
}

// rebases reports whether git rebases in a work tree: then ours is the branch that the user's commits are put on
// (rules/git: the config file).
func rebases(top string) bool {
	dir := gitDirectory(top)
	has := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	}
	return (has("rebase-merge") || has("rebase-apply") && !has(filepath.Join("rebase-apply", "applying"))) && !has("MERGE_HEAD")
}

// gitDirectory returns the directory in which git keeps the state of a work tree.
func gitDirectory(top string) string {
	dir := cmp.Or(os.Getenv("GIT_DIR"), filepath.Join(top, ".git"))
	if text, err := file.ReadGitFile(dir); err == nil { // of a work tree beside others
		if dir = strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir:")); !filepath.IsAbs(dir) {
			dir = filepath.Join(top, dir)
		}
	}
	return dir
}

// withDefaults replaces missing labels by ours, base and theirs.
func withDefaults(given [3]string) [3]string {
	for side, label := range [3]string{marker.Ours: "ours", marker.Base: "base", marker.Theirs: "theirs"} {
		if given[side] == "" || strings.HasPrefix(given[side], "%") {
			given[side] = label
		}
	}
	return given
}

// Git runs the user's git in a directory, "" for the working directory. A merge driver runs inside
// git, so the variables with git's repository are kept.
type Git struct {
	Dir string
	// isOld means that git is older than 2.44, whose merge-file has one diff algorithm only.
	isOld bool
}

// run runs git and returns its output on stdout, and its exit code.
func (g Git) run(ctx context.Context, args ...string) (out []byte, code int, err error) {
	return gitrepo.Inside(ctx, g.Dir, nil, args...)
}

// output runs git and returns its output, or an error if it fails.
func (g Git) output(ctx context.Context, args ...string) ([]byte, error) {
	out, _, err := g.run(ctx, args...)
	return out, err
}

// config returns a value of git's configuration, "" if it is not set.
func (g Git) config(ctx context.Context, name string) (string, error) {
	out, code, err := g.run(ctx, "config", "--get", name)
	if code == 1 {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}

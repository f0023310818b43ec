package resolve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/gitdriver"
	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// Repeat asks for each conflict that somebody has settled in an unmerged file, whether that is the answer to the
// equal conflicts of all unmerged files (rules/resolve: settled conflicts). Paths limit the files.
func Repeat(ctx context.Context, o Options, paths []string) error {
	settled, err := gitdriver.Git{Dir: o.Dir}.Settled(ctx, paths)
	if err != nil || len(settled) == 0 {
		return err
	}
	s := &session{Options: o, answers: newAnswers(ctx, o.In, o.Out)}
	if _, err := s.readUnmerged(ctx, paths); err != nil {
		return err
	}
	if err := s.readGit(ctx, o.Dir, settled); err != nil {
		return err
	}
	for _, c := range s.settled {
		if c.equal == nil || c.equal.last != c || c.equal.undecided == 0 {
			continue
		}
		if quits, err := s.offer(c); err != nil || quits {
			return err
		}
	}
	return nil
}

// offer asks whether a settled conflict is the answer to the equal ones. It reports whether the user quits.
func (s *session) offer(c *conflict) (quits bool, err error) {
	s.line(plain, "")
	s.line(bold, fmt.Sprintf("%s (%s) was settled:", c.title(), c.file.name))
	s.block(plain, c.lines)
	key, err := s.answers.read(fmt.Sprintf("Take this for %d equal ones [y,n,q]? ", c.equal.undecided))
	switch {
	case err != nil || key == keyQuit:
		return true, err
	case key == 'y' || key == keyAll:
		return false, s.repeat(c)
	}
	return false, nil
}

// readUnmerged reads the files that git left unmerged, and returns the names of the ones without a marker.
func (s *session) readUnmerged(ctx context.Context, paths []string) (unmarked []string, err error) {
	git := gitdriver.Git{Dir: s.Dir}
	top, prefix, err := git.Top(ctx)
	if err != nil {
		return nil, err
	}
	unmerged, err := git.Unmerged(ctx, paths)
	for _, name := range unmerged {
		below := path.Join(prefix, name)
		name = filepath.Join(s.Dir, filepath.FromSlash(name))
		if f, err := readFile(name, top, below); err == nil && f != nil {
			s.files = append(s.files, f)
		} else {
			unmarked = append(unmarked, name)
		}
	}
	return unmarked, err
}

// List lists the conflicts of the files that git left unmerged, by resource and field, without their values,
// and the next commands. command is the command of git that stopped.
func List(ctx context.Context, out io.Writer, command string) error {
	top, _, err := gitdriver.Git{}.Top(ctx)
	if err != nil {
		return err
	}
	s := &session{Options: Options{Dir: top, Out: out}}
	unmarked, err := s.readUnmerged(ctx, nil)
	if err != nil || len(unmarked)+len(s.files) == 0 {
		return err
	}
	if err := s.readGit(ctx, s.Dir, []gitdriver.Settled{}); err != nil {
		return err
	}
	s.say("%s left:", wording.Plural(len(s.conflicts)+len(unmarked), "conflict"))
	where := ""
	for _, c := range s.conflicts {
		name := fromHere(c.file.name)
		if s.say("  %s:%d: %s", name, c.file.position(c.index).Line, cmp.Or(c.title(), "these lines")); strings.HasPrefix(name, "../") {
			where = " " + filepath.ToSlash(s.Dir)
		}
	}
	for _, name := range unmarked {
		s.say("  %s: the whole file, which has no markers", fromHere(name))
	}
	has, err := gitHas(ctx, s.Dir)
	if err != nil {
		return err
	}
	next := ""
	if slices.ContainsFunc([]string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "rebase-merge", "rebase-apply"}, has) {
		next = ", and resource-merge git " + command + " --continue"
	} // else git merge --squash or git cherry-pick --no-commit is done
	if len(s.conflicts) == 0 {
		s.say("git add or git rm each%s.", next)
	} else {
		s.say("resource-merge resolve%s decides them one by one; then git add the files%s.", where, next)
	}
	return nil
}

// gitHas returns a function that reports whether git's directory of a work tree has a file.
func gitHas(ctx context.Context, dir string) (func(name string) bool, error) {
	out, _, err := gitrepo.Inside(ctx, dir, nil, "rev-parse", "--absolute-git-dir")
	return func(name string) bool {
		_, err := os.Lstat(filepath.Join(strings.TrimRight(string(out), "\r\n"), name))
		return !errors.Is(err, fs.ErrNotExist)
	}, err
}

// fromHere returns a relative path without the way to the top of the repository and back.
func fromHere(name string) string {
	here, err := os.Getwd()
	if err == nil {
		if short, err := filepath.Rel(here, filepath.Join(here, name)); err == nil {
			name = short
		}
	}
	return filepath.ToSlash(name)
}

// addSettled takes the conflicts that were settled in the unmerged files before the walk for the last decisions on equal
// ones.
func (s *session) addSettled(ctx context.Context, dir string, settled []gitdriver.Settled, swapped *swapped) error {
	var objects []string
	for _, file := range settled {
		objects = append(objects, ":1:./"+file.Path)
	}
	bases, err := readObjects(ctx, dir, objects)
	if err != nil {
		return err
	}
	for i, file := range settled {
		f := newFile(filepath.Join(dir, filepath.FromSlash(file.Path)), file.Text)
		for n, c := range f.conflicts {
			swapped.note(c)
			if lines, found := file.Lines[n]; found {
				c.decision = decision{decided: true, lines: lines, choice: c.choiceOf(lines)}
				s.settled = append(s.settled, c)
			}
		}
		f.locate(bases[i], true)
	}
	return nil
}

// choiceOf returns the key that gives a conflict some lines.
func (c *conflict) choiceOf(lines []byte) byte {
	for _, key := range []byte{keyUpstream, keyLocal, keyBoth} {
		if chosen, ok := c.choose(key); ok && bytes.Equal(chosen, lines) {
			return key
		}
	}
	return keyEdit
}

// group groups the equal conflicts. One that was settled before the walk is the last decision on its group.
func (s *session) group() {
	groups := map[string]*group{}
	for _, c := range slices.Concat(s.settled, s.conflicts) {
		if c.key == "" {
			continue
		}
		if groups[c.key] == nil {
			groups[c.key] = &group{}
		}
		c.equal = groups[c.key]
		if c.decided {
			c.equal.last = c
			continue
		}
		c.equal.conflicts, c.equal.undecided = append(c.equal.conflicts, c), c.equal.undecided+1
	}
}

// swapped tells in which conflicts of a repository the upper side is upstream's (rules/resolve: sides).
type swapped struct {
	// rebases means that git rebases: then ours is the branch that the user's commits are put on.
	rebases bool
	// isIdle means that git is in no merge, rebase or the like, as after git stash pop.
	isIdle bool
	// stashed has the files whose lower side is the last stash's.
	stashed map[string]bool
	// picked names the commit that git cherry-pick or git revert stopped at, as git's markers do; "" if there is none.
	picked string
}

// readSwapped finds out what git does in a directory.
func readSwapped(ctx context.Context, dir string, unmerged []string) (*swapped, error) {
	has, err := gitHas(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &swapped{stashed: map[string]bool{}}
	s.rebases = (has("rebase-merge") || has("rebase-apply") && !has(filepath.Join("rebase-apply", "applying"))) && !has("MERGE_HEAD")
	s.isIdle = !s.rebases && !slices.ContainsFunc([]string{"rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG"}, has)
	switch {
	case s.isIdle:
		err = s.readStash(ctx, dir, unmerged)
	case has("CHERRY_PICK_HEAD"):
		s.picked, err = commitLabel(ctx, dir, "CHERRY_PICK_HEAD")
	case has("REVERT_HEAD"):
		s.picked, err = commitLabel(ctx, dir, "REVERT_HEAD")
		s.picked = "parent of " + s.picked
	}
	return s, err
}

// commitLabel returns the name of a commit in git's markers, such as 1a2b3c4 (Raise the limit).
func commitLabel(ctx context.Context, dir, commit string) (string, error) {
	out, _, err := gitrepo.Inside(ctx, dir, nil, "log", "--max-count=1", "--no-show-signature", "--no-color", "--format=%h (%s)", commit, "--")
	return strings.TrimSpace(string(out)), err
}

// readStash compares the lower sides of unmerged files with the last stash.
func (s *swapped) readStash(ctx context.Context, dir string, unmerged []string) error {
	var objects []string
	for _, name := range unmerged {
		objects = append(objects, ":3:./"+name, "stash:./"+name)
	}
	texts, err := readObjects(ctx, dir, objects)
	if err != nil {
		return err
	}
	for i, name := range unmerged {
		if of := texts[2*i+1]; of != nil && bytes.Equal(texts[2*i], of) {
			s.stashed[filepath.Join(dir, filepath.FromSlash(name))] = true
		}
	}
	return nil
}

// note notes which side of a conflict is upstream's. It replaces the labels ours and theirs, which the driver writes where git
// before 2.44 tells it none, by those of git's own markers.
func (s *swapped) note(c *conflict) {
	c.isSwapped = s.has(c)
	switch ours, theirs := &c.Labels[marker.Ours], &c.Labels[marker.Theirs]; {
	case *ours != "ours" || *theirs != "theirs":
	case s.picked != "":
		*ours, *theirs = "HEAD", s.picked
	case s.isIdle && c.isSwapped:
		*ours, *theirs = "Updated upstream", "Stashed changes"
	}
}

// has reports whether the upper side of a conflict is upstream's. Git before 2.44 gives the driver no labels, so that
// those of git stash pop are ours and theirs, as of a merge.
func (s *swapped) has(c *conflict) bool {
	ours, theirs := c.Labels[marker.Ours], c.Labels[marker.Theirs]
	switch {
	case ours == "Updated upstream": // git stash pop
		return true
	case s.isIdle:
		return theirs == "local" || ours == "ours" && s.stashed[filepath.Clean(c.file.name)] // git switch --merge, git stash pop
	}
	fromMerge := ours == "local" && theirs == "upstream"
	return s.rebases && !fromMerge
}

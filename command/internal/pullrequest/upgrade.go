package pullrequest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/update"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// trailer ends the message of each commit of an upgrade: a branch whose last commit lacks it has somebody else's work.
const trailer = "Upgraded-By: resource-merge pr"

// upgrading is the upgrade of the packages of a branch.
type upgrading struct {
	*run
	base   string // the branch
	commit string // its commit
	// branches are the branches of earlier upgrades, with their commits.
	branches map[string]string
	box      *sandbox
}

// earlier is a pull request of an upgrade.
type earlier struct {
	pull
	Title    string  `json:"title"`
	MergedAt *string `json:"merged_at"`
}

// upgrade updates each package to its newest version, on a branch and in a pull request of its own.
func (r *run) upgrade(ctx context.Context) (err error) {
	u := &upgrading{run: r, branches: map[string]string{}, base: r.event.branch()}
	if err := checkBranch(u.base); err != nil {
		return fmt.Errorf("the event's repository.default_branch: %w", err)
	}
	if err := u.readRemote(ctx); err != nil {
		return err
	}
	if u.box, err = newSandbox(ctx, r.Dir, true); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, u.box.close()) }()
	if err := u.box.checkOut(ctx, u.commit); err != nil {
		return err
	}
	dirs, err := u.packages()
	if err != nil {
		return err
	}
	return u.upgradeAll(ctx, dirs)
}

// branch returns the branch that the event is about, by default the repository's default branch.
func (e *event) branch() string {
	if ref, isBranch := strings.CutPrefix(e.Ref, "refs/heads/"); isBranch {
		return ref
	}
	return e.Repository.DefaultBranch
}

// upgradeAll plans the pull request of each package, and tells the outcomes.
func (u *upgrading) upgradeAll(ctx context.Context, dirs []string) error {
	for _, dir := range dirs {
		said, err := u.upgradePackage(ctx, dir)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			u.plan.Errors = append(u.plan.Errors, u.problem(dir, err))
		}
		if said != "" {
			u.say(dir + ": " + said)
		}
	}
	if len(dirs) == 0 {
		u.say("no package names its upstream")
	}
	return nil
}

// problem tells why a package was not updated. The sandbox's directory is not in the text: nobody else knows it.
func (u *upgrading) problem(dir string, err error) string {
	text := strings.ReplaceAll(err.Error(), u.box.dir+string(filepath.Separator), "")
	text = strings.ReplaceAll(text, u.box.dir, ".")
	return dir + ": " + strings.TrimPrefix(text, dir+": ")
}

// say adds a line to the message.
func (r *run) say(text string) {
	if r.plan.Message != "" {
		r.plan.Message += "\n"
	}
	r.plan.Message += text
}

// readRemote fetches the branch, and lists and fetches the branches of earlier upgrades.
func (u *upgrading) readRemote(ctx context.Context) error {
	out, err := gitrepo.Git{}.Run(ctx, nil, "-C", u.Dir, "ls-remote", "--heads", "--", u.Remote, "refs/heads/resource-merge/upgrade-*")
	if err != nil {
		return fmt.Errorf("list the branches of %s: %w", u.Remote, err)
	}
	refs := []fetched{{"refs/heads/" + u.base, "base"}}
	for line := range strings.Lines(string(out)) {
		if _, name, found := strings.Cut(strings.TrimRight(line, "\n"), "\trefs/heads/"); found && checkBranch(name) == nil {
			refs = append(refs, fetched{"refs/heads/" + name, "earlier/" + name})
		}
	}
	commits, err := u.fetch(ctx, refs...)
	if err != nil {
		return err
	}
	u.commit = commits[0]
	for i, f := range refs[1:] {
		u.branches[strings.TrimPrefix(f.ref, "refs/heads/")] = commits[i+1]
	}
	return nil
}

// packages returns the directories of the packages to upgrade: the packages that the user names, or all that name their
// upstream and lie in no other one.
func (u *upgrading) packages() (dirs []string, err error) {
	for _, dir := range u.Packages {
		if dir = filepath.ToSlash(filepath.Clean(dir)); !filepath.IsLocal(dir) {
			return nil, fmt.Errorf("the package %s is not in the repository", dir)
		}
		dirs = append(dirs, dir)
	}
	if dirs != nil {
		return dirs, nil
	}
	return u.findPackages()
}

// findPackages returns the directories of the packages that name their upstream and lie in no other one.
func (u *upgrading) findPackages() (dirs []string, err error) {
	err = filepath.WalkDir(u.box.dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if entry.Name() == ".git" {
			return filepath.SkipDir
		}
		if !update.HasUpstream(name) {
			return nil
		}
		dir, err := filepath.Rel(u.box.dir, name)
		if err != nil {
			return err
		}
		dirs = append(dirs, filepath.ToSlash(dir))
		return filepath.SkipDir
	})
	return dirs, err
}

// branchOf returns the branch for a package. The directory is in it, as far as it is plain.
func branchOf(dir string) string {
	name := strings.Trim(regexp.MustCompile(`[^A-Za-z0-9_]+`).ReplaceAllString(dir, "-"), "-")
	if name != dir {
		name = strings.TrimLeft(fmt.Sprintf("%s-%.4x", wording.Cut(name, 80), sha256.Sum256([]byte(dir))), "-")
	}
	return "resource-merge/upgrade-" + name
}

// upgradePackage plans the pull request of a package, and tells the outcome.
func (u *upgrading) upgradePackage(ctx context.Context, dir string) (said string, err error) {
	if err := u.box.checkOut(ctx, u.commit); err != nil {
		return "", err
	}
	report, step, err := u.Update(ctx, u.box.dir, dir)
	if err != nil {
		return "", errors.Join(err, u.restore(ctx))
	}
	tree, err := u.box.tree(ctx, false)
	if err != nil {
		return "", err
	}
	if before, err := u.box.git(ctx, "rev-parse", u.commit+"^{tree}"); err != nil || before == tree {
		return cmp.Or(step, "no newer version"), err
	}
	title := "Update " + wording.Visible(wording.Cut(dir, 100)+": "+wording.Cut(cmp.Or(step, "the newest version"), 100), "")
	p := PullRequest{Package: dir, Title: title, Head: branchOf(dir), Base: u.base, Body: wording.Cut(report, maxBody)}
	if isDeclined, err := u.find(&p); err != nil || isDeclined {
		return "the pull request for this version was closed: it stays so", err
	}
	message := title + "\n\n" + trailer + "\n"
	if p.Push, err = u.push(ctx, p.Head, tree, message); errors.Is(err, errOthers) {
		return p.Head + " has " + errOthers.Error() + ": it stays as it is", nil
	}
	if err != nil {
		return "", err
	}
	u.plan.PullRequests = append(u.plan.PullRequests, p)
	return cmp.Or(step, "updated"), nil
}

// restore removes the files that a failed update may have left.
func (u *upgrading) restore(ctx context.Context) error {
	if _, err := u.box.tree(ctx, true); err != nil {
		return err
	}
	return u.box.checkOut(ctx, u.commit)
}

// find finds the open pull request of a branch. It reports whether there is none and somebody closed one for the
// same version, without a merge.
func (u *upgrading) find(p *PullRequest) (isDeclined bool, err error) {
	owner, _, _ := strings.Cut(u.event.Repository.FullName, "/")
	query := "?state=all&per_page=100&head=" + owner + ":" + p.Head
	all, _, err := ask[earlier](u.run, strings.ReplaceAll(p.Head, "/", "-"), query, "pulls")
	if err != nil {
		return false, err
	}
	for _, e := range all {
		switch {
		case e.Head.Ref != p.Head || e.Base.Ref != p.Base || e.isFork(u.event.Repository):
		case e.State == "open":
			p.Number = e.Number
			return false, nil
		case e.MergedAt == nil && e.Title == p.Title:
			isDeclined = true
		}
	}
	return isDeclined, nil
}

// errOthers says that a branch is not this program's alone.
var errOthers = errors.New("commits of somebody else")

// push commits a tree on top of the branch of an earlier upgrade, if there is one, so that nothing is forced. It
// returns nil if the branch has the tree already.
func (u *upgrading) push(ctx context.Context, name, tree, message string) (*Push, error) {
	parents := []string{u.commit}
	expected := u.branches[name]
	if expected != "" {
		out, _, err := gitrepo.Git{}.Alone(ctx, u.box.dir, "cat-file", "commit", expected)
		if err != nil {
			return nil, err
		}
		head, text, _ := strings.Cut(string(out), "\n\n")
		lines := strings.Split(head, "\n")
		switch {
		case !strings.HasSuffix(strings.TrimSpace(text), trailer):
			return nil, errOthers
		case slices.Contains(lines, "tree "+tree):
			return nil, nil
		case slices.Contains(lines, "parent "+u.commit):
			parents = nil
		}
		parents = append([]string{expected}, parents...)
	}
	id, err := u.box.commit(ctx, tree, message, name, parents...)
	if err != nil {
		return nil, err
	}
	return &Push{Ref: "refs/heads/" + name, SHA: id, Expected: expected}, nil
}

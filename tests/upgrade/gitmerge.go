package main

import (
	"os"
	"path/filepath"
	"strings"
)

// mergeByGit has git merge upstream's branch into local's. A place that git
// leaves to the user counts as a conflict; the files without one are the result.
func mergeByGit(v versions, dir string) (outcome, error) {
	var o outcome
	repo := filepath.Join(dir, "git")
	if err := os.MkdirAll(repo, 0o755); err != nil {
		return o, err
	}
	if err := commitVersions(repo, v); err != nil {
		return o, err
	}
	_, merging := git(repo, "merge", "--quiet", "--no-edit", "upstream")
	names, err := git(repo, "diff", "--name-only", "-z", "--diff-filter=U", "--relative")
	if err != nil {
		return o, err
	}
	o.untold = strings.FieldsFunc(string(names), func(r rune) bool { return r == 0 })
	if merging != nil && len(o.untold) == 0 {
		o.failure = merging.Error()
		return o, nil
	}
	if o.files, err = readTree(repo); err != nil {
		return o, err
	}
	for _, name := range o.untold {
		o.conflicts += max(1, strings.Count(o.files[name], "\n<<<<<<< ")+strings.Count(o.files[name][:min(8, len(o.files[name]))], "<<<<<<< "))
	}
	o.files, o.broken = o.files.without(o.untold).readable()
	return o, nil
}

// commitVersions makes a repository with the branches upstream and, checked
// out, local, both from origin.
func commitVersions(repo string, v versions) error {
	if _, err := git(repo, "init", "--quiet", "--initial-branch=origin"); err != nil {
		return err
	}
	for _, c := range []struct {
		branch string
		files  tree
	}{{"origin", v.origin}, {"upstream", v.upstream}, {"local", v.local.files}} {
		if err := commit(repo, c.branch, c.files); err != nil {
			return err
		}
	}
	return nil
}

// commit commits files to a branch off origin.
func commit(repo, branch string, files tree) error {
	if branch != "origin" {
		if _, err := git(repo, "checkout", "--quiet", "-b", branch, "origin"); err != nil {
			return err
		}
		if _, err := git(repo, "rm", "--quiet", "-r", "--ignore-unmatch", "."); err != nil {
			return err
		}
	}
	if err := files.write(repo); err != nil {
		return err
	}
	if _, err := git(repo, "add", "--all", "--force"); err != nil {
		return err
	}
	_, err := git(repo, "commit", "--quiet", "--allow-empty", "--message="+branch)
	return err
}

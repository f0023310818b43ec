package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// versus is ours and another program on the same work.
type versus struct {
	what   string
	n      int // files a side
	ours   measure
	theirs measure
}

// measureDirectories measures the merge of directories beside `git merge` of the same
// trees, at the largest size up to 1,000 files a side, with few changes and with
// everything changed.
func (b *bench) measureDirectories() ([]versus, error) {
	n := 0
	for _, size := range b.sizes {
		if size <= 1000 {
			n = max(n, size)
		}
	}
	if n == 0 {
		return nil, nil
	}
	var all []versus
	for _, load := range []string{"few", "all"} {
		v := versus{what: meaning(load), n: n}
		var err error
		if v.ours, err = b.measure(b.onTrees(load, nameOurs, "resource-merge", "merge", "--write", "--quiet",
			"--origin=../origin", "--upstream=../upstream", "--local=."), n); err != nil {
			return nil, err
		}
		if v.theirs, err = b.measure(b.onTrees(load, "git merge", "git", "merge", "--quiet", "--no-edit", "upstream"), n); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// onTrees is a program that merges in a repository with local's version checked out,
// which git has looked at.
func (b *bench) onTrees(load, name string, command ...string) contender {
	return contender{
		name: name + " of " + load, command: command, lay: b.layTrees(load), within: "repository", writes: true,
		ready: func(dir string) error { return b.git(filepath.Join(dir, "repository"), "status", "--porcelain") },
	}
}

// layTrees returns a function that writes the directories of a load, and a repository that has
// them as branches.
func (b *bench) layTrees(load string) func(dir string, n int) error {
	return func(dir string, n int) error {
		if err := b.layPackage(load)(dir, n); err != nil {
			return err
		}
		repo := filepath.Join(dir, "repository")
		if err := os.Mkdir(repo, 0o755); err != nil {
			return err
		}
		if err := b.git(repo, "init", "--quiet"); err != nil {
			return err
		}
		for _, side := range []string{"origin", "upstream", "local"} {
			if err := b.commitSide(repo, filepath.Join(dir, side)); err != nil {
				return err
			}
		}
		return b.gitAll(repo, [][]string{
			{"reset", "--quiet", "--hard", "local"}, {"config", "user.name", "perf"}, {"config", "user.email", "perf@example.com"},
			{"config", "gc.auto", "0"}, {"gc", "--quiet"},
		})
	}
}

// commitSide commits a side's directory to the branch of its name, which comes from
// origin's.
func (b *bench) commitSide(repo, dir string) error {
	in := []string{"--git-dir=" + filepath.Join(repo, ".git"), "--work-tree=."}
	side := filepath.Base(dir)
	steps := [][]string{{"add", "--all"}, {"commit", "--quiet", "--message=" + side}, {"branch", side}}
	if side != "origin" {
		steps = append([][]string{{"reset", "--quiet", "--soft", "origin"}}, steps...)
	}
	for i := range steps {
		steps[i] = append(in[:len(in):len(in)], steps[i]...)
	}
	return b.gitAll(dir, steps)
}

// measureDriver measures the merge of one file, which both sides changed, as git's
// merge driver, beside `git merge-file`. The runs are more than others: they are short.
func (b *bench) measureDriver() (v versus, err error) {
	many := *b
	many.runs *= 8
	lay := func(dir string, n int) error {
		if err := b.layPackage("all")(dir, n); err != nil {
			return err
		}
		for _, side := range []string{"origin", "upstream", "local"} {
			if err := os.Rename(filepath.Join(dir, side, "web-0.yaml"), filepath.Join(dir, side+".yaml")); err != nil {
				return fmt.Errorf("lay one file: %w", err)
			}
		}
		return nil
	}
	one := func(name string, command ...string) (measure, error) {
		return many.measure(contender{name: name, command: command, lay: lay, writes: true}, 1)
	}
	if v.ours, err = one("git driver", "resource-merge", "git", "driver", "-p", "web-0.yaml", "origin.yaml", "local.yaml", "upstream.yaml"); err != nil {
		return v, err
	}
	v.theirs, err = one("git merge-file", "git", "merge-file", "--quiet", "local.yaml", "origin.yaml", "upstream.yaml")
	return v, err
}

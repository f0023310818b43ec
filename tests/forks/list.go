package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// fork is a line of the list: a directory of a repository that is a copy of an upstream directory.
type fork struct {
	name, repo, dir string
	// upstream is "-" for a fork kept by git merge: its own merges are its upgrades.
	upstream, upstreamDir string
}

// merged reports whether the fork is kept by git merge.
func (f fork) merged() bool { return f.upstream == "-" }

// readForks reads the list; only is the one fork to measure, or "".
func readForks(file, only string) ([]fork, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var forks []fork
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(line, "\t")
		if len(c) != 5 {
			return nil, fmt.Errorf("%s:%d: want name, fork, directory, upstream and its directory, separated by tabs", file, i+1)
		}
		if only == "" || only == c[0] {
			forks = append(forks, fork{c[0], c[1], c[2], c[3], c[4]})
		}
	}
	if len(forks) == 0 {
		return nil, fmt.Errorf("%s has no fork %q", file, only)
	}
	return forks, nil
}

// findMirrors replaces the names of repositories by their directories, and clones what is missing.
func (o options) findMirrors(ctx context.Context, forks []fork) (err error) {
	for i := range forks {
		f := &forks[i]
		if f.repo, err = o.mirrorOf(ctx, f.repo); err != nil {
			return err
		}
		if !f.merged() {
			if f.upstream, err = o.mirrorOf(ctx, f.upstream); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o options) mirrorOf(ctx context.Context, name string) (string, error) {
	flat := filepath.Join(o.mirror, strings.ReplaceAll(name, "/", "+"), "repo")
	for _, dir := range []string{filepath.Join(flat, ".git"), flat, filepath.Join(o.mirror, name)} {
		if _, err := os.Stat(dir); err == nil {
			return dir, nil
		}
	}
	if !o.clone {
		return "", fmt.Errorf("%s has no clone of %s: clone it into %s, or use --clone", o.mirror, name, flat)
	}
	cmd := exec.CommandContext(ctx, "git", "clone", "--quiet", "--bare", "https://github.com/"+name, flat)
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("git clone of %s: %s", name, said)
	}
	return flat, nil
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// kptfile takes the repository and the commit of v1.
const kptfile = `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: package
upstream:
  type: git
  git: {repo: %[1]q, directory: /, ref: v1}
  updateStrategy: resource-merge
upstreamLock:
  type: git
  git: {repo: %[1]q, directory: /, ref: v1, commit: %[2]s}
`

const upstreamKptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: package\n"

// layRepository makes a package in local/ that came from the tag v1 of a
// repository, whose tag v2 is the new version.
func (b *bench) layRepository(dir string, n int) error {
	if err := b.layPackage("few")(dir, n); err != nil {
		return err
	}
	repo := filepath.Join(dir, "repository")
	if err := b.git(dir, "init", "--quiet", "--bare", repo); err != nil {
		return err
	}
	for i, side := range [2]string{"origin", "upstream"} {
		if err := b.publish(filepath.Join(dir, side), repo, fmt.Sprintf("v%d", i+1)); err != nil {
			return err
		}
	}
	commit, err := b.command(repo, "git", "rev-parse", "v1").Output()
	if err != nil {
		return err
	}
	return b.commitPackage(filepath.Join(dir, "local"), fmt.Sprintf(kptfile, repo, commit))
}

// publish makes a tag with the files of a directory in a repository.
func (b *bench) publish(dir, repo, tag string) error {
	if err := os.WriteFile(filepath.Join(dir, "Kptfile"), []byte(upstreamKptfile), 0o644); err != nil {
		return err
	}
	return b.gitAll(dir, [][]string{
		{"--git-dir=" + repo, "--work-tree=.", "add", "--all"},
		{"--git-dir=" + repo, "--work-tree=.", "commit", "--quiet", "--message=" + tag},
		{"--git-dir=" + repo, "tag", tag},
	})
}

// commitPackage makes a repository of a package: kpt updates no other.
func (b *bench) commitPackage(dir, kptfile string) error {
	if err := os.WriteFile(filepath.Join(dir, "Kptfile"), []byte(kptfile), 0o644); err != nil {
		return err
	}
	return b.gitAll(dir, [][]string{
		{"init", "--quiet"}, {"add", "--all"}, {"commit", "--quiet", "--message=package"},
	})
}

func (b *bench) gitAll(dir string, commands [][]string) error {
	for _, args := range commands {
		if err := b.git(dir, args...); err != nil {
			return err
		}
	}
	return nil
}

// git runs git as nobody in particular.
func (b *bench) git(dir string, args ...string) error {
	who := []string{"-c", "user.name=perf", "-c", "user.email=perf@example.com", "-c", "gc.auto=0"}
	return succeed(b.command(dir, "git", append(who, args...)...))
}

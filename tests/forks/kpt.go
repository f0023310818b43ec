package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// mergeByKpt has kpt pkg update merge the files of an upgrade that it can read: every document of every
// version is a resource with a name. kpt has no conflicts: it takes upstream's value.
func (s *score) mergeByKpt(ctx context.Context, program string, files []versions) error {
	readable := files[:0:0]
	for _, v := range files {
		if !v.noBase && resources(v.base) && resources(v.ours) && resources(v.theirs) {
			readable = append(readable, v)
		}
	}
	if len(readable) == 0 {
		return nil
	}
	dir, err := os.MkdirTemp("", "forks-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	k := kptRun{ctx: ctx, dir: dir, program: program}
	local, err := k.prepare(readable)
	if err != nil {
		return err
	}
	start := time.Now()
	_, err = k.command(local, program, "pkg", "update", ".@v2", "--strategy=resource-merge")
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return nil // kpt refused the package; its files count as unread
	}
	s.time += time.Since(start)
	for _, v := range readable {
		text, err := os.ReadFile(filepath.Join(local, v.path))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		s.count(v, withoutNotes(text), 0, false)
	}
	return nil
}

// resources reports whether every document of a text is a Kubernetes resource with a name.
func resources(text []byte) bool {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for n := 0; ; n++ {
		var r struct {
			APIVersion string `yaml:"apiVersion"`
			Kind       string
			Metadata   struct{ Name string }
		}
		if err := decoder.Decode(&r); err == io.EOF {
			return n > 0
		} else if err != nil || r.APIVersion == "" || r.Kind == "" || r.Metadata.Name == "" {
			return false
		}
	}
}

// withoutNotes returns a text without what kpt notes in it for itself: the annotation with the identity of the
// upstream resource, and the merge comment.
func withoutNotes(text []byte) []byte {
	var out []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(strings.TrimSpace(line), "internal.kpt.dev/upstream-identifier:") {
			continue
		}
		if before, _, found := strings.Cut(line, " # kpt-merge:"); found {
			line = before + "\n"
		}
		if last := len(out) - 1; last >= 0 && strings.TrimSpace(out[last]) == "annotations:" && indent(line) <= indent(out[last]) {
			out = out[:last] // the annotation was the only one
		}
		out = append(out, line)
	}
	return []byte(strings.Join(out, ""))
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// kptRun is a directory with an upstream repository, a fork and kpt's cache.
type kptRun struct {
	ctx          context.Context
	dir, program string
}

// prepare makes the repository of upstream with the tags v1 and v2, and the fork, whose directory it returns.
func (k kptRun) prepare(files []versions) (local string, err error) {
	upstream, local := filepath.Join(k.dir, "upstream"), filepath.Join(k.dir, "local")
	const kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: package\n"
	first, err := k.commit(upstream, "v1", kptfile, files, func(v versions) []byte { return v.base })
	if err != nil {
		return "", err
	}
	if _, err := k.commit(upstream, "v2", kptfile, files, func(v versions) []byte { return v.theirs }); err != nil {
		return "", err
	}
	at := fmt.Sprintf("  type: git\n  git: {repo: %q, directory: /, ref: v1", upstream)
	lock := kptfile + "upstream:\n" + at + "}\n  updateStrategy: resource-merge\nupstreamLock:\n" + at + ", commit: " + first + "}\n"
	_, err = k.commit(local, "v1", lock, files, func(v versions) []byte { return v.ours })
	return local, err
}

// commit commits files as the next version of a repository, with a tag, and returns the commit.
func (k kptRun) commit(repo, tag, kptfile string, files []versions, text func(versions) []byte) (string, error) {
	if err := os.MkdirAll(repo, 0o755); err != nil {
		return "", err
	}
	for _, v := range append(files, versions{path: "Kptfile"}) {
		content := text(v)
		if v.path == "Kptfile" {
			content = []byte(kptfile)
		}
		name := filepath.Join(repo, v.path)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(name, content, 0o644); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"}, {"add", "--all", "--force"}, {"commit", "--quiet", "--allow-empty", "--message=" + tag}, {"tag", tag},
	} {
		if said, err := k.command(repo, "git", args...); err != nil {
			return "", fmt.Errorf("git %s: %s", args[0], said)
		}
	}
	hash, err := k.command(repo, "git", "rev-parse", "HEAD")
	return strings.TrimSpace(hash), err
}

func (k kptRun) command(dir, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(k.ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "KPT_CACHE_DIR="+filepath.Join(k.dir, "cache"))
	said, err := cmd.CombinedOutput()
	return string(said), err
}

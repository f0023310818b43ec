package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
)

// history is the repository of which merges are replayed.
type history struct {
	dir     string
	blobs   *bufio.Reader
	ask     io.WriteCloser
	process *exec.Cmd
}

// mergeCommit is a merge of two parents.
type mergeCommit struct{ commit, ours, theirs string }

// file is a YAML file that both sides of a merge changed.
type file struct {
	merge mergeCommit
	path  string
	// blobs are those of the base, "" if both sides added the file, of ours, theirs and
	// the merge.
	base, ours, theirs, merged string
}

func open(ctx context.Context, dir string) (*history, error) {
	h := &history{dir: dir, process: exec.CommandContext(ctx, "git", "-C", dir, "cat-file", "--batch")}
	out, err := h.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if h.ask, err = h.process.StdinPipe(); err != nil {
		return nil, err
	}
	h.blobs = bufio.NewReaderSize(out, 1<<16)
	return h, h.process.Start()
}

func (h *history) close() error {
	h.ask.Close()
	return h.process.Wait()
}

func (h *history) git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", h.dir}, args...)...).Output()
	return string(out), err
}

// merges are the merges of two parents, the newest first.
func (h *history) merges(ctx context.Context, limit int) (out []mergeCommit, err error) {
	text, err := h.git(ctx, "rev-list", "--all", "--min-parents=2", "--max-parents=2", "--parents")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 3 && (limit == 0 || len(out) < limit) {
			out = append(out, mergeCommit{f[0], f[1], f[2]})
		}
	}
	return out, nil
}

// files are the YAML files that both sides of a merge changed since their merge base,
// and that the merge has.
func (h *history) files(ctx context.Context, m mergeCommit) (out []file, err error) {
	base, err := h.git(ctx, "merge-base", m.ours, m.theirs)
	if err != nil {
		return nil, nil // unrelated histories
	}
	base = strings.TrimSpace(base)
	if base == m.ours || base == m.theirs {
		return nil, nil
	}
	ours, err := h.changed(ctx, base, m.ours)
	if err != nil || len(ours) == 0 {
		return nil, err
	}
	theirs, err := h.changed(ctx, base, m.theirs)
	if err != nil {
		return nil, err
	}
	for name, o := range ours {
		t, both := theirs[name]
		if both && o.blob != t.blob && o.blob != "" && t.blob != "" {
			out = append(out, file{merge: m, path: name, base: o.was, ours: o.blob, theirs: t.blob})
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	slices.SortFunc(out, func(a, b file) int { return strings.Compare(a.path, b.path) })
	merged, err := h.changed(ctx, base, m.commit)
	if err != nil {
		return nil, err
	}
	for i, f := range out {
		out[i].merged = f.base
		if c, found := merged[f.path]; found {
			out[i].merged = c.blob
		}
	}
	return slices.DeleteFunc(out, func(f file) bool { return f.merged == "" }), nil
}

// change is what a commit made of a blob.
type change struct{ was, blob string }

// changed are the YAML files that a commit has otherwise than another one, by name. The
// blob of one that it has not is "".
func (h *history) changed(ctx context.Context, from, to string) (map[string]change, error) {
	text, err := h.git(ctx, "diff-tree", "-r", "-z", "--no-renames", "--diff-filter=AMD", from, to)
	if err != nil {
		return nil, err
	}
	out := map[string]change{}
	fields := strings.Split(text, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		about, name := strings.Fields(fields[i]), fields[i+1]
		if len(about) == 5 && isYAML(name) && about[1] != "120000" {
			out[name] = change{was: blobOf(about[2]), blob: blobOf(about[3])}
		}
	}
	return out, nil
}

func isYAML(name string) bool {
	ext := path.Ext(name)
	return ext == ".yaml" || ext == ".yml" || path.Base(name) == "Kptfile"
}

// blob reads a blob; "" is empty.
func (h *history) blob(id string) ([]byte, error) {
	if id == "" {
		return nil, nil
	}
	if _, err := fmt.Fprintln(h.ask, id); err != nil {
		return nil, err
	}
	line, err := h.blobs.ReadString('\n')
	if err != nil {
		return nil, err
	}
	f := strings.Fields(line)
	if len(f) != 3 {
		return nil, fmt.Errorf("blob %s: %s", id, strings.TrimSpace(line))
	}
	size, err := strconv.Atoi(f[2])
	if err != nil {
		return nil, err
	}
	text := make([]byte, size+1)
	_, err = io.ReadFull(h.blobs, text)
	return text[:size], err
}

// blobOf is the name of a blob, "" where there is none.
func blobOf(id string) string {
	if strings.Trim(id, "0") == "" {
		return ""
	}
	return id
}

// Package history reads the merges and files of a git repository, for tests that merge them again.
package history

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

// History is a repository whose merges are replayed.
type History struct {
	dir     string
	blobs   *bufio.Reader
	ask     io.WriteCloser
	process *exec.Cmd
}

// Merge is a merge of two parents.
type Merge struct{ Commit, Ours, Theirs string }

// File is a YAML file that both sides of a merge changed.
type File struct {
	Merge Merge
	Path  string
	// The blobs of the base, "" if both sides added the file, of ours, theirs and the
	// merge.
	Base, Ours, Theirs, Merged string
}

// Open opens a repository; Close ends its reader.
func Open(ctx context.Context, dir string) (*History, error) {
	h := &History{dir: dir, process: exec.CommandContext(ctx, "git", "-C", dir, "cat-file", "--batch")}
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

// Close ends the reader of blobs.
func (h *History) Close() error {
	h.ask.Close()
	return h.process.Wait()
}

// Git runs git in the repository and returns its output.
func (h *History) Git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", h.dir}, args...)...).Output()
	return string(out), err
}

// Merges returns the merges of two parents, the newest first.
func (h *History) Merges(ctx context.Context, limit int) (out []Merge, err error) {
	text, err := h.Git(ctx, "rev-list", "--all", "--min-parents=2", "--max-parents=2", "--parents")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 3 && (limit == 0 || len(out) < limit) {
			out = append(out, Merge{f[0], f[1], f[2]})
		}
	}
	return out, nil
}

// Files returns the YAML files that both sides of a merge changed since their merge base,
// and that the merge has.
func (h *History) Files(ctx context.Context, m Merge) (out []File, err error) {
	base, err := h.Git(ctx, "merge-base", m.Ours, m.Theirs)
	if err != nil {
		return nil, nil // unrelated histories
	}
	base = strings.TrimSpace(base)
	if base == m.Ours || base == m.Theirs {
		return nil, nil
	}
	ours, err := h.Changed(ctx, base, m.Ours)
	if err != nil || len(ours) == 0 {
		return nil, err
	}
	theirs, err := h.Changed(ctx, base, m.Theirs)
	if err != nil {
		return nil, err
	}
	for name, o := range ours {
		t, both := theirs[name]
		if both && o.Blob != t.Blob && o.Blob != "" && t.Blob != "" {
			out = append(out, File{Merge: m, Path: name, Base: o.Was, Ours: o.Blob, Theirs: t.Blob})
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	merged, err := h.Changed(ctx, base, m.Commit)
	if err != nil {
		return nil, err
	}
	for i, f := range out {
		out[i].Merged = f.Base
		if c, found := merged[f.Path]; found {
			out[i].Merged = c.Blob
		}
	}
	return slices.DeleteFunc(out, func(f File) bool { return f.Merged == "" }), nil
}

// Change is a blob before and after a commit.
type Change struct{ Was, Blob string }

// Changed returns the YAML files that differ between two commits, by name. The
// blob of one that it has not is "".
func (h *History) Changed(ctx context.Context, from, to string) (map[string]Change, error) {
	text, err := h.Git(ctx, "diff-tree", "-r", "-z", "--no-renames", "--diff-filter=AMD", from, to)
	if err != nil {
		return nil, err
	}
	out := map[string]Change{}
	fields := strings.Split(text, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		about, name := strings.Fields(fields[i]), fields[i+1]
		if len(about) == 5 && IsYAML(name) && about[1] != "120000" {
			out[name] = Change{Was: blobOf(about[2]), Blob: blobOf(about[3])}
		}
	}
	return out, nil
}

// IsYAML reports whether a name is one of a YAML file or a Kptfile.
func IsYAML(name string) bool {
	ext := path.Ext(name)
	return ext == ".yaml" || ext == ".yml" || path.Base(name) == "Kptfile"
}

// Blob reads a blob; "" is empty.
func (h *History) Blob(id string) ([]byte, error) {
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

package sink

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Diff writes the changes of the merge to local's directory as the user's git shows them (rules/files:
// differences): `git apply` turns local's package into the merged one.
type Diff struct {
	To io.Writer
	// Read are the files of local's package as they were read; the merged packages need files, too: see
	// pkgmerge.NewPackage.
	Read []pkgmerge.File
	// Below is put before the names of files: local's directory in its repository, with slashes.
	Below string
	// Shown returns the part of a file that the difference shows; nil shows all.
	Shown func(text []byte) []byte
	// Terminal selects output for people: only the names of binary files, and control characters as
	// numbers. Color adds colours.
	Terminal, Color bool
}

// Write writes the difference.
func (d Diff) Write(ctx context.Context, result *pkgmerge.Result) error {
	files, err := filesOf("the difference", result)
	if err != nil {
		return err
	}
	options := []string{"--no-color"}
	if d.Color {
		options = []string{"--color=always", "--ws-error-highlight=none"}
	}
	if !d.Terminal {
		options = append(options, "--binary")
	}
	text, err := gitDiff(ctx, d.shown(d.Read), d.shown(files), d.Below, options...)
	if err == nil && d.Terminal {
		text = visibleLines(text, d.Color)
	}
	if err == nil {
		_, err = d.To.Write(text)
	}
	return err
}

func (d Diff) shown(files []pkgmerge.File) []pkgmerge.File {
	if d.Shown == nil {
		return files
	}
	out := slices.Clone(files)
	for i := range out {
		out[i].Data = d.Shown(out[i].Data)
	}
	return out
}

// visibleLines returns the lines of a difference without control characters, except for git's colours: the
// one that begins a line, and all resets.
func visibleLines(diff []byte, colored bool) []byte {
	var out bytes.Buffer
	for line := range strings.Lines(string(diff)) {
		parts := []string{strings.TrimSuffix(line, "\n")}
		if colored {
			parts = strings.Split(parts[0], "\x1b[m")
			if code, text, found := strings.Cut(parts[0], "m"); found && strings.HasPrefix(code, "\x1b[") {
				out.WriteString(code + "m")
				parts[0] = text
			}
		}
		for i, part := range parts {
			parts[i] = wording.Visible(part, "\t")
		}
		out.WriteString(strings.Join(parts, "\x1b[m") + "\n")
	}
	return out.Bytes()
}

// gitDiff returns the difference between two versions of files as git writes it, with names below a
// directory, which may be "". Git compares the files in a temporary repository, so no configuration but the
// user's applies. It is not started if the files are the same.
func gitDiff(ctx context.Context, before, after []pkgmerge.File, below string, options ...string) (diff []byte, err error) {
	removed, added := lacking(before, after), lacking(after, before)
	if len(removed)+len(added) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "resource-merge-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	run := func(stdin io.Reader, args ...string) ([]byte, error) {
		return gitrepo.Git{}.Run(ctx, stdin, append([]string{"--git-dir=" + dir}, args...)...)
	}
	var versions bytes.Buffer
	writeVersion(&versions, "refs/before", below, removed)
	writeVersion(&versions, "refs/after", below, added)
	_, err = run(nil, "init", "--quiet", "--bare", "--template=", "--object-format=sha1", "--", dir)
	if err == nil {
		_, err = run(&versions, "-c", "core.compression=1", "fast-import", "--quiet")
	}
	if err == nil {
		args := []string{"-c", "core.abbrev=7", "-c", "core.quotePath=true", "diff-tree", "-r", "-p", "-M", "--no-ext-diff", "--no-textconv"}
		diff, err = run(nil, append(append(args, options...), "refs/before", "refs/after")...)
	}
	if err != nil {
		err = fmt.Errorf("compare the files: %w", err)
	}
	return diff, err
}

// lacking returns the files that others lack, or have with another mode or content.
func lacking(files, others []pkgmerge.File) (out []pkgmerge.File) {
	byName := make(map[string]pkgmerge.File, len(others))
	for _, f := range others {
		byName[f.Name] = f
	}
	for _, f := range files {
		if other, found := byName[f.Name]; !found || gitrepo.Mode(f.Mode) != gitrepo.Mode(other.Mode) || !bytes.Equal(f.Data, other.Data) {
			out = append(out, f)
		}
	}
	return out
}

// writeVersion writes a commit of files for git fast-import.
func writeVersion(to *bytes.Buffer, ref, below string, files []pkgmerge.File) {
	fmt.Fprintf(to, "commit %s\ncommitter resource-merge <> 0 +0000\ndata 0\n", ref)
	for _, f := range files {
		f.Name = path.Join(below, f.Name)
		gitrepo.WriteFile(to, file.File(f))
	}
}

package gitdriver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/resource-merge/resource-merge/command/internal/marker"
)

// errBinary means that git does not merge a file.
var errBinary = errors.New("binary files are not merged")

// exitUsage is git's exit code for an unknown option.
const exitUsage = 129

// MergeLines merges three versions line by line, as git does, and returns the number of conflicts.
// Its markers are in the format's style, or in git's default style.
func (g Git) MergeLines(ctx context.Context, v Versions, f marker.Format) (text []byte, conflicts int, err error) {
	// git merge uses another algorithm than git merge-file, which can be told since 2.44.
	if !g.isOld {
		text, conflicts, err = g.mergeFile(ctx, v, f, "--diff-algorithm=histogram")
	}
	if g.isOld || conflicts == exitUsage {
		text, conflicts, err = g.mergeFile(ctx, v, f)
	}
	return text, conflicts, err
}

// mergeFile merges three versions with git merge-file and further options. The number of conflicts
// is exitUsage if git does not know an option.
func (g Git) mergeFile(ctx context.Context, v Versions, f marker.Format, options ...string) (text []byte, conflicts int, err error) {
	for _, version := range v.Texts {
		if isBinary(version) {
			return nil, 0, errBinary
		}
	}
	dir, err := os.MkdirTemp("", "resource-merge-")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	var files [3]string
	for side, name := range [3]string{marker.Ours: "ours", marker.Base: "base", marker.Theirs: "theirs"} {
		files[side] = filepath.Join(dir, name)
		if err := os.WriteFile(files[side], v.Texts[side], 0o600); err != nil {
			return nil, 0, err
		}
	}
	args := append([]string{"merge-file"}, options...)
	args = append(args, "-p", "-q")
	switch f.Style {
	case marker.Diff3, marker.ZealousDiff3:
		args = append(args, "--"+string(f.Style))
	}
	if f.Size > 0 {
		args = append(args, "--marker-size="+strconv.Itoa(f.Size))
	}
	for side := range files {
		args = append(args, "-L", f.Labels[side])
	}
	text, code, err := g.run(ctx, append(args, files[:]...)...)
	if code == exitUsage || code > 0 && code < 128 {
		return text, code, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("merge line by line: %w", err)
	}
	return text, 0, nil
}

// isBinary reports whether git considers a file binary: it has a NUL byte near its start.
func isBinary(text []byte) bool { return bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 }

// style returns git's merge.conflictStyle.
func (g Git) style(ctx context.Context) (marker.Style, error) {
	switch style, err := g.config(ctx, "merge.conflictStyle"); marker.Style(style) {
	case marker.Diff3, marker.ZealousDiff3:
		return marker.Style(style), err
	default:
		return marker.Merge, err
	}
}

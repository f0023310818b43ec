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

// errBinary says that git does not merge a content.
var errBinary = errors.New("binary files are not merged")

// usage is git's exit code for an option that it does not know.
const usage = 129

// MergeLines merges three versions as git does, line by line, with markers where
// lines collide, in the format's style or git's own, and returns how many there are.
func (g Git) MergeLines(ctx context.Context, v Versions, f marker.Format) (text []byte, conflicts int, err error) {
	// git merge uses another algorithm than git merge-file, which can be told since 2.44.
	if !g.old {
		text, conflicts, err = g.mergeFile(ctx, v, f, "--diff-algorithm=histogram")
	}
	if g.old || conflicts == usage {
		text, conflicts, err = g.mergeFile(ctx, v, f)
	}
	return text, conflicts, err
}

// mergeFile merges three versions with git merge-file and further options. The number of
// conflicts is usage where git does not know an option.
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
	if code == usage || code > 0 && code < 128 {
		return text, code, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("merge line by line: %w", err)
	}
	return text, 0, nil
}

// isBinary reports whether git takes a content for binary: it has a NUL byte near its
// beginning.
func isBinary(text []byte) bool { return bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 }

// style is git's merge.conflictStyle.
func (g Git) style(ctx context.Context) (marker.Style, error) {
	switch style, err := g.config(ctx, "merge.conflictStyle"); marker.Style(style) {
	case marker.Diff3, marker.ZealousDiff3:
		return marker.Style(style), err
	default:
		return marker.Merge, err
	}
}

package gitdriver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/resource-merge/resource-merge/internal/marker"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// Exit codes of a merge driver.
const (
	exitMerged   = 0
	exitConflict = 1
	// exitError tells git, as any code above 128, that the driver itself failed: then
	// git leaves the merge to the user.
	exitError = 129
)

// Call is what git tells a merge driver.
type Call struct {
	// Base, Ours and Theirs are files with the versions: %O, %A and %B. The result
	// replaces Ours.
	Base, Ours, Theirs string
	// Path is where the file lies in the repository: %P.
	Path string
	// Size is the length of a marker: %L.
	Size int
	// Labels are what markers call the sides: %X, %S and %Y. A git before 2.44 leaves
	// these as they are.
	Labels [3]string
}

// Drive merges one file as a merge driver and returns the exit code: 0, or 1 where the file
// has markers. On an error the file is left as it was, and the code is above 128.
func (g Git) Drive(ctx context.Context, c Call, stderr io.Writer) int {
	code, err := g.drive(ctx, c, stderr)
	if err != nil {
		wording.Say(stderr, "resource-merge: %s: %v", c.Path, err)
		return exitError
	}
	return code
}

func (g Git) drive(ctx context.Context, c Call, stderr io.Writer) (code int, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%v", cause)
		}
	}()
	v := Versions{Path: c.Path}
	for side, file := range [3]string{marker.Ours: c.Ours, marker.Base: c.Base, marker.Theirs: c.Theirs} {
		if v.Texts[side], err = os.ReadFile(file); err != nil {
			return exitError, err
		}
	}
	v.NoBase = len(v.Texts[marker.Base]) == 0
	f := marker.Format{Size: c.Size, Labels: labels(c.Labels)}
	g.old = strings.HasPrefix(c.Labels[marker.Ours], "%")
	m, err := g.Merge(ctx, v, f)
	if err != nil {
		return exitError, err
	}
	if m.Reason != "" {
		wording.Say(stderr, "resource-merge: %s: %s; its lines are merged, as git does", c.Path, m.Reason)
	}
	if m.Wrong != "" {
		fmt.Fprintf(stderr, "resource-merge: %s: %s\n", c.Path, m.instead())
	}
	if string(m.Text) != string(v.Texts[marker.Ours]) {
		err = replace(c.Ours, m.Text)
	}
	if err == nil && m.Conflicts > 0 {
		code = exitConflict
	}
	return code, err
}

// labels are what git calls the sides. What it does not say is ours, base and theirs.
func labels(given [3]string) [3]string {
	for side, label := range [3]string{marker.Ours: "ours", marker.Base: "base", marker.Theirs: "theirs"} {
		if given[side] == "" || strings.HasPrefix(given[side], "%") {
			given[side] = label
		}
	}
	return given
}

// replace replaces a file as a whole, or not at all.
func replace(name string, text []byte) (err error) {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".resource-merge-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

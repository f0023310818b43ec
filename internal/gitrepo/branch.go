package gitrepo

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/resource-merge/resource-merge/internal/file"
)

// NewBranch is a branch with one commit on top of another one.
type NewBranch struct {
	// Name is the branch's, From a revision, and Message the commit's.
	Name, From, Message string
	// Files are written, and Removed removed, by their names below Top.
	Files   []file.File
	Removed []string
}

// AddBranch makes a branch as the user who is configured. The work tree and the index stay as they are. It is an error if
// there is such a branch.
func (w *WorkTree) AddBranch(ctx context.Context, b NewBranch) error {
	ref := branches + b.Name
	if err := checkRef(b.Name); err != nil {
		return err
	}
	if _, err := w.Resolve(ctx, ref); err == nil {
		return fmt.Errorf("%s has a branch %s already", w.Top, b.Name)
	}
	from, err := w.Resolve(ctx, b.From)
	if err != nil {
		if from, err = w.Resolve(ctx, "origin/"+b.From); err != nil {
			return fmt.Errorf("%s has no version %s; fetch it", w.Top, b.From)
		}
	}
	who, err := w.run(ctx, command{args: []string{"var", "GIT_COMMITTER_IDENT"}})
	if err != nil {
		return fmt.Errorf("read your name for a commit: %w", err)
	}
	var in bytes.Buffer
	fmt.Fprintf(&in, "commit %s\ncommitter %s\ndata %d\n%s\nfrom %s\n", ref, strings.TrimSpace(string(who)), len(b.Message), b.Message, from)
	for _, name := range b.Removed {
		fmt.Fprintf(&in, "D %s\n", quoted(name))
	}
	for _, f := range b.Files {
		mode := "100644"
		switch {
		case f.Mode&fs.ModeSymlink != 0:
			mode = symlink
		case f.Mode&0o100 != 0:
			mode = executable
		}
		fmt.Fprintf(&in, "M %s inline %s\ndata %d\n%s\n", mode, quoted(f.Name), len(f.Data), f.Data)
	}
	_, err = w.run(ctx, command{stdin: &in, args: []string{"fast-import", "--quiet"}})
	return err
}

// quoted returns a path as git fast-import reads it.
func quoted(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(name) + `"`
}

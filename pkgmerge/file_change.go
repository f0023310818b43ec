package pkgmerge

import (
	"bytes"
	"fmt"
	"io/fs"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// FileChange is what became of a file that does not merge by structure (design 17.2): a
// script, a template, a symbolic link, a binary.
type FileChange struct {
	// Name is the file below the top of its package, with slashes.
	Name string
	// Versions are nil where a side has no such file.
	Versions [3]*File
	Action   Action
	// Result is the file as the merged package has it, nil if that has none.
	Result *File
	// Conflicts are about lines of a text, with the number of a side's first line as the
	// line of its value, or about the file as a whole. They have no path.
	Conflicts []merge.Conflict
	// Remarks are about the file as a whole.
	Remarks []merge.Remark
	// Secret says that the file may hold a Secret, which is not to be shown.
	Secret bool
	// Fault is why a file that some side has as resources did not merge by structure,
	// "" for a file that no side has so.
	Fault string

	policy merge.Policy
}

// Fails reports whether the file's conflicts are to fail the run.
func (c *FileChange) Fails() bool { return len(c.Conflicts) > 0 && c.policy(nil) == merge.PreferFail }

// Marks reports whether the file's conflicts are to be marked in it (design 18).
func (c *FileChange) Marks() bool { return c.policy.Marks(nil) }

// same reports whether two sides have the same file, or neither has it.
func (c *FileChange) same(a, b identity.Side) bool {
	x, y := c.Versions[a], c.Versions[b]
	if x == nil || y == nil {
		return x == y
	}
	return x.Mode == y.Mode && bytes.Equal(x.Data, y.Data)
}

// settle notes which file the result has, nil for none.
func (c *FileChange) settle(result *File) {
	l := c.Versions[identity.Local]
	switch c.Result = result; {
	case result == nil && l == nil:
		c.Action = Absent
	case result == nil:
		c.Action = Deleted
	case l == nil:
		c.Action = Added
	case result.Mode == l.Mode && bytes.Equal(result.Data, l.Data):
		c.Action, c.Result = Unchanged, l
	default:
		c.Action = Changed
	}
}

// conflict notes a conflict about the file as a whole, and returns the side that is
// taken.
func (c *FileChange) conflict(kind merge.Kind) identity.Side {
	side := c.policy.Side(nil)
	if kind == merge.LocalDeleted {
		side = identity.Local
	}
	c.Conflicts = append(c.Conflicts, merge.Conflict{Kind: kind, Chosen: side, Values: c.summaries()})
	return side
}

// summaries are what a conflict or a remark about the file as a whole shows of its versions.
func (c *FileChange) summaries() (values [3]*yaml.Node) {
	for side, f := range c.Versions {
		if f != nil {
			values[side] = textNode(f.summary(), 0)
		}
	}
	return values
}

// summary is what a conflict shows of a file as a whole.
func (f *File) summary() string {
	switch {
	case f.isLink():
		return "a symbolic link to " + string(f.Data)
	case !isText(f.Data):
		return fmt.Sprintf("%d bytes", len(f.Data))
	}
	return string(f.Data)
}

func (f *File) isLink() bool { return f.Mode&fs.ModeSymlink != 0 }

// textNode is a text that begins in a line.
func textNode(text string, line int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Line: line}
}

package pkgmerge

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/secrecy"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/merge"
)

// mergeFiles merges the files that do not merge by structure (rules/files: text and other files).
func (a *assembly) mergeFiles(result *Result) error {
	alone := map[string]bool{}
	for _, c := range result.Changes {
		if c.alone != "" {
			alone[c.alone] = true
		}
	}
	result.FileChanges = a.fileChanges()
	if err := a.checkFastForward(result.FileChanges); err != nil {
		return err
	}
	for _, c := range result.FileChanges {
		if nearest(alone, path.Dir(c.Name)) != "." {
			c.settle(c.Versions[identity.Local])
		} else {
			a.decideFile(c)
		}
		if a.options.NoOrigin && !a.options.Profile.removalsCollide() {
			for i := range c.Conflicts {
				c.Conflicts[i].Kind = merge.NoOrigin
			}
		}
		if c.Result != nil {
			result.files = append(result.files, File{Name: c.Name, Mode: c.Result.Mode, Data: c.Result.Data})
		}
	}
	return nil
}

// fileChanges returns the files that do not merge by structure, sorted by name, with their versions.
func (a *assembly) fileChanges() []*FileChange {
	var out []*FileChange
	for _, name := range a.unstructuredFiles() {
		c := &FileChange{Name: name}
		if at, found := a.findText(name); found {
			c.Fault = a.texts[at].reason
		}
		match := a.newMatch(identity.Triple{ID: identity.ID{Name: name}})
		for side := range a.packages {
			if found := a.packages[side].content(name); found != nil {
				c.Versions[side] = found.File
				c.Secret = c.Secret || secrecy.File(name) || a.secretFiles()[name] || secrecy.Lines(found.Data) || bytes.Contains(found.Data, []byte("Secret")) || namesSecret(string(found.Data))
				match.Versions[side] = &Resource{Meta: identity.Meta{Naming: identity.ByPath}, File: name}
			}
		}
		if c.ignored = c.Versions[identity.Local] != nil && c.Versions[identity.Upstream] == nil && a.isIgnored(name); c.ignored {
			c.Versions[identity.Origin] = nil
		}
		c.policy = match.policy()
		out = append(out, c)
	}
	return out
}

// unstructuredFiles returns the names of the files that do not merge by structure, sorted.
func (a *assembly) unstructuredFiles() []string {
	var names []string
	for _, p := range a.packages {
		for _, c := range p.contents {
			if _, isText := a.findText(c.Name); isText || !c.isStructured() {
				names = append(names, c.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// checkFastForward finds files that local changed, if that fails the merge (rules/strategies: the strategies).
func (a *assembly) checkFastForward(changes []*FileChange) error {
	var names []string
	for _, c := range changes {
		whole, _ := a.strategyOf(c.Name).(wholeVersions)
		if whole.ifUnchanged && !c.ignored && !c.same(identity.Local, identity.Origin) && !c.same(identity.Local, identity.Upstream) {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return &FastForwardError{what: "file", Differing: names}
}

// decideFile decides one file by the table of rules/resources: additions and deletions, unless the
// strategy takes whole versions (rules/strategies: the strategies).
func (a *assembly) decideFile(c *FileChange) {
	o, u, l := c.Versions[identity.Origin], c.Versions[identity.Upstream], c.Versions[identity.Local]
	whole, isWhole := a.strategyOf(c.Name).(wholeVersions)
	switch {
	case c.ignored || u == nil && o == nil && (whole.keepsAdded || !isWhole):
		c.settle(l)
	case !isWhole && l == nil && o == nil && a.staysAway(c.Name):
		c.Remarks = append(c.Remarks, merge.Remark{Kind: merge.LocalRemoved, Values: c.summaries()})
		c.settle(nil)
	case isWhole || l == nil && o == nil:
		c.settle(u)
	case u == nil && l == nil || u == nil && c.same(identity.Origin, identity.Local):
		c.settle(nil)
	case u == nil:
		c.settle(c.Versions[c.conflict(merge.UpstreamDeleted)])
	case l == nil:
		a.decideRemoved(c)
	default:
		c.merge()
	}
}

// decideRemoved removes a file that local removed, and reports it if upstream changed the file.
func (a *assembly) decideRemoved(c *FileChange) {
	switch {
	case c.same(identity.Origin, identity.Upstream):
	case a.options.Profile.removalsCollide():
		c.conflict(merge.LocalDeleted)
	default:
		c.Remarks = append(c.Remarks, merge.Remark{Kind: merge.LocalRemoved, Values: c.summaries()})
	}
	c.settle(nil)
}

// merge merges a file of upstream and local. Its content and its mode are two values; a symbolic link is one.
func (c *FileChange) merge() {
	o, u, l := c.Versions[identity.Origin], c.Versions[identity.Upstream], c.Versions[identity.Local]
	switch {
	case c.same(identity.Upstream, identity.Local) || c.same(identity.Origin, identity.Upstream):
		c.settle(l)
		return
	case c.same(identity.Origin, identity.Local):
		c.settle(u)
		return
	case u.isLink() || l.isLink() || o != nil && o.isLink():
		c.settle(c.Versions[c.conflict(merge.BothChanged)])
		return
	}
	merged := File{Name: c.Name, Mode: l.Mode}
	if o != nil && o.Mode == l.Mode || o == nil && c.policy.Side(nil) == identity.Upstream {
		merged.Mode = u.Mode
	}
	merged.Data = c.mergeData()
	c.settle(&merged)
}

// mergeData merges the content of a file: a text by lines, other data as a whole.
func (c *FileChange) mergeData() []byte {
	o, u, l := c.Versions[identity.Origin], c.Versions[identity.Upstream], c.Versions[identity.Local]
	switch {
	case bytes.Equal(u.Data, l.Data) || o != nil && bytes.Equal(o.Data, u.Data):
		return l.Data
	case o != nil && bytes.Equal(o.Data, l.Data):
		return u.Data
	case !isText(u.Data) || !isText(l.Data) || o != nil && !isText(o.Data):
		return c.Versions[c.conflict(merge.BothChanged)].Data
	}
	return c.mergeLines()
}

// mergeLines merges the content of a text file by lines; lines that collide are a conflict each.
func (c *FileChange) mergeLines() []byte {
	var texts [3]string
	for side, f := range c.Versions {
		if f != nil {
			texts[side] = string(stream.LikeIn(f.Data, c.Versions[identity.Local].Data))
		}
	}
	var out []byte
	for _, s := range merge.Lines(texts) {
		if !s.Collides {
			out = append(out, s.Text...)
			continue
		}
		conflict := c.conflictOf(s)
		c.Conflicts = append(c.Conflicts, conflict)
		out = append(out, s.Versions[conflict.Chosen]...)
	}
	return out
}

// conflictOf returns the conflict of a stretch of lines that both sides changed.
func (c *FileChange) conflictOf(s merge.Stretch) merge.Conflict {
	conflict := merge.Conflict{Kind: merge.BothChanged, Chosen: c.policy.Side(nil)}
	for side, text := range s.Versions {
		if c.Versions[side] != nil {
			conflict.Values[side] = textNode(text, s.Lines[side])
		}
	}
	return conflict
}

// FileChange is the outcome of a file that does not merge by structure (rules/files: text and other files):
// a script, a template, a symbolic link, a binary.
type FileChange struct {
	// Name is the file below the top of its package, with slashes.
	Name string
	// Versions are nil where a side has no such file.
	Versions [3]*File
	Action   Action
	// Result is the file in the merged package, nil if that lacks it.
	Result *File
	// Conflicts are about lines of a text, with a side's first line as the line of its value, or about the
	// whole file. They have no path.
	Conflicts []merge.Conflict
	// Remarks are about the whole file.
	Remarks []merge.Remark
	// Secret reports whether the file may hold a Secret. Then it must not be shown.
	Secret bool
	// Fault explains why a file with resources on a side did not merge by structure; "" for other files.
	Fault string

	policy merge.Policy
	// ignored means that local alone has the file, as upstream ignores it.
	ignored bool
}

// Fails reports whether the file's conflicts fail the run.
func (c *FileChange) Fails() bool { return len(c.Conflicts) > 0 && c.policy.Fails(nil) }

// Marks reports whether the file's conflicts are marked in it (rules/git: markers).
func (c *FileChange) Marks() bool { return c.policy.Marks(nil) }

// same reports whether two sides have the same file, or neither has it.
func (c *FileChange) same(a, b identity.Side) bool {
	x, y := c.Versions[a], c.Versions[b]
	if x == nil || y == nil {
		return x == y
	}
	return x.Mode == y.Mode && bytes.Equal(x.Data, y.Data)
}

// settle sets the file of the result, nil for none.
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

// conflict adds a conflict about the whole file, and returns the chosen side.
func (c *FileChange) conflict(kind merge.Kind) identity.Side {
	side := c.policy.Side(nil)
	if kind == merge.LocalDeleted {
		side = identity.Local
	}
	c.Conflicts = append(c.Conflicts, merge.Conflict{Kind: kind, Chosen: side, Values: c.summaries()})
	return side
}

// summaries returns the versions of a file for a conflict or a remark about the whole file.
func (c *FileChange) summaries() (values [3]*yaml.Node) {
	for side, f := range c.Versions {
		if f != nil {
			values[side] = textNode(f.summary(), 0)
		}
	}
	return values
}

// summary returns a file's content for a conflict about the whole file.
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

// textNode returns a text that begins in a line.
func textNode(text string, line int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Line: line}
}

package resolve

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/gitdriver"
	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink"
)

// markedFile is a file with conflict markers.
type markedFile struct {
	// name is the file's path as the user reaches it.
	name string
	// data is the file as it is written.
	data []byte
	// between are the texts around the conflicts: before the first one, and after each.
	between   [][]byte
	conflicts []*conflict
	// broken is the line of a marker that lacks one of its lines, 0 if there is none.
	broken int
	// top is the directory in which the file is replaced, and below its name there, with slashes.
	top, below string
	// written is the file as it was last read or written.
	written fs.FileInfo
	// isYAML reports that either side of all conflicts can be read as YAML.
	isYAML bool
	// isUnmerged reports that git's index has the file as unmerged.
	isUnmerged bool
	// counted is the number of the first conflicts whose lines and offsets are those in data.
	counted int
}

// topOf returns the directory for the temporary files of a walk: its directory, or the one of its only file.
func topOf(dir string) string {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return filepath.Dir(dir)
	}
	return dir
}

// findFiles reads the files with markers at or below a directory, in the order of their names. It skips
// the files of git and of a run (rules/resolve: the walk).
func findFiles(dir string) (files []*markedFile, err error) {
	top := topOf(dir)
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == file.JournalDir):
			return filepath.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		below, err := filepath.Rel(top, name)
		if err != nil {
			return err
		}
		f, err := readFile(name, top, filepath.ToSlash(below))
		if f != nil {
			files = append(files, f)
		}
		return err
	})
	return files, err
}

// readFile reads a file, nil if it has no markers or is no regular file. below is its name in the directory top.
func readFile(name, top, below string) (*markedFile, error) {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	text, err := os.ReadFile(name)
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return nil, err
	}
	f := newFile(name, text)
	f.top, f.below = top, below
	if f.written = info; len(f.conflicts) == 0 && f.broken == 0 {
		return nil, nil
	}
	return f, nil
}

func newFile(name string, text []byte) *markedFile {
	f := &markedFile{name: name, data: slices.Clone(text)}
	conflicts, broken := marker.Read(text, 0)
	at := 0
	for i, c := range conflicts {
		f.between = append(f.between, text[at:c.Start])
		f.conflicts = append(f.conflicts, &conflict{Conflict: c, raw: text[c.Start:c.End], file: f, index: i})
		at = c.End
	}
	f.between, f.broken = append(f.between, text[at:]), broken
	return f
}

// text returns the file with some lines for each conflict.
func (f *markedFile) text(lines func(*conflict) []byte) []byte {
	out := make([]byte, 0, len(f.data))
	for i, c := range f.conflicts {
		out = append(append(out, f.between[i]...), lines(c)...)
	}
	return append(out, f.between[len(f.conflicts)]...)
}

// resolved returns the file with the lines of the decided conflicts, and one side of the others.
func (f *markedFile) resolved(side marker.Side) []byte {
	return f.text(func(c *conflict) []byte {
		if c.decided {
			return c.lines
		}
		return c.Sides[side]
	})
}

func (f *markedFile) decide(c *conflict, d decision) error {
	start, end := f.position(c.index).Start, len(c.current())
	before := c.set(d)
	f.data = slices.Replace(f.data, start, start+end, d.lines...)
	err := f.write()
	if err != nil {
		c.set(before)
		f.data = f.text((*conflict).current)
	}
	return err
}

// decideAll writes the decisions on several undecided conflicts of the file.
func (f *markedFile) decideAll(decisions map[*conflict]decision) error {
	for c, d := range decisions {
		c.set(d)
	}
	f.data = f.text((*conflict).current)
	err := f.write()
	if err != nil {
		for c := range decisions {
			c.set(decision{})
		}
		f.data = f.text((*conflict).current)
	}
	return err
}

// write writes the file, all or nothing. It is an error if somebody changed the file meanwhile.
func (f *markedFile) write() error {
	err := sink.ReplaceFile(f.top, pkgmerge.File{Name: f.below, Mode: f.written.Mode(), Data: f.data}, f.written)
	if err != nil {
		return err
	}
	f.written, err = os.Lstat(f.name)
	return err
}

// position returns a conflict with its line and offset in the file as it is now. A walk from the first
// conflict to the last counts each line once.
func (f *markedFile) position(index int) *conflict {
	for f.counted = max(f.counted, 1); f.counted <= index; f.counted++ {
		before, next, text := f.conflicts[f.counted-1], f.conflicts[f.counted], f.between[f.counted]
		next.Line = before.Line + bytes.Count(before.current(), []byte("\n")) + bytes.Count(text, []byte("\n"))
		next.Start = before.Start + len(before.current()) + len(text)
	}
	return f.conflicts[index]
}

// check returns an error if the file would be worse with new lines for some of its conflicts, whichever side the
// undecided ones get: if it could not be read any more, or had something twice (rules/resolve: what may stand).
func (f *markedFile) check(lines map[*conflict][]byte) error {
	if !f.isYAML {
		return nil
	}
	before := gitdriver.Versions{Texts: [3][]byte{marker.Ours: f.resolved(marker.Ours), marker.Theirs: f.resolved(marker.Theirs)}}
	for _, side := range [2]marker.Side{marker.Ours, marker.Theirs} {
		after := f.text(func(c *conflict) []byte {
			switch added, found := lines[c]; {
			case found:
				return added
			case c.decided:
				return c.lines
			}
			return c.Sides[side]
		})
		if before.IsDamaged(after) || newOutline(after, kinds()).repeated > repeatedMost(before.Texts) {
			return fmt.Errorf("%s would not be valid YAML, or would have a field, an element or a document twice", f.name)
		}
	}
	return nil
}

// repeatedMost returns the most elements without a key of their own that one of some texts has.
func repeatedMost(texts [3][]byte) (most int) {
	for _, text := range texts {
		most = max(most, newOutline(text, kinds()).repeated)
	}
	return most
}

// conflict is a conflict of a file.
type conflict struct {
	marker.Conflict
	raw   []byte
	file  *markedFile
	index int
	// isSwapped reports that ours is upstream's, as in a rebase.
	isSwapped bool
	// where and key are set once the file is located.
	location
	// equal are the equal conflicts, nil if there are none.
	equal *group
	decision
}

// decision is the outcome of a conflict: the lines that replace it, and the key that chose them.
type decision struct {
	decided bool
	lines   []byte
	choice  byte
}

// group is a set of equal conflicts; some are undecided.
type group struct {
	conflicts []*conflict
	undecided int
	// last is the conflict that the user decided last, nil if none.
	last *conflict
}

// set decides a conflict, or takes its decision back, and returns the decision before.
func (c *conflict) set(d decision) (before decision) {
	if c.equal != nil && c.decided != d.decided {
		if c.equal.undecided++; d.decided {
			c.equal.undecided -= 2
		}
	}
	before, c.decision = c.decision, d
	c.file.counted = min(c.file.counted, c.index+1)
	return before
}

// more returns the number of undecided conflicts that are equal to c.
func (c *conflict) more() int {
	switch {
	case c.equal == nil:
		return 0
	case c.decided:
		return c.equal.undecided
	}
	return c.equal.undecided - 1
}

// local and upstream return the sides of the user and of the other version (rules/resolve: sides).
func (c *conflict) local() marker.Side {
	if c.isSwapped {
		return marker.Theirs
	}
	return marker.Ours
}

func (c *conflict) upstream() marker.Side { return marker.Theirs - c.local() }

// current returns the conflict's lines in the file: the decided ones, else those with markers.
func (c *conflict) current() []byte {
	if c.decided {
		return c.lines
	}
	return c.raw
}

// choose returns the lines that a choice gives a conflict: upstream's, local's, or both in the order of the
// file; nil and false if one side has none, so that both cannot stand.
func (c *conflict) choose(choice byte) (lines []byte, ok bool) {
	switch choice {
	case keyUpstream:
		return c.Sides[c.upstream()], true
	case keyLocal:
		return c.Sides[c.local()], true
	}
	ours, theirs := c.Sides[marker.Ours], c.Sides[marker.Theirs]
	return slices.Concat(ours, theirs), len(ours) > 0 && len(theirs) > 0
}

// like returns the lines that decide an equal conflict as another one was decided.
func (c *conflict) like(other *conflict) []byte {
	if other.choice != keyEdit {
		lines, _ := c.choose(other.choice)
		return lines
	}
	return stream.LikeIn(indented(dedented(other.lines), c.indentation()), c.raw)
}

// indentation returns the white space with which all lines of the conflict begin.
func (c *conflict) indentation() string {
	return strings.Repeat(" ", marginOf(slices.Concat(c.Sides[marker.Ours], c.Sides[marker.Theirs])))
}

// marginOf returns the number of spaces with which all lines begin that are not blank.
func marginOf(lines []byte) int {
	least := -1
	for line := range bytes.Lines(lines) {
		if n := len(line) - len(bytes.TrimLeft(line, " ")); len(bytes.TrimSpace(line)) > 0 && (least < 0 || n < least) {
			least = n
		}
	}
	return max(least, 0)
}

// dedented returns lines without the white space that all of them begin with, and with LF.
func dedented(lines []byte) []byte {
	margin := marginOf(lines)
	var out []byte
	for line := range bytes.Lines(lines) {
		if len(bytes.TrimSpace(line)) > 0 {
			out = append(out, bytes.TrimRight(line[margin:], "\r\n")...)
		}
		out = append(out, '\n')
	}
	return out
}

// indented returns lines that begin with some white space.
func indented(lines []byte, margin string) []byte {
	var out []byte
	for line := range bytes.Lines(lines) {
		if len(bytes.TrimSpace(line)) > 0 {
			out = append(out, margin...)
		}
		out = append(out, line...)
	}
	return out
}

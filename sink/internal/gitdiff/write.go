// Package gitdiff writes the difference between two versions of a package as git does, so that
// `git apply` turns the first into the second (rules/files: differences).
package gitdiff

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha1" // #nosec G505 -- git names blobs by it, and nothing is trusted because of it
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Write writes the difference between two versions of files, sorted by name. Files with a NUL byte
// are binary; git's binary patches have both versions whole.
func Write(w io.Writer, before, after []pkgmerge.File, o Options) error {
	p := &printer{w: bufio.NewWriter(w), options: o}
	for _, c := range findChangedFiles(before, after) {
		p.change(c)
	}
	return p.w.Flush()
}

// change writes the change of a file.
func (p *printer) change(c change) {
	if c.from != nil && c.to != nil && isLink(*c.from) != isLink(*c.to) {
		p.change(change{from: c.from}) // git replaces a file by a link in two steps
		p.change(change{to: c.to})
		return
	}
	p.header(c)
	if c.from != nil && c.to != nil && string(c.from.Data) == string(c.to.Data) {
		return
	}
	binary := c.isBinary()
	p.index(c, binary && !p.options.Terminal)
	switch {
	case binary && p.options.Terminal:
		p.line(headerText, fmt.Sprintf("Binary files %s and %s differ", p.side(c.from, "a/"), p.side(c.to, "b/")))
	case binary:
		p.binary(c)
	default:
		p.text(c)
	}
}

// header writes the lines above the contents of a change.
func (p *printer) header(c change) {
	from, to := c.from, c.to
	if from == nil {
		from = to
	}
	if to == nil {
		to = from
	}
	p.line(headerText, "diff --git "+p.name("a/", from.Name)+" "+p.name("b/", to.Name))
	switch {
	case c.from == nil:
		p.line(headerText, "new file mode "+mode(*to))
	case c.to == nil:
		p.line(headerText, "deleted file mode "+mode(*from))
	case mode(*from) != mode(*to):
		p.line(headerText, "old mode "+mode(*from))
		p.line(headerText, "new mode "+mode(*to))
	}
	if from.Name != to.Name {
		p.line(headerText, fmt.Sprintf("similarity index %d%%", c.similarity))
		p.line(headerText, "rename from "+p.name("", from.Name))
		p.line(headerText, "rename to "+p.name("", to.Name))
	}
}

// index writes the line with the hashes of both versions.
func (p *printer) index(c change, whole bool) {
	was, is := hash(c.from), hash(c.to)
	if !whole {
		was, is = was[:hashDigits], is[:hashDigits]
	}
	line := "index " + was + ".." + is
	if c.from != nil && c.to != nil && mode(*c.from) == mode(*c.to) {
		line += " " + mode(*c.from)
	}
	p.line(headerText, line)
}

// text writes the hunks of a changed text file.
func (p *printer) text(c change) {
	was, is := linesOf(c.from), linesOf(c.to)
	if len(was)+len(is) == 0 {
		return
	}
	p.line(headerText, "--- "+withTab(p.side(c.from, "a/")))
	p.line(headerText, "+++ "+withTab(p.side(c.to, "b/")))
	for _, h := range findHunks(was, is) {
		p.hunk(h, was, is)
	}
}

// change is a change of a file: from is nil if it is new, to if it is removed. A renamed file has
// both, with different names.
type change struct {
	from, to   *pkgmerge.File
	similarity int // of a renamed file, in percent
}

// newest returns the new version of the file, or else the old one.
func (c change) newest() *pkgmerge.File { return cmp.Or(c.to, c.from) }

// isBinary reports whether a version of the file is binary.
func (c change) isBinary() bool {
	return c.from != nil && bytes.IndexByte(c.from.Data, 0) >= 0 || c.to != nil && bytes.IndexByte(c.to.Data, 0) >= 0
}

// findChangedFiles returns the files that differ, sorted by name.
func findChangedFiles(before, after []pkgmerge.File) []change {
	was := map[string]*pkgmerge.File{}
	for i, f := range before {
		was[f.Name] = &before[i]
	}
	var changes []change
	var removed, added []*pkgmerge.File
	for i, f := range after {
		old := was[f.Name]
		delete(was, f.Name)
		switch {
		case old == nil:
			added = append(added, &after[i])
		case mode(*old) != mode(f) || !bytes.Equal(old.Data, f.Data):
			changes = append(changes, change{from: old, to: &after[i]})
		}
	}
	for i, f := range before {
		if was[f.Name] != nil {
			removed = append(removed, &before[i])
		}
	}
	changes = append(changes, findRenames(removed, added)...)
	slices.SortStableFunc(changes, func(a, b change) int { return strings.Compare(a.newest().Name, b.newest().Name) })
	return changes
}

// mode returns the mode of a file as git writes it.
func mode(f pkgmerge.File) string {
	switch {
	case isLink(f):
		return "120000"
	case f.Mode&0o100 != 0:
		return "100755"
	}
	return "100644"
}

func isLink(f pkgmerge.File) bool { return f.Mode&fs.ModeSymlink != 0 }

// hash returns git's name of a file's contents.
func hash(f *pkgmerge.File) string {
	if f == nil {
		return hex.EncodeToString(make([]byte, sha1.Size))
	}
	h := sha1.New() // #nosec G401 -- as above
	fmt.Fprintf(h, "blob %d\x00", len(f.Data))
	h.Write(f.Data)
	return hex.EncodeToString(h.Sum(nil))
}

// hashDigits is the number of digits of a hash that git shows.
const hashDigits = 7

// linesOf returns the lines of a file with their line breaks; the last one may have none.
func linesOf(f *pkgmerge.File) []string {
	if f == nil || len(f.Data) == 0 {
		return nil
	}
	lines := strings.SplitAfter(string(f.Data), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

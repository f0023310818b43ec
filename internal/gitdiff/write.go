// Package gitdiff writes the difference between two versions of a package as git
// does, so that `git apply` makes the second of the first (design 17.2).
package gitdiff

import (
	"bufio"
	"fmt"
	"io"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Write writes the difference between files as they were and as they are, sorted by
// name. Binary files are those with a NUL byte; git's binary patches have both
// versions whole.
func Write(w io.Writer, before, after []pkgmerge.File, o Options) error {
	p := &printer{w: bufio.NewWriter(w), options: o}
	for _, c := range changesOf(before, after) {
		p.change(c)
	}
	return p.w.Flush()
}

// change writes what became of a file.
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
		p.line(header, fmt.Sprintf("Binary files %s and %s differ", p.side(c.from, "a/"), p.side(c.to, "b/")))
	case binary:
		p.binary(c)
	default:
		p.text(c)
	}
}

// header writes the lines that say what a change is.
func (p *printer) header(c change) {
	from, to := c.from, c.to
	if from == nil {
		from = to
	}
	if to == nil {
		to = from
	}
	p.line(header, "diff --git "+p.name("a/", from.Name)+" "+p.name("b/", to.Name))
	switch {
	case c.from == nil:
		p.line(header, "new file mode "+mode(*to))
	case c.to == nil:
		p.line(header, "deleted file mode "+mode(*from))
	case mode(*from) != mode(*to):
		p.line(header, "old mode "+mode(*from))
		p.line(header, "new mode "+mode(*to))
	}
	if from.Name != to.Name {
		p.line(header, fmt.Sprintf("similarity index %d%%", c.similarity))
		p.line(header, "rename from "+p.name("", from.Name))
		p.line(header, "rename to "+p.name("", to.Name))
	}
}

// index writes the line with the hashes of both versions.
func (p *printer) index(c change, whole bool) {
	was, is := hash(c.from), hash(c.to)
	if !whole {
		was, is = was[:abbreviated], is[:abbreviated]
	}
	line := "index " + was + ".." + is
	if c.from != nil && c.to != nil && mode(*c.from) == mode(*c.to) {
		line += " " + mode(*c.from)
	}
	p.line(header, line)
}

// text writes the hunks of a change of lines.
func (p *printer) text(c change) {
	was, is := linesOf(c.from), linesOf(c.to)
	if len(was)+len(is) == 0 {
		return
	}
	p.line(header, "--- "+tabbed(p.side(c.from, "a/")))
	p.line(header, "+++ "+tabbed(p.side(c.to, "b/")))
	for _, h := range hunksOf(was, is) {
		p.hunk(h, was, is)
	}
}

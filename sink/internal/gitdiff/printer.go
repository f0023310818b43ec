package gitdiff

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"fmt"
	"path"
	"strings"

	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// part is what a text of a difference is. It is coloured by that, as git does.
type part int

const (
	kept part = iota
	removed
	added
	header
	hunkPlace
)

// mark is the character before a line.
func (p part) mark() string { return [...]string{" ", "-", "+", "", ""}[p] }

// colour is how a terminal is told of a part.
func (p part) colour() string {
	return [...]string{"", "\x1b[31m", "\x1b[32m", "\x1b[1m", "\x1b[36m"}[p]
}

// Options say how a difference is shown.
type Options struct {
	// Below is the directory that the names are shown below, with slashes: that of the
	// package in its repository. It may be empty.
	Below string
	// Terminal is for a person's eyes: with colours, with the control characters of the
	// contents as \uXXXX, and with the binary files named only. No patch can be made of
	// that.
	Terminal bool
}

// printer writes a difference. Its writer keeps the first error.
type printer struct {
	w       *bufio.Writer
	options Options
}

// write writes a text in its colour. A text must have no line break.
func (p *printer) write(as part, text string) {
	if !p.options.Terminal {
		_, _ = p.w.WriteString(text)
		return
	}
	text = wording.Visible(text, "\t")
	if colour := as.colour(); colour != "" && text != "" {
		text = colour + text + "\x1b[m"
	}
	_, _ = p.w.WriteString(text)
}

func (p *printer) end() { _ = p.w.WriteByte('\n') }

// line writes a line.
func (p *printer) line(as part, text string) {
	p.write(as, text)
	p.end()
}

// lines write lines of a file.
func (p *printer) lines(as part, lines []string) {
	for _, line := range lines {
		text, ended := strings.CutSuffix(line, "\n")
		p.line(as, as.mark()+text)
		if !ended {
			p.line(kept, `\ No newline at end of file`)
		}
	}
}

// side is the name of a version in the lines above the hunks.
func (p *printer) side(f *pkgmerge.File, prefix string) string {
	if f == nil {
		return "/dev/null"
	}
	return p.name(prefix, f.Name)
}

// name is the name of a file behind a prefix, quoted as git does where it must be.
func (p *printer) name(prefix, name string) string {
	name = prefix + path.Join(p.options.Below, name)
	if !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r >= 0x7f || r == '"' || r == '\\' }) {
		return name
	}
	return `"` + quoted(name) + `"`
}

// quoted writes what is not printable ASCII as C does.
func quoted(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		switch short := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); {
		case short >= 0:
			b.WriteByte('\\')
			b.WriteByte(`abtnvfr"\`[short])
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// tabbed is a name above the hunks: after one with a space, git writes a tab.
func tabbed(name string) string {
	if strings.Contains(name, " ") {
		return name + "\t"
	}
	return name
}

// binary writes git's binary patch: the new contents, and the old ones for the way
// back.
func (p *printer) binary(c change) {
	p.line(header, "GIT binary patch")
	p.literal(c.to)
	p.literal(c.from)
}

// literal writes the contents of a file, compressed, 52 bytes a line.
func (p *printer) literal(f *pkgmerge.File) {
	var data []byte
	if f != nil {
		data = f.Data
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(data) // a buffer takes all
	_ = z.Close()
	p.line(kept, fmt.Sprintf("literal %d", len(data)))
	for rest := packed.Bytes(); len(rest) > 0; {
		n := min(len(rest), 52)
		length := byte('A' + n - 1)
		if n > 26 {
			length = byte('a' + n - 27)
		}
		p.line(kept, string(length)+base85(rest[:n]))
		rest = rest[n:]
	}
	p.line(kept, "")
}

// base85 writes bytes as git does: four in five characters.
func base85(data []byte) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
	var out []byte
	for ; len(data) > 0; data = data[min(4, len(data)):] {
		var four [4]byte
		copy(four[:], data)
		value := uint32(four[0])<<24 | uint32(four[1])<<16 | uint32(four[2])<<8 | uint32(four[3])
		var five [5]byte
		for i := 4; i >= 0; i-- {
			five[i] = digits[value%85]
			value /= 85
		}
		out = append(out, five[:]...)
	}
	return string(out)
}

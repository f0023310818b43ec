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

// textKind is the kind of a text in a difference. It determines the colour, as in git.
type textKind int

const (
	keptText textKind = iota
	removedText
	addedText
	headerText
	hunkText
)

// mark returns the character before a line.
func (p textKind) mark() string { return [...]string{" ", "-", "+", "", ""}[p] }

// colour returns the escape sequence of a colour.
func (p textKind) colour() string {
	return [...]string{"", "\x1b[31m", "\x1b[32m", "\x1b[1m", "\x1b[36m"}[p]
}

// Options say how a difference is shown.
type Options struct {
	// Below is put before the names, with slashes: the package's directory in its repository. It
	// may be empty.
	Below string
	// Terminal selects output for people: with control characters as \uXXXX, and with the names of
	// binary files only. It is not a patch.
	Terminal bool
	// Color adds colours.
	Color bool
}

// printer writes a difference. Its writer keeps the first error.
type printer struct {
	w       *bufio.Writer
	options Options
}

// write writes a text, which has no line break, in its colour.
func (p *printer) write(as textKind, text string) {
	if p.options.Terminal {
		text = wording.Visible(text, "\t")
	}
	if colour := as.colour(); p.options.Color && colour != "" && text != "" {
		text = colour + text + "\x1b[m"
	}
	_, _ = p.w.WriteString(text)
}

func (p *printer) end() { _ = p.w.WriteByte('\n') }

// line writes a line.
func (p *printer) line(as textKind, text string) {
	p.write(as, text)
	p.end()
}

// lines writes lines of a file.
func (p *printer) lines(as textKind, lines []string) {
	for _, line := range lines {
		text, ended := strings.CutSuffix(line, "\n")
		p.line(as, as.mark()+text)
		if !ended {
			p.line(keptText, `\ No newline at end of file`)
		}
	}
}

// side returns the name of a version above the hunks.
func (p *printer) side(f *pkgmerge.File, prefix string) string {
	if f == nil {
		return "/dev/null"
	}
	return p.name(prefix, f.Name)
}

// name returns the name of a file with a prefix, quoted like git if necessary.
func (p *printer) name(prefix, name string) string {
	name = prefix + path.Join(p.options.Below, name)
	if !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r >= 0x7f || r == '"' || r == '\\' }) {
		return name
	}
	return `"` + quote(name) + `"`
}

// quote escapes other characters than printable ASCII as in C.
func quote(name string) string {
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

// withTab returns a name above the hunks: git writes a tab after a name with a space.
func withTab(name string) string {
	if strings.Contains(name, " ") {
		return name + "\t"
	}
	return name
}

// binary writes git's binary patch: the new contents, and the old ones for reverting it.
func (p *printer) binary(c change) {
	p.line(headerText, "GIT binary patch")
	p.literal(c.to)
	p.literal(c.from)
}

// literal writes the compressed contents of a file in lines of 52 bytes.
func (p *printer) literal(f *pkgmerge.File) {
	var data []byte
	if f != nil {
		data = f.Data
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(data) // a buffer takes all
	_ = z.Close()
	p.line(keptText, fmt.Sprintf("literal %d", len(data)))
	for rest := packed.Bytes(); len(rest) > 0; {
		n := min(len(rest), 52)
		length := byte('A' + n - 1)
		if n > 26 {
			length = byte('a' + n - 27)
		}
		p.line(keptText, string(length)+base85(rest[:n]))
		rest = rest[n:]
	}
	p.line(keptText, "")
}

// base85 encodes bytes as git does: four bytes as five characters.
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

package gitdiff

import (
	"bytes"
	"compress/zlib"
	"fmt"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

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

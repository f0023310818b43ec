package marker

import (
	"bytes"

	"github.com/resource-merge/resource-merge/internal/stream"
)

// encoded returns the pieces of decoded texts with the byte order marks and line ends that the texts have. Common lines are
// as in ours. Base's lines get the line end of the first line of ours.
func (p Pieces) encoded(encodings [3]stream.Encoding) Pieces {
	if encodings[Ours].IsPlain() && encodings[Theirs].IsPlain() {
		return p
	}
	var rest [3][]byte
	for _, side := range [2]Side{Ours, Theirs} {
		rest[side] = encodings[side].Encode(p.Resolve(func(int) Side { return side }))
	}
	for i, piece := range p {
		if !piece.Conflict {
			takeLines(&rest[Theirs], piece.Same)
			p[i].Same = takeLines(&rest[Ours], piece.Same)
			continue
		}
		for _, side := range [2]Side{Ours, Theirs} {
			p[i].Sides[side] = takeLines(&rest[side], piece.Sides[side])
		}
		p[i].Sides[Base] = bytes.ReplaceAll(piece.Sides[Base], []byte("\n"), []byte(encodings[Ours].LineEnd))
	}
	return p
}

// takeLines takes as many lines off a text as another text has.
func takeLines(text *[]byte, like []byte) (out []byte) {
	at := 0
	for range bytes.Lines(like) {
		at = stream.NextLine(*text, at)
	}
	out, *text = (*text)[:at:at], (*text)[at:]
	return out
}

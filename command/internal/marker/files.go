package marker

import (
	"bytes"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/merge"
)

// Files lays two results of the merge of one file side by side: that where ours was
// taken of what collides, and that where theirs was. Base is origin's file. of returns
// the paths at which a resource collides.
func Files(texts [3][]byte, of func(resource *yaml.Node) []*merge.Path) (Pieces, error) {
	var documents [3][]document
	var names [3][]string
	var index [3]map[string]int
	for side, text := range texts {
		var ok bool
		if documents[side], ok = split(whole(text)); !ok && Side(side) != Base {
			return nil, ErrOrder
		}
		for _, d := range documents[side] {
			names[side] = append(names[side], d.name)
		}
		index[side], _ = indexOf(names[side])
	}
	rows := interleave(names[Ours], names[Theirs], index[Ours], index[Theirs])
	if rows == nil && len(names[Ours])+len(names[Theirs]) > 0 {
		return nil, ErrOrder
	}
	rows = renamed(rows, documents)
	var out Pieces
	for _, row := range rows {
		var d [3]*document
		name := ""
		if row[1] >= 0 {
			d[Theirs], name = &documents[Theirs][row[1]], names[Theirs][row[1]]
		}
		if row[0] >= 0 {
			d[Ours], name = &documents[Ours][row[0]], names[Ours][row[0]]
		}
		if i, found := index[Base][name]; found {
			d[Base] = &documents[Base][i]
		} else if len(rows) == len(documents[Base]) && row[0] == row[1] && documents[Base][row[0]].kind == d[Ours].kind {
			d[Base] = &documents[Base][row[0]] // renamed
		}
		out.append(compare(d, of))
	}
	if last := len(out) - 1; last >= 0 && !out[last].Conflict && isBroken(texts[Ours]) && isBroken(texts[Theirs]) {
		out[last].Same = bytes.TrimSuffix(out[last].Same, []byte("\n"))
	}
	return out.trimmed(func(p Piece) bool { return len(p.Sides[Base]) > 0 }), nil
}

// renamed joins a document that ours alone has and the next one, that theirs alone has,
// if they stand at one place of files of as many documents and are of one kind: both
// sides gave it another name.
func renamed(rows [][2]int, documents [3][]document) (out [][2]int) {
	for _, row := range rows {
		last := len(out) - 1
		if last >= 0 && out[last][1] < 0 && row[0] < 0 && out[last][0] == row[1] && len(documents[Ours]) == len(documents[Theirs]) &&
			documents[Ours][row[1]].kind == documents[Theirs][row[1]].kind {
			out[last][1] = row[1]
			continue
		}
		out = append(out, row)
	}
	return out
}

// compare lays the versions of one document side by side.
func compare(d [3]*document, of func(*yaml.Node) []*merge.Path) (out Pieces) {
	if d[Ours] == nil || d[Theirs] == nil {
		out.conflict(d[Ours].lines(), d[Base].lines(), d[Theirs].lines())
		return out
	}
	var separators, ends [3][]byte
	for side := range d {
		if d[side] != nil {
			separators[side], ends[side] = d[side].separator, d[side].end
		}
	}
	out.conflict(separators[Ours], separators[Base], separators[Theirs])
	out.append(bodies(d, of))
	out.conflict(ends[Ours], ends[Base], ends[Theirs])
	return out
}

// bodies lays the versions of one document side by side, entry by entry where that
// can be: any mixture of the sides is YAML again.
func bodies(d [3]*document, of func(*yaml.Node) []*merge.Path) Pieces {
	w := walker{}
	var s spots
	for side := range d {
		if d[side] != nil {
			w.texts[side] = d[side].body
		}
	}
	var flat Pieces
	flat.conflict(w.texts[Ours], w.texts[Base], w.texts[Theirs])
	if n, _ := flat.Conflicts(); n == 0 {
		return flat
	}
	for side := range d {
		spot, ok := d[side].spot()
		switch {
		case ok && sameBytes(d[side].text, d[side].body):
			s[side] = spot
		case Side(side) != Base:
			return flat
		}
	}
	w.migrated = d[Base].version() != "" && d[Base].version() != d[Ours].version()
	w.entry(s, newCollisions(append(of(d[Ours].root()), of(d[Theirs].root())...)))
	if !w.pieces.mixes() {
		return flat
	}
	return w.pieces
}

func sameBytes(t *manifest.Text, body []byte) bool { return bytes.Equal(t.Bytes(), body) }

package marker

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/merge"
)

// Files compares the two results of the merge of one file, of which ours has our version of each
// collision and theirs has their version. Base is origin's file. pathsOf returns the paths at which
// a resource collides. See, unless it is nil, gets each resource whose texts differ in the results, nil where
// one lacks it; several calls may overlap.
func Files(texts [3][]byte, pathsOf func(resource *yaml.Node) []*merge.Path, see func(ours, theirs *yaml.Node)) (Pieces, error) {
	var documents [3][]document
	var names [3][]string
	var index [3]map[string]int
	for side, text := range texts {
		var ok bool
		if documents[side], ok = splitDocuments(terminate(text)); !ok && Side(side) != Base {
			return nil, ErrOrder
		}
		for _, d := range documents[side] {
			names[side] = append(names[side], d.name)
		}
		index[side], _ = indexNames(names[side])
	}
	rows := interleave(names[Ours], names[Theirs], index[Ours], index[Theirs])
	if rows == nil && len(names[Ours])+len(names[Theirs]) > 0 {
		return nil, ErrOrder
	}
	rows = joinRenames(rows, documents)
	compared := make([]Pieces, len(rows))
	err := parallel.Each(len(rows), func(i int) error {
		row := rows[i]
		var d [3]*document
		name := ""
		if row[1] >= 0 {
			d[Theirs], name = documents[Theirs][row[1]].clone(), names[Theirs][row[1]]
		}
		if row[0] >= 0 {
			d[Ours], name = documents[Ours][row[0]].clone(), names[Ours][row[0]]
		}
		if i, found := index[Base][name]; found {
			d[Base] = documents[Base][i].clone()
		} else if len(rows) == len(documents[Base]) && row[0] == row[1] && documents[Base][row[0]].kind == d[Ours].kind {
			d[Base] = documents[Base][row[0]].clone() // renamed
		}
		compared[i] = compareDocuments(d, pathsOf)
		if see != nil && (d[Ours] == nil || d[Theirs] == nil || !bytes.Equal(d[Ours].body, d[Theirs].body)) {
			see(d[Ours].root(), d[Theirs].root())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out Pieces
	for _, pieces := range compared {
		out.addAll(pieces)
	}
	if last := len(out) - 1; last >= 0 && !out[last].Conflict && isUnterminated(texts[Ours]) && isUnterminated(texts[Theirs]) {
		out[last].Same = bytes.TrimSuffix(out[last].Same, []byte("\n"))
	}
	return out.trimIf(func(p Piece) bool { return len(p.Sides[Base]) > 0 }), nil
}

// joinRenames joins a document that only ours has with the following document that only theirs has,
// if both have the same index and kind in files with equally many documents: both sides renamed it.
func joinRenames(rows [][2]int, documents [3][]document) (out [][2]int) {
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

// compareDocuments compares the versions of one document.
func compareDocuments(d [3]*document, pathsOf func(*yaml.Node) []*merge.Path) (out Pieces) {
	if d[Ours] == nil || d[Theirs] == nil {
		out.addConflict(d[Ours].lines(), d[Base].lines(), d[Theirs].lines())
		return out
	}
	var separators, ends [3][]byte
	for side := range d {
		if d[side] != nil {
			separators[side], ends[side] = d[side].separator, d[side].end
		}
	}
	out.addConflict(separators[Ours], separators[Base], separators[Theirs])
	out.addAll(compareBodies(d, pathsOf))
	out.addConflict(ends[Ours], ends[Base], ends[Theirs])
	return out
}

// isMixable reports whether mixtures of the sides are valid documents: all of ours, all of theirs,
// and both alternations. The documents of the sides are parsed already.
func isMixable(p Pieces, d [3]*document) bool {
	mixtures := Mixtures()
	choices := mixtures[:]
	if n, _ := p.Conflicts(); n < 2 {
		choices = choices[:2] // the alternations are the same
	}
	for _, choose := range choices {
		mixed := document{body: p.Resolve(choose)}
		for _, side := range [2]Side{Ours, Theirs} {
			if bytes.Equal(mixed.body, d[side].body) {
				mixed.text = d[side].parsed()
			}
		}
		if mixed.root() == nil || hasDuplicateKeys(mixed.root()) {
			return false
		}
	}
	return true
}

// compareBodies compares the versions of one document entry by entry, if every mixture of the
// result is YAML; otherwise the document is one conflict.
func compareBodies(d [3]*document, pathsOf func(*yaml.Node) []*merge.Path) Pieces {
	w := walker{}
	var s entryVersions
	for side := range d {
		if d[side] != nil {
			w.texts[side] = d[side].body
		}
	}
	var flat Pieces
	flat.addConflict(w.texts[Ours], w.texts[Base], w.texts[Theirs])
	if n, _ := flat.Conflicts(); n == 0 {
		return flat
	}
	for side := range d {
		entry, ok := d[side].outline()
		switch {
		case ok && bytes.Equal(d[side].text.Bytes(), d[side].body):
			s[side] = entry
		case Side(side) != Base:
			return flat
		}
	}
	w.migrated = d[Base].apiVersion() != "" && d[Base].apiVersion() != d[Ours].apiVersion()
	w.compareEntry(s, newCollisions(slices.Concat(pathsOf(d[Ours].root()), pathsOf(d[Theirs].root()))))
	if !isMixable(w.pieces, d) {
		return flat
	}
	return w.pieces
}

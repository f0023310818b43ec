package marker

import (
	"bytes"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/merge"
)

// Resource is a resource in the two results of the merge of a file, and in origin's file.
type Resource struct {
	// Lines are the numbers of a line of the resource's document on each side, from 1; 0 if the file lacks it there.
	Lines [3]int
	// Known are the parsed texts of the resource's document on the sides that are in memory, else nil.
	Known [3]*manifest.Text
	// Kind is the resource's kind.
	Kind string
	// Collisions are the paths at which values of the resource collide, and Comments those at which comments do.
	Collisions, Comments []*merge.Path
	// See, unless it is nil, gets the resource in the two results if its texts differ there, and as the pieces show it
	// with one side of every conflict; nil where a side lacks it. In ours it begins in a line, which is 0 if a side lacks it.
	// See may be called for several resources at once.
	See func(line int, results, shown [2]*yaml.Node)
}

// Files compares the two results of the merge of one file: ours has our version of each
// collision, theirs has their version. Base is origin's file. Its lines are in all pieces only if showsBase is set.
func Files(files [3]*stream.Stream, resources []Resource, showsBase bool) (Pieces, error) {
	v, err := readVersions(files, resources)
	if err != nil {
		return nil, err
	}
	rows := interleave(v.names[Ours], v.names[Theirs], v.index[Ours], v.index[Theirs])
	if rows == nil && len(v.names[Ours])+len(v.names[Theirs]) > 0 {
		return nil, ErrOrder
	}
	compared := make([]Pieces, len(rows))
	err = parallel.Each(len(rows), func(i int) error {
		d, r := v.row(rows[i], len(rows))
		compared[i] = compareDocuments(d, r, showsBase)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out Pieces
	for _, pieces := range compared {
		out.addAll(pieces)
	}
	if last := len(out) - 1; last >= 0 && !out[last].Conflict && isUnterminated(files[Ours].Bytes()) && isUnterminated(files[Theirs].Bytes()) {
		out[last].Same = bytes.TrimSuffix(out[last].Same, []byte("\n"))
	}
	return out.trimIf(func(p Piece) bool { return len(p.Sides[Base]) > 0 }).encoded(v.encodings), nil
}

// fileVersions has the documents of the versions of a file.
type fileVersions struct {
	resources []Resource
	documents [3][]document
	encodings [3]stream.Encoding
	// names are the indices of the documents' resources, and index has the documents by name.
	names [3][]int
	index [3]map[int]int
}

// readVersions reads the documents of the versions of a file. It is an error if ours or theirs has a directive.
func readVersions(files [3]*stream.Stream, resources []Resource) (v fileVersions, err error) {
	v.resources = resources
	for side, file := range files {
		var ok bool
		v.encodings[side] = file.Encoding()
		if v.documents[side], ok = documentsOf(file); !ok && Side(side) != Base {
			return v, ErrOrder
		}
		v.names[side] = nameDocuments(v.documents[side], resources, Side(side))
		v.index[side], _ = indexNames(v.names[side])
	}
	return v, nil
}

// row returns the documents and the resource of one of the rows of ours and theirs.
func (v *fileVersions) row(row [2]int, rows int) (d [3]*document, r Resource) {
	name := 0
	for i, side := range [2]Side{Ours, Theirs} {
		if row[i] >= 0 {
			name = v.names[side][row[i]]
		}
	}
	if name >= 0 {
		r = v.resources[name]
	}
	for i, side := range [2]Side{Ours, Theirs} {
		if row[i] >= 0 {
			d[side] = v.documents[side][row[i]].with(r.Known[side])
		}
	}
	if i, found := v.index[Base][name]; found {
		d[Base] = v.documents[Base][i].with(r.Known[Base])
	} else if rows == len(v.documents[Base]) && row[0] == row[1] && v.kind(v.names[Base][row[0]]) == r.Kind {
		d[Base] = v.documents[Base][row[0]].with(nil) // both sides replaced it by one of its kind
	}
	return d, r
}

// kind returns the kind of a named resource, "" for a document without one.
func (v *fileVersions) kind(name int) string {
	if name < 0 {
		return ""
	}
	return v.resources[name].Kind
}

func compareDocuments(d [3]*document, r Resource, showsBase bool) (out Pieces) {
	if d[Ours] == nil || d[Theirs] == nil {
		if r.See != nil {
			roots := [2]*yaml.Node{d[Ours].root(), d[Theirs].root()}
			r.See(0, roots, roots)
		}
		out.addConflict(d[Ours].lines(), d[Base].lines(), d[Theirs].lines())
		return out
	}
	var separators [3][]byte
	for side := range d {
		if d[side] != nil {
			separators[side] = d[side].separator
		}
	}
	out.addConflict(separators[Ours], separators[Base], separators[Theirs])
	bodies, shown := compareBodies(d, r, showsBase)
	if r.See != nil && !bytes.Equal(d[Ours].body, d[Theirs].body) {
		r.See(d[Ours].line, [2]*yaml.Node{d[Ours].root(), d[Theirs].root()}, shown)
	}
	out.addAll(bodies)
	return out
}

// mixDocuments returns the document with all of ours and with all of theirs. It is not ok if one of these, or one of
// both alternations, is no valid document. The results are valid.
func mixDocuments(p Pieces, d [3]*document) (pure [2]*yaml.Node, ok bool) {
	mixtures := Mixtures()
	choices := mixtures[:]
	if n, _ := p.Conflicts(); n < 2 {
		choices = choices[:2] // the alternations are the same
	}
	for i, choose := range choices {
		mixed := &document{body: p.Resolve(choose)}
		if result := d[choose(0)]; i < len(pure) && bytes.Equal(mixed.body, result.body) {
			mixed = result
		} else if mixed.root() == nil || hasDuplicateKeys(mixed.root()) {
			return pure, false
		}
		if i < len(pure) {
			pure[i] = mixed.root()
		}
	}
	return pure, true
}

// compareBodies compares the versions of one document entry by entry, if every mixture of the result is YAML; otherwise
// the document is one conflict. shown are the documents with one side of every conflict.
func compareBodies(d [3]*document, r Resource, showsBase bool) (out Pieces, shown [2]*yaml.Node) {
	w := newWalker(d)
	var flat Pieces
	flat.addConflict(w.texts[Ours], w.texts[Base], w.texts[Theirs])
	if n, _ := flat.Conflicts(); n == 0 {
		return flat, shown
	}
	s := entryVersions{Ours: d[Ours].outline()}
	w.find(r, d[Ours].root())
	if !showsBase && w.markLine(d[Theirs], s[Ours]) {
		return w.pieces, [2]*yaml.Node{d[Ours].root(), d[Theirs].root()}
	}
	shown = [2]*yaml.Node{d[Ours].root(), d[Theirs].root()}
	if s[Theirs], s[Base] = d[Theirs].outline(), d[Base].outline(); s[Ours] == nil || s[Theirs] == nil {
		return flat, shown
	}
	w.find(r, d[Theirs].root())
	w.migrated = d[Base].apiVersion() != "" && d[Base].apiVersion() != d[Ours].apiVersion()
	w.compareEntry(s)
	if pure, ok := mixDocuments(w.pieces, d); ok {
		return w.pieces, pure
	}
	return flat, shown
}

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

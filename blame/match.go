package blame

import (
	"path"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// alike is the likeness from which on two documents with different names are versions of one.
const alike = 0.5

// maxCompared bounds the pairs of documents that are compared for their likeness. Beyond it, as in git's search for
// renames, a document that has another name has no older version.
const maxCompared = 50_000

// matcher finds the document of another version of a package that is the same resource as a document.
type matcher struct {
	kinds *schema.Schema
	// compared counts the pairs that were compared for their likeness.
	compared *int
}

func newMatcher() matcher { return matcher{schema.New(nil, nil, true), new(int)} }

// group has documents of one version.
type group struct {
	documents []*document
	// names is shared by versions whose documents have the same identities.
	names *names
}

// names has the indices of documents by their identities.
type names struct {
	byID, byOwnID map[identity.ID][]int
	byName        map[[2]string][]int // by kind and name
	unnamed       []int
}

func newGroup(documents []*document) *group {
	n := &names{byID: map[identity.ID][]int{}, byOwnID: map[identity.ID][]int{}, byName: map[[2]string][]int{}}
	for i, d := range documents {
		if !d.isNamed() {
			n.unnamed = append(n.unnamed, i)
			continue
		}
		id, own := d.id(), d.ownID()
		n.byID[id] = append(n.byID[id], i)
		n.byOwnID[own] = append(n.byOwnID[own], i)
		n.byName[[2]string{d.meta.Kind, id.Name}] = append(n.byName[[2]string{d.meta.Kind, id.Name}], i)
	}
	return &group{documents, n}
}

// id is the identity of a document with a name, and ownID the one without its merge comment.
func (d *document) id() identity.ID    { return identity.Entry{Meta: d.meta}.ID() }
func (d *document) ownID() identity.ID { return identity.Entry{Meta: d.meta}.OwnID() }

// named returns the documents that have the identity of a document: by its merge comment or its own names, else by its
// own names.
func (g *group) named(d *document, skip func(*document) bool) []*document {
	if !d.isNamed() {
		return g.at(g.names.unnamed, func(other *document) bool {
			return other.file != d.file || other.index != d.index || other.meta.Kind != d.meta.Kind || skip(other)
		})
	}
	if found := g.at(g.names.byID[d.id()], skip); len(found) > 0 {
		return found
	}
	return g.at(g.names.byOwnID[d.ownID()], skip)
}

// at returns the documents at indices without those to skip.
func (g *group) at(indices []int, skip func(*document) bool) (found []*document) {
	for _, i := range indices {
		if !skip(g.documents[i]) {
			found = append(found, g.documents[i])
		}
	}
	return found
}

// find returns the version of a document in a group without those to skip, nil if there is none: the resource with its
// identity, by its merge comment or its own names, else with its kind and name, else the most alike of its kind that is
// not taken by another document. Of several the one in the same file is taken, else the most alike.
func (m matcher) find(d *document, in *group, skip, taken func(*document) bool) *document {
	found := in.named(d, skip)
	if len(found) == 0 && d.isNamed() {
		found = in.at(in.names.byName[[2]string{d.meta.Kind, d.id().Name}], skip)
	}
	if len(found) > 0 {
		return m.nearest(d, found, 0)
	}
	for _, other := range in.documents {
		if d.isNamed() == other.isNamed() && d.meta.Kind == other.meta.Kind && (d.item == nil) == (other.item == nil) && !skip(other) && !taken(other) {
			found = append(found, other)
		}
	}
	if *m.compared += len(found); *m.compared > maxCompared {
		return nil
	}
	return m.nearest(d, found, alike)
}

// inPlace returns the version of a document in another version of its file, nil if that has no document with its
// identity.
func (m matcher) inPlace(d *document, in *group) *document {
	if in == nil {
		return nil
	}
	if found := in.named(d, isNone); len(found) > 0 {
		return m.nearest(d, found, 0)
	}
	return nil
}

func isNone(*document) bool { return false }

// nearest returns the document in the same place, else the one that is most alike; nil if that is less alike than
// a minimum.
func (m matcher) nearest(d *document, among []*document, least float64) (best *document) {
	if least == 0 {
		if same := inFile(d, among); len(same) > 0 {
			among = same
		}
		if len(among) == 1 {
			return among[0]
		}
	}
	d.load(m.kinds)
	score := -1.0
	for _, other := range among {
		other.load(m.kinds)
		how := d.likeness(other)
		if how < least || how == 0 && least > 0 {
			continue
		}
		if how += nearness(d, other); how > score {
			best, score = other, how
		}
	}
	return best
}

// nearness returns 2 for documents in one place, 1 for two in files of one name, else 0.
func nearness(d, other *document) float64 {
	switch {
	case other.file == d.file && other.index == d.index:
		return 2
	case path.Base(other.file) == path.Base(d.file):
		return 1
	}
	return 0
}

func inFile(d *document, among []*document) (same []*document) {
	for _, other := range among {
		if other.file == d.file {
			same = append(same, other)
		}
	}
	return same
}

// atomsIn returns the atoms of a document that an older version of it has.
func (m matcher) atomsIn(older, d *document, atoms []*atom) []*atom {
	if len(d.text) > 0 && string(older.text) == string(d.text) {
		return atoms
	}
	if !older.loadLike(d) {
		older.load(m.kinds)
	}
	return without(atoms, func(a *atom) bool { return !a.isIn(older) })
}

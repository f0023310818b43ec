package blame

import (
	"path"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// alike is the likeness from which on two documents with different names are versions of one.
const alike = 0.5

// matcher finds the document of another version of a package that is the same resource as a document.
type matcher struct{ kinds *schema.Schema }

// find returns the version of a document among others, nil if there is none: the resource with its identity, by
// its merge comment or its own names, else with its kind and name, else the most alike of its kind that is not taken by
// another document. Of several the one in the same file is taken, else the most alike.
func (m matcher) find(d *document, in []*document, taken func(*document) bool) *document {
	for _, is := range m.ways(d) {
		var found []*document
		for _, other := range in {
			if is(other) {
				found = append(found, other)
			}
		}
		if len(found) > 0 {
			return m.nearest(d, found, 0)
		}
	}
	var found []*document
	for _, other := range in {
		if d.isNamed() == other.isNamed() && d.meta.Kind == other.meta.Kind && (d.item == nil) == (other.item == nil) && !taken(other) {
			found = append(found, other)
		}
	}
	return m.nearest(d, found, alike)
}

// inPlace returns the version of a document in another version of its file, nil if that has no document with its
// identity.
func (m matcher) inPlace(d *document, in []*document) *document {
	ways := m.ways(d)
	for _, is := range ways[:min(len(ways), 2)] {
		var found []*document
		for _, other := range in {
			if is(other) {
				found = append(found, other)
			}
		}
		if len(found) > 0 {
			return m.nearest(d, found, 0)
		}
	}
	return nil
}

// ways returns the conditions for a version of a document, the strictest first.
func (m matcher) ways(d *document) []func(*document) bool {
	if !d.isNamed() {
		return []func(*document) bool{func(other *document) bool {
			return !other.isNamed() && other.file == d.file && other.index == d.index && other.meta.Kind == d.meta.Kind
		}}
	}
	own := func(e *document) identity.ID { return identity.Entry{Meta: e.meta}.OwnID() }
	id := func(e *document) identity.ID { return identity.Entry{Meta: e.meta}.ID() }
	return []func(*document) bool{
		func(other *document) bool { return other.isNamed() && id(other) == id(d) },
		func(other *document) bool { return other.isNamed() && own(other) == own(d) },
		func(other *document) bool {
			return other.isNamed() && other.meta.Kind == d.meta.Kind && id(other).Name == id(d).Name
		},
	}
}

// nearest returns the document in the same place, else the one that is most alike; nil if that is less alike than
// a minimum.
func (m matcher) nearest(d *document, among []*document, least float64) (best *document) {
	if least == 0 {
		if len(among) == 1 {
			return among[0]
		}
		if same := inFile(d, among); len(same) == 1 {
			return same[0]
		} else if len(same) > 1 {
			among = same
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
		if other.file == d.file && other.index == d.index {
			how += 2
		} else if path.Base(other.file) == path.Base(d.file) {
			how++
		}
		if how > score {
			best, score = other, how
		}
	}
	return best
}

// inFile returns the documents in the file of a document.
func inFile(d *document, among []*document) (same []*document) {
	for _, other := range among {
		if other.file == d.file {
			same = append(same, other)
		}
	}
	return same
}

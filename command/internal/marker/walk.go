package marker

import (
	"bytes"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// walker lays two texts of one resource side by side, and origin's with them.
type walker struct {
	texts
	pieces Pieces
	// migrated says that origin has another apiVersion, whose parts do not mix with those of
	// ours and theirs (rules/resources: a new apiVersion).
	migrated bool
	// gone are origin's lines of entries that both sides removed, since the last entry that a
	// side has.
	gone []byte
}

// entry compares an entry that ours and theirs have. What both have alike is no
// conflict; what collides, or has no parts, is one conflict; of all else the parts
// are compared.
func (w *walker) entry(s spots, at *collisions) {
	ours, theirs := s[Ours], s[Theirs]
	if bytes.Equal(w.texts[Ours][ours.Start:ours.End], w.texts[Theirs][theirs.Start:theirs.End]) {
		w.pieces.same(w.texts[Ours][ours.Start:ours.End])
		return
	}
	if ours.Inline == theirs.Inline && (at.collides() && w.onePart(s, at) || !at.collides() && w.parts(s, at)) {
		return
	}
	w.whole(s)
}

// onePart marks, of an entry that collides as a whole, the one part in which the sides
// differ: then there is no mixture of them. It reports whether there is but one.
func (w *walker) onePart(s spots, at *collisions) bool {
	inner := walker{texts: w.texts, migrated: w.migrated}
	if !inner.parts(s, at) {
		return false
	}
	n, _ := inner.pieces.Conflicts()
	if n == 1 {
		w.pieces.append(inner.pieces)
	}
	return n == 1
}

// parts compares the parts of an entry, and reports whether it could: both sides
// have a block collection of the same kind, and each part of the one has at most
// one counterpart in the other.
func (w *walker) parts(s spots, at *collisions) bool {
	ours, theirs := s[Ours], s[Theirs]
	if len(ours.Kids) == 0 || len(theirs.Kids) == 0 || ours.Value.Kind != theirs.Value.Kind || ours.Kids[0].Column != theirs.Kids[0].Column {
		return false
	}
	rows, ok := pair(s, at)
	if !ok {
		return false
	}
	w.head(s)
	for _, r := range rows {
		if r[Ours] == nil && r[Theirs] == nil {
			w.removed(shifted(w.all(r, Base), ours.Kids[0].Column-r[Base].Column))
			continue
		}
		w.row(r, ours.Value.Kind == yaml.MappingNode, at)
	}
	w.gone = nil
	w.tail(s)
	return true
}

// removed notes origin's lines of an entry that both sides removed, which are the base of what
// they have in its place.
func (w *walker) removed(lines []byte) {
	if !w.pieces.alsoBase(lines) {
		w.gone = append(w.gone, lines...)
	}
}

// row compares a field or an element that one side has at least.
func (w *walker) row(r spots, field bool, at *collisions) {
	gone := w.gone
	w.gone = nil
	switch {
	case r[Ours] == nil || r[Theirs] == nil:
		w.pieces.conflict(w.all(r, Ours), append(gone, w.all(r, Base)...), w.all(r, Theirs))
	case field:
		w.entry(r, at.field(yamlnode.Resolve(r[Ours].Key).Value))
	default:
		w.entry(r, at.element(r[Ours].Value, r[Theirs].Value))
	}
}

// all are the lines of an entry on a side, nil if the side lacks it.
func (w *walker) all(s spots, side Side) []byte {
	if s[side] == nil {
		return nil
	}
	return w.lines(side, s, s[side].Start, s[side].End)
}

// head compares what stands above the first part: the comments and the line of the key.
func (w *walker) head(s spots) {
	var heads [3][]byte
	for side, spot := range s {
		if spot != nil && len(spot.Kids) > 0 {
			heads[side] = w.lines(Side(side), s, spot.Start, spot.Kids[0].Start)
		}
	}
	w.pieces.conflict(heads[Ours], heads[Base], heads[Theirs])
}

// tail compares what stands below the last part.
func (w *walker) tail(s spots) {
	var tails [3][]byte
	for side, spot := range s {
		if spot != nil && len(spot.Kids) > 0 {
			tails[side] = w.lines(Side(side), s, spot.Kids[len(spot.Kids)-1].End, spot.End)
		}
	}
	w.pieces.conflict(tails[Ours], tails[Base], tails[Theirs])
}

// whole marks an entry that both sides have, without the lines above it that both
// have alike. Of a list and a block scalar the elements and lines that collide are
// marked.
func (w *walker) whole(s spots) {
	ours, theirs := s[Ours], s[Theirs]
	var from [3]int
	for side, spot := range s {
		if spot != nil {
			from[side] = spot.Start
		}
	}
	if n := common(w.texts[Ours][ours.Start:ours.Line], w.texts[Theirs][theirs.Start:theirs.Line]); n > 0 {
		w.pieces.same(w.texts[Ours][ours.Start : ours.Start+n])
		from[Ours], from[Theirs] = from[Ours]+n, from[Theirs]+n
		if s[Base] != nil {
			from[Base] = s[Base].Lead
			if ours.Start+n >= ours.Line {
				from[Base] = s[Base].Line
			}
		}
	}
	if bytes.Equal(w.texts[Ours][ours.Line:ours.End], w.texts[Theirs][theirs.Line:theirs.End]) {
		w.above(s, from)
		return
	}
	if units, ok := w.units(s, from, w.migrated); ok {
		w.pieces.append(units)
		w.tail(s)
		return
	}
	var texts [3][]byte
	for side, spot := range s {
		if spot != nil {
			texts[side] = w.lines(Side(side), s, from[side], spot.End)
		}
	}
	w.pieces.conflict(texts[Ours], texts[Base], texts[Theirs])
}

// above marks the comments above an entry that is alike on both sides.
func (w *walker) above(s spots, from [3]int) {
	var texts [3][]byte
	for side, spot := range s {
		if spot != nil {
			texts[side] = w.lines(Side(side), s, min(from[side], spot.Line), spot.Line)
		}
	}
	w.pieces.conflict(texts[Ours], texts[Base], texts[Theirs])
	w.pieces.same(w.texts[Ours][s[Ours].Line:s[Ours].End])
}

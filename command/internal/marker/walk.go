package marker

import (
	"bytes"
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/merge"
)

// walker compares two versions of a resource, together with origin's.
type walker struct {
	texts
	collisions
	pieces Pieces
	// migrated means that origin has another apiVersion, so its parts are not mixed with parts of
	// ours and theirs (rules/resources: a new apiVersion).
	migrated bool
	// removed has origin's lines of entries that both sides removed, since the last entry that a side has.
	removed []byte
}

func newWalker(d [3]*document) *walker {
	w := &walker{collisions: collisions{map[*yaml.Node]bool{}, map[*yaml.Node][]string{}}}
	for side := range d {
		if d[side] != nil {
			w.texts[side] = d[side].body
		}
	}
	return w
}

// markLine marks the only line in which ours and theirs differ, if it is a field below collections whose parts pair up, and
// reports whether it is. Then theirs need not be parsed. top has the entries of ours, and may be nil.
func (w *walker) markLine(d *document, top *manifest.Spot) bool {
	ours, theirs := w.texts[Ours], w.texts[Theirs]
	at := commonHead(ours, theirs)
	end, other := stream.NextLine(ours, at), stream.NextLine(theirs, at)
	if at == 0 || end == len(ours) || !bytes.Equal(ours[end:], theirs[other:]) || bytes.ContainsAny(theirs[at:other], "&*") || top == nil {
		return false
	}
	tree := w.withLine(top, at, theirs[at:other], d.tree)
	if tree != nil {
		w.pieces = Pieces{{Same: ours[:at]}, {Conflict: true, Sides: [3][]byte{Ours: ours[at:end], Theirs: theirs[at:other]}}, {Same: ours[end:]}}
		d.read, d.tree = true, tree
	}
	return tree != nil
}

// withLine returns the tree of an entry of ours with another line in the place of the one at an offset, nil if that is not a
// whole field, or if a part gets another name, such as an element with a key. known is that tree if it is in memory, else nil.
func (w *walker) withLine(s *manifest.Spot, at int, line []byte, known *yaml.Node) *yaml.Node {
	names, ok := partNames(s, w.keys[s.Value])
	_, unique := indexNames(names)
	i := slices.IndexFunc(s.Children, func(part manifest.Spot) bool { return at < part.End })
	if !ok || !unique || i < 0 || s.Children[i].Inline || s.Value.Style&yaml.FlowStyle != 0 {
		return nil
	}
	part, out := s.Children[i], *s.Value
	var key, value *yaml.Node
	if known != nil {
		if len(known.Content) != len(out.Content) {
			return nil
		}
		entry := known.Content[:len(known.Content)/len(s.Children)*(i+1)]
		key, value = entry[max(0, len(entry)-2)], entry[len(entry)-1]
	}
	switch {
	case part.Line < at:
		part.Value = w.withLine(&part, at, line, value)
	case part.End != stream.NextLine(w.texts[Ours], at):
		return nil
	case known == nil:
		part.Key, part.Value = fieldIn(line, part)
	case part.Key != nil && hasValue(part.Value) && hasValue(value) && key.Line == part.Key.Line && key.Column == part.Key.Column:
		part.Key, part.Value = key, value
	default:
		return nil
	}
	if name, _ := partName(&part, w.keys[s.Value]); part.Value == nil || name != names[i] {
		return nil
	}
	out.Content = slices.Clone(out.Content)
	entry := out.Content[:len(out.Content)/len(s.Children)*(i+1)] // up to the part
	if entry[len(entry)-1] = part.Value; part.Key != nil {
		entry[len(entry)-2] = part.Key
	}
	return &out
}

// fieldIn returns the key and the value of a field in another line, with the field's comments above and below; nil if one of
// the lines has no value, which might be below it, or is an element of a list.
func fieldIn(line []byte, was manifest.Spot) (key, value *yaml.Node) {
	if was.Key == nil || !hasValue(was.Value) || len(line) <= was.Column || len(bytes.TrimLeft(line[:was.Column], " ")) > 0 {
		return nil, nil
	}
	tree := manifest.DocumentTree(line[was.Column:])
	if tree == nil || len(tree.Content) != 2 || !hasValue(tree.Content[1]) {
		return nil, nil
	}
	key = tree.Content[0]
	key.HeadComment, key.FootComment = was.Key.HeadComment, was.Key.FootComment
	return key, tree.Content[1]
}

func hasValue(n *yaml.Node) bool { return n.Value != "" || len(n.Content) > 0 }

// compareEntry compares an entry that ours and theirs have. Equal versions are no conflict, a colliding entry or one
// without parts is a single conflict, and other entries are compared part by part.
func (w *walker) compareEntry(s entryVersions) {
	ours, theirs := s[Ours], s[Theirs]
	if bytes.Equal(w.texts[Ours][ours.Start:ours.End], w.texts[Theirs][theirs.Start:theirs.End]) {
		w.pieces.addSame(w.texts[Ours][ours.Start:ours.End])
		return
	}
	compare := w.compareParts
	if w.collides(s) {
		compare = w.markSinglePart
	}
	if ours.Inline != theirs.Inline || !compare(s) {
		w.markEntry(s)
	}
}

// markSinglePart marks the only differing part of an entry that collides as a whole, and reports
// whether there is only one: then no mixture of versions is possible.
func (w *walker) markSinglePart(s entryVersions) bool {
	inner := walker{texts: w.texts, collisions: w.collisions, migrated: w.migrated}
	if !inner.compareParts(s) {
		return false
	}
	n, _ := inner.pieces.Conflicts()
	if n == 1 {
		w.pieces.addAll(inner.pieces)
	}
	return n == 1
}

// compareParts compares the parts of an entry, and reports whether it could: both sides must have a
// block collection of one kind, and the parts must pair up.
func (w *walker) compareParts(s entryVersions) bool {
	ours, theirs := s[Ours], s[Theirs]
	if len(ours.Children) == 0 || len(theirs.Children) == 0 || ours.Value.Kind != theirs.Value.Kind || ours.Children[0].Column != theirs.Children[0].Column {
		return false
	}
	rows, ok := pairParts(s, w.keysOf(s))
	if !ok {
		return false
	}
	w.compareAbove(s)
	for _, r := range rows {
		if r[Ours] == nil && r[Theirs] == nil {
			w.addRemoved(shift(w.entryLines(r, Base), ours.Children[0].Column-r[Base].Column))
			continue
		}
		w.compareRow(r)
	}
	w.removed = nil
	w.compareBelow(s)
	return true
}

// addRemoved keeps origin's lines of an entry that both sides removed, as base of the entry that
// they have in its place.
func (w *walker) addRemoved(lines []byte) {
	if !w.pieces.extendBase(lines) {
		w.removed = append(w.removed, lines...)
	}
}

// compareRow compares a field or element that at least one side has.
func (w *walker) compareRow(r entryVersions) {
	removed := w.removed
	w.removed = nil
	if r[Ours] != nil && r[Theirs] != nil {
		w.compareEntry(r)
		return
	}
	w.pieces.addConflict(w.entryLines(r, Ours), append(removed, w.entryLines(r, Base)...), w.entryLines(r, Theirs))
}

// entryLines returns the lines of an entry on a side, nil if the side lacks it.
func (w *walker) entryLines(s entryVersions, side Side) []byte {
	if s[side] == nil {
		return nil
	}
	return w.lines(side, s, s[side].Start, s[side].End)
}

// compareAbove compares the lines above the first part of an entry: the comments, and the key, which is no part of a
// conflict of the comments where both sides have the same.
func (w *walker) compareAbove(s entryVersions) {
	ours, theirs := s[Ours], s[Theirs]
	key := w.texts[Ours][ours.Line:ours.Children[0].Start]
	if bytes.Equal(key, w.texts[Theirs][theirs.Line:theirs.Children[0].Start]) {
		w.pieces.addAll(w.commentsAbove(s, w.addHead(s)))
		w.pieces.addSame(key)
		return
	}
	var lines [3][]byte
	for side, entry := range s {
		if entry != nil && len(entry.Children) > 0 {
			lines[side] = w.lines(Side(side), s, entry.Start, entry.Children[0].Start)
		}
	}
	w.pieces.addConflict(lines[Ours], lines[Base], lines[Theirs])
}

// compareBelow compares the lines below the last part of an entry.
func (w *walker) compareBelow(s entryVersions) {
	var lines [3][]byte
	for side, entry := range s {
		if entry != nil && len(entry.Children) > 0 {
			lines[side] = w.lines(Side(side), s, entry.Children[len(entry.Children)-1].End, entry.End)
		}
	}
	w.pieces.addConflict(lines[Ours], lines[Base], lines[Theirs])
}

// markEntry marks an entry that both sides have, without common lines above it. In a list or block
// scalar only the colliding elements or lines are marked.
func (w *walker) markEntry(s entryVersions) {
	ours, theirs := s[Ours], s[Theirs]
	from := w.addHead(s)
	if bytes.Equal(w.texts[Ours][ours.Line:ours.End], w.texts[Theirs][theirs.Line:theirs.End]) {
		w.pieces.addAll(w.commentsAbove(s, from))
		w.pieces.addSame(w.texts[Ours][ours.Line:ours.End])
		return
	}
	if units, ok := w.mergeUnits(s, from, w.migrated); ok {
		w.pieces.addAll(units)
		w.compareBelow(s)
		return
	}
	var texts [3][]byte
	for side, entry := range s {
		if entry != nil {
			texts[side] = w.lines(Side(side), s, from[side], entry.End)
		}
	}
	w.pieces.addConflict(texts[Ours], texts[Base], texts[Theirs])
}

// addHead adds the common lines above an entry, and returns the offset on each side from which on it is marked.
func (w *walker) addHead(s entryVersions) (from [3]int) {
	ours, theirs := s[Ours], s[Theirs]
	for side, entry := range s {
		if entry != nil {
			from[side] = entry.Start
		}
	}
	if n := commonHead(w.texts[Ours][ours.Start:ours.Line], w.texts[Theirs][theirs.Start:theirs.Line]); n > 0 {
		w.pieces.addSame(w.texts[Ours][ours.Start : ours.Start+n])
		from[Ours], from[Theirs] = from[Ours]+n, from[Theirs]+n
		if s[Base] != nil {
			from[Base] = s[Base].Lead
			if ours.Start+n >= ours.Line {
				from[Base] = s[Base].Line
			}
		}
	}
	return from
}

// commentsAbove returns the lines above an entry, from the given offsets on.
func (t texts) commentsAbove(s entryVersions, from [3]int) (out Pieces) {
	var lines [3][]byte
	for side, entry := range s {
		if entry != nil {
			lines[side] = t.lines(Side(side), s, min(from[side], entry.Line), entry.Line)
		}
	}
	out.addConflict(lines[Ours], lines[Base], lines[Theirs])
	return out
}

// collisions are the places at which the two results of a resource collide.
type collisions struct {
	// at has the keys of fields, the elements of lists and the roots that collide.
	at map[*yaml.Node]bool
	// keys has the names of the key fields of the lists with collisions in their elements.
	keys map[*yaml.Node][]string
}

// find finds the collisions of a resource in a result of it.
func (c collisions) find(r Resource, result *yaml.Node) {
	finder := merge.NewFinder(result)
	for i, path := range slices.Concat(r.Collisions, r.Comments) {
		if at, whole := finder.Find(path); whole && i < len(r.Collisions) {
			c.at[at] = true
		}
		for ; path != nil; path = path.Parent() {
			c.addKeys(finder.Value(path.Parent()), path)
		}
	}
}

// addKeys notes the names of the key fields of a list, nil if the result lacks it, from the path of an element.
func (c collisions) addKeys(list *yaml.Node, element *merge.Path) {
	steps := element.Steps()
	keys := steps[len(steps)-1].Keys
	if list == nil || keys == nil || c.keys[list] != nil {
		return
	}
	for _, key := range keys {
		c.keys[list] = append(c.keys[list], key.Name)
	}
}

// collides reports whether the versions of an entry collide as a whole.
func (c collisions) collides(s entryVersions) bool {
	return c.at[cmp.Or(s[Ours].Key, s[Ours].Value)] || c.at[cmp.Or(s[Theirs].Key, s[Theirs].Value)]
}

// keysOf returns the names of the key fields of a list's elements, nil if they are unknown.
func (c collisions) keysOf(s entryVersions) []string {
	if keys := c.keys[s[Ours].Value]; keys != nil {
		return keys
	}
	return c.keys[s[Theirs].Value]
}

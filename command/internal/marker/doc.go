// Package marker writes conflicts as git does, as markers in the text (rules/git:
// markers).
//
// A merge is run once for each side, so that the two results differ in what collides
// and nowhere else. [Files] lays the two texts side by side, entry by entry, and makes
// [Piece]s of them: what both have, and what is to be marked, the smallest whole
// lines. [Render] writes the pieces.
//
// Laws: to take ours of every marker gives the one text, to take theirs the other,
// but for lists and block scalars, of which the colliding elements and lines alone are
// marked; and any mixture of sides is YAML, because what a marker holds is whole
// entries of one collection, or nothing.
//
//	what                                           file
//	what is marked and what is not                 piece.go
//	the text with markers                          render.go
//	documents of a file, and which is which        document.go, files.go
//	entries of a collection, and which is which    walk.go, pairs.go
//	elements and lines of a value that collides    units.go
//	elements without a key, one by one             element.go
//	smaller conflicts, and texts                   piece.go, text.go
//	mixtures of sides, which have to be YAML       mixture.go
//	where the merge says that it collides          collisions.go
//	where a part stands on each side               spots.go
//	lines moved to another column, and compared    lines.go
package marker

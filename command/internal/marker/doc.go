// Package marker writes conflicts as git does, as markers in the text (rules/git:
// markers).
//
// A merge has one result for each side, and the two differ only where the sides collide.
// [Files] lays the two texts side by side, entry by entry, and makes [Piece]s of them:
// the text that both have, and the smallest whole lines that are to be marked. [Render]
// writes the pieces.
//
// Two laws hold. To take ours of every marker gives the one text, and to take theirs the
// other, but for lists and block scalars, whose colliding elements and lines alone are
// marked. Any mixture of sides is YAML, because a marker holds whole entries of one
// collection, or nothing.
package marker

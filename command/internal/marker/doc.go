// Package marker writes conflicts as git does, as markers in the text (rules/git: markers).
//
// A merge has two results, one with each side's version of the collisions. [Files] compares the
// two texts entry by entry and returns [Pieces]: the common text, and the smallest runs of whole
// lines to mark. [Render] writes the pieces.
//
// Two laws hold. Taking ours of every conflict gives the one result, and taking theirs the other,
// except in lists and block scalars, where only the colliding elements and lines are marked. Every
// mixture of sides is YAML, because a marker holds whole entries of one collection, or nothing.
package marker

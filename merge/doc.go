// Package merge merges three versions of one resource: origin, where upstream and local
// both started; upstream, the new version; and local, the user's.
//
// Most programs merge whole packages, with package pkgmerge. This package is for programs
// that have the versions of one resource: use Resource.
//
// # How it works
//
// A merge has three steps. Collate lays the versions side by side, as a tree of elements. Decide is pure: it gives
// every element a decision and its conflicts, by the form of the element and the policy. Emit builds the tree of the
// result. A new rule is a new case of decide; nothing else compares two sides, except for comments, which have rules of
// their own (rules/comments-and-text: merged comments).
//
// An element has one of three forms:
//
//	atomic       one value: scalars, lists without keys, atomic structs, and fields
//	             whose kinds differ between the sides (rules/fields: whole values)
//	mapping      decided key by key (rules/fields: maps)
//	associative  decided element by element: lists with keys (rules/lists: keyed lists)
//	             and sets (rules/lists: sets)
//
// Resources, elements of associative lists, and union structs are wholes, which are added and deleted as one
// (rules/resources: additions and deletions). Package schema knows the forms of a kind's fields.
//
// The same elements serve other questions: the differences of two versions, from which package patch writes patches,
// and the effect of an apply on a cluster (rules/apply: fields and rules/server-side-apply: fields in the config).
//
// # Where a rule is
//
// The function that implements a rule cites its page and heading of docs/rules. To find
// the code of a rule, search for the citation, such as "rules/lists: re-keyed elements".
//
// # Equality
//
// Several functions compare two nodes. They differ in the information that may be lost
// when one node is taken for the other:
//
//	Same           equal values: no change, and no conflict
//	Alike          equal values and comments
//	SameButNamed   equal values but for name and namespace: the same thing elsewhere
package merge

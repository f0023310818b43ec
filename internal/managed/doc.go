// Package managed reads and writes metadata.managedFields, in which a server keeps who
// owns which field of an object (rules/server-side-apply: owned fields).
//
// An Entry is what one manager owns, by one operation on one subresource. Its
// fields are a Set: a tree of paths, in which each place says whether it is
// owned itself and what is owned below it. A merge walks such trees along with
// the object, one Step at a time. A Set is never altered once it is made; the
// nil Set is the empty one.
//
//	step.go, value.go            a step of a path: a field, an element by key, value or index
//	set.go, set_algebra.go       sets of paths, and what can be made of two
//	read.go, write.go            the text form of a set, FieldsV1
//	entry.go, entries.go         who owns a set; the list of these
package managed

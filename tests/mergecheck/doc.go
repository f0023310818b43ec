// Package mergecheck checks merges without knowing how they are made. It gets what went
// in, what came out and the paths that were reported, and says what was lost, invented
// or kept against the rules (docs/testing.md). It does not call the merge and shares
// nothing with it but what package schema says of the keys of lists and of scalars. It
// is for tests only.
//
// The sides are laid over each other as places: fields by name, elements of a
// list by their key, or by their value where the list has none. At each place
// that lies under no reported conflict, whatever can be counted is merged
// 3-way as a number:
//
//	origin→upstream  origin→local  the result has as many as
//	unchanged        any           local
//	changed          unchanged     upstream
//	changed          changed       the fewer to the more of the two
//
// So a value of local that is gone was removed by upstream or is reported, a
// change of upstream that did not arrive likewise, and nothing is twice. Under a
// reported conflict the result's values still come from upstream or local.
// Images count as a name and a tag, quantities as amounts, and strings that were
// reported to be merged line by line as their lines.
// Comments are merged as texts in the same way.
//
// CheckPackage checks the files of a package, in which conflicts may be marked: where the two
// readings of the markers differ, the one has local's and the other upstream's. Files that are no
// YAML count line by line.
package mergecheck

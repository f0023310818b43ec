// Package kpt merges packages in kpt's place: in `kpt pkg update`, in Porch, and in
// other programs that call kpt's updater (rules/programs: kpt's updater).
//
// An Updater fits every version of kpt: kpt's type Options is the type argument, because
// it is internal to kpt in most versions. So this module needs no version of kpt, and
// changes none. README.md has the lines that put it into kpt.
//
// An Updater keeps kpt's contract:
//
//	topic                                   file
//	kpt's interface, and the update         updater.go
//	kpt's options                           options.go
//	the files that take part                side.go, remote.go
//	conflicts that are to fail the update   conflict.go
//	conflicts on a terminal                 print.go
//
// The upstream in the root's Kptfile stays: kpt has written the new version there before,
// and writes the lock afterwards. A subpackage without an
// upstream of its own is merged with the package. One with an upstream of its own is
// left to kpt, which asks for it in a call of its own: then IsRoot is false, and
// nothing is done if the user took it to another version than origin's.
//
// A conflict is no error to kpt, which takes upstream's value and says nothing. Here
// the Policy decides, by default for upstream's value too, and Report is told. If the
// Policy says that it is to fail, the update is a ConflictError, and no file is written.
// All files of a package are written, or none.
package kpt

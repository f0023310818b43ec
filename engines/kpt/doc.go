// Package kpt merges packages in kpt's place: in `kpt pkg update`, in Porch, and in
// whatever else calls kpt's updater (rules/programs: porch).
//
// An Updater is kpt's updater, whatever version of kpt it is for: kpt's type Options
// is the type argument, because it is internal to kpt in most versions. So this module
// needs no version of kpt, and changes none. README.md has the lines that put it into
// kpt.
//
// An Updater does what kpt's contract says:
//
//	what                                       file
//	kpt's interface, and what an update does   updater.go
//	what kpt asks for                          options.go
//	which files take part in it                side.go, remote.go
//	conflicts that are to fail the update      conflict.go
//	conflicts on a terminal                    print.go
//
// The root's Kptfile keeps where the package comes from: kpt has written the new
// version there before, and writes the lock afterwards. A subpackage without an
// upstream of its own is merged with the package. One with an upstream of its own is
// left to kpt, which asks for it in a call of its own: then IsRoot is false, and
// nothing is done if the user took it to another version than origin's.
//
// A conflict is no error to kpt, which takes upstream's value and says nothing. Here
// the Policy decides, by default for upstream's value too, and Report is told. If the
// Policy says that it is to fail, the update is a ConflictError, and no file is written.
// All files of a package are written, or none.
package kpt

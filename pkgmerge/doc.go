// Package pkgmerge merges three versions of one package: origin, where upstream
// and local both started; upstream, the new version; local, the user's.
//
// Merge finds the versions of each resource (package identity), has a Strategy
// decide what becomes of each (package merge, for the usual one), and says where
// the result has it. The Result is data: changes, conflicts and notices. Package
// source reads packages, package report makes messages of a Result, and package sink
// files.
//
// Merge prints nothing, reads no environment and keeps no state. Several merges may
// run at once, also of the same packages. A merge stops with an error when its
// context ends.
//
//	what                                        file
//	a package and its resources                 resource.go, package.go
//	the versions of one resource                match.go
//	the strategies (design 6)                   strategy.go and a file each
//	whose version a conflict takes (5)          policy.go
//	files that are no resources (8)             skipped.go
//	Kptfiles and subpackages (7)                kptfile.go, subpackage.go
//	files, indices and order of the result      place.go
//	what deserves a word though it is no
//	conflict (5)                                notice.go and a file each
package pkgmerge

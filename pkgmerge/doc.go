// Package pkgmerge merges three versions of one package: origin, where upstream
// and local both started; upstream, the new version; local, the user's.
//
// Merge finds the versions of each resource (package identity), has a Strategy
// decide what becomes of each (package merge, for the usual one), and says where
// the result has it. The Result is data: changes, conflicts and notices. Package
// report makes text of it, package sink files.
//
//	what                                          file
//	a package and its resources                   resource.go, package.go
//	the versions of one resource                  match.go
//	the strategies (design 6)                     strategy.go and a file each
//	whose version a conflict takes (5)            policy.go
//	Kptfiles, such as their upstreamLock (7)      kptfile.go
//	subpackages (7)                               subpackage.go
//	inventory templates (3.8)                     inventory.go
//	file and index of what is added or moved,
//	and the order of the result (1.2)             place.go
//	what upstream renamed (2)                     identity/rename.go; notice_rename.go for what looks like it
//	local's bookkeeping annotations (1.2)         bookkeeping.go
//	what deserves a word though it is no
//	conflict (5)                                  notice.go and a file each
package pkgmerge

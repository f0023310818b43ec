// Package update updates a package as `kpt pkg update` does, with this project's merge
// (rules/update: the command). It reads the Kptfile, fetches the two versions that the Kptfile
// names, merges them with the user's copy, does the same with subpackages that have an upstream of
// their own, and records the new versions in the Kptfiles. It returns files and writes none.
//
// An update visits packages in kpt's order. The package itself comes first: its origin is the
// commit of the lock, its upstream the requested version. Then comes each direct subpackage of the
// result that has an upstream, from its own lock to its own version, and so on.
package update

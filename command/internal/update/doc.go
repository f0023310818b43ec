// Package update has the rules of the update command (rules/update: the command): what
// `kpt pkg update` does, with this project's merge. It reads the Kptfile, fetches the
// two versions that it names, merges them with the user's copy, does the same with the
// subpackages that have an upstream of their own, and notes in the Kptfiles where the
// copy is now. It writes no file: what it gives are files.
//
// A run goes through packages as kpt does. First the package itself: its origin is
// the commit of the lock, its upstream the version that is asked for. Then each
// direct subpackage of the result that has an upstream, from its own lock to its
// own version, and so on.
package update

// Package pkgmerge merges three versions of one package: origin, where upstream and local
// both started; upstream, the new version; and local, the user's.
//
// Merge finds the versions of each resource, has a Strategy decide the outcome of each, and places the result in the
// files of local. The Result is data: changes, conflicts and notices, and the merged package. Package source reads
// packages, package report makes messages and reports of a Result, and package sink writes it.
//
// A Strategy that is a Driver brings its own matching, and may bring its own reading and
// writing. Package apply has such strategies.
//
// Merge prints nothing, reads no environment and keeps no state. Several merges may run at
// once, also of the same packages. A merge stops with an error when its context ends.
//
// The rules are in docs/rules. The function that implements a rule cites its page and heading:
//
//	which resources are versions of one      rules/identity: matching
//	additions, deletions, and both changed   rules/resources: additions and deletions
//	the customisations of new resources      rules/adopt: what follows
//	the files of the result                  rules/placement: added resources
//	files that are no resources              rules/files: text and other files
//	Kptfiles and subpackages                 rules/kptfiles: subpackages
//	the strategies                           rules/strategies: the strategies
//	conflicts and the policy                 rules/conflicts: policies
//	notices                                  rules/conflicts: dangling references
package pkgmerge

// Package gitdriver is resource-merge in git (rules/git: the commands): a merge driver, a
// tool that merges the files that git left unmerged, and the installation of both.
//
// A driver never makes a merge worse than git's (rules/git: never worse than git). So git
// merges the lines first. A result without a conflict stands, if it can be read as the
// versions can. The fields are merged only where lines collide, where the result has a
// field or a document twice, or where it has a change of one side in another place than
// the side has it. Where the fields collide too, the file gets markers around the smallest
// whole lines.
package gitdriver

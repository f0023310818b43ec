// Package gitdriver integrates resource-merge with git (rules/git: the commands): a merge driver, a
// command that merges the files that git left unmerged, and the installation of both.
//
// A driver never makes a merge worse than git's (rules/git: never worse than git). So the lines are merged first. A
// result without a conflict is used if it is as readable as the versions. The fields are merged only if lines collide,
// if the result has duplicate fields or documents, or if it has a change of one side elsewhere than on that side. If
// the fields collide too, the file gets markers around the smallest runs of whole lines.
package gitdriver

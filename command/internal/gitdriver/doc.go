// Package gitdriver is resource-merge in git (rules/git: solve): a merge driver, a tool
// that merges what git left unmerged, and what installs both.
//
// A driver never makes a merge worse. So git merges the lines first. What it merges
// without a conflict stands, if it can be read as before; only where lines collide, or
// the result has a field or a document twice, or has a change of one side where that side did
// not make it, are the fields merged. Where these collide too, the
// file gets markers, of the smallest whole lines.
//
//	what                                                file
//	three versions of a file, and what came of them     versions.go, merge.go
//	by lines, as git does, and without git              lines.go, certain.go
//	by fields                                           structure.go, rename.go
//	whether a text can be read and has nothing twice    sound.go
//	whether a merge of lines kept each change           standing.go, kept.go
//	the merge driver                                    driver.go
//	files that are unmerged in the index                unmerged.go
//	solve and the mergetool; files edited since         solve.go, solve_edited.go
//	git's configuration                                 install.go
//	git itself                                          git.go
package gitdriver

// Package journal replaces files of a directory atomically: all of them or none (rules/files: writing
// over a directory).
//
// A run takes these steps. Its own files are in Dir.
//
//  1. It hides Dir from git, and takes the lock. A killed run leaves the file of the lock but not the lock, so a directory
//     is never locked for longer than a process lives.
//  2. It reverts a killed run, as Recover does.
//  3. It writes the new files to new/, and keeps the files that it will replace or remove as hard
//     links in old/.
//  4. It compares the directory with the files that were read.
//  5. It writes the journal, which has the changes of all files. From now on a killed run has to be
//     reverted.
//  6. It removes files, makes directories and renames the new files, and checks before each change
//     that the file to be replaced is still the same.
//  7. It removes the journal. From now on all files are replaced.
//  8. It removes the rest of Dir.
//
// An error before step 7 reverts everything. A file that is reverted is the original one, with its
// owner and times. Files and directories are flushed to the disk before step 5 and before step 7, so
// the run is atomic even if the machine stops.
//
// A killed run is reverted and not completed because nobody has seen its report. Users who see half
// a merge discard it with git and expect that it does not come back.
package journal

import pkgfile "github.com/resource-merge/resource-merge/internal/file"

// Dir is the directory at the top of the package with a run's files. It exists during a run, and after a killed run. No
// file in it has a name that kpt or kustomize reads, and git never lists one: the first file in it is a .gitignore, which goes last.
const Dir = pkgfile.JournalDir

// The files and directories in Dir.
const (
	lockName    = Dir + "/lock"
	journalName = Dir + "/journal"
	draftName   = Dir + "/journal.new"
	ignoreName  = Dir + "/.gitignore"
	ignoreDraft = Dir + "/.git" // the .gitignore while it is written: git lists no file of this name
	newDir      = Dir + "/new"
	oldDir      = Dir + "/old"
)

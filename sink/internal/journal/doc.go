// Package journal replaces files of a directory so that in the end all of them are
// replaced or none (rules/files: writing over a directory).
//
// A run goes through these steps. All that it prepares lies in Dir.
//
//  1. It takes the lock. A run that was killed has left the lock, so a directory is
//     never locked for longer than a process lives.
//  2. It takes back what a killed run has left, as Recover does.
//  3. It writes the new files to new/, and keeps the ones that it will replace or
//     remove as hard links in old/.
//  4. It compares the directory with what was read.
//  5. It writes the journal: which file is to become what. This is the point from
//     which a killed run leaves something to take back.
//  6. It removes, then makes directories, then renames the new files to their
//     places, each after one more look at what it replaces.
//  7. It removes the journal. This is the point from which all files are replaced.
//  8. It removes the rest of Dir.
//
// An error before step 7 takes everything back. A file that is taken back is the
// very file that was there, with its owner and times. Files and directories are
// flushed to the disk before step 5 and before step 7, so the steps hold for a
// machine that stops too.
//
// Why a killed run is taken back and not finished: nobody has seen its report. Who
// sees half a merge throws it away with git and expects that it stays away.
package journal

import pkgfile "github.com/resource-merge/resource-merge/internal/file"

// Dir is the directory at the top of the package that holds a run's files. It is
// there during a run only, and after a killed one. No file in it has a name that
// kpt or kustomize reads, and its .gitignore hides it from git.
const Dir = pkgfile.JournalDir

// The names in Dir.
const (
	lockName    = Dir + "/lock"
	journalName = Dir + "/journal"
	draftName   = Dir + "/journal.new"
	ignoreName  = Dir + "/.gitignore"
	newDir      = Dir + "/new"
	oldDir      = Dir + "/old"
)

package file

import (
	"bytes"
	"path"

	gitignore "github.com/monochromegane/go-gitignore"
)

// JournalDir is the name of the directory in which a run keeps its journal.
const JournalDir = ".resource-merge-journal"

// KrmIgnore is the file that lists files which are no part of a package, in git's form.
const KrmIgnore = ".krmignore"

// An Ignorer knows which files are no part of a package: what the .krmignore of their
// package names, as kpt reads it. Each package, a directory with a Kptfile, has its own,
// and the one around it does not count in it.
type Ignorer struct {
	// read is a file below the top, nil if there is none.
	read     func(name string) []byte
	packages map[string]string // by directory
	rules    map[string]gitignore.IgnoreMatcher
}

// NewIgnorer returns an Ignorer of a tree. read is a file below its top, nil if there is none.
func NewIgnorer(read func(name string) []byte) *Ignorer {
	return &Ignorer{read: read, packages: map[string]string{}, rules: map[string]gitignore.IgnoreMatcher{}}
}

// Ignores reports whether a file or directory is no part of the package: also where that
// is because of a directory that it is in.
func (i *Ignorer) Ignores(name string, isDir bool) bool {
	if base := path.Base(name); base == ".git" || base == JournalDir {
		return true
	}
	dir := path.Dir(name)
	return dir != "." && i.Ignores(dir, true) || i.rulesOf(i.packageOf(dir)).Match(name, isDir)
}

// packageOf is the directory of the package that a directory is in.
func (i *Ignorer) packageOf(dir string) string {
	if found, known := i.packages[dir]; known || dir == "." {
		return path.Clean(found)
	}
	found := dir
	if i.read(path.Join(dir, "Kptfile")) == nil {
		found = i.packageOf(path.Dir(dir))
	}
	i.packages[dir] = found
	return found
}

// rulesOf are the rules of a package.
func (i *Ignorer) rulesOf(dir string) gitignore.IgnoreMatcher {
	if rules, known := i.rules[dir]; known {
		return rules
	}
	i.rules[dir] = gitignore.NewGitIgnoreFromReader(dir, bytes.NewReader(i.read(path.Join(dir, KrmIgnore))))
	return i.rules[dir]
}

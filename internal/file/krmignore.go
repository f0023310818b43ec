package file

import (
	"bytes"
	"path"

	gitignore "github.com/monochromegane/go-gitignore"
)

// JournalDir is the name of the directory for the journal of a run.
const JournalDir = ".resource-merge-journal"

// KrmIgnore is the file that lists ignored files, in git's form.
const KrmIgnore = ".krmignore"

// An Ignorer finds the ignored files of a package as kpt does: by the .krmignore of the nearest directory
// with a Kptfile only.
type Ignorer struct {
	read     func(name string) []byte
	packages map[string]string // by directory
	rules    map[string]gitignore.IgnoreMatcher
}

// NewIgnorer returns an Ignorer for a tree. read returns a file below its top, nil if there is none.
func NewIgnorer(read func(name string) []byte) *Ignorer {
	return &Ignorer{read: read, packages: map[string]string{}, rules: map[string]gitignore.IgnoreMatcher{}}
}

// Ignores reports whether a file or directory, or a directory above it, is ignored.
func (i *Ignorer) Ignores(name string, isDir bool) bool {
	if base := path.Base(name); base == ".git" || base == JournalDir {
		return true
	}
	dir := path.Dir(name)
	return dir != "." && i.Ignores(dir, true) || i.rulesOf(i.packageOf(dir)).Match(name, isDir)
}

// packageOf returns the directory of the package that contains a directory.
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

// rulesOf returns the rules of a package.
func (i *Ignorer) rulesOf(dir string) gitignore.IgnoreMatcher {
	if rules, known := i.rules[dir]; known {
		return rules
	}
	i.rules[dir] = gitignore.NewGitIgnoreFromReader(dir, bytes.NewReader(i.read(path.Join(dir, KrmIgnore))))
	return i.rules[dir]
}

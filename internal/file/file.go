// Package file defines the files of a package, and finds ignored files (rules/files: reading a directory).
package file

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	gitignore "github.com/monochromegane/go-gitignore"
)

// File is a file of a package.
type File struct {
	// Name is the path below the package, with slashes.
	Name string
	// Mode is 0o644, 0o755 for an executable file, or fs.ModeSymlink.
	Mode fs.FileMode
	// Data is the content of the file, or the target of a symbolic link.
	Data []byte
}

// Like is a type with the fields of File, such as the public one of package pkgmerge.
type Like interface {
	~struct {
		Name string
		Mode fs.FileMode
		Data []byte
	}
}

// IsStructured reports whether a file is YAML or JSON by its name.
func IsStructured(name string) bool {
	switch path.Ext(name) {
	case ".yaml", ".yml", ".json":
		return true
	}
	base := path.Base(name)
	return base == "Kptfile" || base == "Kustomization"
}

// maxName limits the name of a file without its extension, in bytes. File systems take 255; the rest is for a number,
// and for the names of backups and temporary files.
const maxName = 200

// ShortName returns a name of at most maxName bytes without a separator of directories, which the names of resources
// in a hostile package may have. A longer one ends with a hash.
func ShortName(name string) string {
	name = strings.NewReplacer("/", "-", `\`, "-").Replace(name)
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	tail := "-" + hex.EncodeToString(sum[:8])
	return name[:maxName-len(tail)] + tail
}

// As converts files to another type.
func As[To, From Like](files []From) []To {
	if files == nil {
		return nil
	}
	out := make([]To, len(files))
	for i, f := range files {
		out[i] = To(f)
	}
	return out
}

// IsSame reports whether two paths name one file or directory.
func IsSame(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// Put replaces a file as Replace does, or makes a new one.
func Put(name string, text []byte) error {
	if _, err := os.Lstat(name); err == nil {
		return Replace(name, text)
	}
	return os.WriteFile(name, text, 0o644)
}

// Replace replaces a file atomically, and keeps its permission bits. Of a symbolic link it replaces the file that the link
// leads to, as editors do. A file that its owner may not write is an error.
func Replace(name string, text []byte) (err error) {
	if name, err = filepath.EvalSymlinks(name); err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err == nil && info.Mode().Perm()&0o200 == 0 {
		err = fmt.Errorf("%s is read-only; make it writable first", name)
	}
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".resource-merge-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// WithoutIgnored returns the files that no .krmignore of a package lists. The package may be another version
// of the files. It is an error if a .krmignore is one that ReadBeside would not read.
func WithoutIgnored[F Like](files, pkg []F) (rest []F, err error) {
	ignored := Ignored(pkg)
	for _, f := range files {
		if !ignored.Ignores(File(f).Name, false) {
			rest = append(rest, f)
		}
	}
	return rest, ignored.Err()
}

// Ignored returns the Ignorer of a package that was read.
func Ignored[F Like](pkg []F) *Ignorer {
	known := make(map[string]File, len(pkg))
	for _, f := range As[File](pkg) {
		known[f.Name] = f
	}
	return &Ignorer{
		hasKptfile: func(name string) bool {
			f, found := known[name]
			return found && f.Mode.IsRegular()
		},
		read: func(name string) ([]byte, error) {
			f, found := known[name]
			if !found {
				return nil, fs.ErrNotExist
			}
			if err := cmp.Or(checkRegular(name, f.Mode), checkSize(name, len(f.Data), MaxBeside)); err != nil {
				return nil, err
			}
			return f.Data, nil
		},
	}
}

// JournalDir is the name of the directory for the journal of a run.
const JournalDir = ".resource-merge-journal"

// Config is the file in the top directory of a package with the config of its merges. It is no part of
// the package (rules/commands: the config file).
const Config = ".resource-merge.yaml"

// KrmIgnore is the file that lists ignored files, in git's form.
const KrmIgnore = ".krmignore"

// An Ignorer finds the ignored files of a package as kpt does: by the .krmignore of the nearest directory
// with a Kptfile only. It may be used by several goroutines.
type Ignorer struct {
	mutex      sync.Mutex
	hasKptfile func(name string) bool
	read       func(name string) ([]byte, error)
	packages   map[string]string // by directory
	rules      map[string]gitignore.IgnoreMatcher
	err        error
}

// NewIgnorer returns an Ignorer for a directory.
func NewIgnorer(dir fs.FS) *Ignorer {
	return &Ignorer{
		hasKptfile: func(name string) bool {
			info, err := fs.Lstat(dir, name)
			return err == nil && info.Mode().IsRegular()
		},
		read: func(name string) ([]byte, error) { return ReadBesideIn(dir, name) },
	}
}

// Err returns the error of the first .krmignore that could not be read, nil if all could: its patterns would count for
// nothing.
func (i *Ignorer) Err() error {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return i.err
}

// Ignores reports whether a file or directory, or a directory above it, is ignored, or no part of a package. A .krmignore
// does not ignore itself: other versions are compared by it.
func (i *Ignorer) Ignores(name string, isDir bool) bool {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return i.ignores(name, isDir)
}

func (i *Ignorer) ignores(name string, isDir bool) bool {
	base, dir := path.Base(name), path.Dir(name)
	if base == ".git" || base == JournalDir || name == Config || dir != "." && i.ignores(dir, true) {
		return true
	}
	return base != KrmIgnore && i.rulesOf(i.packageOf(dir)).Match(name, isDir)
}

// packageOf returns the directory of the package that contains a directory.
func (i *Ignorer) packageOf(dir string) string {
	if found, known := i.packages[dir]; known || dir == "." {
		return path.Clean(found)
	}
	found := dir
	if !i.hasKptfile(path.Join(dir, "Kptfile")) {
		found = i.packageOf(path.Dir(dir))
	}
	if i.packages == nil {
		i.packages = map[string]string{}
	}
	i.packages[dir] = found
	return found
}

func (i *Ignorer) rulesOf(dir string) gitignore.IgnoreMatcher {
	if rules, known := i.rules[dir]; known {
		return rules
	}
	text, err := i.read(path.Join(dir, KrmIgnore))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		i.err = cmp.Or(i.err, err)
	}
	if i.rules == nil {
		i.rules = map[string]gitignore.IgnoreMatcher{}
	}
	i.rules[dir] = gitignore.NewGitIgnoreFromReader(dir, bytes.NewReader(text))
	return i.rules[dir]
}

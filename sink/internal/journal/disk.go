package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"

	pkgfile "github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/parallel"
)

// disk is the directory that is written. Names in it have slashes. No method leaves the directory.
type disk struct {
	top    *os.Root
	edited map[string]bool       // the files that the run changes: one may be a link where another side has a directory
	fault  func(op string) error // called before each change; nil except in tests
}

// change makes one change on the disk.
func (d disk) change(op, name string, make func(name string) error) error {
	if d.fault != nil {
		if err := d.fault(op + " " + name); err != nil {
			return err
		}
	}
	return make(filepath.FromSlash(name))
}

func (d disk) mkdir(name string, perm fs.FileMode) error {
	return d.change("mkdir", name, func(name string) error { return d.top.Mkdir(name, perm) })
}

func (d disk) chmod(name string, mode fs.FileMode) error {
	return d.change("chmod", name, func(name string) error { return d.top.Chmod(name, mode) })
}

func (d disk) rename(from, to string) error {
	return d.change("rename", to, func(to string) error { return d.top.Rename(filepath.FromSlash(from), to) })
}

func (d disk) link(from, to string) error {
	return d.change("link", to, func(to string) error { return d.top.Link(filepath.FromSlash(from), to) })
}

func (d disk) symlink(target, name string) error {
	return d.change("symlink", name, func(name string) error { return d.top.Symlink(target, name) })
}

// remove removes a file or an empty directory, if it exists.
func (d disk) remove(name string) error {
	return ignore(fs.ErrNotExist, d.change("remove", name, d.top.Remove))
}

// removeAll removes a directory with its contents, if it exists.
func (d disk) removeAll(name string) error {
	return d.change("remove all", name, d.top.RemoveAll)
}

func (d disk) write(name string, data []byte, perm fs.FileMode) error {
	var f *os.File
	err := d.change("create", name, func(name string) (err error) {
		f, err = d.top.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		return err
	})
	if err != nil {
		return err
	}
	err = d.change("write", name, func(string) error {
		_, err := f.Write(data)
		return err
	})
	return errors.Join(err, f.Close())
}

// sync flushes a file or directory to the disk. Windows cannot flush directories.
func (d disk) sync(name string) error {
	return d.change("sync", name, func(name string) error {
		f, err := d.top.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		if info, err := f.Stat(); err != nil || info.IsDir() && runtime.GOOS == "windows" {
			return err
		}
		return f.Sync()
	})
}

// syncAll flushes files and directories. It does so in parallel, since the system combines
// concurrent requests into one write to the disk.
func (d disk) syncAll(names []string) error {
	return parallel.On(32, len(names), func(i int) error { return d.sync(names[i]) })
}

func (d disk) lstat(name string) (fs.FileInfo, error) {
	return d.top.Lstat(filepath.FromSlash(name))
}

// stepFile returns the name of a step's file in a directory.
func stepFile(dir string, step int) string { return path.Join(dir, strconv.Itoa(step)) }

// ignore returns err, or nil if it is the expected error.
func ignore(expected, err error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// errBusy means that another process holds the lock.
var errBusy = errors.New("another run is writing to the directory: try again when it is done")

// lock is an exclusive lock on a directory, which ends with its file or with the process.
type lock struct {
	disk
	file *os.File
}

// acquire makes Dir and locks the directory. It does not wait for another run, since that run
// changes the files that this one has read.
func (d disk) acquire() (*lock, error) {
	for range 100 { // another run may remove Dir in between, but not a hundred times
		if err := ignore(fs.ErrExist, d.mkdir(Dir, 0o700)); err != nil {
			return nil, err
		}
		if info, err := d.lstat(Dir); err == nil && !info.IsDir() {
			return nil, fmt.Errorf("%s is not a directory", Dir)
		}
		switch err := d.hide(); {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist): // another run makes or removes it, too
			continue
		case err != nil:
			return nil, errors.Join(err, d.unmake())
		}
		var f *os.File
		err := d.change("lock", lockName, func(name string) (err error) {
			f, err = d.top.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
			return err
		})
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, errors.Join(err, d.unmake())
		}
		free, err := pkgfile.TryLock(f)
		if err == nil && free && d.isLock(f) {
			return &lock{d, f}, nil
		}
		_ = f.Close() // nothing was written to it
		if err != nil || !free {
			return nil, cmp.Or(err, errBusy)
		}
	}
	return nil, errBusy
}

// hide hides Dir from git with a .gitignore, unless it has one. A run that is killed meanwhile leaves no file that git lists.
func (d disk) hide() error {
	if _, err := d.lstat(ignoreName); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := d.removeAll(ignoreDraft); err != nil { // of a killed run
		return err
	}
	if err := d.write(ignoreDraft, []byte("*\n"), 0o600); err != nil {
		return err
	}
	return d.rename(ignoreDraft, ignoreName)
}

// unmake removes the .gitignore and Dir, unless another run has the lock or the directory has other files.
func (d disk) unmake() error {
	if _, err := d.lstat(lockName); err == nil {
		return nil
	}
	return cmp.Or(d.remove(ignoreDraft), d.remove(ignoreName), ignore(fs.ErrExist, d.remove(Dir)))
}

// isLock reports whether an open file is still the lock of other processes: a run removes it at its end.
func (d disk) isLock(f *os.File) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	current, err := d.top.Lstat(filepath.FromSlash(lockName))
	return err == nil && os.SameFile(opened, current)
}

// release removes the lock, and then Dir. Windows cannot remove open files.
func (l *lock) release() error {
	if runtime.GOOS == "windows" {
		_ = l.file.Close()
		_, _ = l.remove(lockName), l.unmake()
		return nil
	}
	err := l.remove(lockName)
	if err == nil {
		err = l.unmake()
	}
	return errors.Join(err, l.file.Close())
}

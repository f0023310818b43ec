package journal

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/resource-merge/resource-merge/internal/parallel"
)

// disk is the directory that is written to. Names in it have slashes. No method
// leaves the directory, whatever is in it.
type disk struct {
	top   *os.Root
	own   map[string]bool       // the files that the run changes: one may be a link where another side has a directory
	fault func(op string) error // asked before each change; nil but in tests
}

// change makes one change of the disk.
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

// remove removes a file or an empty directory. One that is gone is no error.
func (d disk) remove(name string) error {
	return without(fs.ErrNotExist, d.change("remove", name, d.top.Remove))
}

// removeAll removes a directory with what is in it. One that is gone is no error.
func (d disk) removeAll(name string) error {
	return d.change("remove all", name, d.top.RemoveAll)
}

// write writes a file that is not there yet.
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

// syncAll flushes files and directories. The system puts what it is asked for at the
// same time into one write to the disk, so many ask at once.
func (d disk) syncAll(names []string) error {
	return parallel.On(32, len(names), func(i int) error { return d.sync(names[i]) })
}

func (d disk) lstat(name string) (fs.FileInfo, error) {
	return d.top.Lstat(filepath.FromSlash(name))
}

// numbered is the file of a directory that belongs to a step.
func numbered(dir string, step int) string { return path.Join(dir, strconv.Itoa(step)) }

// without is err unless it is one that is expected.
func without(expected, err error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

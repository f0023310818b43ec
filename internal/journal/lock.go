package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// errBusy is that another process holds the lock.
var errBusy = errors.New("another run is writing to the directory: try again when it is done")

// lock is the right to write to a directory. The system takes it from a process
// that ends.
type lock struct {
	disk
	file *os.File
}

// lock makes Dir and locks the directory. It does not wait for another run: what
// that one writes is not what this one has read.
func (d disk) lock() (*lock, error) {
	for range 100 { // another run may remove Dir in between, but not a hundred times
		if err := without(fs.ErrExist, d.mkdir(Dir, 0o700)); err != nil {
			return nil, err
		}
		if info, err := d.lstat(Dir); err == nil && !info.IsDir() {
			return nil, fmt.Errorf("%s is no directory", Dir)
		}
		f, err := d.openLock()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, errors.Join(err, without(fs.ErrExist, d.remove(Dir)))
		}
		free, err := tryLock(f)
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

func (d disk) openLock() (f *os.File, err error) {
	err = d.change("lock", lockName, func(name string) (err error) {
		f, err = d.top.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		return err
	})
	return f, err
}

// isLock reports whether an open file is still the one that others lock: a run that
// ends removes it.
func (d disk) isLock(f *os.File) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := d.top.Lstat(filepath.FromSlash(lockName))
	return err == nil && os.SameFile(mine, there)
}

// release removes the lock and Dir. Windows removes no file that is open.
func (l *lock) release() error {
	if runtime.GOOS == "windows" {
		_ = l.file.Close()
		_, _ = l.remove(lockName), l.remove(Dir)
		return nil
	}
	err := l.remove(lockName)
	if err == nil {
		err = without(fs.ErrExist, l.remove(Dir))
	}
	return errors.Join(err, l.close())
}

// close lets others have the lock, and leaves Dir to them.
func (l *lock) close() error { return l.file.Close() }

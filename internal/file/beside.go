package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// MaxBeside is the most bytes of a file that is read beside a package.
const MaxBeside = 1 << 20

// ReadBeside reads a file that came with a package and steers the program: its config, its Kptfile, its .krmignore
// (rules/files: files beside a package). It is a regular file of at most MaxBeside bytes: a symbolic link is not followed,
// and nothing waits for a pipe or a device. The error of a missing file is fs.ErrNotExist.
func ReadBeside(name string) ([]byte, error) { return readAlone(name, MaxBeside) }

// ReadBesideIn is ReadBeside for a file of a directory.
func ReadBesideIn(dir fs.FS, name string) ([]byte, error) { return readOwn(dir, name, MaxBeside) }

// ReadRegular reads a regular file of any size as ReadBeside does.
func ReadRegular(name string) ([]byte, error) { return readAlone(name, 0) }

// ReadRegularIn is ReadRegular for a file of a directory.
func ReadRegularIn(dir fs.FS, name string) ([]byte, error) { return readOwn(dir, name, 0) }

// ReadInside reads a regular file of a directory. A symbolic link is followed as far as the directory allows; nothing waits
// for a pipe or a device.
func ReadInside(dir fs.FS, name string) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return readOpen(f, info, name, 0)
}

// ReadNamed reads a file that the user named, which may be a link or a pipe, of at most MaxBeside bytes.
func ReadNamed(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAtMost(f, name, MaxBeside)
}

// ReadGitFile reads a .git that is a regular file, or a link to one, of at most MaxBeside bytes, as git does.
func ReadGitFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if err := checkRegular(name, info.Mode()); err != nil {
		return nil, err
	}
	return ReadNamed(name)
}

// Below is a directory as a file system: names may be in any encoding, nothing outside of the directory is opened, and no
// open waits.
type Below struct{ Root *os.Root }

// Open opens a file without waiting for it: a pipe could have no writer. It also spares the Go runtime four calls for each
// file, by which it would find out that nothing has to wait for a regular file.
func (b Below) Open(name string) (fs.File, error) {
	return b.Root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|noWait, 0)
}

// ReadDir returns the entries of a directory, sorted by their names. It asks the system for nothing but their names and types, where
// os.Root would also have it describe each entry.
func (b Below) ReadDir(name string) ([]fs.DirEntry, error) {
	opened, err := b.Root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	dir, err := withoutRoot(opened)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// Lstat returns the FileInfo of a file, or of a symbolic link itself.
func (b Below) Lstat(name string) (fs.FileInfo, error) { return b.Root.Lstat(filepath.FromSlash(name)) }

// ReadLink returns the target of a symbolic link.
func (b Below) ReadLink(name string) (string, error) {
	return b.Root.Readlink(filepath.FromSlash(name))
}

// Tree is a directory by its path, which is opened for each file as Below.
type Tree string

// Open opens a file without waiting for it.
func (t Tree) Open(name string) (fs.File, error) {
	root, err := os.OpenRoot(string(t))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return Below{root}.Open(name)
}

// Lstat returns the FileInfo of a file, or of a symbolic link itself.
func (t Tree) Lstat(name string) (fs.FileInfo, error) {
	root, err := os.OpenRoot(string(t))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return Below{root}.Lstat(name)
}

// ReadLink returns the target of a symbolic link.
func (t Tree) ReadLink(name string) (string, error) {
	root, err := os.OpenRoot(string(t))
	if err != nil {
		return "", err
	}
	defer root.Close()
	return Below{root}.ReadLink(name)
}

// readAlone reads a file by its path, whose directory the user has named. most is 0 for any size.
func readAlone(name string, most int64) ([]byte, error) {
	data, err := readOwn(Tree(filepath.Dir(name)), filepath.Base(name), most)
	return data, withName(err, name)
}

// withName returns an error with another name of its file.
func withName(err error, name string) error {
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		op := "open"
		if errors.Is(err, syscall.EISDIR) {
			op = of.Op
		}
		return &fs.PathError{Op: op, Path: name, Err: of.Err}
	}
	if of := (*unreadError)(nil); errors.As(err, &of) {
		return &unreadError{name, of.reason}
	}
	return err
}

// unreadError says why a file is not read.
type unreadError struct{ name, reason string }

func (e *unreadError) Error() string { return e.name + ": " + e.reason }

// readOwn reads a regular file of a directory, and follows no link.
func readOwn(dir fs.FS, name string, most int64) ([]byte, error) {
	listed, err := fs.Lstat(dir, name)
	if err != nil {
		return nil, err
	}
	if err := checkRegular(name, listed.Mode()); err != nil {
		return nil, err
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if _, isOfSystem := f.(*os.File); isOfSystem && !os.SameFile(listed, info) {
		return nil, &unreadError{name, "somebody replaced it meanwhile"}
	}
	return readOpen(f, info, name, most)
}

// ReadWhole reads an open regular file to its end, in one call if the file has the size that its description says. The bytes are in
// room if they fit and one more does, else in memory of their own.
func ReadWhole(f fs.File, info fs.FileInfo, room []byte) ([]byte, error) {
	data := slices.Grow(room[:0], int(info.Size())+1) // #nosec G115 -- a larger file would not fit into memory
	data = data[:cap(data)]
	n, err := f.Read(data)
	if err == nil && int64(n) != info.Size() { // there may be more; a read with room to spare that gives all bytes is at the end
		rest := bytes.NewBuffer(data[:n])
		_, err = rest.ReadFrom(f)
		return rest.Bytes(), err
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return data[:n], err
}

// readOpen reads an open file if it is regular.
func readOpen(f io.Reader, info fs.FileInfo, name string, most int64) ([]byte, error) {
	if err := checkRegular(name, info.Mode()); err != nil {
		return nil, err
	}
	return readAtMost(f, name, most)
}

// checkRegular returns an error for anything but a regular file.
func checkRegular(name string, mode fs.FileMode) error {
	switch {
	case mode&fs.ModeSymlink != 0:
		return &unreadError{name, "it is a symbolic link, which is not followed; put a regular file in its place"}
	case mode.IsDir():
		return &fs.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	case !mode.IsRegular():
		return &unreadError{name, "it is no regular file"}
	}
	return nil
}

// readAtMost reads to the end. It is an error if there are more bytes than a limit, which is 0 for none.
func readAtMost(from io.Reader, name string, most int64) ([]byte, error) {
	if most == 0 {
		return io.ReadAll(from)
	}
	data, err := io.ReadAll(io.LimitReader(from, most+1))
	if err == nil {
		err = checkSize(name, len(data), most)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// checkSize returns an error for more bytes than a limit.
func checkSize(name string, size int, most int64) error {
	if int64(size) <= most {
		return nil
	}
	return &unreadError{name, fmt.Sprintf("it has more than %d MiB", most>>20)}
}

package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// state is what a file holds, so that two can be told apart. Its permission bits
// but for the executable one do not count.
type state struct {
	Mode string `json:"mode"` // as git writes it
	Sum  string `json:"sha256"`
}

func newState(f pkgmerge.File) state {
	sum := sha256.Sum256(f.Data)
	return state{Mode: modeOf(f.Mode), Sum: hex.EncodeToString(sum[:])}
}

// modeOf is a file's mode as git writes it. Windows knows of no executable bit.
func modeOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "120000"
	case mode&0o100 != 0 && runtime.GOOS != "windows":
		return "100755"
	}
	return "100644"
}

// errLink is that a directory on the way to a file is a symbolic link, which is
// never followed.
var errLink = errors.New("a directory above it is a symbolic link")

// place looks at a name without following a link anywhere. Where nothing is, and
// where a file or a link of the run's own stands in the place of a directory above
// it, the info is nil.
func (d disk) place(name string) (fs.FileInfo, error) {
	for _, dir := range above(name) {
		info, err := d.lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, err
		case info.Mode()&fs.ModeSymlink != 0 && !d.own[dir]:
			return nil, errLink
		case !info.IsDir():
			return nil, nil
		}
	}
	info, err := d.lstat(name)
	return info, without(fs.ErrNotExist, err)
}

// read reads the file at a name, nil if there is none. A directory is none, and
// what is neither file, link nor directory is an error.
func (d disk) read(name string) (*pkgmerge.File, fs.FileInfo, error) {
	info, err := d.place(name)
	if err != nil || info == nil || info.IsDir() {
		return nil, info, err
	}
	f := &pkgmerge.File{Name: name, Mode: 0o644}
	switch local := filepath.FromSlash(name); {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := d.top.Readlink(local)
		f.Mode, f.Data = fs.ModeSymlink, []byte(target)
		return f, info, err
	case !info.Mode().IsRegular():
		return nil, nil, fmt.Errorf("%s is no regular file", name)
	default:
		f.Mode |= info.Mode() & 0o111
		f.Data, err = d.top.ReadFile(local)
		return f, info, err
	}
}

// above are the directories above a name, outer ones first.
func above(name string) []string {
	var dirs []string
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		dirs = append([]string{dir}, dirs...)
	}
	return dirs
}

// readOnly reports whether a file or directory lacks its owner's write bit, which
// counts for root too. The bit says nothing of links, and nothing of directories
// on Windows.
func readOnly(info os.FileInfo) bool {
	if info.Mode()&fs.ModeSymlink != 0 || info.IsDir() && runtime.GOOS == "windows" {
		return false
	}
	return info.Mode()&0o200 == 0
}

package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// plan is what is to become of the files of a directory.
type plan struct {
	edits []edit          // the files that change, sorted by name
	kept  []pkgmerge.File // the files that were read and do not change
}

// edit is a file that changes.
type edit struct {
	name   string
	before *pkgmerge.File // nil if there was none
	after  *pkgmerge.File // nil if there is to be none
}

// newPlan compares a package as it was read with what it is to be.
func newPlan(before, after []pkgmerge.File) (plan, error) {
	was, err := byName(before)
	if err != nil {
		return plan{}, err
	}
	shall, err := byName(after)
	if err != nil {
		return plan{}, err
	}
	var p plan
	for _, f := range before {
		switch to := shall[f.Name]; {
		case to == nil || !same(f, *to):
			p.edits = append(p.edits, edit{name: f.Name, before: &f, after: to})
		default:
			p.kept = append(p.kept, f)
		}
	}
	for _, f := range after {
		if was[f.Name] == nil {
			p.edits = append(p.edits, edit{name: f.Name, after: &f})
		}
	}
	slices.SortFunc(p.edits, func(a, b edit) int { return strings.Compare(a.name, b.name) })
	return p, p.check(shall)
}

// byName finds files by their names, none of which comes twice.
func byName(files []pkgmerge.File) (map[string]*pkgmerge.File, error) {
	found := make(map[string]*pkgmerge.File, len(files))
	for i, f := range files {
		if found[f.Name] != nil {
			return nil, fmt.Errorf("the package has the file %q twice", f.Name)
		}
		found[f.Name] = &files[i]
	}
	return found, nil
}

// check finds names that cannot be written.
func (p plan) check(shall map[string]*pkgmerge.File) error {
	for _, e := range p.edits {
		if err := CheckName(e.name); err != nil {
			return err
		}
		if e.after == nil {
			continue
		}
		for _, dir := range above(e.name) {
			if shall[dir] != nil {
				return fmt.Errorf("%q cannot be written, because %q is to be a file and not a directory", e.name, dir)
			}
		}
	}
	return nil
}

// CheckName finds a name that is no file's below the directory (rules/files: refused writes):
// one that leads out of it, or into what is git's or a run's own.
func CheckName(name string) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) || name == "." || name != path.Clean(name) {
		return fmt.Errorf("%q is no file below the directory", name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, ".git") {
			return fmt.Errorf("%q is git's own", name)
		}
		if strings.EqualFold(part, Dir) {
			return fmt.Errorf("%q is where runs keep their files", name)
		}
	}
	return nil
}

// same reports whether two files have the same bytes and count as of one mode.
func same(a, b pkgmerge.File) bool {
	return modeOf(a.Mode) == modeOf(b.Mode) && bytes.Equal(a.Data, b.Data)
}

// sorted are the members of a set, in order.
func sorted(set map[string]bool) []string {
	var all []string
	for name := range set {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// removed are the files that go.
func (p plan) removed() map[string]bool {
	names := map[string]bool{}
	for _, e := range p.edits {
		if e.after == nil {
			names[e.name] = true
		}
	}
	return names
}

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

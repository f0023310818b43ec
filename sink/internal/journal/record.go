package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	pkgfile "github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// record is the journal on the disk: all that is needed to revert a run.
type record struct {
	Version int         `json:"version"`
	Steps   []step      `json:"steps"`             // sorted by name; the index of a step is that of its files in newDir and oldDir
	Made    []name      `json:"made,omitempty"`    // directories that the run makes, outer ones first
	Emptied []directory `json:"emptied,omitempty"` // directories that the run may remove, inner ones first
}

// version is the version of the journal's format.
const version = 1

// step is a file that is written, replaced or removed.
type step struct {
	Name   name   `json:"name"`
	Before *state `json:"before,omitempty"` // nil if the file is new
	After  *state `json:"after,omitempty"`  // nil if the file is removed
}

// directory is a directory as it was before the run.
type directory struct {
	Name name        `json:"name"`
	Perm fs.FileMode `json:"perm"`
}

// name is a name below the directory, with slashes. It may have bytes that are not valid in JSON text, so it is quoted.
type name string

func (n name) MarshalText() ([]byte, error) { return []byte(strconv.QuoteToASCII(string(n))), nil }

func (n *name) UnmarshalText(text []byte) error {
	s, err := strconv.Unquote(string(text))
	*n = name(s)
	return err
}

// write writes the journal atomically.
func (r record) write(d disk) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := d.write(draftName, data, 0o600); err != nil {
		return err
	}
	if err := d.sync(draftName); err != nil {
		return err
	}
	if err := d.rename(draftName, journalName); err != nil {
		return err
	}
	return d.sync(Dir)
}

// readRecord reads the journal, nil if there is none.
func readRecord(d disk) (*record, error) {
	data, err := pkgfile.ReadRegularIn(pkgfile.Below{Root: d.top}, journalName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &record{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %w", journalName, err)
	}
	if r.Version != version {
		return nil, fmt.Errorf("%s is of version %d, which another release of resource-merge wrote: run that one", journalName, r.Version)
	}
	return r, r.check()
}

// check returns an error for names that no run writes: a journal may come with a package from elsewhere.
func (r *record) check() error {
	for _, s := range r.Steps {
		if err := CheckName(string(s.Name)); err != nil {
			return fmt.Errorf("%s: %w", journalName, err)
		}
	}
	for _, n := range r.directories() {
		if err := CheckName(n); err != nil {
			return fmt.Errorf("%s: %w", journalName, err)
		}
	}
	return nil
}

// indices returns the indices of all steps.
func (r *record) indices() []int {
	var steps []int
	for i := range r.Steps {
		steps = append(steps, i)
	}
	return steps
}

// names returns the files of all steps.
func (r *record) names() map[string]bool {
	names := map[string]bool{}
	for _, s := range r.Steps {
		names[string(s.Name)] = true
	}
	return names
}

// directories returns the directories that a run makes or may remove.
func (r *record) directories() []string {
	var all []string
	for _, n := range r.Made {
		all = append(all, string(n))
	}
	for _, d := range r.Emptied {
		all = append(all, string(d.Name))
	}
	return all
}

// newRecord returns the journal of a plan.
func newRecord(p plan) record {
	r := record{Version: version}
	for _, e := range p.edits {
		r.Steps = append(r.Steps, step{Name: name(e.name), Before: stateOf(e.before), After: stateOf(e.after)})
	}
	return r
}

// stateOf returns the state of a file, nil if there is no file.
func stateOf(f *pkgmerge.File) *state {
	if f == nil {
		return nil
	}
	s := newState(*f)
	return &s
}

// plan has the changes of the files of a directory.
type plan struct {
	edits []edit          // changed files, sorted by name
	kept  []pkgmerge.File // unchanged files
}

// edit is a change of a file.
type edit struct {
	name   string
	before *pkgmerge.File // nil if the file is new
	after  *pkgmerge.File // nil if the file is removed
}

// newPlan compares a package as it was read with the result.
func newPlan(before, after []pkgmerge.File) (plan, error) {
	byOldName, err := byName(before)
	if err != nil {
		return plan{}, err
	}
	byNewName, err := byName(after)
	if err != nil {
		return plan{}, err
	}
	var p plan
	for _, f := range before {
		switch to := byNewName[f.Name]; {
		case to == nil || !isSame(f, *to):
			p.edits = append(p.edits, edit{name: f.Name, before: &f, after: to})
		default:
			p.kept = append(p.kept, f)
		}
	}
	for _, f := range after {
		if byOldName[f.Name] == nil {
			p.edits = append(p.edits, edit{name: f.Name, after: &f})
		}
	}
	slices.SortFunc(p.edits, func(a, b edit) int { return strings.Compare(a.name, b.name) })
	return p, p.check(byNewName)
}

// byName indexes files by their names, which must be unique.
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

// check returns an error for names that cannot be written.
func (p plan) check(after map[string]*pkgmerge.File) error {
	for _, e := range p.edits {
		if err := CheckName(e.name); err != nil {
			return err
		}
		if e.after == nil {
			continue
		}
		for _, dir := range parents(e.name) {
			if after[dir] != nil {
				return fmt.Errorf("%q cannot be written, because %q is to be a file and not a directory", e.name, dir)
			}
		}
	}
	return nil
}

// CheckName returns an error for a name that is not a file below the directory (rules/files:
// refused writes), or is in a directory of git's or of a run.
func CheckName(name string) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) || name == "." || name != path.Clean(name) {
		return fmt.Errorf("%q is not a file below the directory", name)
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

// isSame reports whether two files have the same bytes and mode.
func isSame(a, b pkgmerge.File) bool {
	return gitMode(a.Mode) == gitMode(b.Mode) && bytes.Equal(a.Data, b.Data)
}

// removed returns the files that are removed.
func (p plan) removed() map[string]bool {
	names := map[string]bool{}
	for _, e := range p.edits {
		if e.after == nil {
			names[e.name] = true
		}
	}
	return names
}

// state identifies the contents of a file. Of its permission bits only the executable one counts.
type state struct {
	Mode string `json:"mode"` // as git writes it
	Sum  string `json:"sha256"`
}

func newState(f pkgmerge.File) state {
	sum := sha256.Sum256(f.Data)
	return state{Mode: gitMode(f.Mode), Sum: hex.EncodeToString(sum[:])}
}

// gitMode returns a file's mode as git writes it. Windows has no executable bit.
func gitMode(mode fs.FileMode) string {
	if runtime.GOOS == "windows" {
		mode &^= 0o111
	}
	return gitrepo.Mode(mode)
}

// errLink means that a directory above a file is a symbolic link, which is never followed.
var errLink = errors.New("a directory above it is a symbolic link")

// stat returns the info of a name without following links. The info is nil if nothing is there, or
// if a directory above the name is a file or link of the run's own.
func (d disk) stat(name string) (fs.FileInfo, error) {
	for _, dir := range parents(name) {
		info, err := d.lstat(dir)
		switch {
		case isAbsent(err):
			return nil, nil
		case err != nil:
			return nil, err
		case info.Mode()&fs.ModeSymlink != 0 && !d.edited[dir]:
			return nil, errLink
		case !info.IsDir():
			return nil, nil
		}
	}
	info, err := d.lstat(name)
	if isAbsent(err) {
		return nil, nil
	}
	return info, err
}

// isAbsent reports whether an error of lstat says that nothing has the name. Another run may have
// just made a file of a directory above it.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// read reads the file with a name, nil if there is none or a directory. Other types of files than
// regular files and links are an error. The bytes of a regular file are in room if that is large enough.
func (d disk) read(name string, room []byte) (*pkgmerge.File, fs.FileInfo, error) {
	info, err := d.stat(name)
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
		return nil, nil, fmt.Errorf("%s is not a regular file", name)
	default:
		f.Mode |= info.Mode() & 0o111
		opened, err := pkgfile.Below{Root: d.top}.Open(name)
		if err != nil {
			return nil, nil, err
		}
		defer opened.Close()
		f.Data, err = pkgfile.ReadWhole(opened, info, room)
		return f, info, err
	}
}

// parents returns the directories above a name, outer ones first.
func parents(name string) []string {
	var dirs []string
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		dirs = append([]string{dir}, dirs...)
	}
	return dirs
}

// isReadOnly reports whether a file or directory lacks its owner's write bit, which root respects
// too. Links have no such bit, nor have directories on Windows.
func isReadOnly(info os.FileInfo) bool {
	if info.Mode()&fs.ModeSymlink != 0 || info.IsDir() && runtime.GOOS == "windows" {
		return false
	}
	return info.Mode()&0o200 == 0
}

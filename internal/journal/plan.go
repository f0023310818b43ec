package journal

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
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

// CheckName finds a name that is no file's below the directory: one that leads out
// of it, or into what is git's or a run's own.
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

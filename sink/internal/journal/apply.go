package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// apply replaces the files one by one. It removes files first, so that a directory can become a
// file, and a file a directory.
func (r *run) apply() error {
	for i, e := range r.plan.edits {
		if e.after == nil {
			if err := r.edit(i, e, func() error { return r.remove(e.name) }); err != nil {
				return err
			}
		}
	}
	for _, dir := range r.record.Emptied {
		if err := ignore(fs.ErrExist, r.remove(string(dir.Name))); err != nil {
			return err
		}
	}
	for _, dir := range r.record.Made {
		if err := r.mkdir(string(dir), 0o777); err != nil {
			return err
		}
		r.made++
	}
	for i, e := range r.plan.edits {
		if e.after != nil {
			if err := r.edit(i, e, func() error { return r.rename(stepFile(newDir, i), e.name) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// edit makes one edit, if the file is unchanged.
func (r *run) edit(i int, e edit, make func() error) error {
	if err := r.checkUnchanged(i, e); err != nil {
		return err
	}
	if err := make(); err != nil {
		return err
	}
	r.done = append(r.done, i)
	return nil
}

// checkUnchanged returns an error if a file changed between compare and its edit, or a directory
// above it became a link. Links of the run itself are already gone by then, or not there yet.
func (r *run) checkUnchanged(i int, e edit) error {
	info, err := disk{top: r.top}.stat(e.name)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", e.name, err)
	case e.before == nil && info != nil:
		return fmt.Errorf("%s was added since the package was read", e.name)
	case e.before != nil && (info == nil || !isUntouched(info, r.found[i])):
		return fmt.Errorf("%s was changed since it was read", e.name)
	}
	return nil
}

// isUntouched reports whether two calls of stat found the same file with the same contents and mode.
func isUntouched(a, b os.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.Mode() == b.Mode() && a.ModTime().Equal(b.ModTime())
}

// inspect examines the directory before anything is written: the files that each edit replaces, and
// the directories that the run makes and empties. It returns an error for read-only files.
func (r *run) inspect() error {
	r.record = newRecord(r.plan)
	r.edited = r.record.names()
	if err := r.findReplaced(); err != nil {
		return err
	}
	if err := r.findMissing(); err != nil {
		return err
	}
	if err := r.findEmptied(); err != nil {
		return err
	}
	return r.eachChanged(r.record, func(dir string, info fs.FileInfo) error { // rules/files: refused writes
		if isReadOnly(info) {
			return fmt.Errorf("the directory %s is read-only; make it writable first", dir)
		}
		return nil
	})
}

// findReplaced finds the files that the edits replace.
func (r *run) findReplaced() error {
	r.found = nil
	for _, e := range r.plan.edits {
		info, err := r.stat(e.name)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		if info != nil && !info.IsDir() && isReadOnly(info) {
			return fmt.Errorf("%s is read-only; make it writable first", e.name)
		}
		r.found = append(r.found, info)
	}
	return nil
}

// findMissing finds the directories that do not exist yet.
func (r *run) findMissing() error {
	removed := r.plan.removed()
	missing := map[string]bool{}
	for _, e := range r.plan.edits {
		if e.after == nil {
			continue
		}
		for _, dir := range parents(e.name) {
			info, err := r.stat(dir)
			switch {
			case err != nil:
				return fmt.Errorf("%s: %w", e.name, err)
			case info != nil && info.IsDir():
			case info != nil && !removed[dir]:
				return fmt.Errorf("%s cannot be written, because %s is not a directory", e.name, dir)
			default:
				missing[dir] = true
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(missing)) {
		r.record.Made = append(r.record.Made, name(dir))
	}
	return nil
}

// findEmptied finds the directories whose files all go. Directories with files that were not read stay.
func (r *run) findEmptied() error {
	needed := map[string]bool{}
	for _, f := range r.plan.kept {
		addParents(needed, f.Name)
	}
	candidates := map[string]bool{}
	for _, e := range r.plan.edits {
		if e.after != nil {
			addParents(needed, e.name)
		} else {
			addParents(candidates, e.name)
		}
	}
	for _, dir := range slices.Backward(slices.Sorted(maps.Keys(candidates))) {
		info, err := r.stat(dir)
		if err != nil {
			return err
		}
		if !needed[dir] && info != nil && info.IsDir() {
			r.record.Emptied = append(r.record.Emptied, directory{name(dir), info.Mode().Perm()})
		}
	}
	return nil
}

// addParents adds the directories above a file.
func addParents(dirs map[string]bool, file string) {
	for dir := path.Dir(file); dir != "." && !dirs[dir]; dir = path.Dir(dir) {
		dirs[dir] = true
	}
}

// compare returns an error if the package changed since it was read, or since inspect.
func (r *run) compare(ctx context.Context) error {
	for i, e := range r.plan.edits {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.compareEdited(e, r.found[i]); err != nil {
			return err
		}
	}
	rooms := sync.Pool{New: func() any { return new([]byte) }}
	return parallel.Each(len(r.plan.kept), func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		room := rooms.Get().(*[]byte)
		defer rooms.Put(room)
		return r.compareKept(r.plan.kept[i], room)
	})
}

// compareKept returns an error if a file that stays as it is changed since it was read. room is memory that one file at a time is
// read into.
func (r *run) compareKept(f pkgmerge.File, room *[]byte) error {
	found, _, err := r.read(f.Name, *room)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	if found == nil || !isSame(*found, f) {
		return fmt.Errorf("%s was changed since it was read", f.Name)
	}
	*room = found.Data
	return nil
}

// compareEdited returns an error if the file of an edit changed since it was read, or since inspect found it.
func (r *run) compareEdited(e edit, inspected fs.FileInfo) error {
	found, info, err := r.read(e.name, nil)
	switch {
	case errors.Is(err, errLink):
		return fmt.Errorf("%s: %w", e.name, err)
	case err != nil:
		return err
	case e.before != nil && found == nil:
		return fmt.Errorf("%s was removed since it was read", e.name)
	case e.before == nil && found != nil:
		return fmt.Errorf("%s was added since the package was read", e.name)
	case e.before != nil && (!isSame(*found, *e.before) || !isUntouched(info, inspected)):
		return fmt.Errorf("%s was changed since it was read", e.name)
	case info != nil && info.IsDir():
		return r.checkOnlyRemoved(e.name)
	}
	return nil
}

// checkOnlyRemoved returns an error if a directory cannot become a file, because some of its files stay.
func (r *run) checkOnlyRemoved(dir string) error {
	removed := r.plan.removed()
	for _, d := range r.record.Emptied {
		removed[string(d.Name)] = true
	}
	return fs.WalkDir(r.top.FS(), dir, func(name string, _ fs.DirEntry, err error) error {
		if name = filepath.ToSlash(name); err == nil && !removed[name] {
			err = fmt.Errorf("%s cannot become a file, because it has %s, which is not in the package", dir, name)
		}
		return err
	})
}

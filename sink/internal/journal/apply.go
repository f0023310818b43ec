package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// apply replaces the files one by one: first it removes, so that a directory may
// become a file, and a file a directory.
func (r *run) apply() error {
	for i, e := range r.plan.edits {
		if e.after == nil {
			if err := r.edit(i, e, func() error { return r.remove(e.name) }); err != nil {
				return err
			}
		}
	}
	for _, dir := range r.record.Emptied {
		if err := without(fs.ErrExist, r.remove(string(dir.Name))); err != nil {
			return err
		}
	}
	for _, dir := range r.record.Made {
		if err := r.mkdir(string(dir), 0o777); err != nil {
			return err
		}
		r.built++
	}
	for i, e := range r.plan.edits {
		if e.after != nil {
			if err := r.edit(i, e, func() error { return r.rename(numbered(newDir, i), e.name) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// edit makes one edit, if nobody else was at the file.
func (r *run) edit(i int, e edit, make func() error) error {
	if err := r.still(i, e); err != nil {
		return err
	}
	if err := make(); err != nil {
		return err
	}
	r.done = append(r.done, i)
	return nil
}

// still finds that somebody changed a file between compare and its edit, or made a
// link of a directory above it: those of the run's own are gone by then, or not
// there yet.
func (r *run) still(i int, e edit) error {
	info, err := disk{top: r.top}.place(e.name)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", e.name, err)
	case e.before == nil && info != nil:
		return fmt.Errorf("%s has come since the package was read", e.name)
	case e.before != nil && (info == nil || !untouched(info, r.seen[i])):
		return fmt.Errorf("%s was changed since it was read", e.name)
	}
	return nil
}

// untouched reports whether two looks saw the same file, and nobody wrote to it or
// changed its mode in between.
func untouched(a, b os.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.Mode() == b.Mode() && a.ModTime().Equal(b.ModTime())
}

// finish makes the run one that nobody takes back.
func (r *run) finish() error {
	if err := r.syncParents(r.record); err != nil {
		return err
	}
	return r.forget()
}

// look looks at the directory before anything is written: at what each edit would
// replace, and at the directories that the run makes and empties. What is read-only
// is refused.
func (r *run) look() error {
	r.record = newRecord(r.plan)
	r.own = r.record.names()
	r.seen = nil
	for _, e := range r.plan.edits {
		info, err := r.place(e.name)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		if info != nil && !info.IsDir() && readOnly(info) {
			return fmt.Errorf("%s is read-only", e.name)
		}
		r.seen = append(r.seen, info)
	}
	if err := r.made(); err != nil {
		return err
	}
	if err := r.emptied(); err != nil {
		return err
	}
	return r.writable()
}

// made finds the directories that are not there yet.
func (r *run) made() error {
	removed := r.plan.removed()
	missing := map[string]bool{}
	for _, e := range r.plan.edits {
		if e.after == nil {
			continue
		}
		for _, dir := range above(e.name) {
			info, err := r.place(dir)
			switch {
			case err != nil:
				return fmt.Errorf("%s: %w", e.name, err)
			case info != nil && info.IsDir():
			case info != nil && !removed[dir]:
				return fmt.Errorf("%s cannot be written, because %s is no directory", e.name, dir)
			default:
				missing[dir] = true
			}
		}
	}
	for _, dir := range sorted(missing) {
		r.record.Made = append(r.record.Made, name(dir))
	}
	return nil
}

// emptied finds the directories that have no file any more that was read. Those
// with other files stay.
func (r *run) emptied() error {
	needed := map[string]bool{}
	for _, f := range r.plan.kept {
		mark(needed, f.Name)
	}
	candidates := map[string]bool{}
	for _, e := range r.plan.edits {
		if e.after != nil {
			mark(needed, e.name)
		} else {
			mark(candidates, e.name)
		}
	}
	for _, dir := range slices.Backward(sorted(candidates)) {
		info, err := r.place(dir)
		if err != nil {
			return err
		}
		if !needed[dir] && info != nil && info.IsDir() {
			r.record.Emptied = append(r.record.Emptied, directory{name(dir), info.Mode().Perm()})
		}
	}
	return nil
}

// mark marks the directories above a file.
func mark(dirs map[string]bool, file string) {
	for dir := path.Dir(file); dir != "." && !dirs[dir]; dir = path.Dir(dir) {
		dirs[dir] = true
	}
}

// writable finds a directory without its owner's write bit in which an entry is to change
// (rules/files: refused writes).
func (r *run) writable() error {
	dirs := map[string]bool{".": true}
	for _, e := range r.plan.edits {
		dirs[path.Dir(e.name)] = true
	}
	for _, dir := range r.record.directories() {
		dirs[path.Dir(dir)] = true
	}
	for _, dir := range sorted(dirs) {
		info, err := r.place(dir)
		if err != nil {
			return err
		}
		if info != nil && info.IsDir() && readOnly(info) {
			return fmt.Errorf("the directory %s is read-only", dir)
		}
	}
	return nil
}

// compare finds what somebody changed since the package was read, or since look.
func (r *run) compare(ctx context.Context) error {
	for i, e := range r.plan.edits {
		if err := ctx.Err(); err != nil {
			return err
		}
		found, info, err := r.read(e.name)
		switch {
		case errors.Is(err, errLink):
			return fmt.Errorf("%s: %w", e.name, err)
		case err != nil:
			return err
		case e.before != nil && found == nil:
			return fmt.Errorf("%s was removed since it was read", e.name)
		case e.before == nil && found != nil:
			return fmt.Errorf("%s has come since the package was read", e.name)
		case e.before != nil && (!same(*found, *e.before) || !untouched(info, r.seen[i])):
			return fmt.Errorf("%s was changed since it was read", e.name)
		case info != nil && info.IsDir():
			if err := r.holdsOthers(e.name); err != nil {
				return err
			}
		}
	}
	for _, f := range r.plan.kept {
		if found, _, err := r.read(f.Name); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		} else if found == nil || !same(*found, f) {
			return fmt.Errorf("%s was changed since it was read", f.Name)
		}
	}
	return nil
}

// holdsOthers finds what keeps a directory from becoming a file.
func (r *run) holdsOthers(dir string) error {
	goes := r.plan.removed()
	for _, d := range r.record.Emptied {
		goes[string(d.Name)] = true
	}
	return fs.WalkDir(r.top.FS(), dir, func(name string, _ fs.DirEntry, err error) error {
		if name = filepath.ToSlash(name); err == nil && !goes[name] {
			err = fmt.Errorf("%s cannot become a file, because it has %s, which is not of the package", dir, name)
		}
		return err
	})
}

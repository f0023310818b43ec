package journal

import (
	"fmt"
	"io/fs"
	"os"
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

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

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Replace makes the files of a directory, which were read as before, the files of
// after: all of them, or none if it returns an error (rules/files: writing over a
// directory). The order of the files does not matter. A file that is in both with the
// same bytes and mode is not touched. One that stays keeps its permission bits but for
// the executable one, and as far as the process may, its owner. A file that is in
// before alone goes, and so does a directory that this empties.
//
// Refused are a name that leads out of the directory, into .git or into Dir; a file
// or directory without its owner's write bit; a symbolic link on the way to a file;
// a directory whose files are no longer those of before, or that another run
// writes to; and one with files of a killed run in a state that Recover refuses.
func Replace(ctx context.Context, dir string, before, after []pkgmerge.File) error {
	return replace(ctx, dir, before, after, nil)
}

// Put is Replace for a directory that nobody has read: each of the files is written,
// over the one of its name if there is one, and all others stay but those that are gone.
func Put(ctx context.Context, dir string, files []pkgmerge.File, gone ...string) error {
	named := slices.Clone(files)
	for _, name := range gone {
		named = append(named, pkgmerge.File{Name: name})
	}
	before, err := present(dir, named)
	if err != nil {
		return fmt.Errorf("write %s: %w", dir, err)
	}
	return Replace(ctx, dir, before, files)
}

// present are the files of a directory that have the names of others.
func present(dir string, files []pkgmerge.File) ([]pkgmerge.File, error) {
	top, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	var found []pkgmerge.File
	for _, f := range files {
		if err := CheckName(f.Name); err != nil {
			return nil, err
		}
		was, _, err := disk{top: top}.read(f.Name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if was != nil {
			found = append(found, *was)
		}
	}
	return found, nil
}

func replace(ctx context.Context, dir string, before, after []pkgmerge.File, fault func(op string) error) error {
	p, err := newPlan(before, after)
	if err != nil {
		return fmt.Errorf("write %s: %w", dir, err)
	}
	if len(p.edits) == 0 {
		return ctx.Err()
	}
	top, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("write %s: %w", dir, err)
	}
	defer top.Close()
	r := &run{disk: disk{top: top, fault: fault}, plan: p}
	if err := r.replace(ctx); err != nil {
		return fmt.Errorf("write %s: %w", dir, err)
	}
	return nil
}

// replace is the steps of the package's comment.
func (r *run) replace(ctx context.Context) error {
	if err := r.look(); err != nil {
		return err
	}
	l, err := r.lock()
	if err != nil {
		return err
	}
	err = r.locked(ctx)
	if errors.As(err, new(*unfinished)) {
		return errors.Join(err, l.close())
	}
	_, _ = r.clean(), l.release() // what cannot be removed now, the next run removes
	return err
}

// locked is the steps that need the lock.
func (r *run) locked(ctx context.Context) error {
	taken, err := r.recover()
	if err != nil {
		return &unfinished{err: err}
	}
	if taken {
		if err := r.look(); err != nil {
			return err
		}
	}
	if err := r.prepare(ctx); err != nil {
		return err
	}
	return r.commit()
}

// prepare is all up to the journal.
func (r *run) prepare(ctx context.Context) error {
	if err := r.stage(ctx); err != nil {
		return err
	}
	if err := r.compare(ctx); err != nil {
		return err
	}
	return ctx.Err()
}

// commit replaces the files, from the writing of the journal to its removal.
func (r *run) commit() error {
	err := r.record.write(r.disk)
	if err == nil {
		err = r.apply()
	}
	if err == nil {
		err = r.finish()
	}
	if err == nil {
		return nil
	}
	if back := r.undo(); back != nil {
		return &unfinished{fmt.Errorf("%w; the files that were replaced by then could not be taken back: %w", err, back)}
	}
	return err
}

// undo takes back what the run itself did: a file that somebody else changed in the
// middle of it stays as it is.
func (r *run) undo() error {
	did := r.record
	did.Made = did.Made[:r.built]
	return r.takeBack(did, r.done)
}

// unfinished is an error after which the journal is still there: the directory has
// files of before a run, and files of after it.
type unfinished struct{ err error }

func (u *unfinished) Error() string { return u.err.Error() }
func (u *unfinished) Unwrap() error { return u.err }

// run is one call of Replace.
type run struct {
	disk
	plan   plan
	record record
	seen   []os.FileInfo // what was at the place of each edit before the run
	done   []int         // the steps that the run has made
	built  int           // how many directories it has made
}

// forget removes the journal. Once it is gone nothing is taken back any more, so
// that its removal may not be on the disk yet is no error.
func (d disk) forget() error {
	err := d.remove(journalName)
	if err == nil {
		_ = d.sync(Dir)
	}
	return err
}

// syncParents flushes the directories in which an entry changed and that are there.
func (d disk) syncParents(r record) error {
	dirs := map[string]bool{}
	for _, s := range r.Steps {
		dirs[path.Dir(string(s.Name))] = true
	}
	for _, dir := range r.directories() {
		dirs[path.Dir(dir)] = true
	}
	var there []string
	for _, dir := range sorted(dirs) {
		info, err := d.place(dir)
		if err != nil {
			return err
		}
		if info != nil && info.IsDir() {
			there = append(there, dir)
		}
	}
	return d.syncAll(there)
}

// stage writes the new files and keeps the old ones, below Dir.
func (r *run) stage(ctx context.Context) error {
	if err := r.write(ignoreName, []byte("*\n"), 0o600); err != nil {
		return err
	}
	for _, dir := range []string{newDir, oldDir} {
		if err := r.mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	flushed := []string{newDir, oldDir, Dir}
	for i, e := range r.plan.edits {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.after != nil {
			if err := r.stageNew(i, e); err != nil {
				return err
			}
			if e.after.Mode&fs.ModeSymlink == 0 {
				flushed = append(flushed, numbered(newDir, i))
			}
		}
		if e.before != nil && r.seen[i] != nil {
			if err := r.keepOld(i, e); err != nil {
				return err
			}
		}
	}
	return r.syncAll(flushed)
}

// stageNew writes the new file of an edit.
func (r *run) stageNew(i int, e edit) error {
	name := numbered(newDir, i)
	if e.after.Mode&fs.ModeSymlink != 0 {
		return r.symlink(string(e.after.Data), name)
	}
	old := r.seen[i]
	if old == nil || !old.Mode().IsRegular() {
		return r.write(name, e.after.Data, 0o666|e.after.Mode&0o111)
	}
	if err := r.write(name, e.after.Data, 0o600); err != nil {
		return err
	}
	sameOwner(r.disk, filepath.FromSlash(name), old)
	return r.chmod(name, keptMode(old.Mode(), e.after.Mode))
}

// keptMode is the mode of a file that was there, with the executable bit of the
// new one. As git does it, who may read a file may execute it.
func keptMode(old, new fs.FileMode) fs.FileMode {
	old &= fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	switch {
	case modeOf(old) == modeOf(new):
		return old
	case new&0o100 != 0:
		return old | old&0o444>>2
	}
	return old &^ 0o111
}

// keepOld keeps the file that an edit replaces: as a second name of it, so that it
// comes back as it is; as a copy where the file system has no second names.
func (r *run) keepOld(i int, e edit) error {
	name := numbered(oldDir, i)
	if r.link(e.name, name) == nil {
		return nil
	}
	if e.before.Mode&fs.ModeSymlink != 0 {
		return r.symlink(string(e.before.Data), name)
	}
	if err := r.write(name, e.before.Data, 0o600); err != nil {
		return err
	}
	old := r.seen[i]
	if err := r.top.Chtimes(filepath.FromSlash(name), old.ModTime(), old.ModTime()); err != nil {
		return err
	}
	sameOwner(r.disk, filepath.FromSlash(name), old)
	if err := r.chmod(name, old.Mode()); err != nil {
		return err
	}
	return r.sync(name)
}

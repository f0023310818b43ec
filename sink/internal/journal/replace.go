package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Replace changes the files of a directory, which were read as before, to after: all of them, or none if it returns an
// error (rules/files: writing over a directory). The order of the files does not matter. A file with the same bytes and
// mode in both is not touched. A changed file keeps its permission bits except for the executable one and, if the
// process may, its owner. A file that only before has is removed, and so is a directory that becomes empty.
//
// It is an error if a name leads out of the directory, into .git or into Dir; if a file or
// directory lacks its owner's write bit; if a directory above a file is a symbolic link; if the
// files differ from before, or another run writes to the directory; and if Recover fails.
func Replace(ctx context.Context, dir string, before, after []pkgmerge.File) error {
	return replace(ctx, dir, before, after, nil)
}

// Put writes files to a directory that was not read. It replaces files with the same names and
// removes the named ones. All other files stay. A killed run is reverted first.
func Put(ctx context.Context, dir string, files []pkgmerge.File, removed ...string) error {
	all := slices.Clone(files)
	for _, name := range removed {
		all = append(all, pkgmerge.File{Name: name})
	}
	if _, err := Recover(dir); err != nil {
		return err
	}
	before, err := readNamed(dir, all)
	if err != nil {
		return fmt.Errorf("write %s: %w", dir, err)
	}
	return Replace(ctx, dir, before, files)
}

// ReplaceFile replaces a file of a directory, which stat described as old before the file was read. The rename is its only
// change: a killed run leaves one version or the other, whole, so that there is no journal to follow. It does not flush
// the disk, since an editor may save often. Otherwise it is like Replace.
func ReplaceFile(dir string, f pkgmerge.File, old fs.FileInfo) error {
	return replaceFile(dir, f, old, nil)
}

func replaceFile(dir string, f pkgmerge.File, old fs.FileInfo, fault func(op string) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", dir, err)
		}
	}()
	if err := CheckName(f.Name); err != nil {
		return err
	}
	top, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer top.Close()
	r := &run{disk: disk{top: top, fault: fault}, plan: plan{edits: []edit{{name: f.Name, before: &f, after: &f}}}}
	if err := r.findReplaced(); err != nil {
		return err
	}
	r.found = []fs.FileInfo{old}
	l, err := r.acquire()
	if err != nil {
		return err
	}
	if _, err = r.recover(); err != nil {
		return errors.Join(err, l.file.Close())
	}
	err = r.replaceOne()
	_, _ = r.clean(), l.release() // the next run removes the files that stay
	return err
}

// replaceOne makes the only edit of a run, which has the lock.
func (r *run) replaceOne() error {
	if err := r.makeStage(); err != nil {
		return err
	}
	e := r.plan.edits[0]
	if err := r.stageNew(0, e); err != nil {
		return err
	}
	return r.edit(0, e, func() error { return r.rename(stepFile(newDir, 0), e.name) })
}

// readNamed reads the files of a directory that have the names of others.
func readNamed(dir string, files []pkgmerge.File) ([]pkgmerge.File, error) {
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
		old, _, err := disk{top: top}.read(f.Name, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if old != nil {
			found = append(found, *old)
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
		reverted, err := Recover(dir)
		if reverted {
			err = fmt.Errorf("write %s: a killed run was reverted, so that files changed since they were read", dir)
		}
		return cmp.Or(ignore(fs.ErrNotExist, err), ctx.Err())
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

// replace makes the steps of the package's comment.
func (r *run) replace(ctx context.Context) error {
	if err := r.inspect(); err != nil {
		return err
	}
	l, err := r.acquire()
	if err != nil {
		return err
	}
	err = r.replaceLocked(ctx)
	if errors.As(err, new(*incompleteError)) {
		return errors.Join(err, l.file.Close())
	}
	_, _ = r.clean(), l.release() // the next run removes the files that stay
	return err
}

// replaceLocked makes the steps that need the lock.
func (r *run) replaceLocked(ctx context.Context) error {
	reverted, err := r.recover()
	if err != nil {
		return &incompleteError{err: err}
	}
	if reverted {
		if err := r.inspect(); err != nil {
			return err
		}
	}
	if err := r.stage(ctx); err != nil {
		return err
	}
	if err := cmp.Or(r.compare(ctx), ctx.Err()); err != nil {
		return err
	}
	return r.commit()
}

// commit replaces the files, from writing the journal to removing it.
func (r *run) commit() error {
	err := r.record.write(r.disk)
	if err == nil {
		err = r.apply()
	}
	if err == nil {
		err = r.syncChanged(r.record)
	}
	if err == nil {
		err = r.removeJournal()
	}
	if err == nil {
		return nil
	}
	if back := r.undo(); back != nil {
		return &incompleteError{fmt.Errorf("%w; the files that were replaced by then could not be taken back: %w", err, back)}
	}
	return err
}

// undo reverts the steps of this run. Files that others changed meanwhile stay.
func (r *run) undo() error {
	done := r.record
	done.Made = done.Made[:r.made]
	return r.revert(done, r.done)
}

// incompleteError is an error after which the journal remains: some files of the directory are old and some new.
type incompleteError struct{ err error }

func (u *incompleteError) Error() string { return u.err.Error() }
func (u *incompleteError) Unwrap() error { return u.err }

// run is one call of Replace.
type run struct {
	disk
	plan   plan
	record record
	found  []os.FileInfo // the file that each edit replaces, as found before the run
	done   []int         // the steps that the run has made
	made   int           // the number of directories that it has made
}

// removeJournal removes the journal. It ignores failures to flush the removal, since without the
// journal nothing is reverted.
func (d disk) removeJournal() error {
	err := d.remove(journalName)
	if err == nil {
		_ = d.sync(Dir)
	}
	return err
}

// syncChanged flushes the directories in which an entry changed.
func (d disk) syncChanged(r record) error {
	var existing []string
	err := d.eachChanged(r, func(dir string, _ fs.FileInfo) error {
		existing = append(existing, dir)
		return nil
	})
	if err != nil {
		return err
	}
	return d.syncAll(existing)
}

// eachChanged calls f for each existing directory in which an entry changes; Dir is one at the top.
func (d disk) eachChanged(r record, f func(dir string, info fs.FileInfo) error) error {
	dirs := map[string]bool{".": true}
	for _, s := range r.Steps {
		dirs[path.Dir(string(s.Name))] = true
	}
	for _, dir := range r.directories() {
		dirs[path.Dir(dir)] = true
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		info, err := d.stat(dir)
		if err == nil && info != nil && info.IsDir() {
			err = f(dir, info)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stage writes the new files and keeps the old ones in Dir.
func (r *run) stage(ctx context.Context) error {
	if err := r.makeStage(); err != nil {
		return err
	}
	flushed := []string{newDir, oldDir, Dir}
	for i, e := range r.plan.edits {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.stageEdit(i, e); err != nil {
			return err
		}
		if e.after != nil && e.after.Mode&fs.ModeSymlink == 0 {
			flushed = append(flushed, stepFile(newDir, i))
		}
	}
	return r.syncAll(flushed)
}

// makeStage makes the directories for the new and the old files.
func (r *run) makeStage() error {
	for _, dir := range []string{newDir, oldDir} {
		if err := r.mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// stageEdit writes the new file of an edit, and keeps the old one.
func (r *run) stageEdit(i int, e edit) error {
	if e.after != nil {
		if err := r.stageNew(i, e); err != nil {
			return err
		}
	}
	if e.before != nil && r.found[i] != nil {
		return r.keepOld(i, e)
	}
	return nil
}

// stageNew writes the new file of an edit.
func (r *run) stageNew(i int, e edit) error {
	name := stepFile(newDir, i)
	if e.after.Mode&fs.ModeSymlink != 0 {
		return r.symlink(string(e.after.Data), name)
	}
	old := r.found[i]
	if old == nil || !old.Mode().IsRegular() {
		return r.write(name, e.after.Data, 0o666|e.after.Mode&0o111)
	}
	if err := r.write(name, e.after.Data, 0o600); err != nil {
		return err
	}
	sameOwner(r.disk, filepath.FromSlash(name), old)
	return r.chmod(name, keptMode(old.Mode(), e.after.Mode))
}

// keptMode returns the mode of the old file with the executable bit of the new one. As in git,
// everybody who may read the file may then execute it.
func keptMode(old, new fs.FileMode) fs.FileMode {
	old &= fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	switch {
	case gitMode(old) == gitMode(new):
		return old
	case new&0o100 != 0:
		return old | old&0o444>>2
	}
	return old &^ 0o111
}

// keepOld keeps the file that an edit replaces as a hard link, or as a copy if the file system has no hard links.
func (r *run) keepOld(i int, e edit) error {
	name := stepFile(oldDir, i)
	if r.link(e.name, name) == nil {
		return nil
	}
	if e.before.Mode&fs.ModeSymlink != 0 {
		return r.symlink(string(e.before.Data), name)
	}
	if err := r.write(name, e.before.Data, 0o600); err != nil {
		return err
	}
	old := r.found[i]
	if err := r.top.Chtimes(filepath.FromSlash(name), old.ModTime(), old.ModTime()); err != nil {
		return err
	}
	sameOwner(r.disk, filepath.FromSlash(name), old)
	if err := r.chmod(name, old.Mode()); err != nil {
		return err
	}
	return r.sync(name)
}

package journal

import (
	"context"
	"io/fs"
	"path/filepath"
)

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

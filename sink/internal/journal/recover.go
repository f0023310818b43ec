package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// Recover reverts a killed run in a directory, and reports whether there was one. If a file of the
// run was changed since, Recover changes nothing and returns an error that names the file: only the
// user knows which state to keep. Removing Dir keeps the present state.
func Recover(dir string) (bool, error) {
	top, err := os.OpenRoot(dir)
	if err != nil {
		return false, fmt.Errorf("recover %s: %w", dir, err)
	}
	defer top.Close()
	d := disk{top: top}
	if _, err := d.lstat(Dir); err != nil {
		return false, ignore(fs.ErrNotExist, err)
	}
	reverted, err := d.recoverLocked()
	if err != nil {
		return reverted, fmt.Errorf("recover %s: %w", dir, err)
	}
	return reverted, nil
}

// Pending reports whether a killed run has replaced some files of a directory, so that Recover has
// to revert them. It changes nothing.
func Pending(dir string) (bool, error) {
	top, err := os.OpenRoot(dir)
	if err != nil {
		return false, ignore(fs.ErrNotExist, err)
	}
	defer top.Close()
	r, err := readRecord(disk{top: top})
	if err != nil {
		return false, fmt.Errorf("recover %s: %w", dir, err)
	}
	return r != nil, nil
}

func (d disk) recoverLocked() (bool, error) {
	l, err := d.acquire()
	if err != nil {
		return false, err
	}
	reverted, err := d.recover()
	if err != nil {
		return reverted, errors.Join(err, l.file.Close())
	}
	return reverted, l.release()
}

// recover is Recover under the lock. It leaves only the lock and the .gitignore in Dir.
func (d disk) recover() (bool, error) {
	r, err := readRecord(d)
	if err != nil {
		return false, err
	}
	if r != nil {
		d.edited = r.names()
		if err := d.revert(*r, r.indices()); err != nil {
			return false, fmt.Errorf("a run that was killed: %w", err)
		}
	}
	return r != nil, d.clean()
}

// clean removes the files of a run without a journal, except for the lock and the .gitignore.
func (d disk) clean() error {
	return errors.Join(d.remove(draftName), d.removeAll(newDir), d.removeAll(oldDir))
}

// revert reverts steps of a run, however many of them that run or another revert has completed, and
// removes the journal.
func (d disk) revert(r record, steps []int) error {
	changed, err := d.changedSteps(r, steps)
	if err != nil {
		return err
	}
	for _, i := range changed {
		if s := r.Steps[i]; s.Before == nil {
			if err := d.remove(string(s.Name)); err != nil {
				return err
			}
		}
	}
	if err := d.revertDirectories(r); err != nil {
		return err
	}
	if err := d.restoreOld(r, changed); err != nil {
		return err
	}
	if err := d.syncChanged(r); err != nil {
		return err
	}
	return d.removeJournal()
}

// restoreOld puts the old files of steps back in their places.
func (d disk) restoreOld(r record, steps []int) error {
	for _, i := range steps {
		if s := r.Steps[i]; s.Before != nil {
			if err := d.checkParents(string(s.Name)); err != nil {
				return err
			}
			if err := d.rename(stepFile(oldDir, i), string(s.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// revertDirectories removes the directories that a run made, unless they have other files, and
// makes the directories that it removed.
func (d disk) revertDirectories(r record) error {
	for _, dir := range slices.Backward(r.Made) {
		info, err := d.stat(string(dir))
		if err != nil {
			return err
		}
		if info == nil || !info.IsDir() {
			continue
		}
		if err := ignore(fs.ErrExist, d.remove(string(dir))); err != nil {
			return err
		}
	}
	return d.remakeEmptied(r)
}

// remakeEmptied makes the directories that a run removed.
func (d disk) remakeEmptied(r record) error {
	for _, dir := range slices.Backward(r.Emptied) {
		info, err := d.stat(string(dir.Name))
		if err != nil {
			return err
		}
		if info != nil && info.IsDir() {
			continue
		}
		if err := d.checkParents(string(dir.Name)); err != nil {
			return err
		}
		if err := d.mkdir(string(dir.Name), dir.Perm|0o300); err != nil {
			return err
		}
		if err := d.chmod(string(dir.Name), dir.Perm); err != nil {
			return err
		}
	}
	return nil
}

// checkParents returns an error if a directory above a name is a symbolic link. The run's own links
// are gone when it is called, unless the journal is forged: then a link to .git would lead into it.
func (d disk) checkParents(name string) error {
	if _, err := (disk{top: d.top}).stat(name); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// changedSteps returns the steps whose files have changed. A file in neither its old nor its new state is an error.
func (d disk) changedSteps(r record, steps []int) ([]int, error) {
	var changed []int
	for _, i := range steps {
		s := r.Steps[i]
		f, _, err := d.read(string(s.Name), nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		switch now := stateOf(f); {
		case equalStates(now, s.Before):
		case equalStates(now, s.After):
			changed = append(changed, i)
		default:
			return nil, fmt.Errorf("%s was changed since by somebody else: restore it, or remove %s to keep all files as they are now", s.Name, Dir)
		}
	}
	return changed, nil
}

// equalStates reports whether two states are equal, or both nil.
func equalStates(a, b *state) bool { return a == b || a != nil && b != nil && *a == *b }

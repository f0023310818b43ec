package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// Recover takes back what a killed run has left in a directory, and reports whether
// there was anything to take back. It changes nothing, and says which file it is,
// if somebody has changed a file since that the run was to change: then only a
// person knows which state to keep. Whoever removes Dir keeps the present one.
func Recover(dir string) (bool, error) {
	top, err := os.OpenRoot(dir)
	if err != nil {
		return false, fmt.Errorf("recover %s: %w", dir, err)
	}
	defer top.Close()
	d := disk{top: top}
	if _, err := d.lstat(Dir); err != nil {
		return false, without(fs.ErrNotExist, err)
	}
	taken, err := d.recoverLocked()
	if err != nil {
		return taken, fmt.Errorf("recover %s: %w", dir, err)
	}
	return taken, nil
}

// Pending reports whether a killed run has left a directory with some of its files replaced,
// so that Recover has to take them back. It changes nothing.
func Pending(dir string) (bool, error) {
	top, err := os.OpenRoot(dir)
	if err != nil {
		return false, without(fs.ErrNotExist, err)
	}
	defer top.Close()
	r, err := readRecord(disk{top: top})
	if err != nil {
		return false, fmt.Errorf("recover %s: %w", dir, err)
	}
	return r != nil, nil
}

func (d disk) recoverLocked() (bool, error) {
	l, err := d.lock()
	if err != nil {
		return false, err
	}
	taken, err := d.recover()
	if err != nil {
		return taken, errors.Join(err, l.close())
	}
	return taken, l.release()
}

// recover is Recover under the lock. It leaves Dir with the lock only.
func (d disk) recover() (bool, error) {
	r, err := readRecord(d)
	if err != nil {
		return false, err
	}
	if r != nil {
		d.own = r.names()
		if err := d.takeBack(*r, r.all()); err != nil {
			return false, fmt.Errorf("a run that was killed: %w", err)
		}
	}
	return r != nil, d.clean()
}

// clean removes the files of a run that has no journal any more, but for the lock.
func (d disk) clean() error {
	return errors.Join(d.remove(draftName), d.removeAll(newDir), d.removeAll(oldDir), d.remove(ignoreName))
}

// takeBack takes steps of a run back, however far that run or another takeBack
// came, and removes the journal.
func (d disk) takeBack(r record, steps []int) error {
	changed, err := d.changed(r, steps)
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
	if err := d.takeBackDirectories(r); err != nil {
		return err
	}
	for _, i := range changed {
		if s := r.Steps[i]; s.Before != nil {
			if err := d.reached(string(s.Name)); err != nil {
				return err
			}
			if err := d.rename(numbered(oldDir, i), string(s.Name)); err != nil {
				return err
			}
		}
	}
	if err := d.syncParents(r); err != nil {
		return err
	}
	return d.forget()
}

// takeBackDirectories removes the directories that a run made, unless there is
// something else in them by now, and makes the ones that it removed.
func (d disk) takeBackDirectories(r record) error {
	for _, dir := range slices.Backward(r.Made) {
		info, err := d.place(string(dir))
		if err != nil {
			return err
		}
		if info == nil || !info.IsDir() {
			continue
		}
		if err := without(fs.ErrExist, d.remove(string(dir))); err != nil {
			return err
		}
	}
	for _, dir := range slices.Backward(r.Emptied) {
		info, err := d.place(string(dir.Name))
		if err != nil {
			return err
		}
		if info != nil && info.IsDir() {
			continue
		}
		if err := d.reached(string(dir.Name)); err != nil {
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

// reached returns an error if a directory above a name is a symbolic link. The links of the
// run's own are gone when it is called, unless somebody forged the journal: then a link
// to .git would lead into it.
func (d disk) reached(name string) error {
	if _, err := (disk{top: d.top}).place(name); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// changed are those of the steps whose files are no longer as they were. A file
// that is neither as it was nor as it was to be is an error.
func (d disk) changed(r record, steps []int) ([]int, error) {
	var changed []int
	for _, i := range steps {
		s := r.Steps[i]
		f, _, err := d.read(string(s.Name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		switch now := stateOf(f); {
		case equal(now, s.Before):
		case equal(now, s.After):
			changed = append(changed, i)
		default:
			return nil, fmt.Errorf("%s was changed since by somebody else: make it what it was, or remove %s to keep all files as they are now", s.Name, Dir)
		}
	}
	return changed, nil
}

// equal reports whether two states are the same, or both are of no file.
func equal(a, b *state) bool { return a == b || a != nil && b != nil && *a == *b }

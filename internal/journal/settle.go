package journal

import "path"

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

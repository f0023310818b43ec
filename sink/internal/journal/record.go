package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// record is the journal on the disk: all that is needed to revert a run.
type record struct {
	Version int         `json:"version"`
	Steps   []step      `json:"steps"`             // sorted by name; the index of a step is that of its files in newDir and oldDir
	Made    []name      `json:"made,omitempty"`    // directories that the run makes, outer ones first
	Emptied []directory `json:"emptied,omitempty"` // directories that the run may remove, inner ones first
}

// version is the version of the journal's format.
const version = 1

// step is a file that is written, replaced or removed.
type step struct {
	Name   name   `json:"name"`
	Before *state `json:"before,omitempty"` // nil if the file is new
	After  *state `json:"after,omitempty"`  // nil if the file is removed
}

// directory is a directory as it was before the run.
type directory struct {
	Name name        `json:"name"`
	Perm fs.FileMode `json:"perm"`
}

// name is a name below the directory, with slashes. It may have bytes that are not valid in JSON
// text, so it is quoted.
type name string

func (n name) MarshalText() ([]byte, error) { return []byte(strconv.QuoteToASCII(string(n))), nil }

func (n *name) UnmarshalText(text []byte) error {
	s, err := strconv.Unquote(string(text))
	*n = name(s)
	return err
}

// write writes the journal atomically.
func (r record) write(d disk) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := d.write(draftName, data, 0o600); err != nil {
		return err
	}
	if err := d.sync(draftName); err != nil {
		return err
	}
	if err := d.rename(draftName, journalName); err != nil {
		return err
	}
	return d.sync(Dir)
}

// readRecord reads the journal, nil if there is none.
func readRecord(d disk) (*record, error) {
	data, err := d.top.ReadFile(filepath.FromSlash(journalName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &record{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %w", journalName, err)
	}
	if r.Version != version {
		return nil, fmt.Errorf("%s is of version %d, which another release of resource-merge wrote: run that one", journalName, r.Version)
	}
	return r, r.check()
}

// check returns an error for names that no run writes: a journal may come with a package from
// elsewhere.
func (r *record) check() error {
	for _, s := range r.Steps {
		if err := CheckName(string(s.Name)); err != nil {
			return fmt.Errorf("%s: %w", journalName, err)
		}
	}
	for _, n := range r.directories() {
		if err := CheckName(n); err != nil {
			return fmt.Errorf("%s: %w", journalName, err)
		}
	}
	return nil
}

// indices returns the indices of all steps.
func (r *record) indices() []int {
	var steps []int
	for i := range r.Steps {
		steps = append(steps, i)
	}
	return steps
}

// names returns the files of all steps.
func (r *record) names() map[string]bool {
	names := map[string]bool{}
	for _, s := range r.Steps {
		names[string(s.Name)] = true
	}
	return names
}

// directories returns the directories that a run makes or may remove.
func (r *record) directories() []string {
	var all []string
	for _, n := range r.Made {
		all = append(all, string(n))
	}
	for _, d := range r.Emptied {
		all = append(all, string(d.Name))
	}
	return all
}

// newRecord returns the journal of a plan.
func newRecord(p plan) record {
	r := record{Version: version}
	for _, e := range p.edits {
		r.Steps = append(r.Steps, step{Name: name(e.name), Before: stateOf(e.before), After: stateOf(e.after)})
	}
	return r
}

// stateOf returns the state of a file, nil if there is no file.
func stateOf(f *pkgmerge.File) *state {
	if f == nil {
		return nil
	}
	s := newState(*f)
	return &s
}

package resolve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/gitdriver"
	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Open is a conflict that git merge left, as data. Ours is local's, and theirs is upstream's.
type Open struct {
	// File is the file's path in the repository, and Title the resource and the field, "" if they are unknown.
	File, Title string
	Values      [3]Value
	// ByHand says that no side can be taken: one has a link or a submodule.
	ByHand bool
	// conflict is nil if the whole file is in conflict, and has no markers.
	conflict *conflict
	versions gitdriver.Versions
	has      [3]bool
}

// Value is one side's version of an open conflict.
type Value struct {
	// Text is the version, "" if the side has none or it is not shown.
	Text string
	// Note stands for a text that is not shown: absent, unknown, hidden, or how long a file is.
	Note string
}

// Left has the conflicts that git merge left in a repository.
type Left struct {
	Open []*Open
	session
}

// Read reads the conflicts of a repository, in the order of its files.
func Read(ctx context.Context, dir string) (*Left, error) {
	l := &Left{session: session{Options: Options{Dir: dir, Out: io.Discard}}}
	unmarked, err := l.readUnmerged(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, name := range append(names(l.files), unmarked...) {
		if strings.ContainsAny(name, "\r\n") {
			return nil, fmt.Errorf("%q: a name with a line break: merge it by hand", name)
		}
	}
	if err := l.readGit(ctx, dir, []gitdriver.Settled{}); err != nil {
		return nil, err
	}
	for _, c := range l.conflicts {
		l.Open = append(l.Open, &Open{Title: c.title(), conflict: c, Values: c.values()})
	}
	for _, name := range unmarked {
		l.Open = append(l.Open, &Open{File: name})
	}
	err = l.readFiles(ctx)
	slices.SortStableFunc(l.Open, func(a, b *Open) int { return strings.Compare(a.File, b.File) })
	return l, err
}

func names(files []*markedFile) (all []string) {
	for _, f := range files {
		all = append(all, f.name)
	}
	return all
}

// values returns the three versions of a conflict.
func (c *conflict) values() (out [3]Value) {
	out[identity.Upstream], out[identity.Local] = valueOf(c.Sides[c.upstream()]), valueOf(c.Sides[c.local()])
	if out[identity.Origin] = valueOf(c.origin); !c.knowsOrigin {
		out[identity.Origin] = Value{Note: "unknown"}
	}
	return out
}

func valueOf(lines []byte) Value {
	if len(bytes.TrimSpace(lines)) == 0 {
		return Value{Note: "absent"}
	}
	return Value{Text: wording.Visible(strings.TrimRight(string(dedented(lines)), "\n"), "\n\t")}
}

// readFiles names the files of the conflicts below the repository, reads their versions, and hides the values
// that may be secret (rules/reports: secrets).
func (l *Left) readFiles(ctx context.Context) error {
	for i := range l.Open {
		if err := l.readFile(ctx, i); err != nil {
			return err
		}
	}
	byFile := map[string]*pkgmerge.Result{}
	for _, o := range l.Open {
		merged, known := byFile[o.File]
		if !known {
			merged = l.merged(ctx, o)
			byFile[o.File] = merged
		}
		if o.conflict != nil && o.mayHoldSecret(merged) {
			o.Values = [3]Value{{Note: "hidden"}, {Note: "hidden"}, {Note: "hidden"}}
		}
	}
	return nil
}

// readFile names the file of a conflict below the repository, and reads its versions.
func (l *Left) readFile(ctx context.Context, i int) error {
	o := l.Open[i]
	name := o.File
	if o.conflict != nil {
		name = o.conflict.file.name
	}
	below, err := filepath.Rel(l.Dir, name)
	if err != nil {
		return err
	}
	o.File = filepath.ToSlash(below)
	if i > 0 && l.Open[i-1].File == o.File {
		o.versions, o.has = l.Open[i-1].versions, l.Open[i-1].has
	} else if o.versions, o.has, err = (gitdriver.Git{Dir: l.Dir}).Stages(ctx, o.File); errors.Is(err, gitdriver.ErrNoFile) {
		o.ByHand = true
	} else if err != nil {
		return err
	}
	if o.conflict == nil {
		o.noteFile()
	}
	return nil
}

// noteFile sets the values of a conflict about a whole file.
func (o *Open) noteFile() {
	for side, of := range [3]marker.Side{identity.Origin: marker.Base, identity.Upstream: marker.Theirs, identity.Local: marker.Ours} {
		o.Values[side].Note = "absent"
		if o.ByHand {
			o.Values[side].Note = "a link or a submodule: by hand"
		} else if o.has[of] {
			o.Values[side].Note = "a file of " + wording.Plural(len(o.versions.Texts[of]), "byte")
		}
	}
}

// merged merges the versions of a file, and of the kustomizations above it, which may make Secrets of it. It
// returns nil if they cannot be read.
func (l *Left) merged(ctx context.Context, o *Open) *pkgmerge.Result {
	var packages [3]pkgmerge.Package
	for side, of := range [3]marker.Side{identity.Origin: marker.Base, identity.Upstream: marker.Theirs, identity.Local: marker.Ours} {
		files := l.kustomizations(o.File)
		if o.has[of] {
			files = append(files, pkgmerge.File{Name: o.File, Mode: 0o644, Data: o.versions.Texts[of]})
		}
		var err error
		if packages[side], err = pkgmerge.NewPackage(files); err != nil {
			return nil
		}
	}
	result, err := pkgmerge.Merge(ctx, packages, pkgmerge.Options{NoOrigin: len(packages[identity.Origin].Resources) == 0})
	if err != nil {
		return nil
	}
	return result
}

// kustomizations reads the kustomizations in the directory of a file and in those above it, without the file.
func (l *Left) kustomizations(of string) (files []pkgmerge.File) {
	for dir := path.Dir(of); ; dir = path.Dir(dir) {
		for _, name := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
			name = path.Join(dir, name)
			if text, err := file.ReadRegular(filepath.Join(l.Dir, filepath.FromSlash(name))); err == nil && name != of {
				files = append(files, pkgmerge.File{Name: name, Mode: 0o644, Data: text})
			}
		}
		if dir == "." {
			return files
		}
	}
}

// mayHoldSecret reports whether the values of a conflict may be secret, by a merge of its file. It reports true
// if that merge does not tell.
func (o *Open) mayHoldSecret(merged *pkgmerge.Result) bool {
	if merged == nil {
		return true
	}
	for _, f := range merged.FileChanges {
		if f.Name == o.File {
			return f.Secret
		}
	}
	known := false
	for _, change := range merged.Changes {
		if change.File() != o.File {
			continue
		}
		if len(o.conflict.fields) == 0 && change.MayHoldSecret(nil) {
			return true
		}
		for _, f := range o.conflict.fields {
			isOne := slices.ContainsFunc(change.Versions[:], func(r *pkgmerge.Resource) bool { return r != nil && r.Meta.PlainID() == f.meta.PlainID() })
			if known = known || isOne; isOne && change.MayHoldSecret(f.path) {
				return true
			}
		}
	}
	return !known && len(o.conflict.fields) > 0
}

// Take settles a conflict with a side's version.
func (l *Left) Take(o *Open, side identity.Side) error {
	key, of := byte(keyUpstream), marker.Theirs
	if side == identity.Local {
		key, of = keyLocal, marker.Ours
	}
	if c := o.conflict; c != nil {
		lines, _ := c.choose(key)
		return l.decide(key, lines, c)
	}
	name := filepath.Join(l.Dir, filepath.FromSlash(o.File))
	if o.has[of] {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return os.WriteFile(name, o.versions.Texts[of], 0o644)
	}
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// IsWhole reports whether a whole file is in conflict, and has no markers.
func (o *Open) IsWhole() bool { return o.conflict == nil }

// CheckRule returns an error if no rule takes a side of a conflict next time.
func (o *Open) CheckRule(side identity.Side) error {
	if o.conflict == nil {
		return errors.New("it is in no single document of YAML")
	}
	return o.conflict.checkRule(side)
}

// WriteRule writes a rule that takes a side next time into the config of the conflict's package: the nearest
// config above the file, else one beside the nearest Kptfile, else one at the top.
func (l *Left) WriteRule(o *Open, side identity.Side) error {
	if err := o.CheckRule(side); err != nil {
		return fmt.Errorf("no rule can decide %s: %w", cmp.Or(o.Title, o.File), err)
	}
	within := l.session
	for dir := filepath.Dir(o.conflict.file.name); dir != filepath.Clean(l.Dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "Kptfile")); err == nil {
			within.Dir = dir
			break
		}
	}
	dir := within.configDir(o.conflict)
	if dir == within.Dir && dir != l.Dir {
		within.Dir = l.Dir // a config above the Kptfile goes first
		if above := within.configDir(o.conflict); hasConfig(above) {
			dir = above
		}
	}
	return addRules(dir, o.conflict.rules(dir, side))
}

func hasConfig(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, file.Config))
	return err == nil
}

// Package blame tells where each value of a file comes from (rules/blame: sources): from a version of upstream, from a
// commit of the repository, from both, or from a rule for conflicts.
//
// The file of a version is split into documents, and these into atoms: values, maps, lines of texts, comments. A walk
// through the commits, from the newest, hands atoms to the parents that have them, as git blame does with lines. A
// document is followed by its identity, so that its file, its place there and the form of its text do not count.
package blame

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/markerline"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Options say what to annotate.
type Options struct {
	// File is the file, as the user reaches it.
	File string
	// Revision is the version, "" for that of the work tree.
	Revision string
	// Path selects the fields below it; "" selects all. It is the path of a rule (spec.containers[name="web"].image),
	// with or without a dot in front, in braces as kubectl takes it, or a JSON pointer (/spec/replicas).
	Path string
	// Ranges select lines, START,END as git blame takes them; none selects all.
	Ranges []string
	// Locks are the names of the files that may have a lock, and Lock reads the version in one of them, of a package's
	// directory; nil if it has none.
	Locks []string
	Lock  func(dir, name string, text []byte) (*Release, error)
	// Rules reads the rules of a config, and the lines in which they begin.
	Rules func(text []byte) (rules []pkgmerge.Rule, lines []int, err error)
	// Limit bounds the commits to look at; 0 is no limit. The values that are older have no commit.
	Limit int
	// Live are recorded live objects to join, nil for none.
	Live *pkgmerge.Package
	// Warn says that something is not known.
	Warn func(error)

	at *selector // instead of Path
}

// Run annotates a file.
func Run(ctx context.Context, o Options) (*Annotation, error) {
	name, err := realFile(o.File)
	if err != nil {
		return nil, err
	}
	o.File = name
	work, err := gitrepo.Git{}.Find(ctx, o.File)
	if err != nil {
		return nil, err
	}
	if work == nil {
		if _, err := os.Stat(o.File); err != nil {
			return nil, fmt.Errorf("%s: %w", o.File, errors.Unwrap(err))
		}
		return nil, fmt.Errorf("%s is in no git repository", o.File)
	}
	h, err := newHistory(ctx, work)
	if err != nil {
		return nil, err
	}
	a, err := (&walk{
		history: h, matcher: newMatcher(), work: work,
		known: map[string]*fileVersion{}, disk: map[string][]byte{}, waiting: map[string]*suspects{},
	}).annotate(ctx, o)
	if closed := h.close(); err == nil && closed != nil {
		err = closed
	}
	return a, err
}

// realFile returns the path of a file, or of the file behind a link, which has the lines.
func realFile(name string) (string, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return "", fmt.Errorf("%s is a directory; name a file in it", name)
	}
	if info, err := os.Lstat(name); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return filepath.EvalSymlinks(name)
	}
	return name, nil
}

// annotate finds the sources of a file.
func (w *walk) annotate(ctx context.Context, o Options) (*Annotation, error) {
	chosen, err := o.choice()
	if err != nil {
		return nil, err
	}
	at, err := w.start(o.Revision)
	if err != nil {
		return nil, err
	}
	a, err := w.readFile(at, chosen, o)
	if err != nil {
		return nil, err
	}
	up, err := w.compareUpstream(ctx, at, a, o)
	if err != nil {
		return nil, err
	}
	w.pushOpen(at, a)
	if o.Live != nil {
		if err := a.join(*o.Live, o.Warn); err != nil {
			return nil, err
		}
	}
	err = w.run(ctx, o.Limit)
	if w.cut != nil {
		o.Warn(fmt.Errorf("the clone is shallow, so values of %s may be older; git fetch --unshallow gets the commits", w.cut.ID[:7]))
	}
	if err != nil || up == nil {
		return a, err
	}
	return a, w.findRules(ctx, at, up, a, o)
}

// readFile returns the annotation of the file in a version, with the lines and fields that were chosen and no sources.
func (w *walk) readFile(at *revision, chosen choice, o Options) (*Annotation, error) {
	name := w.work.Name
	text, err := w.content(at, name)
	switch {
	case err != nil:
		return nil, err
	case text == nil && o.Revision != "":
		return nil, fmt.Errorf("%s has no file %s", o.Revision, name)
	case text == nil:
		return nil, fmt.Errorf("%s: no such file or directory", o.File)
	case isBinary(text):
		return nil, fmt.Errorf("%s is binary: it has a NUL byte, so it has no lines to follow", o.File)
	}
	w.disk[name] = text
	a := newAnnotation(o.File, text)
	unread := 0
	for _, d := range readDocuments(name, text) {
		if chosen.path.reaches(d) {
			d.load(w.kinds)
			a.add(d)
			if unread == 0 && d.item == nil && d.hasContent() {
				unread = d.line
			}
		}
	}
	if o.at == nil { // somebody sees the values
		if err := w.hideSecrets(a, at, name, text); err != nil {
			return nil, err
		}
	}
	err = a.choose(chosen)
	switch marked := markerline.First(text); {
	case marked > 0:
		told := fmt.Errorf("%s:%d has conflict markers, so lines of it are followed, not values; decide the conflicts first, or name a commit, such as HEAD", o.File, marked)
		if err != nil && chosen.path != nil {
			return nil, told
		}
		o.Warn(told)
	case err != nil && unread > 0:
		err = fmt.Errorf("%w; the document in line %d is not YAML, so it has no fields", err, unread)
	}
	return a, err
}

// pushOpen queues the atoms of a version that have no source yet.
func (w *walk) pushOpen(at *revision, a *Annotation) {
	for _, d := range a.documents {
		if atoms := a.open(d); len(atoms) > 0 {
			w.push(at, place{d.file, d.index}, atoms)
		}
	}
}

// start returns the commit of a revision, or the pseudo-commit of changes that are not committed.
func (w *walk) start(revision string) (*revision, error) {
	if revision == "" {
		c := notCommitted(w.work.Commit, max(len(w.work.Commit), 40))
		merged, err := w.commit("MERGE_HEAD") // while a merge waits for its commit
		if merged != nil {
			c.parents = append(c.parents, merged.ID)
		}
		return c, err
	}
	c, err := w.commit(revision + "^{commit}")
	if err == nil && c == nil {
		err = fmt.Errorf("%s has no revision %q", w.work.Top, revision)
	}
	return c, err
}

// onDisk returns the text of a regular file of the work tree, nil if there is none.
func (w *walk) onDisk(name string) ([]byte, error) {
	data, err := file.ReadRegular(w.onDiskName(name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

func (w *walk) onDiskName(name string) string {
	return filepath.Join(w.work.Top, filepath.FromSlash(name))
}

// beside returns the text of a file of a version that steers this program, nil if there is none, or one of the work tree
// that it warned of (rules/files: files beside a package).
func (w *walk) beside(c *revision, name string, warn func(error)) ([]byte, error) {
	if c.tree != "" {
		return w.content(c, name)
	}
	data, err := file.ReadBeside(w.onDiskName(name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		warn(err)
	}
	return data, nil
}

// compareUpstream compares the file with the versions of its upstream. It returns nil if it has none.
func (w *walk) compareUpstream(ctx context.Context, at *revision, a *Annotation, o Options) (*upstream, error) {
	up, err := w.findUpstream(ctx, at, w.work.Name, o)
	if err != nil || up == nil {
		return nil, err
	}
	return up, up.trace(ctx, a.tracings(up), w.ownersIn(at, up))
}

// findRules finds the rules of the package that decided values of the file.
func (w *walk) findRules(ctx context.Context, at *revision, up *upstream, a *Annotation, o Options) error {
	text, err := w.beside(at, path.Join(up.dir, configFile), up.warn)
	if err != nil || text == nil {
		return err
	}
	rules, lines, err := o.Rules(text)
	if err != nil {
		up.warn(err)
		return nil
	}
	return w.decide(ctx, up, a, rules, lines)
}

// tracings returns the chosen atoms by their documents, as upstream's versions are searched for them.
func (a *Annotation) tracings(up *upstream) (all []tracing) {
	for _, d := range a.documents {
		if atoms := a.chosen(d); len(atoms) > 0 {
			all = append(all, tracing{up.below(d), atoms})
		}
	}
	return all
}

// owners has the documents of the package, which may be those of upstream.
type owners struct {
	matcher
	read  func() []*document
	local *group
}

func (w *walk) ownersIn(at *revision, up *upstream) *owners {
	return &owners{matcher: w.matcher, read: func() []*document { return w.documentsOf(at, up) }}
}

func (o *owners) group() *group {
	if o.local == nil {
		o.local = newGroup(o.read())
	}
	return o.local
}

// has reports whether the package has a document in the place of one of upstream.
func (o *owners) has(d *document) bool { return o.inPlace(d, o.group()) != nil }

// hasNearer reports whether a document of the package is more like one of upstream than another, which is found by its likeness.
func (o *owners) hasNearer(theirs, than *document) bool {
	nearest := o.find(theirs, o.group(), isNone, isNone)
	return nearest != nil && nearest.file != than.file
}

// documentsOf returns the documents of the package at a version, or at the commit below changes that are not committed.
func (w *walk) documentsOf(at *revision, up *upstream) (out []*document) {
	if id := at.committedID(); at.tree == "" && id != "" {
		var err error
		if at, err = w.commit(id); err != nil {
			return out
		}
	}
	if at == nil || at.tree == "" {
		return out
	}
	object, err := w.objects.Read(at.ID + ":" + strings.TrimPrefix(up.dir, "."))
	if err != nil || object.Kind != "tree" {
		return out
	}
	changes, err := w.changed(object.ID, "", up.dir)
	if err != nil {
		return out
	}
	docs, _ := w.documentsFrom(at, changes)
	for _, d := range docs {
		out = append(out, up.below(d))
	}
	return out
}

// documentsFrom returns the documents of the structured files that a version has in changes. An error ends the list.
func (w *walk) documentsFrom(at *revision, changes []change) (out []*document, err error) {
	for _, one := range changes {
		if !file.IsStructured(one.name) {
			continue
		}
		docs, err := w.documents(at, one.name, one.from)
		if err != nil {
			return out, err
		}
		out = append(out, docs.documents...)
	}
	return out, nil
}

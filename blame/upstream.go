package blame

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/version"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Release is a version of upstream that a package had.
type Release struct {
	// Name is the version's in the lock, and ID tells versions with one name apart.
	Name, ID string
	// Read reads the files of the version.
	Read func(context.Context) ([]pkgmerge.File, error)
}

// release is a version that was read, or not yet.
type release struct {
	Release
	// files are the documents of each file of the version by its path, and all the documents of all files; nil before they
	// were read.
	files map[string]*group
	all   *group
	err   error
	// arrival is the newest commit with which the lock came to name the version, "" if nobody committed that.
	arrival string
}

// upstream has the versions of upstream that the history of a package's lock tells.
type upstream struct {
	// dir is the directory of the package below the top of the repository.
	dir string
	// releases begins with the version of the lock. The others are older, the newest first.
	releases []*release
	// present are the lock's versions of the documents that trace looked for.
	present []*document
	matcher
	// warn says that a version cannot be read.
	warn func(error)
}

// findUpstream finds the lock of the package that has a file of a version: in the directory of the file, or the
// nearest one above. It returns nil if there is none.
func (w *walk) findUpstream(ctx context.Context, at *revision, name string, o Options) (*upstream, error) {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		for _, base := range o.Locks {
			lock := path.Join(dir, base)
			first, err := w.readLock(at, lock, o)
			if err != nil {
				return nil, err
			}
			if first != nil {
				u := &upstream{dir: dir, releases: []*release{{Release: *first}}, matcher: w.matcher, warn: o.Warn}
				return u, w.addOlder(ctx, u, at, lock, o)
			}
		}
		if dir == "." {
			return nil, nil
		}
	}
}

// readLock reads the release that a lock of a version names. It returns nil without a file, and for one that it warned of.
func (w *walk) readLock(at *revision, lock string, o Options) (*Release, error) {
	text, err := w.beside(at, lock, o.Warn)
	if err != nil || text == nil {
		return nil, err
	}
	first, err := o.Lock(filepath.Join(w.work.Top, path.Dir(lock)), path.Base(lock), text)
	if err != nil {
		o.Warn(fmt.Errorf("%s: %w", lock, err))
		return nil, nil
	}
	return first, nil
}

// content returns the text of a file of a version, nil if there is none.
func (w *walk) content(c *revision, name string) ([]byte, error) {
	if c.tree == "" {
		return w.onDisk(name)
	}
	id, err := w.file(c, name)
	if err != nil || id == "" {
		return nil, err
	}
	return w.text(id)
}

// addOlder adds the versions that the lock had before.
func (w *walk) addOlder(ctx context.Context, u *upstream, at *revision, lock string, o Options) error {
	from := at.committedID()
	if from == "" {
		return nil
	}
	changes, err := w.lockHistory(ctx, from, lock)
	if err != nil {
		return err
	}
	known := map[string]*release{"": nil}
	releaseOf := func(id string) (*release, error) {
		if r, isKnown := known[id]; isKnown {
			return r, nil
		}
		text, err := w.text(id)
		if err != nil {
			return nil, err
		}
		if r, err := o.Lock(filepath.Join(w.work.Top, u.dir), path.Base(lock), text); err == nil && r != nil {
			known[id] = u.add(*r)
		}
		return known[id], nil
	}
	for _, one := range changes {
		is, err := releaseOf(one.To)
		if err != nil {
			return err
		}
		was, err := releaseOf(one.From)
		if err != nil {
			return err
		}
		if is != nil && is != was && is.arrival == "" {
			is.arrival = one.Commit
		}
	}
	u.sort()
	return nil
}

// lockHistory returns the changes of the lock up to a commit, the newest first.
func (w *walk) lockHistory(ctx context.Context, from, lock string) ([]gitrepo.FileChange, error) {
	changes, err := w.work.FileHistory(ctx, from, lock)
	if err != nil {
		return nil, err
	}
	if n := len(changes); n > 0 && changes[n-1].From == "" {
		more, err := w.lockBefore(ctx, changes[n-1].Commit, lock)
		if err != nil {
			return nil, err
		}
		if len(more) > 0 { // it had another name
			changes[n-1].From = more[0].To
		}
		changes = append(changes, more...)
	}
	return changes, nil
}

// lockBefore returns the changes of the lock under the name that it had before a commit renamed it.
func (w *walk) lockBefore(ctx context.Context, commit, lock string) ([]gitrepo.FileChange, error) {
	c, err := w.commit(commit)
	if err != nil || c == nil || len(c.parents) == 0 {
		return nil, err
	}
	parent, err := w.commit(c.parents[0])
	if err != nil || parent == nil {
		return nil, err
	}
	id, err := w.file(c, lock)
	if err != nil {
		return nil, err
	}
	changes, err := w.changed(parent.tree, c.tree, "")
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(changes, func(one change) bool { return one.to == "" && path.Base(one.name) == path.Base(lock) && one.from == id })
	if i < 0 {
		return nil, nil
	}
	return w.work.FileHistory(ctx, parent.ID, changes[i].name)
}

// add adds a version, unless it is known, and returns it.
func (u *upstream) add(r Release) *release {
	plain, exact := r.Name, r.Name
	if at := strings.LastIndexByte(r.ID, '@'); at >= 0 && len(r.ID) > at+8 {
		exact += r.ID[at : at+8]
	}
	for _, known := range u.releases {
		if known.ID == r.ID && (known.Name == plain || known.Name == exact) {
			return known
		}
		if known.Name == plain {
			r.Name = exact
		}
	}
	added := &release{Release: r}
	u.releases = append(u.releases, added)
	return added
}

// sort sorts the versions by their names, if they all are versions, and drops the versions that are newer than the lock's.
func (u *upstream) sort() {
	var names []string
	for _, r := range u.releases {
		names = append(names, r.Name)
	}
	sorted := version.Sorted(names)
	if len(sorted) != len(names) {
		return
	}
	now := u.releases[0].Name
	slices.SortFunc(u.releases, func(a, b *release) int { return slices.Index(sorted, b.Name) - slices.Index(sorted, a.Name) })
	u.releases = slices.DeleteFunc(u.releases, func(r *release) bool { return slices.Index(sorted, r.Name) > slices.Index(sorted, now) })
}

// load reads a version. It reports whether that went well, and warns once if not.
func (u *upstream) load(ctx context.Context, r *release) bool {
	if r.files == nil && r.err == nil {
		files, err := r.Read(ctx)
		if r.err = err; err != nil {
			u.warn(fmt.Errorf("upstream's version %s cannot be read: %w", r.Name, err))
			return false
		}
		r.files = map[string]*group{}
		var all []*document
		for _, f := range files {
			r.files[f.Name] = newGroup(readDocuments(f.Name, f.Data))
			all = append(all, r.files[f.Name].documents...)
		}
		r.all = newGroup(all)
	}
	return r.err == nil
}

// versionOf returns a version's document, whose path is relative to the package; nil if it has none. taken reports
// whether a document of the version is another one's of local's, so that it has no other name there.
func (u *upstream) versionOf(r *release, d *document, taken func(*document) bool) *document {
	if found := u.inPlace(d, r.files[d.file]); found != nil {
		return found
	}
	if found := u.inPlace(d, r.all); found != nil {
		return found
	}
	return u.find(d, r.all, taken, taken)
}

// below returns a document with its path below the package's directory.
func (u *upstream) below(d *document) *document {
	if u.dir == "." {
		return d
	}
	local := *d
	local.file = strings.TrimPrefix(d.file, u.dir+"/")
	return &local
}

// tracing follows the atoms of a document through upstream's versions.
type tracing struct {
	now   *document
	atoms []*atom
}

// trace marks the atoms that the lock's version has, with the first version from which on all have them. A document with another name
// there has one that no other document of the package has, and that none is more like.
func (u *upstream) trace(ctx context.Context, all []tracing, local *owners) error {
	taken := local.has
	for i, r := range u.releases {
		if len(all) == 0 {
			return nil
		}
		if !u.load(ctx, r) {
			return ctx.Err()
		}
		var open []tracing
		for _, t := range all {
			found := u.versionOf(r, t.now, taken)
			if found == nil || i == 0 && u.inPlace(t.now, r.all) == nil && local.hasNearer(found, t.now) {
				continue
			}
			found.load(u.kinds)
			if i == 0 {
				u.present = append(u.present, found)
			}
			if t = u.traceTo(found, r, t.atoms); len(t.atoms) > 0 {
				open = append(open, t)
			}
		}
		all, taken = open, func(*document) bool { return false }
	}
	return nil
}

// traceTo marks the atoms that a release's document has, and returns it with them.
func (u *upstream) traceTo(found *document, r *release, atoms []*atom) tracing {
	atoms = slices.DeleteFunc(slices.Clone(atoms), func(a *atom) bool { return !a.isIn(found) })
	for _, a := range atoms {
		a.version, a.since = u.releases[0].Name, r.Name
	}
	return tracing{found, atoms}
}

// configFile is the file with the rules of a package.
const configFile = file.Config

// decide marks the values that differ from upstream's because of a rule, which begins in one of the lines: it keeps
// local's value, or makes one of both, upstream changed its value while the package had it, and nobody edited the value since.
func (w *walk) decide(ctx context.Context, u *upstream, a *Annotation, rules []pkgmerge.Rule, lines []int) error {
	isOld := map[[2]string]bool{}
	for _, one := range a.units {
		if !one.isChosen || one.leaf == nil || !one.leaf.isWhole || one.main.version != "" {
			continue
		}
		at := slices.IndexFunc(rules, func(r pkgmerge.Rule) bool { return r.Decides(one.in.meta, one.leaf.path) })
		if at < 0 || rules[at].Prefer == merge.PreferUpstream || rules[at].Prefer == merge.PreferFail {
			continue
		}
		decided := u.changed(ctx, one)
		if decided == nil {
			continue
		}
		by := one.main.commit
		if decided.arrival != "" && by != nil {
			if by.tree == "" {
				continue // nobody committed it
			}
			pair := [2]string{by.ID, decided.arrival}
			is, known := isOld[pair]
			if !known {
				var err error
				if is, err = w.work.IsAncestor(ctx, by.ID, decided.arrival); err != nil {
					return err
				}
				isOld[pair] = is
			}
			if !is {
				continue
			}
		}
		one.rule = fmt.Sprintf("%s:%d", configFile, lines[at])
	}
	return ctx.Err()
}

// changed returns the newest of upstream's versions whose value of a field is another one than the version's before, nil if there is none.
// With one version only nothing is known against that, if it has the field.
func (u *upstream) changed(ctx context.Context, one *unit) *release {
	now := u.below(one.in)
	var newer *release
	value := ""
	for _, r := range u.releases {
		if !u.load(ctx, r) {
			break
		}
		has := ""
		if found := u.versionOf(r, now, func(*document) bool { return true }); found != nil {
			found.load(u.kinds)
			now, has = found, found.fields[one.leaf.name]
		}
		switch {
		case len(u.releases) == 1 && has != "":
			return r
		case newer != nil && has != value:
			return newer
		}
		newer, value = r, has
	}
	return nil
}

package blame

import (
	"container/heap"
	"context"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/gitrepo"
)

// part is the part of a field that an atom follows through the history.
type part int

const (
	// whole is a value.
	whole part = iota
	// shape is a map or a list with keys, whatever it contains.
	shape
	// textLine is a line of a string.
	textLine
	// comment is a line with a comment only, or a line of a file that is not YAML.
	comment
	// imageName and imageTag are the parts of an image.
	imageName
	imageTag
)

// atom is something that a document has, and that came into it by one commit.
type atom struct {
	part part
	// path is the field's, want the value, the line, or the part of the image.
	path, want string
	// count is how often a line must be there.
	count int
	// commit brought the atom, nil as long as that is not known.
	commit *revision
	// version is upstream's present version, if that has the atom, and since the first one from which on all have it.
	version, since string
}

// isIn reports whether a document has the atom.
func (a *atom) isIn(d *document) bool {
	if a.part == comment {
		return d.comments()[a.want] >= a.count
	}
	value, found := d.fields[a.path]
	switch a.part {
	case shape:
		return found
	case textLine:
		return found && d.textLines(a.path)[a.want] >= a.count
	case imageName, imageTag:
		name, tag := splitImage(strings.TrimPrefix(value, "="))
		return found && (a.part == imageName && name == a.want || a.part == imageTag && tag == a.want)
	}
	return found && value == a.want
}

// suspects are the atoms of the documents of one commit.
type suspects struct {
	commit *revision
	// order is the order in which commits of one time came up.
	order int
	has   map[*atom]bool
	byDoc map[place][]*atom
	// places has the keys of byDoc in the order in which they came up.
	places []place
}

// place is a document in a version.
type place struct {
	file  string
	index int
}

// add adds atoms, each once.
func (s *suspects) add(at place, atoms []*atom) {
	if len(s.places) == 0 {
		s.places, s.byDoc[at] = []place{at}, atoms
		return
	}
	if s.has == nil {
		s.has = map[*atom]bool{}
		for _, known := range s.byDoc[s.places[0]] {
			s.has[known] = true
		}
	}
	if _, known := s.byDoc[at]; !known {
		s.places = append(s.places, at)
	}
	more := slices.Clip(s.byDoc[at])
	for _, a := range atoms {
		if !s.has[a] {
			s.has[a] = true
			more = append(more, a)
		}
	}
	s.byDoc[at] = more
}

// files returns the files of the documents.
func (s *suspects) files() (names []string) {
	for _, at := range s.places {
		if !slices.Contains(names, at.file) {
			names = append(names, at.file)
		}
	}
	return names
}

// queue has the commits to look at, the newest first.
type queue []*suspects

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(*suspects)) }

func (q queue) Less(i, j int) bool {
	if q[i].commit.committed != q[j].commit.committed {
		return q[i].commit.committed > q[j].commit.committed
	}
	return q[i].order < q[j].order
}

func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// walk follows atoms to the commits that brought them (rules/blame: commits).
type walk struct {
	*history
	matcher
	work  *gitrepo.WorkTree
	known map[string]*fileVersion // by file and blob
	size  int                     // of their texts
	// disk has files of the work tree by their names, for the changes that nobody committed.
	disk    map[string][]byte
	queue   queue
	waiting map[string]*suspects
	count   int
	moved   moved
}

// push adds atoms of a document of a commit.
func (w *walk) push(c *revision, at place, atoms []*atom) {
	s := w.waiting[c.ID]
	if s == nil {
		w.count++
		s = &suspects{commit: c, order: w.count, byDoc: map[place][]*atom{}}
		w.waiting[c.ID] = s
		heap.Push(&w.queue, s)
	}
	s.add(at, atoms)
}

// run finds the commits of all atoms that were pushed, in so many commits at most, unless that is 0.
func (w *walk) run(ctx context.Context, limit int) error {
	for w.queue.Len() > 0 && (limit == 0 || w.count <= limit) {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := heap.Pop(&w.queue).(*suspects)
		delete(w.waiting, s.commit.ID)
		for _, at := range s.places {
			s.byDoc[at] = unsettled(s.byDoc[at])
		}
		s.places = slices.DeleteFunc(s.places, func(at place) bool { return len(s.byDoc[at]) == 0 })
		if len(s.places) == 0 {
			continue
		}
		if err := w.look(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// unsettled returns the atoms whose commits are not known.
func unsettled(atoms []*atom) []*atom {
	isSettled := func(a *atom) bool { return a.commit != nil }
	if !slices.ContainsFunc(atoms, isSettled) {
		return atoms
	}
	return slices.DeleteFunc(slices.Clone(atoms), isSettled) // another commit may have the same slice
}

// look hands the atoms of a commit to the parents that have them. The commit brought the others.
func (w *walk) look(ctx context.Context, s *suspects) error {
	if err := w.read(s.commit.parents, s.files()); err != nil {
		return err
	}
	passed := map[*atom]bool{}
	for _, id := range s.commit.parents {
		parent, err := w.commit(id)
		if err != nil {
			return err
		}
		if parent == nil { // a shallow clone ends here
			continue
		}
		for _, at := range s.places {
			to, kept, err := w.kept(ctx, s.commit, parent, at, s.byDoc[at])
			if err != nil {
				return err
			}
			if len(kept) > 0 {
				w.push(parent, to, kept)
			}
			if len(s.commit.parents) == 1 && len(kept) == len(s.byDoc[at]) {
				s.byDoc[at] = nil
				continue
			}
			for _, a := range kept {
				passed[a] = true
			}
		}
	}
	for _, at := range s.places {
		for _, a := range s.byDoc[at] {
			if !passed[a] {
				a.commit = s.commit
			}
		}
	}
	return nil
}

// kept returns the atoms of a document that the parent's version of it has, and its place there.
func (w *walk) kept(ctx context.Context, c, parent *revision, at place, atoms []*atom) (to place, kept []*atom, err error) {
	is, err := w.file(c, at.file)
	if err != nil {
		return to, nil, err
	}
	was, err := w.file(parent, at.file)
	if err != nil || is == was && is != "" {
		return at, atoms, err
	}
	now, err := w.version(c, at.file, is)
	if err != nil || at.index >= len(now.documents) {
		return at, nil, err
	}
	if d := now.documents[at.index]; !d.hasAll(atoms) {
		d.load(w.kinds)
	}
	if changed, ok, err := w.derive(now, at, was); err != nil || ok {
		return at, without(atoms, changed), err
	}
	old, err := w.version(parent, at.file, was)
	if err != nil {
		return at, nil, err
	}
	d := now.documents[at.index]
	other := w.inPlace(d, old.documents)
	if other == nil {
		if other, err = w.elsewhere(ctx, c, parent, d, is); err != nil || other == nil {
			return at, nil, err
		}
	}
	to = place{other.file, other.index}
	if len(d.text) > 0 && string(other.text) == string(d.text) {
		return to, atoms, nil
	}
	if !other.loadLike(d) {
		other.load(w.kinds)
	}
	for _, a := range atoms {
		if a.isIn(other) {
			kept = append(kept, a)
		}
	}
	return to, kept, nil
}

// derive reads an older version of a file from a newer one, if that is possible. It returns a test for the atoms of a
// document that the older one lacks.
func (w *walk) derive(now *fileVersion, at place, was string) (lost func(*atom) bool, ok bool, err error) {
	if _, known := w.known[at.file+"\x00"+was]; was == "" || known {
		return nil, false, nil
	}
	text, err := w.text(was)
	if err != nil {
		return nil, false, err
	}
	if d := now.documents[at.index]; !d.loaded {
		d.load(w.kinds)
	}
	old, changed := now.derived(text)
	if old == nil {
		return nil, false, nil
	}
	w.remember(at.file+"\x00"+was, old)
	paths, d := changed[at.index], old.documents[at.index]
	return func(a *atom) bool { return slices.Contains(paths, a.path) && !a.isIn(d) }, true, nil
}

// without returns the atoms that are not lost.
func without(atoms []*atom, lost func(*atom) bool) []*atom {
	if !slices.ContainsFunc(atoms, lost) {
		return atoms
	}
	return slices.DeleteFunc(slices.Clone(atoms), lost)
}

// version returns a file of a commit.
func (w *walk) version(c *revision, name, id string) (*fileVersion, error) {
	key := name + "\x00" + id
	if c.tree == "" {
		key = name + "\x00disk"
	}
	if known, is := w.known[key]; is {
		return known, nil
	}
	var data []byte
	var err error
	switch {
	case c.tree == "":
		data = w.disk[name]
	case id == "":
		return &fileVersion{}, nil
	default:
		if data, err = w.text(id); err != nil {
			return nil, err
		}
	}
	v := &fileVersion{data, readDocuments(name, data)}
	w.remember(key, v)
	return v, nil
}

// maxParsed bounds the bytes of the versions of files that are kept, which take many times that when they are parsed.
const maxParsed = 1 << 20

// remember keeps a version of a file.
func (w *walk) remember(key string, v *fileVersion) {
	if w.size += len(v.text); w.size > maxParsed {
		clear(w.known)
		w.size = len(v.text)
	}
	w.known[key] = v
}

// documents returns the documents of a file of a commit.
func (w *walk) documents(c *revision, name, id string) ([]*document, error) {
	v, err := w.version(c, name, id)
	if err != nil {
		return nil, err
	}
	return v.documents, nil
}

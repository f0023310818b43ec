package blame

import (
	"container/heap"
	"context"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/file"
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
	// path is the path of the field, and want its value, the line of its text, or the part of its image.
	path, want string
	// count is how often a line must be there.
	count int
	// commit brought the atom, nil as long as that is not known.
	commit *revision
	// version is upstream's present version if that has the atom, else "". since is the version with which it came to stay.
	version, since string
}

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
	passed map[*atom]bool // to a parent
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

// pass notes atoms that a parent has.
func (s *suspects) pass(atoms []*atom) {
	for _, a := range atoms {
		s.passed[a] = true
	}
}

// keep gives the commit the atoms that no parent has.
func (s *suspects) keep() {
	for _, at := range s.places {
		for _, a := range s.byDoc[at] {
			if !s.passed[a] {
				a.commit = s.commit
			}
		}
	}
}

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
	// cut is a commit that a shallow clone ends in and that has values, nil if there is none.
	cut *revision
}

// push adds atoms of a document of a commit.
func (w *walk) push(c *revision, at place, atoms []*atom) {
	s := w.waiting[c.ID]
	if s == nil {
		s = &suspects{byDoc: map[place][]*atom{}, passed: map[*atom]bool{}}
		w.await(c, s)
	}
	s.add(at, atoms)
}

// await lets atoms wait for their commit's turn.
func (w *walk) await(c *revision, s *suspects) {
	w.count++
	s.commit, s.order = c, w.count
	w.waiting[c.ID] = s
	heap.Push(&w.queue, s)
}

// run finds the commits of all atoms that were pushed. It looks at no more commits than limit, unless that is 0.
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
	files := s.files()
	if err := w.read(s.commit.parents, files); err != nil {
		return err
	}
	for _, id := range s.commit.parents {
		parent, err := w.commit(id)
		if err != nil {
			return err
		}
		if parent == nil { // a shallow clone ends here
			s.commit.isCut, w.cut = true, s.commit
			continue
		}
		if isSame, err := w.handTo(ctx, parent, s, files); err != nil || isSame {
			return err
		}
	}
	s.keep()
	return nil
}

// handTo hands the atoms of a commit to a parent that has them. It reports whether the commit changed none of the files,
// so that its only parent takes its place.
func (w *walk) handTo(ctx context.Context, parent *revision, s *suspects, files []string) (isSame bool, err error) {
	pairs, err := w.pairs(s.commit, parent, files)
	if err != nil {
		return false, err
	}
	isOnly := len(s.commit.parents) == 1
	if isOnly && w.waiting[parent.ID] == nil && allSame(pairs) {
		w.await(parent, s)
		return true, nil
	}
	for _, at := range s.places {
		to, kept, err := w.kept(ctx, pairs[at.file], at, s.byDoc[at])
		if err != nil {
			return false, err
		}
		if w.isUnread(pairs[at.file], at, kept) {
			if kept, err = w.handThrough(ctx, parent, s, at); err != nil {
				return false, err
			}
		} else if len(kept) > 0 {
			w.push(parent, to, kept)
		}
		if isOnly && len(kept) == len(s.byDoc[at]) {
			s.byDoc[at] = nil
			continue
		}
		s.pass(kept)
	}
	return false, nil
}

// isUnread reports whether a parent's version of a file has a document that cannot be read, and so no value of a document. A version
// that has a value, or no such document, is compared.
func (w *walk) isUnread(p *pair, at place, kept []*atom) bool {
	hasValue := slices.ContainsFunc(kept, func(a *atom) bool { return a.part != comment })
	if hasValue || p.isSame || p.old == nil || !file.IsStructured(at.file) {
		return false
	}
	return slices.ContainsFunc(p.old.documents, func(d *document) bool {
		if d.item != nil && !d.loaded {
			d.load(w.kinds)
		}
		return d.item == nil && d.derivedIn == nil && d.hasContent()
	})
}

// handThrough hands the atoms of a document to the commits before a parent that has no version of the file which can be read. It returns
// the atoms that these commits have.
func (w *walk) handThrough(ctx context.Context, unread *revision, s *suspects, at place) (all []*atom, err error) {
	if err := w.read(unread.parents, []string{at.file}); err != nil {
		return nil, err
	}
	for _, id := range unread.parents {
		before, err := w.commit(id)
		if err != nil {
			return nil, err
		}
		if before == nil { // a shallow clone ends here
			s.commit.isCut, w.cut = true, s.commit
			continue
		}
		p, err := w.pair(s.commit, before, at.file)
		if err != nil {
			return nil, err
		}
		to, kept, err := w.kept(ctx, p, at, s.byDoc[at])
		if err != nil {
			return nil, err
		}
		if w.isUnread(p, at, kept) {
			if kept, err = w.handThrough(ctx, before, s, at); err != nil {
				return nil, err
			}
		} else if len(kept) > 0 {
			w.push(before, to, kept)
		}
		all = append(all, without(kept, func(a *atom) bool { return slices.Contains(all, a) })...)
	}
	return all, nil
}

// pair has the versions of a file in a commit and in a parent of it.
type pair struct {
	commit, parent *revision
	// id is the commit's blob, and isSame says that the parent has it, too.
	id       string
	isSame   bool
	now, old *fileVersion
	// changed are the paths of the values that differ, by the indices of the documents, if nothing else does; else nil.
	changed map[int][]string
}

// pairs reads files of a commit and of a parent.
func (w *walk) pairs(c, parent *revision, files []string) (map[string]*pair, error) {
	out := map[string]*pair{}
	for _, file := range files {
		p, err := w.pair(c, parent, file)
		if err != nil {
			return nil, err
		}
		out[file] = p
	}
	return out, nil
}

func (w *walk) pair(c, parent *revision, file string) (*pair, error) {
	p := &pair{commit: c, parent: parent}
	was, err := w.file(parent, file)
	if err != nil {
		return nil, err
	}
	if p.id, err = w.file(c, file); err != nil {
		return nil, err
	}
	if p.isSame = p.id == was && was != ""; p.isSame {
		return p, nil
	}
	if p.now, err = w.version(c, file, p.id); err != nil {
		return nil, err
	}
	return p, w.readOld(p, file, was)
}

func allSame(pairs map[string]*pair) bool {
	for _, p := range pairs {
		if !p.isSame {
			return false
		}
	}
	return true
}

// kept returns the atoms of a document that the parent's version of it has, and its place there.
func (w *walk) kept(ctx context.Context, p *pair, at place, atoms []*atom) (to place, kept []*atom, err error) {
	if p.isSame {
		return at, atoms, nil
	}
	if at.index >= len(p.now.documents) {
		return at, nil, nil
	}
	d := p.now.documents[at.index]
	if !d.hasAll(atoms) {
		d.load(w.kinds)
	}
	if p.changed != nil {
		paths, old := p.changed[at.index], p.old.documents[at.index]
		return at, without(atoms, func(a *atom) bool { return slices.Contains(paths, a.path) && !a.isIn(old) }), nil
	}
	other := w.inPlace(d, p.old.group)
	if other == nil {
		if other, err = w.elsewhere(ctx, p.commit, p.parent, d, p.id); err != nil || other == nil {
			return at, nil, err
		}
	}
	return place{other.file, other.index}, w.atomsIn(other, d, atoms), nil
}

// without returns the atoms that are not lost.
func without(atoms []*atom, lost func(*atom) bool) []*atom {
	if !slices.ContainsFunc(atoms, lost) {
		return atoms
	}
	return slices.DeleteFunc(slices.Clone(atoms), lost)
}

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
		return &fileVersion{group: newGroup(nil)}, nil
	default:
		if data, err = w.text(id); err != nil {
			return nil, err
		}
	}
	v := &fileVersion{data, newGroup(readDocuments(name, data))}
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

func (w *walk) documents(c *revision, name, id string) (*group, error) {
	v, err := w.version(c, name, id)
	if err != nil {
		return nil, err
	}
	return v.group, nil
}

package blame

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// revision is a commit of the repository.
type revision struct {
	ID, Author string
	// Date is the author's.
	Date time.Time

	tree      string
	parents   []string
	committed int64
	// isCut says that a shallow clone lacks a parent.
	isCut bool
	// blobs are the ids of files that were looked for, "" where there is none.
	blobs map[string]string
}

func (c *revision) hasRead(file string) bool {
	_, known := c.blobs[file]
	return known
}

// String names the commit with its author and date.
func (c *revision) String() string {
	text := c.ID[:7] + " " + wording.Visible(c.Author, "")
	if !c.Date.IsZero() {
		text += c.Date.Format(" 2006-01-02")
	}
	return text
}

// sentence names the commit in a sentence.
func (c *revision) sentence() string {
	text := "commit " + c.ID[:7] + " by " + wording.Visible(c.Author, "")
	if !c.Date.IsZero() {
		text += c.Date.Format(", 2006-01-02")
	}
	return text
}

// notCommitted returns the commit of changes that nobody committed, on top of a commit.
func notCommitted(parent string, size int) *revision {
	c := &revision{ID: strings.Repeat("0", size), Author: "Not Committed Yet", committed: 1<<63 - 1, blobs: map[string]string{}}
	if parent != "" {
		c.parents = []string{parent}
	}
	return c
}

// committedID returns the id of the commit, or of the commit below changes that nobody committed; "" if there is none.
func (c *revision) committedID() string {
	switch {
	case c.tree != "":
		return c.ID
	case len(c.parents) > 0:
		return c.parents[0]
	}
	return ""
}

// history reads commits and trees of a repository, each once.
type history struct {
	objects *gitrepo.Objects
	names   *gitrepo.Objects
	commits map[string]*revision
	trees   map[string][]byte
	texts   map[string][]byte // of files, by their blobs' ids
	size    int               // of the texts
	ahead   int               // how many commits the next read takes
}

func newHistory(ctx context.Context, w *gitrepo.WorkTree) (h *history, err error) {
	h = &history{commits: map[string]*revision{}, trees: map[string][]byte{}, texts: map[string][]byte{}, ahead: 1}
	if h.objects, err = w.Objects(ctx); err != nil {
		return nil, err
	}
	if h.names, err = w.ObjectNames(ctx); err != nil {
		return nil, errors.Join(err, h.objects.Close())
	}
	return h, nil
}

func (h *history) close() error { return errors.Join(h.objects.Close(), h.names.Close()) }

// read reads commits by their ids, and files of them, all at once. A shallow clone lacks commits: they are nil.
func (h *history) read(ids, files []string) error {
	names := h.unread(ids, files)
	if err := h.ask(names, files); err != nil {
		return err
	}
	var texts []string
	for _, name := range names {
		found, err := h.receive(name, files)
		if err != nil {
			return err
		}
		for _, id := range found {
			if _, known := h.texts[id]; !known && !slices.Contains(texts, id) {
				texts = append(texts, id)
			}
		}
	}
	return h.readTexts(texts)
}

// unread returns the names of the commits that were not read, or not with all files. With one commit it adds more and more
// earlier ones, since a walk often goes on to them.
func (h *history) unread(ids, files []string) (names []string) {
	for _, id := range ids {
		if c, known := h.commits[id]; !known || c != nil && slices.ContainsFunc(files, func(file string) bool { return !c.hasRead(file) }) {
			names = append(names, id)
		}
	}
	if len(names) == 1 && len(files) <= maxFiles {
		for n := 1; n < h.ahead; n++ {
			names = append(names, fmt.Sprintf("%s~%d", names[0], n))
		}
		h.ahead = min(2*h.ahead+1, maxAhead)
	}
	return names
}

// ask asks git for commits and for the ids of files of them.
func (h *history) ask(names, files []string) error {
	if err := h.objects.Ask(names...); err != nil {
		return err
	}
	for _, name := range names {
		for _, file := range files {
			if err := h.names.Ask(name + ":" + file); err != nil {
				return err
			}
		}
	}
	return nil
}

// readTexts reads the texts of files, so many that they are kept.
func (h *history) readTexts(ids []string) error {
	if len(ids) < 2 {
		return nil // it may be that of the commit before, and is read if not
	}
	if err := h.objects.Ask(ids...); err != nil {
		return err
	}
	for range ids {
		object, err := h.objects.Next()
		if err != nil {
			return err
		}
		h.keep(object)
	}
	return nil
}

// maxAhead and maxFiles bound the commits and files that are read at once, so that git never waits for a reader while
// it is asked.
const (
	maxAhead = 32
	maxFiles = 4
)

// receive reads a commit and the ids of the files of it that were asked for.
func (h *history) receive(name string, files []string) (ids []string, err error) {
	c, err := h.receiveCommit(name)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		blob, err := h.names.Next()
		if err != nil {
			return nil, err
		}
		if c == nil {
			continue
		}
		if c.blobs[file] = ""; blob.Kind == "blob" {
			c.blobs[file] = blob.ID
			ids = append(ids, blob.ID)
		}
	}
	return ids, nil
}

// receiveCommit reads and keeps a commit that was asked for. It is nil if the repository lacks it.
func (h *history) receiveCommit(name string) (*revision, error) {
	object, err := h.objects.Next()
	if err != nil {
		return nil, err
	}
	c := readCommit(object)
	if c != nil {
		if known := h.commits[c.ID]; known != nil {
			c = known
		}
		name = c.ID
	}
	if c != nil || !strings.Contains(name, "~") {
		h.commits[name] = c
	}
	return c, nil
}

// keep keeps the text of a file.
func (h *history) keep(blob gitrepo.Object) {
	if h.size += len(blob.Data); h.size > maxTexts {
		clear(h.texts)
		h.size = len(blob.Data)
	}
	h.texts[blob.ID] = blob.Data
}

// maxTexts bounds the bytes of the texts that are kept, and maxTrees the trees.
const (
	maxTexts = 32 << 20
	maxTrees = 4096
)

// commit reads a commit by its id or another name, nil if there is none.
func (h *history) commit(name string) (*revision, error) {
	if c, known := h.commits[name]; known {
		return c, nil
	}
	object, err := h.objects.Read(name)
	if err != nil {
		return nil, err
	}
	c := readCommit(object)
	if c != nil {
		h.commits[c.ID] = c
	}
	return c, nil
}

// file returns the id of a file of a commit, "" if the commit lacks it.
func (h *history) file(c *revision, name string) (id string, err error) {
	if c.tree != "" && !c.hasRead(name) {
		err = h.read([]string{c.ID}, []string{name})
	}
	return c.blobs[name], err
}

func (h *history) text(id string) ([]byte, error) {
	if data, known := h.texts[id]; known {
		return data, nil
	}
	object, err := h.objects.Read(id)
	if err == nil && object.Kind != "blob" {
		err = fmt.Errorf("the repository lacks the file %s; git fetch --refetch gets it", id)
	}
	if err == nil {
		h.keep(object)
	}
	return object.Data, err
}

// readCommit reads the header of a commit, nil if the object is none.
func readCommit(object gitrepo.Object) *revision {
	if object.Kind != "commit" {
		return nil
	}
	c := &revision{ID: object.ID, blobs: map[string]string{}}
	head, _, _ := strings.Cut(string(object.Data), "\n\n")
	for line := range strings.Lines(head) {
		switch name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); name {
		case "tree":
			c.tree = rest
		case "parent":
			c.parents = append(c.parents, rest)
		case "author":
			c.Author, c.Date = readPerson(rest)
		case "committer":
			_, when := readPerson(rest)
			c.committed = when.Unix()
		}
	}
	return c
}

// readPerson reads the name and the time of a line such as "Ada <ada@example.org> 1700000000 +0100".
func readPerson(text string) (name string, when time.Time) {
	name, rest, _ := strings.Cut(text, " <")
	fields := strings.Fields(rest[strings.IndexByte(rest, '>')+1:])
	if len(fields) != 2 {
		return name, when
	}
	seconds, _ := strconv.ParseInt(fields[0], 10, 64)
	zone, _ := strconv.Atoi(fields[1])
	return name, time.Unix(seconds, 0).In(time.FixedZone("", (zone/100*60+zone%100)*60))
}

func (h *history) tree(id string) ([]byte, error) {
	if data, known := h.trees[id]; known {
		return data, nil
	}
	object, err := h.objects.Read(id)
	if err != nil {
		return nil, err
	}
	if object.Kind != "tree" {
		return nil, fmt.Errorf("the repository lacks the tree %s", id)
	}
	if len(h.trees) > maxTrees {
		clear(h.trees)
	}
	h.trees[id] = object.Data
	return object.Data, nil
}

// entry is an entry of a tree.
type entry struct {
	// mode is git's, such as 40000 for a tree.
	mode, name, id []byte
}

// next returns the first entry of a tree's text, and the rest. size is the length of an id.
func next(data []byte, size int) (e entry, rest []byte) {
	end := bytes.IndexByte(data, 0)
	if end < 0 || len(data) < end+1+size {
		return e, nil
	}
	mode, name, _ := bytes.Cut(data[:end], []byte(" "))
	return entry{mode, name, data[end+1 : end+1+size]}, data[end+1+size:]
}

func (e entry) isTree() bool { return len(e.mode) == 5 && e.mode[0] == '4' }

// isFile reports whether the entry is a regular file.
func (e entry) isFile() bool { return len(e.mode) == 6 && string(e.mode[:2]) == "10" }

// change is a file that differs between two trees: its path, and its ids, "" where it is not there.
type change struct{ name, from, to string }

// changed lists the files of one tree that are missing or different in another one.
func (h *history) changed(from, to, below string) (out []change, err error) {
	if from == to {
		return nil, nil
	}
	old, err := h.tree(from)
	if err != nil {
		return nil, err
	}
	now, err := h.entries(to)
	if err != nil {
		return nil, err
	}
	for e := (entry{}); len(old) > 0; {
		e, old = next(old, len(from)/2)
		other := now[string(e.name)]
		if bytes.Equal(e.id, other.id) {
			continue
		}
		more, err := h.changedEntry(e, other, below)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// entries returns the entries of a tree by their names; none for "".
func (h *history) entries(tree string) (map[string]entry, error) {
	out := map[string]entry{}
	if tree == "" {
		return out, nil
	}
	data, err := h.tree(tree)
	if err != nil {
		return nil, err
	}
	for e := (entry{}); len(data) > 0; {
		e, data = next(data, len(tree)/2)
		out[string(e.name)] = e
	}
	return out, nil
}

// changedEntry lists the files of an entry that are missing or different in the other tree's entry of that name.
func (h *history) changedEntry(e, other entry, below string) ([]change, error) {
	name, id, otherID := path.Join(below, string(e.name)), hex.EncodeToString(e.id), ""
	if e.isTree() && other.isTree() || e.isFile() && other.isFile() {
		otherID = hex.EncodeToString(other.id)
	}
	switch {
	case e.isTree():
		return h.changed(id, otherID, name)
	case e.isFile():
		return []change{{name, id, otherID}}, nil
	}
	return nil, nil
}

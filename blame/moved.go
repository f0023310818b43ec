package blame

import (
	"context"
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/file"
)

// moved has the files of a parent that a commit removed or changed, and their documents.
type moved struct {
	from, to string // the IDs of the parent and of the commit
	changes  []change
	// gone are the documents of these files that the commit lacks in the same file: first the documents of other files
	// than YAML and JSON, then the ones of these. nil was not searched yet.
	gone [2]*group
	// came are the identities of the resources that the commit has in other files.
	came map[identity.ID]bool
}

// changes lists the files of a parent that a commit removed or changed.
func (w *walk) changes(ctx context.Context, c, parent *revision) ([]change, error) {
	if w.moved.from == parent.ID && w.moved.to == c.ID {
		return w.moved.changes, nil
	}
	changes, err := []change(nil), error(nil)
	if c.tree == "" {
		changes, err = w.notCommitted(ctx, parent)
	} else {
		changes, err = w.changed(parent.tree, c.tree, "")
	}
	w.moved = moved{from: parent.ID, to: c.ID, changes: changes}
	return changes, err
}

// notCommitted lists the files of HEAD that are missing or different in the work tree.
func (w *walk) notCommitted(ctx context.Context, head *revision) (out []change, err error) {
	names, err := w.work.Changes(ctx, true)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		id, err := w.file(head, name)
		if err != nil {
			return nil, err
		}
		if id == "" {
			continue
		}
		one := change{name: name, from: id}
		if data, err := w.onDisk(name); err == nil && data != nil {
			w.disk[name], one.to = data, "*"
		}
		out = append(out, one)
	}
	return out, nil
}

// maxMoved bounds the files that are searched for a document that moved.
const maxMoved = 2000

// elsewhere returns the parent's version of a document that its file in the parent lacks: from a file that the
// commit renamed, else from one that lost the document.
func (w *walk) elsewhere(ctx context.Context, c, parent *revision, d *document, id string) (*document, error) {
	changes, err := w.changes(ctx, c, parent)
	if err != nil {
		return nil, err
	}
	if old, err := w.inRenamed(parent, d, changes, id); err != nil || old != nil {
		return old, err
	}
	gone, err := w.gone(c, parent, file.IsStructured(d.file))
	if err != nil {
		return nil, err
	}
	if w.moved.came == nil {
		if w.moved.came, err = w.came(c, parent); err != nil {
			return nil, err
		}
	}
	return w.find(d, gone, isNone, func(other *document) bool {
		return other.isNamed() && w.moved.came[other.id()]
	}), nil
}

// inRenamed returns the document in the same place of a file of the parent that the commit renamed, with the blob of
// an id.
func (w *walk) inRenamed(parent *revision, d *document, changes []change, id string) (*document, error) {
	for _, one := range changes {
		if one.from != id || one.to != "" || file.IsStructured(one.name) != file.IsStructured(d.file) {
			continue
		}
		old, err := w.documents(parent, one.name, one.from)
		if err != nil {
			return nil, err
		}
		if d.index < len(old.documents) {
			return old.documents[d.index], nil
		}
	}
	return nil, nil
}

// came returns the identities of the resources in the files that a commit added or changed: a document of the parent
// with one of them is no other document under another name.
func (w *walk) came(c, parent *revision) (map[identity.ID]bool, error) {
	out := map[identity.ID]bool{}
	if c.tree == "" {
		return out, nil
	}
	changes, err := w.changed(c.tree, parent.tree, "")
	if err != nil {
		return nil, err
	}
	docs, err := w.documentsFrom(c, changes[:min(len(changes), maxMoved)])
	if err != nil {
		return nil, err
	}
	for _, d := range docs {
		if d.isNamed() {
			out[d.id()] = true
		}
	}
	return out, nil
}

// gone returns the documents of a parent that a commit lacks in the same file.
func (w *walk) gone(c, parent *revision, structured bool) (*group, error) {
	which := 0
	if structured {
		which = 1
	}
	if w.moved.gone[which] != nil {
		return w.moved.gone[which], nil
	}
	var out []*document
	for _, one := range w.moved.changes[:min(len(w.moved.changes), maxMoved)] {
		if file.IsStructured(one.name) != structured {
			continue
		}
		lost, err := w.goneFrom(c, parent, one)
		if err != nil {
			return nil, err
		}
		out = append(out, lost...)
	}
	w.moved.gone[which] = newGroup(out)
	return w.moved.gone[which], nil
}

// goneFrom returns the documents of a parent's file that a commit lacks in the same file.
func (w *walk) goneFrom(c, parent *revision, one change) ([]*document, error) {
	old, err := w.documents(parent, one.name, one.from)
	if err != nil {
		return nil, err
	}
	var now *group
	if one.to != "" {
		if now, err = w.documents(c, one.name, one.to); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(slices.Clone(old.documents), func(other *document) bool { return w.inPlace(other, now) != nil }), nil
}

package main

import (
	"fmt"
	"path"
	"strings"
)

// copyOf is a fork's copy of a package: its files, its resources, which know
// their resources in origin, and the number of edits that were made.
type copyOf struct {
	files     tree
	from      []*resource // origin's
	resources []*resource
	edits     int
}

// texts are the texts of the resources that can be edited, as the edits leave
// them; one that was deleted is not there.
type texts map[*resource]string

// localise makes local of origin.
func (f fork) localise(files tree) (copyOf, error) {
	from, err := files.resources()
	if err != nil {
		return copyOf{}, err
	}
	out := copyOf{files: tree{}, from: from}
	now := texts{}
	for _, r := range from {
		if r.text != nil {
			now[r] = r.text.text
		}
	}
	for _, e := range f.edits {
		out.edits += e.over(from, now)
	}
	for _, name := range files.names() {
		if err := out.addFile(name, files[name], now); err != nil {
			return out, err
		}
	}
	return out, out.addNew(f.edits)
}

// over makes an edit in the resources that it selects, and returns in how many.
func (e edit) over(all []*resource, now texts) int {
	selected, done := 0, 0
	for _, r := range all {
		text, there := now[r]
		if !there || e.File != "" || !e.selects(r) {
			continue
		}
		if selected++; e.Every > 1 && selected%e.Every != 1 {
			continue
		}
		if e.Delete {
			delete(now, r)
			done++
			continue
		}
		edited, ok := e.one(r, text)
		if now[r] = edited; ok {
			done++
		}
	}
	return done
}

// one edits one resource.
func (e edit) one(r *resource, text string) (string, bool) {
	if e.Rename == "" {
		return e.apply(text)
	}
	renamed, ok := edit{Replace: "metadata.name", Old: "^", New: e.Rename}.apply(text)
	commented := withMergeComment(renamed, r.id)
	if !ok || commented == renamed {
		return text, false
	}
	return commented, true
}

// withMergeComment writes the merge comment, if metadata has a line of its own.
func withMergeComment(text string, i id) string {
	lines := strings.SplitAfter(text, "\n")
	for n, line := range lines {
		if content := strings.TrimRight(line, " \r\n"); content == "metadata:" {
			lines[n] = fmt.Sprintf("%s # kpt-merge: %s/%s%s", content, i.namespace, i.name, line[len(content):])
			return strings.Join(lines, "")
		}
	}
	return text
}

// addFile adds a file of origin's as the edits left it. Its other documents, such
// as a licence above the first separator, stay; a file that is left without a
// resource goes.
func (c *copyOf) addFile(name, text string, now texts) error {
	var docs []*document
	had, edits := len(c.resources), 0
	for _, r := range c.from {
		if r.file != name {
			continue
		}
		edited, there := now[r]
		switch {
		case r.text == nil: // an item of a List, which no edit reaches
			item := *r
			item.origin = r
			c.resources = append(c.resources, &item)
		case there:
			made, err := readFile(name, edited)
			if err != nil || len(made) != 1 {
				return fmt.Errorf("%s: an edit spoilt %s: %w", name, r.id, err)
			}
			made[0].origin = r
			c.resources = append(c.resources, made[0])
			docs = append(docs, &document{text: edited, head: r.text.head})
		}
		if r.text != nil && (!there || edited != r.text.text) {
			edits++
		}
	}
	switch {
	case edits == 0:
		c.files[name] = text
	case len(c.resources) > had:
		c.files[name] = joinDocuments(restoreHeads(docs, text))
	}
	return nil
}

// restoreHeads has a file begin as it did, and parts its documents.
func restoreHeads(docs []*document, text string) []*document {
	var lead []*document
	for _, d := range splitDocuments(text) {
		if v, err := decode(d.text); err != nil || v != nil {
			break
		}
		lead = append(lead, d)
	}
	for i, d := range docs {
		if len(lead)+i > 0 && d.head == "" {
			d.head = "---\n"
		}
		if i > 0 && !strings.HasSuffix(docs[i-1].text, "\n") {
			docs[i-1].text += "\n"
		}
	}
	return append(lead, docs...)
}

// addNew adds the fork's own files.
func (c *copyOf) addNew(edits []edit) error {
	for _, e := range edits {
		if e.File == "" {
			continue
		}
		name := path.Clean(e.File)
		found, err := readFile(name, e.Text)
		if err != nil {
			return err
		}
		c.files[name], c.resources, c.edits = e.Text, append(c.resources, found...), c.edits+1
	}
	return nil
}

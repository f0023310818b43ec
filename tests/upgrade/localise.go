package main

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// copyOf is a fork's copy of a package: its files, its resources, which know
// what they were made of, and the number of edits that were made.
type copyOf struct {
	files     tree
	resources []*resource
	edits     int
}

// localise makes local of origin.
func (f fork) localise(files tree) (copyOf, error) {
	out := copyOf{files: tree{}}
	all, err := files.resources()
	if err != nil {
		return out, err
	}
	texts, heads := map[*resource]string{}, map[*resource]bool{}
	for _, r := range all {
		if r.text != nil {
			texts[r], heads[r] = r.text.text, true
		}
	}
	for _, e := range f.edits {
		out.edits += e.over(all, texts)
	}
	if err := out.assemble(files, all, texts, heads); err != nil {
		return out, err
	}
	return out, out.addFiles(f.edits)
}

// over makes an edit in the resources that it selects, and returns in how many.
// texts lacks those that are deleted.
func (e edit) over(all []*resource, texts map[*resource]string) int {
	selected, done := 0, 0
	for _, r := range all {
		text, there := texts[r]
		if !there || e.File != "" || !e.selects(r) {
			continue
		}
		if selected++; e.Every > 1 && selected%e.Every != 1 {
			continue
		}
		switch {
		case e.Delete:
			delete(texts, r)
		case e.Rename != "":
			text, there = e.rename(r, text)
			texts[r] = text
		default:
			text, there = e.apply(text)
			texts[r] = text
		}
		if there {
			done++
		}
	}
	return done
}

// rename puts a prefix before the name, and the identity in a merge comment.
func (e edit) rename(r *resource, text string) (string, bool) {
	set := edit{Replace: "metadata.name", Old: "^", New: e.Rename}
	renamed, ok := set.apply(text)
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

// assemble writes the files of what is left, each resource with its origin.
func (c *copyOf) assemble(files tree, all []*resource, texts map[*resource]string, edited map[*resource]bool) error {
	for _, name := range files.names() {
		docs, made, err := reassemble(name, files[name], all, texts, edited)
		if err != nil {
			return err
		}
		if len(docs) > 0 {
			c.files[name] = joinDocuments(docs)
			c.resources = append(c.resources, made...)
		}
	}
	return nil
}

// reassemble makes the documents of one file anew.
func reassemble(name, text string, all []*resource, texts map[*resource]string, edited map[*resource]bool) (docs []*document, made []*resource, err error) {
	mine := slices.DeleteFunc(slices.Clone(all), func(r *resource) bool { return r.file != name })
	if !isYAML(name) || !slices.ContainsFunc(mine, func(r *resource) bool { return edited[r] }) {
		for _, r := range mine {
			c := *r
			c.origin = r
			made = append(made, &c)
		}
		return []*document{{text: text}}, made, nil
	}
	for _, r := range mine {
		edited, there := texts[r]
		if !there {
			continue
		}
		now, err := readFile(name, edited)
		if err != nil || len(now) != 1 {
			return nil, nil, fmt.Errorf("%s: an edit spoilt %s: %w", name, r.id, err)
		}
		now[0].origin = r
		docs, made = append(docs, &document{text: edited, head: "---\n"}), append(made, now[0])
	}
	return restoreHeads(docs, made, text), made, nil
}

// restoreHeads has a file begin as it did, and parts its documents as it did.
func restoreHeads(docs []*document, made []*resource, text string) []*document {
	if len(docs) == 0 {
		return nil
	}
	var lead []*document
	for _, d := range splitDocuments(text) {
		if v, err := decode(d.text); err != nil || v != nil {
			break
		}
		lead = append(lead, d)
	}
	for i, d := range docs {
		d.head = made[i].origin.text.head
		if before := len(lead) + i; before > 0 && d.head == "" {
			d.head = "---\n"
		}
		if i > 0 && !strings.HasSuffix(docs[i-1].text, "\n") {
			docs[i-1].text += "\n"
		}
	}
	return append(lead, docs...)
}

// addFiles adds the fork's own files.
func (c *copyOf) addFiles(edits []edit) error {
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

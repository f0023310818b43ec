package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/tests/history"
)

// replay repeats the merges in a repository's history, and writes a line for each file.
func replay(ctx context.Context, repository string, limit int, settings command.Settings, lines io.Writer) (tally, error) {
	t := newTally(nameOf(repository))
	t.settings, t.each = settings, lines
	h, err := history.Open(ctx, repository)
	if err != nil {
		return t, err
	}
	defer h.Close()
	merges, err := h.Merges(ctx, limit)
	if err != nil {
		return t, err
	}
	t.merges = len(merges)
	seen := map[[3]string]bool{}
	for _, m := range merges {
		files, err := h.Files(ctx, m)
		if err != nil {
			return t, err
		}
		for _, f := range files {
			if key := [3]string{f.Base, f.Ours, f.Theirs}; !seen[key] {
				seen[key] = true
				if err := t.file(ctx, h, f); err != nil {
					return t, err
				}
			}
		}
	}
	return t, nil
}

// file merges one file again.
func (t *tally) file(ctx context.Context, h *history.History, f history.File) error {
	texts := map[string][]byte{}
	for name, id := range map[string]string{"base": f.Base, "ours": f.Ours, "theirs": f.Theirs, "people": f.Merged} {
		text, err := h.Blob(id)
		if err != nil {
			return err
		}
		texts[name] = text
	}
	v := command.FileVersions{Path: f.Path, NoBase: f.Base == "", Settings: t.settings}
	v.Texts = [3][]byte{command.Ours: texts["ours"], command.Base: texts["base"], command.Theirs: texts["theirs"]}
	format := command.MarkerFormat{Style: command.MergeStyle, Labels: [3]string{"ours", "base", "theirs"}}
	lines, conflicts, err := command.MergeLines(ctx, v, format)
	if err != nil {
		return nil // binary
	}
	m, err := command.MergeFile(ctx, v, format)
	if err != nil {
		return err
	}
	texts["git"], texts["driver"] = lines, m.Text
	decisions := countDecisions(t.rules, m.Decisions, texts, format)
	if conflicts > 0 {
		withBase := format
		withBase.Style = command.Diff3Style
		if texts["diff3"], _, err = command.MergeLines(ctx, v, withBase); err != nil {
			return err
		}
	}
	people := "otherwise"
	if history.Agree(m.Text, texts["people"]) {
		people = "as people"
	}
	fmt.Fprintf(t.each, "%s %.12s %s: %d conflicts, %.8x, %s\n", t.name, f.Merge.Commit, f.Path, m.Conflicts, sha256.Sum256(m.Text), people)
	for _, decision := range decisions {
		fmt.Fprintf(t.each, "%s %.12s %s: decided by %s\n", t.name, f.Merge.Commit, f.Path, decision)
	}
	t.files++
	if objections := broken(f, m, texts, t.settings.Conflicts.Prefer == "newest"); len(objections) > 0 {
		t.broken++
		t.findings = append(t.findings, finding{f, "lost or invented without a conflict: " + objections[0], texts})
	}
	if what := t.count(m, conflicts, texts, format); what != "" {
		t.findings = append(t.findings, finding{f, what, texts})
	}
	return nil
}

// count counts one file, and says what is to be looked at.
func (t *tally) count(m command.MergedFile, conflicts int, texts map[string][]byte, f command.MarkerFormat) string {
	people := history.Agree(texts["driver"], texts["people"])
	if conflicts == 0 {
		switch {
		case m.Fault != "":
			return t.countWrong(m, people, history.Agree(texts["git"], texts["people"]))
		case m.Conflicts > 0:
			t.worse++
			return "a conflict where git has none"
		case bytes.Equal(texts["driver"], texts["git"]):
		case people:
			t.mended++
		default:
			t.otherwise++
			return "not what git merged"
		}
		return ""
	}
	t.conflicts++
	t.markers += conflicts
	t.lines += f.MarkedLines(texts["git"])
	if m.Method != command.ByLines {
		found := settled(texts["git"], texts["driver"], f)
		t.gone += len(found)
		countSettled(t.kinds, found, texts, f)
	}
	if m.Conflicts > 0 {
		t.conflictsLeft++
		t.markersLeft += m.Conflicts
		t.linesLeft += f.MarkedLines(texts["driver"])
		if m.Reason == "" && f.MarkedLines(texts["driver"]) > f.MarkedLines(texts["git"]) {
			return "more lines in conflict than git has, perhaps of whole elements"
		}
		if m.Reason != "" {
			return leftToGit + m.Reason
		}
		return stillInConflict
	}
	t.solved++
	switch {
	case people:
		t.agreed++
		return ""
	case history.Alike(texts["driver"], texts["people"]):
		t.ordered++
		return ""
	}
	return "merged, and not what the people had"
}

// countWrong counts a file in which git's merge, without a conflict, lost or invented a change.
func (t *tally) countWrong(m command.MergedFile, people, peopleAsGit bool) string {
	t.wrong++
	switch {
	case peopleAsGit:
		t.wrongAsPeople++
	case people:
		t.wrongMended++
	}
	return "git was wrong: " + m.Fault
}

// broken says where the driver lost or invented something without a conflict. What is left to git
// is not checked.
func broken(f history.File, m command.MergedFile, texts map[string][]byte, newest bool) []string {
	if m.Reason != "" {
		return nil
	}
	return history.Broken(f.Path, f.Base == "", history.Texts{Base: texts["base"], Ours: texts["ours"], Theirs: texts["theirs"], Result: texts["driver"]}, newest)
}

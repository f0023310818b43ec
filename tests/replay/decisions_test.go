package main

import (
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/tests/history"
)

// Each decision of a setter, and each conflict of git's that is gone, counts by what the people's commit has there.
func TestDecisions(t *testing.T) {
	file := func(a, b, tag string) []byte {
		return []byte("a: " + a + "\nb: " + b + "\nu: 1\nv: 1\nw: 1\nx: 1\ny: 1\ntag: " + tag + ` # {"$imagepolicy": "flux-system:web:tag"}` + "\n")
	}
	for _, c := range []struct {
		people     []byte
		rule, kind history.Score
	}{
		{file("2", "2", "v3"), history.Score{Decisions: 1, AsPeople: 1}, history.Score{Decisions: 2, AsPeople: 2}},
		{file("2", "2", "v2"), history.Score{Decisions: 1, OtherSide: 1}, history.Score{Decisions: 2, AsPeople: 1, OtherSide: 1}},
		{file("2", "1", "v4"), history.Score{Decisions: 1}, history.Score{Decisions: 2, OtherSide: 1}},
	} {
		v := command.FileVersions{Path: "a.yaml"}
		v.Texts = [3][]byte{command.Ours: file("2", "1", "v2"), command.Base: file("1", "1", "v1"), command.Theirs: file("1", "2", "v3")}
		format := command.MarkerFormat{Style: command.MergeStyle, Labels: [3]string{"ours", "base", "theirs"}}
		m, err := command.MergeFile(t.Context(), v, format)
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string][]byte{"ours": v.Texts[command.Ours], "theirs": v.Texts[command.Theirs], "driver": m.Text, "people": c.people}
		if texts["git"], _, err = command.MergeLines(t.Context(), v, format); err != nil {
			t.Fatal(err)
		}
		format.Style = command.Diff3Style
		if texts["diff3"], _, err = command.MergeLines(t.Context(), v, format); err != nil {
			t.Fatal(err)
		}
		rules, kinds := history.Scores{}, history.Scores{}
		lines := countDecisions(rules, m.Decisions, texts, format)
		countSettled(kinds, settled(texts["git"], texts["driver"], format), texts, format)
		if len(lines) != 1 || !strings.Contains(lines[0], "tag") || *rules.Of("newer-bump") != c.rule || *kinds.Of(bothChanged) != c.kind {
			t.Errorf("people\n%shave %+v and %+v, want %+v and %+v: %v", c.people, *rules.Of("newer-bump"), *kinds.Of(bothChanged), c.rule, c.kind, lines)
		}
	}
}

// A decision counts by its value also in a file in which another value stays in conflict.
func TestDecisionBesideConflict(t *testing.T) {
	format := command.MarkerFormat{Style: command.MergeStyle, Labels: [3]string{"ours", "base", "theirs"}}
	texts := map[string][]byte{
		"ours": []byte("a: 1\ntag: v2\n"), "theirs": []byte("a: 2\ntag: v3\n"), "people": []byte("a: 1\ntag: v3\n"),
		"driver": []byte("<<<<<<< ours\na: 1\n=======\na: 2\n>>>>>>> theirs\ntag: v3\n"),
	}
	rules := history.Scores{}
	countDecisions(rules, []command.Decision{{Rule: "newest", Path: (*merge.Path)(nil).Field("tag")}}, texts, format)
	if want := (history.Score{Decisions: 1, AsPeople: 1}); *rules.Of("newest") != want {
		t.Errorf("%+v, want %+v", *rules.Of("newest"), want)
	}
}

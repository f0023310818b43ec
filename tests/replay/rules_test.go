package main

import (
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/command"
)

// Each decision of a setter, and each conflict of git's that is gone, counts by what the people's commit has there.
func TestRules(t *testing.T) {
	file := func(a, b, tag string) []byte {
		return []byte("a: " + a + "\nb: " + b + "\nu: 1\nv: 1\nw: 1\nx: 1\ny: 1\ntag: " + tag + ` # {"$imagepolicy": "flux-system:web:tag"}` + "\n")
	}
	for _, c := range []struct {
		people     []byte
		rule, kind score
	}{
		{file("2", "2", "v3"), score{decisions: 1, asPeople: 1}, score{decisions: 2, asPeople: 2}},
		{file("2", "2", "v2"), score{decisions: 1, otherSide: 1}, score{decisions: 2, asPeople: 1, otherSide: 1}},
		{file("2", "1", "v4"), score{decisions: 1}, score{decisions: 2, otherSide: 1}},
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
		rules, kinds := scores{}, scores{}
		lines := rules.countDecisions(m.Decisions, texts)
		kinds.countSettled(settled(texts["git"], texts["driver"], format), texts, format)
		if len(lines) != 1 || !strings.Contains(lines[0], "tag") || *rules.of("newer-bump") != c.rule || *kinds.of(bothChanged) != c.kind {
			t.Errorf("people\n%shave %+v and %+v, want %+v and %+v: %v", c.people, *rules.of("newer-bump"), *kinds.of(bothChanged), c.rule, c.kind, lines)
		}
	}
}

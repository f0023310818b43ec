package main

import (
	"io"
	"testing"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/tests/history"
)

// A mirror with upstream's tag counts by what the people's commit has there.
func TestCountRules(t *testing.T) {
	image := func(repository, tag string) []byte {
		return []byte("image:\n  repository: " + repository + "\n  tag: " + tag + "\n  pullPolicy: Always\n")
	}
	for _, c := range []struct {
		rule merge.RemarkKind
		v    versions
		want history.Score
	}{
		{merge.Mirrored, versions{path: "values.yaml", base: image("quay.io/a/web", "1"), ours: image("own/a-web", "1"), theirs: image("quay.io/a/web", "2"), people: image("own/a-web", "2")}, history.Score{Decisions: 1, AsPeople: 1}},
		{merge.Mirrored, versions{path: "values.yaml", base: image("quay.io/a/web", "1"), ours: image("own/a-web", "1"), theirs: image("quay.io/a/web", "2"), people: image("own/a-web", "1")}, history.Score{Decisions: 1, OtherSide: 1}},
		{merge.Mirrored, versions{path: "values.yaml", base: image("quay.io/a/web", "1"), ours: image("own/a-web", "1"), theirs: image("quay.io/a/web", "2"), people: image("own/a-web", "3")}, history.Score{Decisions: 1}},
	} {
		got := history.Scores{}
		if err := countRules(t.Context(), got, c.v, io.Discard); err != nil || len(got) != 1 || *got.Of(string(c.rule)) != c.want {
			t.Errorf("%s, people have\n%sgot %+v of %d rules, want %+v; %v", c.rule, c.v.people, *got.Of(string(c.rule)), len(got), c.want, err)
		}
	}
}

package main

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/tests/history"
)

// countDecisions counts the decisions that the driver tells, by rule: whether the people's commit has the same value at
// the path, or likewise none. What stays in conflict elsewhere in the file does not matter. It returns a line for each.
func countDecisions(s history.Scores, told []command.Decision, texts map[string][]byte, f command.MarkerFormat) (lines []string) {
	if len(told) == 0 {
		return nil
	}
	documents := map[string][]*yaml.Node{}
	for name, text := range texts {
		documents[name] = history.Documents(text)
	}
	_, ofDriver := stretches(f.Parse(texts["driver"]))
	documents["driver"] = history.Documents([]byte(strings.Join(ofDriver, "")))
	for _, d := range told {
		people := history.ValueAt(documents["people"], d.Document, d.Path)
		is := func(version string) bool {
			return merge.Same(history.ValueAt(documents[version], d.Document, d.Path), people)
		}
		asPeople, otherSide := is("driver"), is("ours") || is("theirs")
		s.Of(d.Rule).Count(asPeople, otherSide)
		came := "another value"
		switch {
		case asPeople:
			came = "as people"
		case otherSide:
			came = "the other side's"
		}
		lines = append(lines, fmt.Sprintf("%s, %s: %s", d.Rule, came, d))
	}
	return lines
}

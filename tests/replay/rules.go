package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/tests/history"
)

// score counts decisions, those that the people's commit has too, and those of which it has the other side's version.
type score struct{ decisions, asPeople, otherSide int }

func (s *score) count(asPeople, otherSide bool) {
	s.decisions++
	switch {
	case asPeople:
		s.asPeople++
	case otherSide:
		s.otherSide++
	}
}

// scores are scores by rule, or by the kind of a conflict.
type scores map[string]*score

func (s scores) of(name string) *score {
	if s[name] == nil {
		s[name] = &score{}
	}
	return s[name]
}

func (s scores) add(other scores) {
	for name, score := range other {
		s.of(name).decisions += score.decisions
		s.of(name).asPeople += score.asPeople
		s.of(name).otherSide += score.otherSide
	}
}

func (s scores) print(w io.Writer, head string) {
	fmt.Fprintf(w, "\n| %s | decisions | as the people | the other side's | another | %% |\n|---|---|---|---|---|---|\n", head)
	for _, name := range slices.Sorted(maps.Keys(s)) {
		of := s[name]
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %.0f |\n", name, of.decisions, of.asPeople, of.otherSide, of.decisions-of.asPeople-of.otherSide, 100*float64(of.asPeople)/float64(of.decisions))
	}
	fmt.Fprintln(w)
}

// countDecisions counts the decisions that the driver tells, by rule: whether the people's commit has the same value at
// the path, or likewise none. It returns a line for each.
func (s scores) countDecisions(told []command.Decision, texts map[string][]byte) (lines []string) {
	if len(told) == 0 {
		return nil
	}
	documents := map[string][]*yaml.Node{}
	for name, text := range texts {
		documents[name] = history.Documents(text)
	}
	for _, d := range told {
		people := valueOf(documents["people"], d)
		is := func(version string) bool { return merge.Same(valueOf(documents[version], d), people) }
		asPeople, otherSide := is("driver"), is("ours") || is("theirs")
		s.of(d.Rule).count(asPeople, otherSide)
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

// valueOf returns the value that a decision is about, in the document with its kind and names or in the only one; nil
// where there is none.
func valueOf(documents []*yaml.Node, d command.Decision) *yaml.Node {
	i := slices.IndexFunc(documents, func(n *yaml.Node) bool {
		meta := yamlnode.MetaOf(n)
		return meta.Kind == d.Document.Kind && meta.Namespace == d.Document.Namespace && meta.Name == d.Document.Name
	})
	if i < 0 && len(documents) == 1 {
		i = 0
	}
	if i < 0 {
		return nil
	}
	return merge.NewFinder(documents[i]).Value(d.Path)
}

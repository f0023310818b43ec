package history

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// Score counts decisions: all, the ones that are equal in the people's commit, and the ones for which it has the other side's version.
type Score struct{ Decisions, AsPeople, OtherSide int }

// Count counts a decision.
func (s *Score) Count(asPeople, otherSide bool) {
	s.Decisions++
	switch {
	case asPeople:
		s.AsPeople++
	case otherSide:
		s.OtherSide++
	}
}

// Scores are scores by rule, or by the kind of a conflict.
type Scores map[string]*Score

// Of returns the score of a rule.
func (s Scores) Of(name string) *Score {
	if s[name] == nil {
		s[name] = &Score{}
	}
	return s[name]
}

// Add adds other scores.
func (s Scores) Add(other Scores) {
	for name, score := range other {
		s.Of(name).Decisions += score.Decisions
		s.Of(name).AsPeople += score.AsPeople
		s.Of(name).OtherSide += score.OtherSide
	}
}

// Print prints the scores as a table, by rule.
func (s Scores) Print(w io.Writer, head string) {
	fmt.Fprintf(w, "\n| %s | decisions | as the people | the other side's | another | %% |\n|---|---|---|---|---|---|\n", head)
	for _, name := range slices.Sorted(maps.Keys(s)) {
		of := s[name]
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %.0f |\n", name, of.Decisions, of.AsPeople, of.OtherSide, of.Decisions-of.AsPeople-of.OtherSide, 100*float64(of.AsPeople)/float64(of.Decisions))
	}
	fmt.Fprintln(w)
}

// ValueAt returns the value at a path in the document with this kind and these names, or in the only one; nil where there
// is none.
func ValueAt(documents []*yaml.Node, meta identity.Meta, at *merge.Path) *yaml.Node {
	i := slices.IndexFunc(documents, func(n *yaml.Node) bool {
		of := yamlnode.MetaOf(n)
		return of.Kind == meta.Kind && of.Namespace == meta.Namespace && of.Name == meta.Name
	})
	if i < 0 && len(documents) == 1 {
		i = 0
	}
	if i < 0 {
		return nil
	}
	return merge.NewFinder(documents[i]).Value(at)
}

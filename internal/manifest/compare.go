package manifest

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Difference is how a node that was parsed again differs from the one meant.
type Difference struct {
	structure bool         // kinds, lengths, anchors, what an alias names
	scalars   []*yaml.Node // scalars of the one meant with another value or tag
	// Comments is how many comments differ.
	Comments int
	// Styles reports whether styles differ.
	Styles bool
}

// IsSame reports whether two nodes agree in everything but their positions.
func IsSame(a, b *yaml.Node) bool {
	d := Compare(a, b)
	return d.SameValues() && d.Comments == 0 && !d.Styles
}

// Compare compares got with want (rules/comments-and-text: anchors and aliases): kinds, values, tags, anchors and
// comments. Aliases are compared by name, so cycles do no harm.
func Compare(want, got *yaml.Node) Difference {
	var d Difference
	d.add(want, got)
	return d
}

// SameValues reports whether only comments and styles differ.
func (d *Difference) SameValues() bool { return !d.structure && len(d.scalars) == 0 }

// add adds the difference of two nodes and what is below them.
func (d *Difference) add(want, got *yaml.Node) {
	if want.Kind != got.Kind || want.Anchor != got.Anchor || len(want.Content) != len(got.Content) {
		d.structure = true
		return
	}
	switch {
	case want.Kind == yaml.ScalarNode:
		if !sameScalar(want, got) || yamlnode.Tag(want) != yamlnode.Tag(got) {
			d.scalars = append(d.scalars, want)
		}
	case want.Kind == yaml.AliasNode:
		d.structure = d.structure || want.Value != got.Value
	case want.ShortTag() != got.ShortTag():
		d.structure = true
	}
	for _, c := range [3][2]string{{want.HeadComment, got.HeadComment}, {want.LineComment, got.LineComment}, {want.FootComment, got.FootComment}} {
		if !sameText(c[0], c[1]) {
			d.Comments++
		}
	}
	d.Styles = d.Styles || want.Style != got.Style
	for i := range want.Content {
		d.add(want.Content[i], got.Content[i])
	}
}

// lostComments counts the comments of want that are not in the text written for
// it, if there is a difference in comments at all.
func lostComments(want *yaml.Node, text []byte, d Difference) int {
	if d.Comments == 0 {
		return 0
	}
	lost := 0
	for comment, count := range CommentLines(want) {
		lost += max(0, count-bytes.Count(text, []byte(comment)))
	}
	return lost
}

// CommentLines counts the lines of comments of n and below by their text.
func CommentLines(n *yaml.Node) map[string]int {
	count := map[string]int{}
	yamlnode.Walk(n, func(n *yaml.Node) {
		for _, c := range []string{n.HeadComment, n.LineComment, n.FootComment} {
			for l := range strings.Lines(c) {
				if l = strings.TrimSpace(l); l != "" {
					count[l]++
				}
			}
		}
	})
	return count
}

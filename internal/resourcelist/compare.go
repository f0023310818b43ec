package resourcelist

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// difference is how a node that was parsed again differs from the one meant.
type difference struct {
	structure bool         // kinds, lengths, anchors, what an alias names
	scalars   []*yaml.Node // those of the one meant with another value or tag
	comments  int          // how many comments differ
	styles    bool
}

// isSame tells whether two nodes agree in everything but where they stand.
func isSame(a, b *yaml.Node) bool {
	d := compare(a, b)
	return d.sameValues() && d.comments == 0 && !d.styles
}

// compare compares got with want (rules/comments-and-text: anchors and aliases: kinds,
// values, tags, anchors, comments). Aliases are compared by name, so cycles do no harm.
func compare(want, got *yaml.Node) difference {
	var d difference
	d.add(want, got)
	return d
}

// sameValues tells whether the difference is one of comments and style only.
func (d *difference) sameValues() bool {
	return !d.structure && len(d.scalars) == 0
}

// add adds the difference of two nodes and what is below them.
func (d *difference) add(want, got *yaml.Node) {
	if want.Kind != got.Kind || want.Anchor != got.Anchor || len(want.Content) != len(got.Content) {
		d.structure = true
		return
	}
	d.addValue(want, got)
	d.addComment(want.HeadComment, got.HeadComment)
	d.addComment(want.LineComment, got.LineComment)
	d.addComment(want.FootComment, got.FootComment)
	d.styles = d.styles || want.Style != got.Style
	for i := range want.Content {
		d.add(want.Content[i], got.Content[i])
	}
}

// addValue compares two nodes of one kind by themselves.
func (d *difference) addValue(want, got *yaml.Node) {
	switch {
	case want.Kind == yaml.ScalarNode:
		if !sameScalar(want, got) {
			d.scalars = append(d.scalars, want)
		}
	case want.Kind == yaml.AliasNode:
		d.structure = d.structure || want.Value != got.Value
	case tagOf(want) != tagOf(got):
		d.structure = true
	}
}

// sameScalar tells whether two scalars have the same tag and value. All forms of null are the same.
func sameScalar(want, got *yaml.Node) bool {
	tag := tagOf(want)
	return tag == tagOf(got) && (want.Value == got.Value || tag == "!!null")
}

// addComment compares comments without regard to empty lines around them.
func (d *difference) addComment(want, got string) {
	if want != got && strings.TrimSpace(want) != strings.TrimSpace(got) {
		d.comments++
	}
}

// lostComments counts the comments of want that are not in the text written for
// it, if there is a difference in comments at all.
func lostComments(want *yaml.Node, text []byte, d difference) int {
	if d.comments == 0 {
		return 0
	}
	lost := 0
	for comment, count := range commentLines(want) {
		lost += max(0, count-bytes.Count(text, []byte(comment)))
	}
	return lost
}

// commentLines counts the lines of comments of n and below by their text.
func commentLines(n *yaml.Node) map[string]int {
	count := map[string]int{}
	walk(n, func(n *yaml.Node) {
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

package manifest

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// checker compares a text that was read again with the decided result.
type checker struct {
	path []int
	// valuePath is the path of the first wrong node, commentPath the path of the first wrong comment.
	valuePath, commentPath []int
	missing, extra         []string
	// json reports whether the text is JSON, which has no comments: they are not compared.
	json bool
	// compared are the pairs of nodes that aliases led to. Each pair is compared once, as aliases of lists of aliases lead
	// to one pair many times over.
	compared map[[2]*yaml.Node]bool
}

// finding is the result of a check: right, or the path of the first fault. moved means that comments are only
// misplaced, unread that the text is not YAML.
type finding struct {
	right, moved, unread bool
	at                   []int
}

// check reads a text again and compares it with the decided result.
func (e *editor) check(out []byte, result *Part) finding {
	got, err := read(out, e.text.item, false)
	if err != nil {
		return finding{unread: true}
	}
	c := checker{json: e.text.json}
	c.compareComments(headOf(result.Key, result.Value), got.root.HeadComment)
	c.compareComments(footOf(result.Key, result.Value), got.root.FootComment)
	c.node(result.Value, got.root, false)
	switch {
	case c.valuePath != nil:
		return finding{at: c.valuePath}
	case c.commentPath == nil || c.onlyLeft(e.left):
		return finding{right: true}
	}
	return finding{at: c.commentPath, moved: len(c.missing) == len(c.extra) && len(less(c.missing, c.extra)) == 0}
}

// onlyLeft reports whether all comment lines that moved or are extra were left behind by removed entries.
func (c *checker) onlyLeft(left []string) bool {
	return len(left) > 0 && len(less(less(c.extra, c.missing), left)) == 0 && len(less(less(c.missing, c.extra), left)) == 0
}

// less returns lines without the lines of another list, each as often as it is there.
func less(lines, other []string) (rest []string) {
	count := make(map[string]int, len(other))
	for _, line := range other {
		count[line]++
	}
	for _, line := range lines {
		if count[line]--; count[line] < 0 {
			rest = append(rest, line)
		}
	}
	return rest
}

// node compares two nodes. aliased means that an alias leads to one of them: then comments are not compared.
func (c *checker) node(want, got *yaml.Node, aliased bool) {
	if want == nil || want == got || c.valuePath != nil {
		return
	}
	if want.Kind == yaml.AliasNode || got.Kind == yaml.AliasNode {
		pair := [2]*yaml.Node{yamlnode.Resolve(want), yamlnode.Resolve(got)}
		if c.compared[pair] {
			return
		}
		if aliased = true; c.compared == nil {
			c.compared = map[[2]*yaml.Node]bool{}
		}
		c.compared[pair] = true
	}
	want, got = flattened(yamlnode.Resolve(want)), flattenedAs(want, yamlnode.Resolve(got))
	if want.Kind != got.Kind || len(want.Content) != len(got.Content) ||
		want.Kind == yaml.ScalarNode && !sameScalar(want, got) || want.Kind != yaml.ScalarNode && want.ShortTag() != got.ShortTag() {
		c.valuePath = append([]int{}, c.path...)
		return
	}
	if want.Kind == yaml.ScalarNode || len(c.path) > maxDepth {
		return
	}
	for i := range count(want) {
		c.path = append(c.path, i)
		wantKey, wantValue := entryOf(want, i)
		gotKey, gotValue := entryOf(got, i)
		c.entry(wantKey, wantValue, gotKey, gotValue, aliased)
		c.path = c.path[:len(c.path)-1]
	}
}

// maxDepth limits the depth of the comparison. A merge has less.
const maxDepth = 2_000

// entry compares two fields or elements. The keys are nil in a list.
func (c *checker) entry(wantKey, want, gotKey, got *yaml.Node, aliased bool) {
	if wantKey != nil && !sameScalar(yamlnode.Resolve(wantKey), yamlnode.Resolve(gotKey)) {
		c.valuePath = append([]int{}, c.path...)
		return
	}
	if !aliased {
		c.compareComments(headOf(wantKey, want), headOf(gotKey, got))
		c.compareComments(oneLine(lineOf(wantKey, want)), oneLine(lineOf(gotKey, got)))
		c.compareComments(footOf(wantKey, want), footOf(gotKey, got))
	}
	c.node(want, got, aliased)
}

// compareComments compares two comments.
func (c *checker) compareComments(want, got string) {
	if c.json || sameText(want, got) {
		return
	}
	if c.commentPath == nil {
		c.commentPath = append([]int{}, c.path...)
	}
	c.missing, c.extra = append(c.missing, linesOf(want)...), append(c.extra, linesOf(got)...)
}

// linesOf returns the lines of a comment that are not empty.
func linesOf(comment string) (lines []string) {
	for line := range strings.Lines(comment) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// flattened returns n with the fields of its merge keys in place of the keys; n itself if it has no merge key.
func flattened(n *yaml.Node) *yaml.Node {
	budget := maxMerged
	return flattenedTo(n, &budget)
}

// flattenedAs returns n flattened, with its fields in the order of a map: a field beside a merge key has no place among
// the fields that the merge key gives.
func flattenedAs(like, n *yaml.Node) *yaml.Node {
	flat := flattened(n)
	if flat == n {
		return n
	}
	place := map[string]int{}
	like = flattened(yamlnode.Resolve(like))
	for i := 0; i+1 < len(like.Content); i += 2 {
		place[yamlnode.Resolve(like.Content[i]).Value] = i
	}
	fields := slices.Collect(slices.Chunk(flat.Content, 2))
	slices.SortStableFunc(fields, func(a, b []*yaml.Node) int {
		return place[yamlnode.Resolve(a[0]).Value] - place[yamlnode.Resolve(b[0]).Value]
	})
	flat.Content = slices.Concat(fields...)
	return flat
}

// maxMerged limits the number of maps merged into one: a map that merges itself has no end.
const maxMerged = 1_000

func flattenedTo(n *yaml.Node, budget *int) *yaml.Node {
	if *budget--; *budget < 0 || n.Kind != yaml.MappingNode || !slices.ContainsFunc(n.Content, isMergeKey) {
		return n
	}
	taken := map[string]bool{}
	for i := range count(n) {
		if key, _ := entryOf(n, i); !isMergeKey(key) {
			taken[yamlnode.Resolve(key).Value] = true
		}
	}
	out := *n
	out.Content = nil
	for i := range count(n) {
		key, value := entryOf(n, i)
		if !isMergeKey(key) {
			out.Content = append(out.Content, key, value)
			continue
		}
		for _, m := range mergeSources(yamlnode.Resolve(value)) {
			out.Content = append(out.Content, inheritedFrom(flattenedTo(yamlnode.Resolve(m), budget), taken)...)
		}
	}
	return &out
}

// mergeSources returns the maps in the value of a merge key.
func mergeSources(value *yaml.Node) []*yaml.Node {
	if value.Kind == yaml.SequenceNode {
		return value.Content
	}
	return []*yaml.Node{value}
}

// inheritedFrom returns aliases of the fields of a map that are not taken, and notes them as taken.
func inheritedFrom(m *yaml.Node, taken map[string]bool) (fields []*yaml.Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, value := yamlnode.Resolve(m.Content[i]), yamlnode.Resolve(m.Content[i+1])
		if !taken[key.Value] {
			taken[key.Value] = true
			fields = append(fields, &yaml.Node{Kind: yaml.AliasNode, Alias: key}, &yaml.Node{Kind: yaml.AliasNode, Alias: value})
		}
	}
	return fields
}

// sameTree reports whether two nodes have the same values and comments, aliases resolved.
func sameTree(a, b *yaml.Node) bool {
	var c checker
	c.entry(nil, a, nil, b, false)
	return c.valuePath == nil && c.commentPath == nil
}

// sameValue is sameTree without regard to comments.
func sameValue(a, b *yaml.Node) bool {
	c := checker{json: true}
	c.node(a, b, false)
	return c.valuePath == nil
}

// sameForm reports whether two nodes are of one kind, and of one tag if they are maps or lists.
func sameForm(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && (!isCollection(a) || a.Tag == b.Tag || a.ShortTag() == b.ShortTag())
}

// sameScalar reports whether two scalars have the same tag and value, and agree on whether kubectl reads them as
// booleans. All ways to write null are the same.
func sameScalar(a, b *yaml.Node) bool {
	if a.Tag == "!!null" && b.Tag == "!!null" {
		return true
	}
	if a.Value != b.Value || isMergeKey(a) != isMergeKey(b) {
		return false
	}
	if (a.Style == 0) != (b.Style == 0) && yamlnode.IsBooleanWord(a.Value) {
		return false
	}
	return a.Tag == b.Tag || a.ShortTag() == b.ShortTag()
}

// sameText compares comments without regard to white space around them.
func sameText(a, b string) bool { return a == b || strings.TrimSpace(a) == strings.TrimSpace(b) }

// isMarked reports whether there is an anchor, an alias or a merge key in n.
func isMarked(n *yaml.Node) bool {
	return n.Anchor != "" || n.Kind == yaml.AliasNode || isMergeKey(n) || slices.ContainsFunc(n.Content, isMarked)
}

func isCollection(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode
}

// headOf returns the comment above a field, or above an element, which has no key.
func headOf(key, value *yaml.Node) string {
	if key == nil {
		return value.HeadComment
	}
	return yamlnode.JoinComments("\n", key.HeadComment, value.HeadComment)
}

// lineOf returns the comment at the end of the line of a field or an element.
func lineOf(key, value *yaml.Node) string {
	if key == nil {
		return value.LineComment
	}
	return yamlnode.JoinComments(" ", key.LineComment, value.LineComment)
}

// footOf returns the comment below the content of a field or an element.
func footOf(key, value *yaml.Node) string {
	if key == nil {
		return value.FootComment
	}
	return yamlnode.JoinComments("\n", value.FootComment, key.FootComment)
}

// Difference is the result of comparing a node with its form after writing and parsing.
type Difference struct {
	structure bool         // kinds, lengths, anchors, names of aliases
	scalars   []*yaml.Node // scalars of the intended node that came out with another value or tag
	// Comments is the number of comments that differ.
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
func (d Difference) SameValues() bool { return !d.structure && len(d.scalars) == 0 }

// add adds the difference of two nodes and of the nodes below them.
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

// lostComments counts the comments of want that are missing in text. It returns 0 if d has no difference in comments.
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

// CommentLines counts the comment lines of n and of the nodes below it, by text.
func CommentLines(n *yaml.Node) map[string]int {
	count := map[string]int{}
	yamlnode.Walk(n, func(n *yaml.Node) {
		for _, c := range []string{n.HeadComment, n.LineComment, n.FootComment} {
			for _, line := range linesOf(c) {
				count[line]++
			}
		}
	})
	return count
}

package merge

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// duplicateComments are the comment lines that local moved, or has above a field that upstream deleted and the result
// keeps, and that came from upstream too (rules/comments-and-text: owners of comments). A comment belongs to its position,
// but its only identity is its text: if local uncommented the line above it, and upstream changed something around it, both
// positions have it. It stays where local has it.
type duplicateComments struct {
	// count has the number of times that local moved each line that the result has more often than each side, and
	// surplus the number of times that the result has a line beyond the changes of both sides.
	count, surplus map[string]int
	// together has the lines that stand next to each other in a comment of local's.
	together map[[2]string]bool
	// from has upstream's nodes from which each line may be removed, and nil for the ends of maps and lists, whose
	// comments are below the last node.
	from map[string]map[*yaml.Node]bool
	emitter
}

// withoutMovedComments returns the result of e without the comment lines that local moved elsewhere.
func (m emitter) withoutMovedComments(result *yaml.Node, e *element, versions [3]*yaml.Node) *yaml.Node {
	if result == versions[upstream] || result == versions[local] {
		return result
	}
	surplus, o, u, l := commentLines(result), commentLines(versions[origin]), commentLines(versions[upstream]), commentLines(versions[local])
	maps.DeleteFunc(surplus, func(line string, n int) bool { return n <= max(u[line], l[line]) })
	if len(surplus) == 0 {
		return result
	}
	index := commentIndex{sides: map[string]map[string]*[3]bool{}, upstream: map[string][]*yaml.Node{}, inOrigin: map[string]bool{}, emptied: map[string]bool{},
		numbers: map[string]int{}, lists: map[string]*yaml.Node{}}
	index.element(e, "")
	d := duplicateComments{count: map[string]int{}, surplus: surplus, together: neighbours(versions[local]), from: map[string]map[*yaml.Node]bool{}, emitter: m}
	for line, n := range surplus {
		moved, from := index.moved(line)
		moved += index.left(line, from)
		d.surplus[line] = n - max(u[line], l[line], u[line]+l[line]-o[line]-index.both(line))
		d.count[line], d.from[line] = min(d.surplus[line], moved), from
	}
	out := d.strip(result)
	if identical(out, versions[local]) {
		return versions[local]
	}
	return out
}

// strip removes the lines from n and everything below it, the last ones first.
func (d duplicateComments) strip(n *yaml.Node) *yaml.Node {
	content := slices.Clone(n.Content)
	for i, c := range slices.Backward(n.Content) {
		content[i] = d.strip(c)
	}
	keep, from := d.localComments[n], cmp.Or(d.fromUpstream[n], n)
	out := *withContent(n, content)
	above, below := []*yaml.Node{from}, []*yaml.Node{from, nil}
	out.FootComment = d.stripComment(n.FootComment, keep.foot, below)
	out.HeadComment = d.stripComment(n.HeadComment, keep.head, above)
	if nodeSlots(&out) == nodeSlots(n) && slices.Equal(content, n.Content) {
		return n
	}
	return &out
}

// stripComment returns a comment without the lines to remove, except for the lines of keep. Lines that stand together in
// local go together or not at all.
func (d duplicateComments) stripComment(comment, keep string, from []*yaml.Node) string {
	if comment == "" || comment == keep {
		return comment
	}
	lines := strings.Split(comment, "\n")
	removed, above := map[int]bool{}, -1
	var block []int
	remove := func() {
		if d.goes(lines, block, from) {
			for _, i := range block {
				removed[i] = true
				d.count[lines[i]]--
				d.surplus[lines[i]]--
			}
		}
		block = nil
	}
	for i, line := range lines {
		if !hasWords(line) {
			continue
		}
		if above < 0 || !d.together[[2]string{lines[above], line}] {
			remove()
		}
		if above = i; !hasBlock(keep, line) {
			block = append(block, i)
		}
	}
	remove()
	var kept []string
	for i, line := range lines {
		if !removed[i] {
			kept = append(kept, line)
		}
	}
	if len(removed) > 0 && !slices.ContainsFunc(kept, hasWords) {
		return ""
	}
	return strings.Join(kept, "\n")
}

// goes reports whether a block of lines must be removed: local moved one of them, and the result has all of them too
// often.
func (d duplicateComments) goes(lines []string, block []int, from []*yaml.Node) (found bool) {
	times := map[string]int{}
	for _, i := range block {
		line := lines[i]
		times[line]++
		moved := d.count[line] >= times[line] && slices.ContainsFunc(from, func(n *yaml.Node) bool { return d.from[line][n] })
		if !moved && d.surplus[line] < times[line] {
			return false
		}
		found = found || moved
	}
	return found
}

// neighbours returns the lines with words that stand next to each other in n's comments.
func neighbours(n *yaml.Node) map[[2]string]bool {
	out := map[[2]string]bool{}
	eachComment(n, func(_ *yaml.Node, _, comment string) {
		above := ""
		for line := range strings.SplitSeq(comment, "\n") {
			if !hasWords(line) {
				continue
			}
			if above != "" {
				out[[2]string{above, line}] = true
			}
			above = line
		}
	})
	return out
}

// commentLines counts the lines with words in n's comments, apart from line comments.
func commentLines(n *yaml.Node) map[string]int {
	count := map[string]int{}
	eachComment(n, func(_ *yaml.Node, slot, comment string) {
		for line := range strings.SplitSeq(comment, "\n") {
			if slot != "line" && hasWords(line) {
				count[line]++
			}
		}
	})
	return count
}

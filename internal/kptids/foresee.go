package kptids

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Foresee chooses like Rewritten, but from existing nodes, and reports whether the choice is certain. tree is the
// merged resource, and merged its text. The versions must be parsed.
//
// The choice is certain if the YAML parser gives every comment to the node that it belongs to in the text: comments
// are right above a field or an element, or behind it.
func (s Sent) Foresee(merged *resourcelist.Item, tree *yaml.Node) (owner *resourcelist.Item, known bool) {
	if !isPlain(merged.Text(), tree) {
		return nil, false
	}
	for _, sent := range [2]*resourcelist.Item{s.Local, s.Upstream} {
		if sent == nil || !Has(sent) {
			continue
		}
		if !isPlain(sent.Text(), sent.Node) {
			return nil, false
		}
		if keeps(sent.Node, tree, true) {
			return sent, true
		}
	}
	result, err := resourcelist.NewItem(tree).ByIndentation()
	return s.choose(func(sent *resourcelist.Item) effect {
		node, fault := sent.ByIndentation()
		if fault != nil {
			err = fault
			return harm
		}
		return replay(node, result, s.Local.Node)
	}), err == nil
}

// Identified gives a merged item the ids of the version that Foresee chose. local is local's version of it. write
// writes a tree in the form of the merged item.
func (s Sent) Identified(local, merged *resourcelist.Item, tree *yaml.Node, write func(*yaml.Node) (*resourcelist.Item, error)) (*resourcelist.Item, error) {
	owner, known := s.Foresee(merged, tree)
	if !known {
		return merged, nil
	}
	n, err := s.identify(tree, owner)
	if err != nil || n == tree {
		return merged.Identified(local), err
	}
	again, err := write(n)
	if err != nil {
		return nil, err
	}
	return again.ToldAs(merged).Identified(local), nil
}

// keeps reports whether kpt would copy no comment of sent into a merged node, because the merged node has a comment
// wherever sent has one, and, if ordered, would move no key.
func keeps(sent, merged *yaml.Node, ordered bool) bool {
	switch {
	case yamlnode.IsNull(sent) || yamlnode.IsNull(merged):
		return true
	case sent.Kind != merged.Kind || yamlnode.IsBlock(sent) != yamlnode.IsBlock(merged):
		return false
	case sent.Kind == yaml.MappingNode:
		return keepsFields(sent, merged, ordered)
	case sent.Kind == yaml.SequenceNode:
		return keepsElements(sent.Content, merged.Content, ordered)
	}
	return true
}

// keepsFields is keeps for mappings.
func keepsFields(sent, merged *yaml.Node, ordered bool) bool {
	at := yamlnode.Indices(merged)
	last, seen := -1, 0
	for i := 0; i+1 < len(sent.Content); i += 2 {
		key, value := sent.Content[i], sent.Content[i+1]
		j := at(key.Value)
		if j < 0 {
			continue
		}
		k, v := merged.Content[j], merged.Content[j+1]
		if j == last || ordered && j != 2*seen || key.HeadComment != "" && k.HeadComment == "" ||
			key.LineComment+value.LineComment != "" && k.LineComment+v.LineComment == "" || !keeps(value, v, ordered) {
			return false
		}
		last, seen = j, seen+1
	}
	return true
}

// keepsElements is keeps for lists: kpt pairs their elements by index and by key.
func keepsElements(sent, merged []*yaml.Node, ordered bool) bool {
	for i := range min(len(sent), len(merged)) {
		if sent[i].Value == merged[i].Value && !keepsElement(sent[i], merged[i], ordered) {
			return false
		}
	}
	if len(sent) == 0 || len(merged) == 0 || merged[0].Kind == yaml.ScalarNode && sent[0].Kind == yaml.ScalarNode {
		return !slices.ContainsFunc(merged, isMapping) || !slices.ContainsFunc(sent, isMapping)
	}
	theirs, pairs := newAlikeIndex(merged), 0
	for i, from := range sent {
		for _, to := range theirs.all(from) {
			if pairs++; pairs > len(sent)+len(merged) {
				return false
			}
			if (i >= len(merged) || to != merged[i]) && !keepsElement(from, to, false) {
				return false
			}
		}
	}
	return true
}

func isMapping(n *yaml.Node) bool { return n.Kind == yaml.MappingNode }

func keepsElement(sent, merged *yaml.Node, ordered bool) bool {
	return (sent.HeadComment == "" || merged.HeadComment != "") && (sent.LineComment == "" || merged.LineComment != "") && keeps(sent, merged, ordered)
}

// attachedComment is a line of a comment of an item: its text, and the name of the field below it or before it, "-" for an
// element.
type attachedComment struct {
	above       bool
	text, about string
}

// isPlain reports whether each comment of an item is in the text right above a field or an element, in its column, or
// behind it in its line, and tree has the same comments there.
func isPlain(text []byte, tree *yaml.Node) bool {
	var r attachedComments
	switch {
	case len(text) == 0 || tree.HeadComment+tree.LineComment+tree.FootComment != "" || !r.read(tree, false):
		return false
	case text[0] == '{':
		return len(r) == 0 && !bytes.ContainsFunc(text, func(c rune) bool { return c == '#' || c == '\\' || c > '~' })
	case len(r) == 0 && bytes.IndexByte(text, '#') < 0:
		return true
	}
	return r.areIn(text)
}

// attachedComments are the comments of an item in their order.
type attachedComments []attachedComment

func (r *attachedComments) add(above bool, comment, about string) {
	for line := range strings.SplitSeq(comment, "\n") {
		*r = append(*r, attachedComment{above, strings.TrimSpace(line), about})
	}
}

// read adds the comments below a node, which is in brackets if flow is true. It reports whether the YAML parser
// certainly gives none of them to another node.
func (r *attachedComments) read(n *yaml.Node, flow bool) bool {
	if n.Anchor != "" || n.Kind == yaml.AliasNode || n.FootComment != "" {
		return false
	}
	flow = flow || n.Style&yaml.FlowStyle != 0
	if n.Kind == yaml.SequenceNode {
		return r.readElements(n, flow)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if i == 0 && key.HeadComment != "" || !r.readField(key, value, flow) || !r.read(value, flow) {
			return false
		}
	}
	return true
}

// readField adds the comments of a field, and reports whether the YAML parser gives them to no other node.
func (r *attachedComments) readField(key, value *yaml.Node, flow bool) bool {
	if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" || key.FootComment+value.HeadComment != "" {
		return false
	}
	line := key.LineComment + value.LineComment
	if (line != "" || key.HeadComment != "") && (flow || key.LineComment != "" && value.LineComment != "") {
		return false
	}
	if key.HeadComment != "" {
		r.add(true, key.HeadComment, key.Value)
	}
	if line != "" {
		r.add(false, line, key.Value)
	}
	return true
}

// readElements is read for a list.
func (r *attachedComments) readElements(n *yaml.Node, flow bool) bool {
	for _, e := range n.Content {
		if (e.LineComment != "" || e.HeadComment != "") && flow || e.LineComment != "" && yamlnode.IsBlock(e) {
			return false
		}
		if e.HeadComment != "" {
			r.add(true, e.HeadComment, "-")
		}
		if e.LineComment != "" {
			r.add(false, e.LineComment, "-")
		}
		if !r.read(e, flow) {
			return false
		}
	}
	return true
}

// areIn reports whether the comments are the text's, in the places that isPlain allows.
func (r attachedComments) areIn(text []byte) bool {
	s := textScan{attachedComments: r, block: -1}
	for line := range bytes.Lines(text) {
		if !s.read(bytes.TrimRight(line, "\r\n")) {
			return false
		}
	}
	return len(s.attachedComments) == 0 && len(s.above) == 0
}

// textScan takes away the comments that it finds in the lines of a text.
type textScan struct {
	attachedComments
	above  []string // the comments right above the line
	margin int      // their column
	block  int      // the column of the field whose literal the line is in, -1 outside of one
}

// read reads a line, and reports whether its comments are the next ones.
func (s *textScan) read(line []byte) bool {
	content := bytes.TrimLeft(line, " ")
	column := len(line) - len(content)
	switch {
	case s.block >= 0 && (len(content) == 0 || column > s.block):
		return true
	case len(content) == 0:
		return len(s.above) == 0
	case content[0] == '#':
		isAligned := len(s.above) == 0 || column == s.margin
		s.above, s.margin = append(s.above, string(bytes.TrimSpace(content))), column
		return isAligned
	case len(s.above) == 0 && !bytes.ContainsAny(content, "#|>"):
		s.block = -1
		return true
	}
	l := readLine(string(content))
	if s.block = -1; l.opens {
		s.block = column + l.column
	}
	above := s.above
	s.above = nil
	return (len(above) == 0 || column == s.margin) && s.takeLine(l, above)
}

// takeLine takes the comments above a line and behind it away, and reports whether they are the next ones.
func (r *attachedComments) takeLine(l entryLine, above []string) bool {
	about := l.name
	if l.column > 0 {
		about = "-"
	}
	for _, comment := range above {
		if about == "" || !r.take(attachedComment{true, comment, about}) {
			return false
		}
	}
	if l.comment == "" {
		return true
	}
	about = cmp.Or(l.name, about)
	return !l.odd && about != "" && r.take(attachedComment{false, l.comment, about})
}

// take removes the first comment, and reports whether it is the given one.
func (r *attachedComments) take(first attachedComment) bool {
	if len(*r) == 0 || (*r)[0] != first {
		return false
	}
	*r = (*r)[1:]
	return true
}

// entryLine is a line that begins with a field or an element.
type entryLine struct {
	// column is the column of the field within the line, behind the dashes.
	column        int
	name, comment string
	// opens reports whether the lines below are a literal block; odd, whether the YAML parser may give the comment to
	// another node.
	opens, odd bool
}

// readLine reads a line without its margin.
func readLine(content string) (l entryLine) {
	rest := content
	for strings.HasPrefix(rest, "- ") {
		rest = strings.TrimLeft(rest[2:], " ")
	}
	l.column = len(content) - len(rest)
	l.odd = rest == "" || rest == "-" || rest[0] == '#'
	rest, l.comment = cutComment(rest)
	if name, _, found := strings.Cut(rest+" ", ": "); found {
		l.name = name
	}
	last := rest[strings.LastIndexByte(rest, ' ')+1:]
	l.opens = last != "" && (last[0] == '|' || last[0] == '>') && strings.Trim(last[1:], "+-123456789") == "" && (l.name != "" || l.column > 0)
	l.odd = l.odd || l.opens || strings.HasSuffix(rest, "{") || strings.HasSuffix(rest, "[") || strings.HasSuffix(rest, ",")
	return l
}

// cutComment splits off the comment of a line that is in no scalar of several lines.
func cutComment(line string) (rest, comment string) {
	if strings.IndexByte(line, '#') < 0 {
		return strings.TrimRight(line, " "), ""
	}
	var quote byte
	for i := range len(line) {
		switch c := line[i]; {
		case quote == '"' && c == '"' && line[i-1] != '\\', quote == '\'' && c == '\'':
			quote = 0
		case quote != 0:
		case (c == '"' || c == '\'') && (i == 0 || strings.IndexByte(" [{,:", line[i-1]) >= 0):
			quote = c
		case c == '#' && (i == 0 || line[i-1] == ' '):
			return strings.TrimRight(line[:i], " "), strings.TrimRight(line[i:], " ")
		}
	}
	return strings.TrimRight(line, " "), ""
}

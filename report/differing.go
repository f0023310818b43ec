package report

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/align"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

const (
	// maxWhole is the longest value, in bytes of one line, that a conflict shows whole.
	maxWhole = 80
	// maxWholeLines is the same for the lines of a text.
	maxWholeLines = 3
)

// differing returns the parts of a conflict's values that differ: the fields of maps, the elements
// of lists and the lines of texts. An ellipsis stands for left out elements and lines. Short values,
// and a value beside which there is no other, stay whole.
func differing(values [3]*yaml.Node) [3]*yaml.Node { return differingBeyond(values, maxWholeLines) }

// differingBeyond is differing for texts of more lines than a number.
func differingBeyond(values [3]*yaml.Node, lines int) [3]*yaml.Node {
	present, long := 0, false
	for _, n := range values {
		if n != nil {
			present++
			long = long || isLong(n, lines)
		}
	}
	if present < 2 || !long {
		return values
	}
	d := differ{remaining: maxNodes}
	out, same := d.compare(values)
	if same || d.remaining < 0 {
		return values
	}
	for i, n := range out {
		if n != nil && n.Kind != yaml.ScalarNode && len(n.Content) == 0 && len(values[i].Content) > 0 {
			out[i] = yamlnode.String(wording.Ellipsis)
		}
	}
	return out
}

func isLong(n *yaml.Node, lines int) bool {
	if n.Kind == yaml.ScalarNode {
		return strings.Count(strings.TrimSuffix(n.Value, "\n"), "\n") >= lines
	}
	return len(wording.Flow(n)) > maxWhole
}

// differ compares values, up to a number of nodes.
type differ struct{ remaining int }

// compare returns the differing parts of values, where absent ones are nil, and whether all are the same.
func (d *differ) compare(v [3]*yaml.Node) (out [3]*yaml.Node, same bool) {
	if d.remaining--; d.remaining < 0 {
		return v, false
	}
	switch kindOf(v) {
	case yaml.MappingNode:
		return d.maps(v)
	case yaml.SequenceNode:
		if name := elementName(v); name != "" {
			return d.named(v, name)
		}
		return d.lists(v)
	case yaml.ScalarNode:
		return scalars(v)
	}
	return v, false
}

// kindOf returns the kind of values that all have, 0 if they differ in it or one is absent or is an alias to something.
func kindOf(v [3]*yaml.Node) (kind yaml.Kind) {
	for _, n := range v {
		switch {
		case n == nil:
		case kind == 0:
			kind = n.Kind
		case kind != n.Kind:
			return 0
		}
	}
	return kind
}

// isAbsentFrom reports whether one value is absent where there is another value in its parent.
func isAbsentFrom(part, whole [3]*yaml.Node) bool {
	for i := range whole {
		if whole[i] != nil && part[i] == nil {
			return true
		}
	}
	return false
}

func (d *differ) maps(v [3]*yaml.Node) (out [3]*yaml.Node, same bool) {
	var fields [3]map[string]*yaml.Node
	for i, n := range v {
		if n != nil {
			out[i], fields[i] = withoutContent(n), fieldsByName(n)
		}
	}
	same = true
	for _, name := range namesOfAll(v) {
		part := [3]*yaml.Node{fields[0][name], fields[1][name], fields[2][name]}
		shown, equal := d.compare(part)
		if equal && !isAbsentFrom(part, v) {
			continue
		}
		if equal {
			shown = part
		}
		same = false
		for i, n := range shown {
			if n != nil && (len(n.Content) > 0 || len(part[i].Content) == 0) {
				out[i].Content = append(out[i].Content, yamlnode.String(name), n)
			}
		}
	}
	return out, same
}

// namesOfAll returns the names of the fields that maps have, each once.
func namesOfAll(maps [3]*yaml.Node) (names []string) {
	seen := map[string]bool{}
	for _, n := range maps {
		if n == nil {
			continue
		}
		for _, name := range yamlnode.Names(n) {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// elementName returns the field that names the elements of lists, name or key: each element is a map
// that has it, once in a list. It returns "" if there is none.
func elementName(v [3]*yaml.Node) string {
	for _, name := range [2]string{"name", "key"} {
		named := true
		for _, n := range v {
			seen := map[string]bool{}
			for i := 0; named && n != nil && i < len(n.Content); i++ {
				value := yamlnode.Text(yamlnode.Field(n.Content[i], name))
				named = value != "" && !seen[value]
				seen[value] = true
			}
		}
		if named {
			return name
		}
	}
	return ""
}

// named compares lists whose elements have names. The order does not count.
func (d *differ) named(v [3]*yaml.Node, name string) (out [3]*yaml.Node, same bool) {
	var maps [3]*yaml.Node
	for i, n := range v {
		if n == nil {
			continue
		}
		maps[i] = mapByName(n, name)
	}
	shown, same := d.maps(maps)
	for i, n := range v {
		if n == nil {
			continue
		}
		out[i] = withoutContent(n)
		for j := 0; j < len(shown[i].Content); j += 2 {
			e := shown[i].Content[j+1]
			if yamlnode.Field(e, name) == nil {
				e.Content = append([]*yaml.Node{yamlnode.String(name), shown[i].Content[j]}, e.Content...)
			}
			out[i].Content = append(out[i].Content, e)
		}
	}
	return out, same
}

// mapByName returns the elements of a list as a map by the names that a field has.
func mapByName(list *yaml.Node, name string) *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, e := range list.Content {
		out.Content = append(out.Content, yamlnode.String(yamlnode.Text(yamlnode.Field(e, name))), e)
	}
	return out
}

// lists compares lists by the texts of their elements.
func (d *differ) lists(v [3]*yaml.Node) (out [3]*yaml.Node, same bool) {
	var texts [3][]string
	for i, n := range v {
		if n == nil {
			continue
		}
		d.remaining -= len(n.Content)
		for _, e := range n.Content {
			texts[i] = append(texts[i], wording.Flow(e))
		}
	}
	common, same := commonParts(texts, v)
	for i, n := range v {
		if n == nil {
			continue
		}
		out[i] = withoutCommon(n, common[i])
	}
	return out, same
}

// withoutCommon returns a list with an ellipsis in the place of each run of common elements.
func withoutCommon(list *yaml.Node, common []bool) *yaml.Node {
	out := withoutContent(list)
	for j, e := range list.Content {
		if !common[j] {
			out.Content = append(out.Content, e)
		} else if j == 0 || !common[j-1] {
			out.Content = append(out.Content, yamlnode.String(wording.Ellipsis))
		}
	}
	return out
}

// scalars compares texts by their lines, and other scalars as a whole.
func scalars(v [3]*yaml.Node) (out [3]*yaml.Node, same bool) {
	var lines [3][]string
	several := false
	for i, n := range v {
		if n != nil {
			lines[i] = strings.Split(n.Value, "\n")
			several = several || len(lines[i]) > 1
		}
	}
	common, same := commonParts(lines, v)
	if !several || same {
		return v, same
	}
	for i, n := range v {
		if n == nil {
			continue
		}
		out[i] = yamlnode.String("")
		out[i].Value = withoutCommonLines(lines[i], common[i])
	}
	return out, false
}

// withoutCommonLines returns a text with an ellipsis in the place of each run of common lines, unless that is the line end
// alone.
func withoutCommonLines(lines []string, common []bool) string {
	var shown []string
	for j, line := range lines {
		if !common[j] {
			shown = append(shown, line)
		} else if (j == 0 || !common[j-1]) && (line != "" || j+1 < len(lines)) {
			shown = append(shown, wording.Ellipsis)
		}
	}
	return strings.Join(shown, "\n")
}

// commonParts reports for each part of each version whether the other present versions have it at the
// same position of the sequence, and whether all versions are the same.
func commonParts(parts [3][]string, present [3]*yaml.Node) (common [3][]bool, same bool) {
	for i := range parts {
		common[i] = make([]bool, len(parts[i]))
	}
	first := slices.IndexFunc(present[:], func(n *yaml.Node) bool { return n != nil })
	if same = true; first < 0 {
		return common, same
	}
	matches, same := alignTo(first, parts, present)
	for j := range parts[first] {
		everywhere := true
		for i := first + 1; i < len(parts); i++ {
			everywhere = everywhere && (present[i] == nil || matches[i][j] >= 0)
		}
		same = same && everywhere
		for i := first + 1; everywhere && i < len(parts); i++ {
			if present[i] != nil {
				common[i][matches[i][j]] = true
			}
		}
		common[first][j] = everywhere
	}
	return common, same
}

// alignTo aligns the first present version with those behind it, and reports whether all have as many parts.
func alignTo(first int, parts [3][]string, present [3]*yaml.Node) (matches [3][]int, same bool) {
	same = true
	for i := first + 1; i < len(parts); i++ {
		if present[i] != nil {
			matches[i] = align.Lines(parts[first], parts[i])
			same = same && len(parts[i]) == len(parts[first])
		}
	}
	return matches, same
}

// withoutContent returns a map or list without its parts and comments.
func withoutContent(n *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: n.Kind, Tag: n.Tag, Style: n.Style}
}

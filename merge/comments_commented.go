package merge

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// commentedOut returns the lines above local's version of a list's element in which local commented out elements of origin's that
// stood there: they belong to the place in the list, and not to the element below (rules/comments-and-text: commented-out
// elements). gone has the keys of the elements of origin's that local lacks.
func (e *element) commentedOut(gone map[string]bool) string {
	n := e.value[local]
	if n == nil || n.HeadComment == "" || !e.has(origin) || len(gone) == 0 {
		return ""
	}
	var found, block []string
	was := nodeSlots(e.value[origin]).head
	for line := range strings.SplitSeq(nodeSlots(n).head, "\n") {
		text := strings.TrimPrefix(strings.TrimPrefix(line, "#"), " ")
		if strings.HasPrefix(text, "- ") || strings.Contains(was, line) {
			block = nil
		}
		if block = append(block, text); strings.Contains(was, line) {
			continue
		}
		var list yaml.Node
		if yaml.Unmarshal([]byte(strings.Join(block, "\n")), &list) != nil || len(list.Content) != 1 {
			continue
		}
		elements := yamlnode.Elements(list.Content[0])
		if len(elements) == 1 && gone[e.commentedKey(elements[0])] {
			found = append(found, line)
		}
	}
	return strings.Join(found, "\n")
}

// commentedKey returns the key of an element of e's list, "" if it has none.
func (e *element) commentedKey(n *yaml.Node) string {
	if len(e.keys) == 0 {
		return n.Value
	}
	key, ok := tupleKey(n, e.keys)
	if !ok {
		return ""
	}
	return key.text
}

// heirsOfComments maps the children of a list to the commented-out elements above them that stood above an element which the
// result lacks: the next one of local's in the result gets them. Elements that lose nothing else are whole.
func (e *element) heirsOfComments(d decision) (heirs map[int]string, whole []int) {
	gone := map[string]bool{}
	for _, c := range e.children {
		if c.has(origin) && !c.has(local) {
			if key := c.commentedKey(c.value[origin]); key != "" {
				gone[key] = true
			}
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	kept := make([]bool, len(e.children))
	for _, i := range d.order {
		kept[i] = true
	}
	heirs = map[int]string{}
	waiting := ""
	var waits []int
	for _, i := range e.order[local] {
		text := ""
		if c := e.children[i]; !kept[i] {
			if text = c.commentedOut(gone); text != "" && text == nodeSlots(c.value[local]).head {
				waits = append(waits, i)
			}
		} else if waiting != "" {
			heirs[i], waiting = waiting, ""
			whole, waits = append(whole, waits...), nil
		}
		waiting = yamlnode.JoinComments("\n", waiting, text)
	}
	return heirs, whole
}

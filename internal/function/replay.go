package function

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// identified gives a merged item the ids by which kpt finds the item that it
// sent (DESIGN 1.2): local's if they do no harm, else upstream's, else none.
//
// An id is worth keeping because kpt does not send every comment: a header with
// an empty line below it, as licences have, comes back only with an id. With
// upstream's id that is upstream's header, which local's is a copy of. For the
// same reason an added item has upstream's ids; without them it would lose its
// licence, and get it in the next run, which must change nothing.
func (m *merged) identified(n *yaml.Node) *yaml.Node {
	if survivesReplay(m.full[identity.Local].Node, n) {
		return n
	}
	n = withoutIDs(n)
	if u := m.full[identity.Upstream]; u != nil && survivesReplay(u.Node, n) {
		return withIDs(n, u.Node)
	}
	return n
}

// withIDs gives an item the ids of the one that kpt sent.
func withIDs(n, sent *yaml.Node) *yaml.Node {
	for _, name := range []string{idAnnotation, legacyID} {
		if id := annotation(sent, name); id != "" {
			n = annotate(n, name, id)
		}
	}
	return n
}

// withoutIDs takes the ids off an item.
func withoutIDs(n *yaml.Node) *yaml.Node {
	a := annotations(n)
	if a == nil {
		return n
	}
	kept := without(a, func(name string) bool { return name == idAnnotation || name == legacyID })
	return withField(n, "metadata", withField(fieldOf(n, "metadata"), "annotations", kept))
}

// survivesReplay says whether an item may have the ids of one that kpt sent. For
// an item with ids kpt fills empty comments of the result from what it sent, map
// entries by name but list elements by index, and fails the whole run where
// kinds differ. The ids do no harm exactly if that changes no comment and meets
// no difference of kind: a comment of an element must not land on the one that
// was inserted before it.
func survivesReplay(sent, result *yaml.Node) bool {
	if sent.Kind != result.Kind || fills(sent, result) {
		return false
	}
	switch sent.Kind {
	case yaml.MappingNode:
		return mapSurvivesReplay(sent, result)
	case yaml.SequenceNode:
		for i := 0; i < len(sent.Content) && i < len(result.Content); i++ {
			if sent.Content[i].Value == result.Content[i].Value && !survivesReplay(sent.Content[i], result.Content[i]) {
				return false
			}
		}
	}
	return true
}

func mapSurvivesReplay(sent, result *yaml.Node) bool {
	keys := make(map[string]int, len(result.Content)/2)
	for i := 0; i+1 < len(result.Content); i += 2 {
		keys[result.Content[i].Value] = i
	}
	for i := 0; i+1 < len(sent.Content); i += 2 {
		j, found := keys[sent.Content[i].Value]
		if !found {
			continue
		}
		if fills(sent.Content[i], result.Content[j]) || !survivesReplay(sent.Content[i+1], result.Content[j+1]) {
			return false
		}
	}
	return true
}

// fills says whether sent has a comment where result has none.
func fills(sent, result *yaml.Node) bool {
	return sent.HeadComment != "" && result.HeadComment == "" ||
		sent.LineComment != "" && result.LineComment == "" ||
		sent.FootComment != "" && result.FootComment == ""
}

package function

import "go.yaml.in/yaml/v3"

// survivesReplay says whether an item may keep the ids by which kpt finds the
// item that it sent (DESIGN 1.2). For an item with ids kpt fills empty comments
// of the result from what it sent, map entries by name but list elements by
// index, and fails the whole run where kinds differ. The ids stay exactly if
// that changes no comment and meets no difference of kind: a comment of an
// element must not land on the one that was inserted before it.
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

package mergecheck

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// withParsedTexts returns the merge with maps and lists in place of the texts that are YAML or JSON in all versions, where
// these differ. found is false if there is none.
func (m Merge) withParsedTexts() (out Merge, found bool) {
	out = m
	var parse func(at string, nodes [versions]*yaml.Node) [versions]*yaml.Node
	parse = func(at string, nodes [versions]*yaml.Node) [versions]*yaml.Node {
		if trees, ok := parsedTexts(nodes); ok {
			found = true
			out.Lines = slices.DeleteFunc(slices.Clone(out.Lines), func(path string) bool { return path == at })
			return trees
		}
		var copies [versions]*yaml.Node
		for v, n := range nodes {
			if n != nil {
				same := *n
				same.Content = slices.Clone(n.Content)
				copies[v] = &same
			}
		}
		for v, n := range copies {
			for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
				if slices.ContainsFunc(copies[:v], func(other *yaml.Node) bool { return field(other, n.Content[i].Value) != nil }) {
					continue // an earlier version brought it up
				}
				var below [versions]*yaml.Node
				for w, other := range copies {
					below[w] = field(other, n.Content[i].Value)
				}
				for w, value := range parse(at+step(at, n.Content[i]), below) {
					if value != nil {
						setField(copies[w], n.Content[i].Value, value)
					}
				}
			}
		}
		return copies
	}
	out.Documents = parse("", m.Documents)
	return out, found
}

// parsedTexts returns the trees of texts, if each version has one and they differ.
func parsedTexts(nodes [versions]*yaml.Node) (trees [versions]*yaml.Node, ok bool) {
	differ := false
	for v, n := range nodes {
		if n == nil && Version(v) > Result {
			continue
		}
		if n == nil || n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || !strings.ContainsAny(n.Value, "\n{[") {
			return trees, false
		}
		var document yaml.Node
		if yaml.Unmarshal([]byte(n.Value), &document) != nil || len(document.Content) == 0 || document.Content[0].Kind == yaml.ScalarNode {
			return trees, false
		}
		trees[v], differ = document.Content[0], differ || n.Value != nodes[0].Value
	}
	return trees, differ
}

func setField(n *yaml.Node, name string, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			n.Content[i+1] = value
		}
	}
}

package plainyaml

import "go.yaml.in/yaml/v3"

// Tree returns what the YAML parser reads of the text of one item, from the
// comments above its dash to the end of a line: a list with a mapping, every
// node with its line and column, but without comments, which are for who knows
// the places of the nodes. It returns nil if the text is not plain; what an item
// needs to be read by [Read] it need not have.
func Tree(text []byte) *yaml.Node {
	if !isClean(text) {
		return nil
	}
	list := rootOf(text)
	if list == nil || list.Kind != yaml.SequenceNode || len(list.Content) != 1 || list.Content[0].Kind != yaml.MappingNode {
		return nil
	}
	return list
}

// DocumentTree is [Tree] for a document: a block mapping in column 0, from the line below
// the document's marker to the end of a line.
func DocumentTree(text []byte) *yaml.Node {
	if !isClean(text) {
		return nil
	}
	root := rootOf(text)
	if root == nil || root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 || root.Column != 1 {
		return nil
	}
	return root
}

// rootOf makes the nodes of a text, nil if the text is not plain.
func rootOf(text []byte) *yaml.Node {
	if !isWhole(text) {
		return nil
	}
	t := newTree(text, itemRoom)
	s := scanner{text: text, item: &Item{}, tree: t, open: make([]block, 1, 16), await: true}
	s.open[0] = block{indent: -1}
	if !s.scan() {
		return nil
	}
	for len(s.open) > 1 {
		s.pop()
	}
	return t.done[0]
}

package merge

import "go.yaml.in/yaml/v3"

// parse reads one document without its document node.
func parse(t interface{ Fatal(...any) }, text string) *yaml.Node {
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err, text)
	}
	return n.Content[0]
}

// text returns a node as a document, "" for none.
func text(t interface{ Fatal(...any) }, n *yaml.Node) string {
	if n == nil {
		return ""
	}
	b, err := yaml.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// written is text for callers that can only show an error.
func written(n *yaml.Node) string {
	if n == nil {
		return "(none)\n"
	}
	b, err := yaml.Marshal(n)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// clone returns a copy with anchors of its own.
func clone(n *yaml.Node) *yaml.Node { return cloneWith(n, map[*yaml.Node]*yaml.Node{}) }

// cloneWith is clone; copies has the copies of earlier nodes.
func cloneWith(n *yaml.Node, copies map[*yaml.Node]*yaml.Node) *yaml.Node {
	out := *n
	copies[n] = &out
	out.Alias, out.Content = copies[n.Alias], nil
	for _, c := range n.Content {
		out.Content = append(out.Content, cloneWith(c, copies))
	}
	return &out
}

package patch

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge"
)

// YAML is a patch as the text of a document, which kubectl and kustomize read as what is
// meant (rules/patches: comments and text). It is an error if no text is.
func (p Patch) YAML() ([]byte, error) {
	n := legible(p.Node, false)
	text, err := encoded(n)
	if err == nil && reads(text, n) {
		return text, nil
	}
	if text, err = encoded(legible(p.Node, true)); err != nil {
		return nil, err
	}
	if !reads(text, n) {
		return nil, errNoText
	}
	return text, nil
}

var errNoText = errors.New("no text was found that YAML reads as what was meant")

// encoded writes a document.
func encoded(n *yaml.Node) (text []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%w: %v", errNoText, cause)
		}
	}()
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(n); err != nil {
		return nil, err
	}
	err = encoder.Close()
	return b.Bytes(), err
}

// reads reports whether a text is a document that has the values of n.
func reads(text []byte, n *yaml.Node) bool {
	var document yaml.Node
	return yaml.Unmarshal(text, &document) == nil && len(document.Content) == 1 && merge.Same(n, document.Content[0])
}

// legible is a copy in which the texts are in quotes that else the encoder writes otherwise
// than they are read, or all of them.
func legible(n *yaml.Node, all bool) *yaml.Node {
	out := *n
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && (all || isMisread(n)) {
		out.Style = yaml.DoubleQuotedStyle
	}
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = legible(c, all)
	}
	return &out
}

// isMisread reports whether the encoder would make of a text of several lines a block that
// is read otherwise.
func isMisread(n *yaml.Node) bool {
	return strings.Contains(n.Value, "\n") && (strings.IndexAny(n.Value[:1], " \t\n\r") == 0 || strings.HasSuffix(n.Value, "\n\n"))
}

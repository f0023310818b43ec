package resourcelist

import (
	"fmt"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/plainyaml"
)

// withResults returns shell with results after those that it has: in their
// place, else at the end, and not at all if there are none.
func withResults(shell *yaml.Node, results framework.Results) (*yaml.Node, error) {
	added, err := encodeResults(results)
	if err != nil {
		return nil, fmt.Errorf("a result cannot be written: %w", err)
	}
	if len(added) == 0 {
		return shell, nil
	}
	doc, root := *shell, *shell.Content[0]
	root.Content = append([]*yaml.Node(nil), root.Content...)
	doc.Content = []*yaml.Node{&root}
	at := position(&root, "results")
	if at < 0 {
		at = len(root.Content)
		root.Content = append(root.Content, plain("results"), emptyList())
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	if old := target(root.Content[at+1]); old.Kind == yaml.SequenceNode && len(old.Content) > 0 {
		*list = *old
	}
	list.Content = append(list.Content[:len(list.Content):len(list.Content)], added...)
	root.Content[at+1] = list
	return &doc, nil
}

// encodeResults returns the nodes of results: of a plain text without the parser.
func encodeResults(results framework.Results) ([]*yaml.Node, error) {
	nodes := make([]*yaml.Node, len(results))
	err := parallel.Each(len(results), func(i int) (err error) {
		defer recovered(&err)
		text, err := yaml.Marshal(results[i : i+1])
		if err != nil {
			return err
		}
		list := plainyaml.Tree(text)
		if list == nil {
			list = new(yaml.Node)
			if err = list.Encode(results[i : i+1]); err != nil {
				return err
			}
		}
		nodes[i] = list.Content[0]
		return nil
	})
	return nodes, err
}

// cutResults returns a shell without its results, and the lines of these, a piece a
// result, so that not all of them have to be nodes and text at once. A shell in which
// they do not stand alone at the end stays whole.
func (l *List) cutResults(shell *yaml.Node, wide bool) (*yaml.Node, [][]byte, error) {
	if shell == l.shell || position(l.shell.Content[0], "results") >= 0 || !endsOpen(l.shell) {
		return shell, nil, nil
	}
	column := 0
	if wide {
		column = 2
	}
	results := shell.Content[0].Content[position(shell.Content[0], "results")+1].Content
	pieces := make([][]byte, 1+len(results))
	pieces[0] = []byte("results:\n")
	err := parallel.Each(len(results), func(i int) (err error) {
		if pieces[1+i], err = encodeItem(results[i], wide, column); err != nil {
			return fmt.Errorf("a result cannot be written: %w", err)
		}
		return nil
	})
	return l.shell, pieces, err
}

// endsOpen reports whether a field can follow below the text of a tree: there is no
// comment at its end, nor a block that may keep the line breaks below it.
func endsOpen(n *yaml.Node) bool {
	for ; len(n.Content) > 0; n = n.Content[len(n.Content)-1] {
		if n.FootComment != "" || n.Kind == yaml.MappingNode && n.Content[len(n.Content)-2].FootComment != "" {
			return false
		}
	}
	return n.FootComment == "" && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

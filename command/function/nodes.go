package function

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Merge is Run for items that a library has read (rules/programs: libraries of functions). A nil config is none. The nodes are not altered. results is the list of
// the results, nil if there are none. With an error there are no merged items, and the results have the error, unless the
// items cannot be written as a ResourceList, such as items that are no mappings.
//
// The text between the nodes and the merge has exactly the nodes' values and comments, which is more than yaml.v3's encoder
// achieves: it doubles empty lines in some folded values, and moves some comments.
func Merge(items []*yaml.Node, config *yaml.Node) (merged []*yaml.Node, results *yaml.Node, err error) {
	text, err := write(items, config)
	if err != nil {
		return nil, nil, fmt.Errorf("the items cannot be written as a ResourceList: %w", err)
	}
	out, failed := Run(text)
	var document yaml.Node
	if err := yaml.Unmarshal(out, &document); err != nil {
		return nil, nil, fmt.Errorf("the merged list cannot be read: %w", err)
	}
	results = yamlnode.Field(document.Content[0], "results")
	if failed != nil {
		return nil, results, failed
	}
	return yamlnode.Elements(yamlnode.Field(document.Content[0], "items")), results, nil
}

// write returns the text of a ResourceList.
func write(items []*yaml.Node, config *yaml.Node) ([]byte, error) {
	shell := []byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n")
	if config != nil {
		text, err := yaml.Marshal(map[string]*yaml.Node{"functionConfig": config})
		if err != nil {
			return nil, err
		}
		shell = append(shell, text...)
	}
	list, err := resourcelist.Read(shell)
	if err != nil {
		return nil, err
	}
	all := make([]*resourcelist.Item, len(items))
	for i, n := range items {
		if n.Kind != yaml.MappingNode {
			return nil, fmt.Errorf("item %d is not a mapping", i+1)
		}
		all[i] = list.NewItem(n)
	}
	texts, err := list.Texts(all, nil)
	return bytes.Join(texts, nil), err
}

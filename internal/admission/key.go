package admission

import (
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// keyOf is what tells an element of a list from the others: its key, else its index.
func keyOf(list *schema.Type, element *yaml.Node, index int) []merge.KeyValue {
	var keys []merge.KeyValue
	if list.Relation == schema.ListMap {
		for _, k := range list.Keys {
			if v := yamlnode.Field(element, k.Name); v != nil {
				keys = append(keys, merge.KeyValue{Name: k.Name, Value: v})
			}
		}
	}
	if keys == nil {
		keys = []merge.KeyValue{{Name: "index", Value: &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(index)}}}
	}
	return keys
}

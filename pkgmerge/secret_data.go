package pkgmerge

import (
	"encoding/base64"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// foldSecrets folds what last-applied has in stringData of a Secret, as far as config has
// it too: a key that is gone from stringData stays in the data of the live object (design
// 13.2), which is a warning.
func (m *Match) foldSecrets(last **yaml.Node, config *yaml.Node) {
	if m.ID.Kind != "Secret" || m.ID.Group != "" {
		return
	}
	data := func(n *yaml.Node) func(name string) *yaml.Node { return yamlnode.Fields(yamlnode.Field(n, "data")) }
	has := data(folded(config, nil))
	was := yamlnode.Field(*last, "stringData")
	*last = folded(*last, func(name string) bool { return has(name) != nil })
	live, applied := data(m.trees[identity.Local]), data(*last)
	for _, name := range yamlnode.Names(mappingOf(was)) {
		if has(name) == nil && live(name) != nil && applied(name) == nil {
			m.warn(fmt.Sprintf("data.%s stays: config no longer has it in stringData, which removes nothing", name))
		}
	}
}

// folded is a Secret with its stringData, where chosen, in data, as the server stores it;
// any other resource as it is.
func folded(n *yaml.Node, chosen func(name string) bool) *yaml.Node {
	if yamlnode.Text(yamlnode.Field(n, "kind")) != "Secret" || apiVersionOf(n) != "v1" {
		return n
	}
	source := yamlnode.Field(n, "stringData")
	if source == nil {
		return n
	}
	var fields []*yaml.Node
	for i := 0; source.Kind == yaml.MappingNode && i+1 < len(source.Content); i += 2 {
		name, v := source.Content[i].Value, yamlnode.Resolve(source.Content[i+1])
		if chosen != nil && !chosen(name) || v.ShortTag() == "!!null" {
			continue
		}
		encoded := yamlnode.String(base64.StdEncoding.EncodeToString([]byte(v.Value)))
		fields = append(fields, yamlnode.String(name), encoded)
	}
	data := yamlnode.PutAll(mappingOf(yamlnode.Field(n, "data")), fields)
	n = yamlnode.Without(n, func(name string) bool { return name == "stringData" })
	if len(fields) > 0 {
		n = yamlnode.Put(n, source, "data", data)
	}
	return n
}

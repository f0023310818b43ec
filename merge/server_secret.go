package merge

import (
	"encoding/base64"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// placeData makes a place for what the stringData of a Secret comes to, where neither side
// has one: in live, if it is there, so that config does not claim it.
func placeData(versions *[3]*yaml.Node) {
	side := upstream
	if versions[local] != nil {
		side = local
	}
	if hasStringData(versions[upstream]) && yamlnode.Field(versions[upstream], "data") == nil && yamlnode.Field(versions[side], "data") == nil {
		versions[side] = yamlnode.Put(versions[side], nil, "data", yamlnode.EmptyMap())
	}
}

func hasStringData(config *yaml.Node) bool {
	return kindOf(config) == [2]string{"v1", "Secret"} && yamlnode.Field(config, "stringData") != nil
}

// foldStringData puts what config has as stringData into data, as the server stores it,
// over what is there. M owns it as stringData: nobody who owns it as data is asked.
func foldStringData(e *element, d *decision) {
	if !hasStringData(e.value[upstream]) {
		return
	}
	text := yamlnode.Field(e.value[upstream], "stringData")
	for i, c := range e.children {
		if c.path.field != "data" {
			continue
		}
		var fields []*yaml.Node
		for j := 0; text.Kind == yaml.MappingNode && j+1 < len(text.Content); j += 2 {
			if v := text.Content[j+1]; !isNull(v) {
				encoded := base64.StdEncoding.EncodeToString([]byte(v.Value))
				fields = append(fields, yamlnode.String(text.Content[j].Value), yamlnode.String(encoded))
			}
		}
		data := yamlnode.PutAll(c.merged(d.children[i]), fields)
		if len(data.Content) == 0 {
			data = nil
		}
		d.put(e, []string{"data"}, data)
	}
	d.put(e, []string{"stringData"}, nil)
}

// merged is a map of scalars as it was decided.
func (e *element) merged(d decision) *yaml.Node {
	out := yamlnode.EmptyMap()
	for _, i := range d.order {
		c, v := e.children[i], d.children[i].made
		switch d.children[i].verdict {
		case TakeLocal:
			v = c.value[local]
		case TakeUpstream:
			v = c.value[upstream]
		}
		out.Content = append(out.Content, yamlnode.String(c.path.field), v)
	}
	return out
}

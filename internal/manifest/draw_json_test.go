package manifest

import (
	"encoding/json"

	"go.yaml.in/yaml/v3"
)

// asJSON writes a model as JSON: in one line, or indented by two or four columns.
func (w *writer) asJSON(k *model, column, unit int) {
	if len(k.kids) == 0 {
		w.b.WriteString(map[yaml.Kind]string{yaml.MappingNode: "{}", yaml.SequenceNode: "[]", yaml.ScalarNode: w.jsonScalar(k)}[k.kind])
		return
	}
	left, right, margin := "{", "}", func(n int) string { return "\n" + spaces(n) }
	if k.kind == yaml.SequenceNode {
		left, right = "[", "]"
	}
	if unit == 0 {
		margin = func(int) string { return "" }
	}
	inner := column + 2*unit
	w.b.WriteString(left)
	for i, c := range k.kids {
		if i > 0 {
			w.b.WriteString(",")
		}
		w.b.WriteString(margin(inner))
		if k.kind == yaml.MappingNode {
			w.b.WriteString(`"` + c.key + `":` + spaces(min(unit, 1)))
		}
		w.asJSON(c, inner, unit)
	}
	w.b.WriteString(margin(column) + right)
}

func (w *writer) jsonScalar(k *model) string {
	switch k.tag {
	case "!!str":
		text, _ := json.Marshal(k.text)
		return string(text)
	case "!!null":
		return "null"
	}
	return k.text
}

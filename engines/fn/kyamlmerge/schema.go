package kyamlmerge

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"k8s.io/kube-openapi/pkg/validation/spec"
)

// schemaText is docs/resource-merge.schema.json.
//
//go:embed resource-merge.schema.json
var schemaText []byte

// Schema returns the schema of the config, which is docs/resource-merge.schema.json in the words of OpenAPI.
func (m *ResourceMerge) Schema() (*spec.Schema, error) {
	var draft any
	if err := json.Unmarshal(schemaText, &draft); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	text, err := json.Marshal(openAPI(draft))
	if err != nil {
		return nil, err
	}
	s := &spec.Schema{}
	return s, json.Unmarshal(text, s)
}

// openAPI writes the words of JSON schema that OpenAPI does not know, and would skip, in others that it knows.
func openAPI(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = openAPI(value)
		}
		if value, has := v["const"]; has {
			delete(v, "const")
			v["enum"] = []any{value}
		}
		if some, has := v["contains"]; has {
			delete(v, "contains")
			all, _ := v["allOf"].([]any)
			v["allOf"] = append(all, not(map[string]any{"items": not(some)}))
		}
	case []any:
		for i := range v {
			v[i] = openAPI(v[i])
		}
	}
	return v
}

func not(schema any) any { return map[string]any{"not": schema} }

package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// asJSON is a text of JSON or YAML as JSON.
func asJSON(text []byte) ([]byte, error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) && json.Valid(text) {
		return text, nil
	}
	var data map[string]any
	if err := yaml.Unmarshal(text, &data); err != nil {
		return nil, err
	}
	return json.Marshal(jsonData(data))
}

// jsonData is data of YAML as JSON can have it: with keys that are strings, and numbers.
func jsonData(data any) any {
	switch v := data.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = jsonData(value)
		}
	case map[any]any:
		out := map[string]any{}
		for key, value := range v {
			out[fmt.Sprint(key)] = jsonData(value)
		}
		return out
	case []any:
		for i, value := range v {
			v[i] = jsonData(value)
		}
	case float64:
		if _, err := json.Marshal(v); err != nil { // infinite, or no number
			return fmt.Sprint(v)
		}
	}
	return data
}

// valueLine is a value of a report in JSON on one line.
func valueLine(text json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil || value == nil {
		return absent
	}
	return lineOf(valueNode(value))
}

// resultValue is a value of a result on one line. It is as it stands there: of Porch it is
// always a string.
func resultValue(text json.RawMessage) string {
	var value string
	if json.Unmarshal(text, &value) == nil && string(text) != "null" {
		return value
	}
	return valueLine(text)
}

// valueNode is a value of JSON as YAML.
func valueNode(value any) *yaml.Node {
	switch v := value.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n.Content = append(n.Content, valueNode(key), valueNode(v[key]))
		}
		return n
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, element := range v {
			n.Content = append(n.Content, valueNode(element))
		}
		return n
	case string:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v}
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: v.String()}
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(value)}
}

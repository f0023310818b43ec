package lastapplied

import (
	"encoding/json"
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Read is the config that an annotation holds, nil for an empty one, which kubectl takes
// for none. It is an error if the text is not the JSON of a map.
func Read(text string) (*yaml.Node, error) {
	if text == "" {
		return nil, nil
	}
	if !json.Valid([]byte(text)) {
		return nil, errors.New("it is not JSON")
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	n, err := next(d)
	if err == nil && n.Kind != yaml.MappingNode {
		err = errors.New("it is JSON, but no map")
	}
	return n, err
}

// next is the next value.
func next(d *json.Decoder) (*yaml.Node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Delim:
		if v == '{' {
			return mapping(d)
		}
		return list(d)
	case string:
		return text(v), nil
	case json.Number:
		return number(string(v)), nil
	case bool:
		if v {
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"}, nil
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "false"}, nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
}

// mapping is the rest of a map. Of a key that is there twice the last value counts.
func mapping(d *json.Decoder) (*yaml.Node, error) {
	out := yamlnode.EmptyMap()
	at := map[string]int{}
	for d.More() {
		key, err := next(d)
		if err != nil {
			return nil, err
		}
		v, err := next(d)
		if err != nil {
			return nil, err
		}
		if i, found := at[key.Value]; found {
			out.Content[i+1] = v
			continue
		}
		at[key.Value] = len(out.Content)
		key.Style = 0
		out.Content = append(out.Content, key, v)
	}
	_, err := d.Token()
	return out, err
}

// list is the rest of a list.
func list(d *json.Decoder) (*yaml.Node, error) {
	out := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for d.More() {
		v, err := next(d)
		if err != nil {
			return nil, err
		}
		out.Content = append(out.Content, v)
	}
	_, err := d.Token()
	return out, err
}

// text is a string in quotes: a plain yes would be another value.
func text(value string) *yaml.Node {
	n := yamlnode.String(value)
	n.Style = yaml.DoubleQuotedStyle
	return n
}

func number(value string) *yaml.Node {
	if strings.ContainsAny(value, ".eE") {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: value}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: value}
}

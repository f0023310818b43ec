// Package lastapplied reads and writes the annotation in which kubectl apply keeps what
// it was given last (rules/apply: the annotation last-applied).
package lastapplied

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Annotation is the name of the annotation.
const Annotation = "kubectl.kubernetes.io/last-applied-configuration"

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

// Write is the annotation that kubectl gives a live object for its config, byte for
// byte: compact JSON with sorted keys, in which < > & are escaped, with a map of
// annotations also where config has none, without the annotation itself, and with a line
// break at the end (rules/apply: the annotation last-applied). config has no aliases. A
// number that JSON cannot have is an error.
func Write(config *yaml.Node) (string, error) {
	value, err := valueOf(config)
	if err != nil {
		return "", err
	}
	object, isMap := value.(map[string]any)
	if !isMap {
		return "", fmt.Errorf("line %d: want a map", config.Line)
	}
	metadata, isMap := object["metadata"].(map[string]any)
	if !isMap {
		metadata = map[string]any{}
		object["metadata"] = metadata
	}
	annotations, isMap := metadata["annotations"].(map[string]any)
	if !isMap {
		annotations = map[string]any{}
		metadata["annotations"] = annotations
	}
	delete(annotations, Annotation)
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(object); err != nil {
		return "", err
	}
	return b.String(), nil
}

// valueOf is a node as encoding/json takes values.
func valueOf(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.MappingNode:
		out := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := valueOf(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			out[n.Content[i].Value] = v
		}
		return out, nil
	case yaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, c := range n.Content {
			v, err := valueOf(c)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	}
	return scalarOf(yamlnode.Resolve(n))
}

func scalarOf(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), nil
	case "!!int", "!!float":
		return numberOf(n)
	}
	return n.Value, nil
}

// numberOf is a number as kubectl has it: one without a fraction is an integer, if it
// is not too large for that. An error has the line and the tag but not the value, which may
// be a secret.
func numberOf(n *yaml.Node) (any, error) {
	var v any
	if err := n.Decode(&v); err != nil {
		return nil, fmt.Errorf("line %d: the value is no %s, as its tag says", n.Line, strings.TrimPrefix(n.ShortTag(), "!!"))
	}
	switch v := v.(type) {
	case uint64:
		return float64(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("line %d: JSON has no infinite numbers and no NaN", n.Line)
		}
	}
	return v, nil
}

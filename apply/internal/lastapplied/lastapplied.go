// Package lastapplied reads and writes the annotation with the configuration that kubectl apply applied last
// (rules/apply: the annotation last-applied).
package lastapplied

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Annotation is the name of the annotation.
const Annotation = "kubectl.kubernetes.io/last-applied-configuration"

// Read returns the config in an annotation, nil for an empty one, which kubectl treats as none. A text that is not the
// JSON of a map is an error.
func Read(text string) (*yaml.Node, error) {
	if text == "" {
		return nil, nil
	}
	if !json.Valid([]byte(text)) {
		return nil, errors.New("it is not JSON")
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	n, err := readValue(d)
	if err == nil && n.Kind != yaml.MappingNode {
		err = errors.New("it is JSON, but not an object")
	}
	return n, err
}

func readValue(d *json.Decoder) (*yaml.Node, error) {
	token, err := d.Token()
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	switch v := token.(type) {
	case json.Delim:
		if v == '{' {
			return readMap(d)
		}
		return readList(d)
	case string:
		n.Tag, n.Value, n.Style = "!!str", v, yaml.DoubleQuotedStyle // a plain yes would be another value
	case json.Number:
		n.Tag, n.Value = "!!int", string(v)
		if strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(v)
	}
	return n, err
}

// readMap reads the rest of a map. The last value of a repeated key counts.
func readMap(d *json.Decoder) (*yaml.Node, error) {
	out := yamlnode.EmptyMap()
	at := map[string]int{}
	for d.More() {
		key, err := readValue(d)
		if err != nil {
			return nil, err
		}
		v, err := readValue(d)
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

// readList reads the rest of a list.
func readList(d *json.Decoder) (*yaml.Node, error) {
	out := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for d.More() {
		v, err := readValue(d)
		if err != nil {
			return nil, err
		}
		out.Content = append(out.Content, v)
	}
	_, err := d.Token()
	return out, err
}

// Write returns the annotation that kubectl writes for a config, byte for byte: compact JSON with sorted keys and
// escaped < > &, with a map of annotations also where config has none, without the annotation itself, and with a line
// break at the end (rules/apply: the annotation last-applied). config has no aliases. A number that JSON cannot have is
// an error.
func Write(config *yaml.Node) (string, error) {
	value, err := valueOf(config)
	if err != nil {
		return "", err
	}
	object, isMap := value.(map[string]any)
	if !isMap {
		return "", fmt.Errorf("line %d: want a map", config.Line)
	}
	delete(mapIn(mapIn(object, "metadata"), "annotations"), Annotation)
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(object); err != nil {
		return "", err
	}
	return b.String(), nil
}

// mapIn returns the map in a field, which becomes an empty map if it is anything else.
func mapIn(object map[string]any, name string) map[string]any {
	m, isMap := object[name].(map[string]any)
	if !isMap {
		m = map[string]any{}
		object[name] = m
	}
	return m
}

// valueOf returns a node as a value for encoding/json.
func valueOf(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.MappingNode:
		return fieldsOf(n)
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

// fieldsOf returns a map as a value for encoding/json.
func fieldsOf(n *yaml.Node) (any, error) {
	out := make(map[string]any, len(n.Content)/2)
	for key, value := range yamlnode.Pairs(n) {
		v, err := valueOf(value)
		if err != nil {
			return nil, err
		}
		out[key.Value] = v
	}
	return out, nil
}

// scalarOf returns a scalar as a value for encoding/json.
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

// numberOf returns a number as kubectl reads it: without a fraction it is an integer, if it is not too large. An error
// has the line and the tag but not the value, which may be a secret.
func numberOf(n *yaml.Node) (any, error) {
	var v any
	if err := n.Decode(&v); err != nil {
		return nil, fmt.Errorf("line %d: the value is not a valid %s, as its tag requires", n.Line, strings.TrimPrefix(n.ShortTag(), "!!"))
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

package lastapplied

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Write is the annotation that kubectl gives a live object for its config, byte for
// byte: compact JSON with sorted keys, in which < > & are escaped, with a map of
// annotations also where config has none, without the annotation itself, and with a line
// break at the end (design 13.3). config has no aliases. A number that JSON cannot have
// is an error.
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

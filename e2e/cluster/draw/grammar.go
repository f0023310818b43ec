// Package draw draws Kubernetes objects from a grammar: an object in YAML in which tags
// mark the choices.
//
//	!one [a, b]    one of the elements
//	!any [a, b]    one of the elements, or the entry is not there
//	!maybe x       x, or the entry is not there
//	!some {..}     each entry is there or not; elements of a list may also be rotated
package draw

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Grammar describes the objects of one kind that may be drawn.
type Grammar struct{ root *yaml.Node }

// Parse reads a grammar.
func Parse(text []byte) (Grammar, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return Grammar{}, err
	}
	if len(document.Content) != 1 {
		return Grammar{}, fmt.Errorf("a grammar is one document")
	}
	return Grammar{document.Content[0]}, nil
}

// pick chooses a number below n for a place in the grammar.
type pick func(place string, n int) int

// object makes the object that the choices give.
func (g Grammar) object(pick pick) (map[string]any, error) {
	value, _, err := g.value(g.root, "", pick)
	if err != nil {
		return nil, err
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("a grammar's root is a map")
	}
	return object, nil
}

// value makes the value of a node, and reports whether it is there at all.
func (g Grammar) value(node *yaml.Node, place string, pick pick) (value any, there bool, err error) {
	switch node.Tag {
	case "!one":
		return g.element(node, place, pick(place, len(node.Content)), pick)
	case "!any":
		if pick(place+"?", 2) == 0 {
			return nil, false, nil
		}
		return g.element(node, place, pick(place, len(node.Content)), pick)
	case "!maybe":
		if pick(place+"?", 2) == 0 {
			return nil, false, nil
		}
	}
	switch node.Kind {
	case yaml.MappingNode:
		value, err = g.mapping(node, place, pick)
	case yaml.SequenceNode:
		value, err = g.sequence(node, place, pick)
	default:
		value, err = scalar(node)
	}
	return value, true, err
}

func (g Grammar) element(node *yaml.Node, place string, i int, pick pick) (any, bool, error) {
	return g.value(node.Content[i], place+"/"+strconv.Itoa(i), pick)
}

func (g Grammar) mapping(node *yaml.Node, place string, pick pick) (any, error) {
	object := map[string]any{}
	for i := 0; i < len(node.Content); i += 2 {
		key := node.Content[i].Value
		if node.Tag == "!some" && pick(place+"/"+key+"?", 2) == 0 {
			continue
		}
		value, there, err := g.value(node.Content[i+1], place+"/"+key, pick)
		if err != nil {
			return nil, err
		}
		if there {
			object[key] = value
		}
	}
	return object, nil
}

func (g Grammar) sequence(node *yaml.Node, place string, pick pick) (any, error) {
	list := []any{}
	for i := range node.Content {
		if node.Tag == "!some" && pick(place+"/"+strconv.Itoa(i)+"?", 2) == 0 {
			continue
		}
		value, there, err := g.element(node, place, i, pick)
		if err != nil {
			return nil, err
		}
		if there {
			list = append(list, value)
		}
	}
	if node.Tag == "!some" && len(list) > 1 && pick(place+"#?", 2) == 0 {
		by := pick(place+"#", len(node.Content)) % len(list)
		list = append(list[by:], list[:by]...)
	}
	return list, nil
}

// scalar is the value of a scalar whose tag, if it has one of a grammar, is resolved
// as if it had none.
func scalar(node *yaml.Node) (any, error) {
	plain := *node
	if node.Tag == "!maybe" {
		plain.Tag = ""
	}
	var value any
	err := plain.Decode(&value)
	return value, err
}

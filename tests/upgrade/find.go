package main

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// spot is the end of a path in a document: a field of a map or an element of a
// list. value is nil where the map lacks the field.
type spot struct {
	parent, key, value *yaml.Node
	missing            []string // the fields below parent that are not there
}

// spots are all ends of a path. An absent field is a spot in the nearest map above
// it that is there, unless the path goes on with elements.
func spots(root *yaml.Node, path string) []spot {
	found := []spot{{value: root}}
	for _, step := range splitPath(path) {
		var next []spot
		for _, s := range found {
			next = append(next, s.step(step)...)
		}
		found = next
	}
	return found
}

func (s spot) step(step string) []spot {
	name, isField := fieldName(step)
	switch {
	case len(s.missing) > 0 && isField:
		s.missing = append(slices.Clip(s.missing), name)
		return []spot{s}
	case s.value == nil || len(s.missing) > 0:
		return nil
	case s.value.Kind == yaml.MappingNode && isField:
		return []spot{field(s.value, name)}
	case step == "[*]":
		return all(s.value)
	case s.value.Kind == yaml.SequenceNode:
		return element(s.value, strings.Trim(step, "[]"))
	}
	return nil
}

// fieldName is the field that a step names, if it is one.
func fieldName(step string) (string, bool) {
	if name, err := strconv.Unquote(strings.Trim(step, "[]")); err == nil {
		return name, true
	}
	return strings.CutPrefix(step, ".")
}

func field(m *yaml.Node, name string) spot {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			return spot{parent: m, key: m.Content[i], value: m.Content[i+1]}
		}
	}
	return spot{parent: m, missing: []string{name}}
}

func all(n *yaml.Node) []spot {
	var out []spot
	for i, c := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode:
			out = append(out, spot{parent: n, value: c})
		case n.Kind == yaml.MappingNode && i%2 == 1:
			out = append(out, spot{parent: n, key: n.Content[i-1], value: c})
		}
	}
	return out
}

// element is an element by its index, or by the value of a field.
func element(list *yaml.Node, what string) []spot {
	name, text, isKey := strings.Cut(what, "=")
	index, err := strconv.Atoi(what)
	for i, e := range list.Content {
		switch {
		case isKey && e.Kind == yaml.MappingNode && field(e, name).value != nil && field(e, name).value.Value == strings.Trim(text, `"`):
		case err == nil && i == index:
		default:
			continue
		}
		return []spot{{parent: list, value: e}}
	}
	return nil
}

// lastLine is the last line, from 1, on which a value stands.
func lastLine(n *yaml.Node) int {
	last := n.Line
	if n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		last += strings.Count(strings.TrimSuffix(n.Value, "\n"), "\n") + 1
	}
	for _, c := range n.Content {
		last = max(last, lastLine(c))
	}
	return last
}

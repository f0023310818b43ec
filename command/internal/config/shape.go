package config

import (
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// shape says which fields and values a part of the function config may have.
type shape struct {
	kind   reflect.Kind // Struct, Slice, String, Bool, or Interface for anything
	fields []namedShape // of a Struct, in the order of the Go type
	elem   *shape       // of a Slice
}

type namedShape struct {
	name  string
	shape shape
}

const (
	boolShape = reflect.Bool
	listShape = reflect.Slice
)

func shapeOf(t reflect.Type) shape {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s := shape{kind: t.Kind()}
	if t.Kind() == reflect.Slice {
		elem := shapeOf(t.Elem())
		s.elem = &elem
	}
	if t.Kind() != reflect.Struct {
		return s
	}
	for f := range t.Fields() {
		s.fields = append(s.fields, namedShape{name: f.Tag.Get("json"), shape: shapeOf(f.Type)})
	}
	return s
}

// shapeAt is the kind of the field at path.
func shapeAt(s shape, path []string) reflect.Kind {
	for _, name := range path {
		for _, f := range s.fields {
			if f.name == name {
				s = f.shape
				break
			}
		}
	}
	return s.kind
}

// checkShape finds a field or value that the config may not have. The error
// names the field, its value and what is allowed.
func checkShape(path string, n *yaml.Node, s shape) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch s.kind {
	case reflect.Struct:
		return checkFields(path, n, s)
	case reflect.Slice:
		return checkElements(path, n, s)
	case reflect.Bool:
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
			return fmt.Errorf("%s: %s is not allowed, allowed are true and false", path, describe(n))
		}
	case reflect.String:
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
			return fmt.Errorf("%s: %s is not allowed, allowed is a string", path, describe(n))
		}
	}
	return nil
}

func checkElements(path string, n *yaml.Node, s shape) error {
	if n.Kind != yaml.SequenceNode {
		return fmt.Errorf("%s: %s is not allowed, allowed is a list", path, describe(n))
	}
	for i, c := range n.Content {
		if err := checkShape(fmt.Sprintf("%s[%d]", path, i), c, *s.elem); err != nil {
			return err
		}
	}
	return nil
}

func checkFields(path string, n *yaml.Node, s shape) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("%s: %s is not allowed, allowed is a map with the fields %s", path, describe(n), s.names())
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		at := strings.TrimPrefix(path+"."+name, ".")
		field, found := s.field(name)
		if !found {
			return fmt.Errorf("%s: %s: there is no such field, allowed are %s", at, describe(n.Content[i+1]), s.names())
		}
		if err := checkShape(at, n.Content[i+1], field); err != nil {
			return err
		}
	}
	return nil
}

func (s shape) field(name string) (shape, bool) {
	for _, f := range s.fields {
		if f.name == name {
			return f.shape, true
		}
	}
	return shape{}, false
}

func (s shape) names() string {
	var out []string
	for _, f := range s.fields {
		out = append(out, f.name)
	}
	return strings.Join(out, ", ")
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	}
	return fmt.Sprintf("%q", n.Value)
}

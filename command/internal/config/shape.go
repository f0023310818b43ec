package config

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// fieldsOf returns the names of a struct's fields in a config.
func fieldsOf(t reflect.Type) (names []string) {
	for f := range t.Fields() {
		names = append(names, f.Tag.Get("json"))
	}
	return names
}

// fieldType returns the type of a struct's field, nil if there is no such field.
func fieldType(t reflect.Type, name string) reflect.Type {
	for f := range t.Fields() {
		switch {
		case f.Tag.Get("json") != name:
		case f.Type.Kind() == reflect.Pointer:
			return f.Type.Elem()
		default:
			return f.Type
		}
	}
	return nil
}

// checkShape returns an error if a node of the config does not fit its Go type. The error names the
// field, its value and the allowed values.
func checkShape(path string, n *yaml.Node, t reflect.Type) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	refuse := func(allowed string) error {
		return fmt.Errorf("%s: %s is not allowed, allowed %s", path, describe(n), allowed)
	}
	switch kind := t.Kind(); {
	case kind == reflect.Struct && n.Kind != yaml.MappingNode:
		return refuse("is a map with the fields " + strings.Join(fieldsOf(t), ", "))
	case kind == reflect.Struct:
		return checkFields(path, n, t)
	case kind == reflect.Slice && n.Kind != yaml.SequenceNode:
		return refuse("is a list")
	case kind == reflect.Bool && (n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool"):
		return refuse("are true and false")
	case kind == reflect.String && n.Kind == yaml.ScalarNode && n.Value != "" && n.ShortTag() != "!!str" && n.ShortTag() != "!!null":
		return fmt.Errorf("%s: %s is no string in YAML; write it in quotes: %q", path, n.Value, n.Value)
	case kind == reflect.String && (n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str"):
		return refuse("is a string")
	case kind == reflect.Slice:
		for i, c := range n.Content {
			if err := checkShape(fmt.Sprintf("%s[%d]", path, i), c, t.Elem()); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkFields checks the fields of a map against those of a struct.
func checkFields(path string, n *yaml.Node, t reflect.Type) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i].Value, n.Content[i+1]
		at := strings.TrimPrefix(path+"."+name, ".")
		field := fieldType(t, name)
		if field == nil {
			return fmt.Errorf("%s: there is no key %q%s Allowed are %s", at, name,
				cmp.Or(wording.DidYouMean(name, fieldsOf(t)), "."), strings.Join(fieldsOf(t), ", "))
		}
		if err := checkShape(at, value, field); err != nil {
			return err
		}
	}
	return nil
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

// fieldNames returns the name by which the user knows a field of the typed kind.
type fieldNames func(field string) string

// contradiction is a value that another setting rules out, if it was found.
type contradiction struct {
	found              bool
	field, value, rule string
}

// check returns an error about the first contradiction that was found.
func (name fieldNames) check(all ...contradiction) error {
	for _, c := range all {
		if c.found {
			return fmt.Errorf("%s: %q is not allowed%s", name(c.field), c.value, c.rule)
		}
	}
	return nil
}

// notAmong returns a contradiction if a value is given and not allowed.
func notAmong(field, value string, allowed []string) contradiction {
	for _, a := range allowed {
		if value == a {
			return contradiction{}
		}
	}
	return contradiction{value != "", field, value, ", allowed are " + strings.Join(allowed, ", ") + wording.DidYouMean(value, allowed)}
}

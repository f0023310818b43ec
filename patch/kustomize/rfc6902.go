package kustomize

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// Operation is one of a JSON patch (RFC 6902).
type Operation struct {
	Name     string
	From, At []string
	// Value is null without one. Node is the operation.
	Value, Node *yamlnodes.Node
}

// Operations returns the operations of a JSON patch. An index counts from the list's start.
func Operations(patch *yamlnodes.Node) (all []Operation, err error) {
	for _, n := range yamlnode.Elements(patch) {
		o := Operation{Name: text(n, "op"), From: pointer(text(n, "from")), At: pointer(text(n, "path")), Value: yamlnode.Field(n, "value"), Node: n}
		if !slices.Contains([]string{"add", "remove", "replace", "move", "copy", "test"}, o.Name) {
			return nil, fmt.Errorf("the operation %q is not known", o.Name)
		}
		if o.Value == nil {
			o.Value = &yamlnodes.Node{Kind: yamlnodes.ScalarNode, Tag: "!!null"}
		}
		all = append(all, o)
	}
	return all, nil
}

// pointer returns the names of a JSON pointer.
func pointer(text string) (names []string) {
	if text == "" {
		return nil
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(text, "/"), "/") {
		names = append(names, strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~"))
	}
	return names
}

// ApplyJSON returns a resource with operations. After an error, failed is the index of the operation that does not apply.
func ApplyJSON(resource *yamlnodes.Node, all []Operation) (out *yamlnodes.Node, failed int, err error) {
	out = yamlnode.Clone(resource)
	metadata := yamlnode.Field(out, "metadata")
	if metadata != nil && yamlnode.Field(metadata, "annotations") == nil { // while kustomize builds, each resource has annotations
		metadata.Content = append(metadata.Content, yamlnode.String("annotations"), yamlnode.EmptyMap())
	}
	for i, o := range all {
		if err := o.apply(out); err != nil {
			return nil, i, err
		}
	}
	if yamlnode.IsEmpty(yamlnode.Lookup(out, "metadata", "annotations")) {
		out = yamlnode.Set(out, nil, nil, "metadata", "annotations")
	}
	return out, 0, nil
}

// apply changes a resource.
func (o Operation) apply(resource *yamlnodes.Node) error {
	if len(o.At) == 0 {
		return fmt.Errorf("%s of a whole resource", o.Name)
	}
	value := o.Value
	if o.Name == "move" || o.Name == "copy" {
		value = ValueAt(resource, o.From)
		switch {
		case value != nil:
			value = yamlnode.Clone(value)
		case o.Name == "copy" && isMap(resource, o.From): // a null, as kustomize's library has it
			value = &yamlnodes.Node{Kind: yamlnodes.ScalarNode, Tag: "!!null", Value: "null"}
		default:
			return fmt.Errorf("there is no /%s", strings.Join(o.From, "/"))
		}
	}
	if o.Name == "move" {
		if err := put(resource, o.From, "remove", nil); err != nil {
			return err
		}
	}
	switch o.Name {
	case "test":
		if is := ValueAt(resource, o.At); is == nil && !(yamlnode.IsNull(value) && isMap(resource, o.At)) || is != nil && !merge.Same(is, value) {
			return fmt.Errorf("the test of /%s fails", strings.Join(o.At, "/"))
		}
		return nil
	case "move", "copy":
		return put(resource, o.At, "add", value)
	}
	return put(resource, o.At, o.Name, yamlnode.Clone(value))
}

// isMap reports whether the last name of a pointer is one of a map, which may lack it.
func isMap(resource *yamlnodes.Node, at []string) bool {
	in := ValueAt(resource, at[:max(len(at)-1, 0)])
	return in != nil && in.Kind == yamlnodes.MappingNode
}

// put adds, replaces or removes the value at the names of a pointer.
func put(resource *yamlnodes.Node, at []string, how string, value *yamlnodes.Node) error {
	last := len(at) - 1
	in := ValueAt(resource, at[:last])
	missing := fmt.Errorf("there is no /%s", strings.Join(at, "/"))
	if in == nil {
		return missing
	}
	if in.Kind == yamlnodes.SequenceNode {
		i, found := indexOf(in, at[last])
		switch {
		case how == "add" && at[last] == "-":
			in.Content = append(in.Content, value)
		case how == "add" && (found || i == len(in.Content)):
			in.Content = slices.Insert(in.Content, i, value)
		case !found:
			return missing
		case how == "remove":
			in.Content = slices.Delete(in.Content, i, i+1)
		default:
			in.Content[i] = value
		}
		return nil
	}
	if in.Kind != yamlnodes.MappingNode {
		return missing
	}
	i := 0
	for i < len(in.Content) && in.Content[i].Value != at[last] {
		i += 2
	}
	switch found := i < len(in.Content); {
	case !found && how == "remove":
		return missing
	case !found: // also where a field is to be replaced: kustomize's library adds it
		in.Content = append(in.Content, yamlnode.String(at[last]), value)
	case how == "remove":
		in.Content = slices.Delete(in.Content, i, i+2)
	default:
		in.Content[i+1] = value
	}
	return nil
}

// indexOf returns the index that a name of a pointer is in a list, and whether the list has it.
func indexOf(list *yamlnodes.Node, name string) (i int, found bool) {
	i, err := strconv.Atoi(name)
	if err == nil && i < 0 { // from the end, as kustomize's library counts
		i += len(list.Content)
	}
	if err != nil || i < 0 {
		return -1, false
	}
	return i, i < len(list.Content)
}

// ValueAt returns the value at the names of a pointer, nil if there is none.
func ValueAt(n *yamlnodes.Node, at []string) *yamlnodes.Node {
	for _, name := range at {
		n = yamlnode.Resolve(n)
		switch {
		case n == nil:
			return nil
		case n.Kind == yamlnodes.SequenceNode:
			i, found := indexOf(n, name)
			if !found {
				return nil
			}
			n = n.Content[i]
		default:
			n = yamlnode.Field(n, name)
		}
	}
	return yamlnode.Resolve(n)
}

func text(n *yamlnodes.Node, field string) string { return yamlnode.Text(yamlnode.Field(n, field)) }

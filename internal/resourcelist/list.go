// Package resourcelist reads and writes a ResourceList on YAML nodes and keeps
// the bytes of what nobody touched (design 1, 3.6, 8, 9).
//
// Reading splits the list by lines and parses every item alone, on all cores,
// unless a guard asks for the full parser; what comes out is the same. Writing
// copies the text of an unchanged item, and encodes a changed one so that
// parsing it again gives the node that was meant.
package resourcelist

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// List is a ResourceList: the items, and the shell around them.
type List struct {
	Items []*Item

	// shell is the document without the items: a block mapping in which the
	// value of items, which is always there, is an empty flow sequence.
	shell *yaml.Node
	// column is the number of spaces before the dashes of the items.
	column int
	// brackets is the text around the items where they stand in brackets, nil in a
	// list of lines.
	brackets *brackets
}

// Read reads a ResourceList. Line ends may be LF or CRLF; they come out as LF.
//
// It is an error, in one sentence and with the line where it is known, if data
// is empty, is not YAML, holds several documents, is something other than a
// ResourceList, or has an item that is no mapping (design 8); the list is then
// one of the items that could be read. What is within an item is not looked at.
func Read(data []byte) (*List, error) {
	data = normalize(data)
	if list, ok := readSplit(data); ok {
		return list, nil
	}
	if list, ok := readJSON(data); ok {
		return list, nil
	}
	return readWhole(data)
}

// Empty returns a list without items, for failure when the input could not be
// read as one (design 1.2).
func Empty() *List {
	root := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
		plain("apiVersion"), plain("config.kubernetes.io/v1"),
		plain("kind"), plain("ResourceList"),
		plain("items"), emptyList(),
	}}
	return &List{shell: &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{root}}}
}

// FunctionConfig returns the function config, nil if there is none. It must not
// be changed in place.
func (l *List) FunctionConfig() *yaml.Node {
	value := field(l.shell.Content[0], "functionConfig")
	if value == nil || value.ShortTag() == "!!null" {
		return nil
	}
	return value
}

// check returns why root, the mapping of the whole document or its shell, is
// not a ResourceList.
func check(root *yaml.Node) error {
	if err := checkShell(root); err != nil {
		return err
	}
	return checkResults(field(root, "results"))
}

// checkShell is check but for the results, which can be written anew.
func checkShell(root *yaml.Node) error {
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: the input is %s, not a ResourceList", root.Line, kindName(root))
	}
	if kind := scalar(root, "kind"); kind != "ResourceList" {
		return fmt.Errorf("the input is %s, not a ResourceList", resourceName(root))
	}
	switch version := scalar(root, "apiVersion"); version {
	case "config.kubernetes.io/v1", "config.kubernetes.io/v1beta1", "config.kubernetes.io/v1alpha1":
	default:
		return fmt.Errorf("a ResourceList of apiVersion %q is not known: expected config.kubernetes.io/v1", version)
	}
	return checkKeys(root)
}

// checkKeys returns an error if a key of the list's own mapping is there twice.
func checkKeys(root *yaml.Node) error {
	seen := map[string]bool{}
	for i := 0; i < len(root.Content); i += 2 {
		key := root.Content[i]
		if seen[key.Value] {
			return fmt.Errorf("line %d: the ResourceList has the key %q twice", key.Line, key.Value)
		}
		seen[key.Value] = key.Kind == yaml.ScalarNode
	}
	return nil
}

// checkResults returns an error if results is there and is no list.
func checkResults(results *yaml.Node) error {
	if results == nil || results.Kind == yaml.SequenceNode || results.ShortTag() == "!!null" {
		return nil
	}
	return fmt.Errorf("line %d: results is %s, not a list", results.Line, kindName(results))
}

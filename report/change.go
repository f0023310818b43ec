package report

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// changeOf says what a side made of a value, as the object of "changed": of a
// scalar or list what it is now, of a map the first field that differs. A name
// or namespace comes last: to rename a resource is not to customise it.
func changeOf(was, is *yaml.Node) string {
	if was == nil || is == nil {
		return "it"
	}
	for _, name := range []string{"name", "namespace"} {
		if renamed := yamlnode.CopyField(was, is, []string{"metadata", name}); !merge.Same(renamed, is) {
			was = renamed
		}
	}
	steps := maxSteps
	change, found := firstChange(nil, was, is, &steps)
	path := wording.CutFront(" "+change.path.String(), minPath)
	switch {
	case !found:
		return "it"
	case change.path == nil:
		return "it to " + excerpt(is, was)
	case change.is == nil:
		return "it by removing its" + path
	case change.was == nil:
		return "it by adding its" + path + " " + excerpt(change.is, nil)
	}
	return "its" + path + " to " + excerpt(change.is, change.was)
}

// change is a place at which a value is not what it was; nil is absent.
type change struct {
	path    *merge.Path
	was, is *yaml.Node
}

// firstChange finds the first field that differs, in the order of is, within a
// number of steps.
func firstChange(at *merge.Path, was, is *yaml.Node, steps *int) (change, bool) {
	if *steps--; *steps < 0 {
		return change{}, false
	}
	if was == nil || is == nil || was.Kind != yaml.MappingNode || is.Kind != yaml.MappingNode {
		return change{path: at, was: was, is: is}, !merge.Same(was, is)
	}
	before, after := byName(was), byName(is)
	for _, name := range yamlnode.Names(is) {
		if c, found := firstChange(at.Field(name), before[name], after[name], steps); found {
			return c, true
		}
	}
	for _, name := range yamlnode.Names(was) {
		if after[name] == nil {
			return change{path: at.Field(name), was: before[name]}, true
		}
	}
	return change{}, false
}

// byName are the values of a mapping by name.
func byName(mapping *yaml.Node) map[string]*yaml.Node {
	out := make(map[string]*yaml.Node, len(mapping.Content)/2)
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		out[yamlnode.Resolve(mapping.Content[i]).Value] = mapping.Content[i+1]
	}
	return out
}

// labels is a list with one scalar for each element that is a map: that of the
// first field, as the first element has them, that every element has and no two
// have alike. Without such a field it is the list.
func labels(list *yaml.Node) *yaml.Node {
	if list == nil || list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
		return list
	}
	for _, name := range yamlnode.Names(list.Content[0]) {
		out := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		seen := map[string]bool{}
		for _, e := range list.Content {
			if v := yamlnode.Field(e, name); v != nil && v.Kind == yaml.ScalarNode && !seen[v.Value] {
				seen[v.Value] = true
				out.Content = append(out.Content, v)
			}
		}
		if len(out.Content) == len(list.Content) {
			return out
		}
	}
	return list
}

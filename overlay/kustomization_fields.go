package overlay

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// carry takes what the fork's kustomization does beyond the base's into the overlay's, as far as
// it may be done on top of the base, and names the fields of which that is not so.
// changed reports whether a file of the fork differs from the base's.
func carry(k, base, fork *yaml.Node, changed func(file string) bool) (unsaid []string) {
	names := yamlnode.Names(fork)
	for _, field := range yamlnode.Names(base) {
		if yamlnode.Field(fork, field) == nil {
			names = append(names, field)
		}
	}
	for _, field := range names {
		was, is := yamlnode.Field(base, field), yamlnode.Field(fork, field)
		add, said := onTop(field, was, is, changed)
		if !said {
			unsaid = append(unsaid, field)
		}
		if add != nil && len(add.Content)+len(add.Value) > 0 {
			k.Content = append(k.Content, yamlnode.String(field), add)
		}
	}
	return unsaid
}

// onTop is what a kustomization on top of the base says in a field to do what the fork's does,
// nil if it says nothing, and whether that is all of it.
func onTop(field string, was, is *yaml.Node, changed func(string) bool) (add *yaml.Node, said bool) {
	switch field {
	case "apiVersion", "kind", "metadata", "resources", "bases", "generatorOptions":
		return nil, true
	case "configMapGenerator", "secretGenerator":
		return generators(was, is, changed)
	}
	if merge.Same(was, is) {
		return nil, true
	}
	switch field {
	case "namespace":
		return is, is != nil
	case "namePrefix", "nameSuffix":
		return affixOnTop(field, was, is)
	case "images", "replicas":
		return entriesOnTop(was, is)
	case "labels", "patches", "patchesStrategicMerge", "patchesJson6902":
		return moreOnTop(was, is)
	case "commonLabels", "commonAnnotations":
		return keysOnTop(was, is)
	}
	return nil, false
}

// affixOnTop is what stands before the base's prefix, or behind its suffix.
func affixOnTop(field string, was, is *yaml.Node) (add *yaml.Node, said bool) {
	if is == nil {
		return nil, false
	}
	cut := strings.CutSuffix
	if field == "nameSuffix" {
		cut = strings.CutPrefix
	}
	more, found := cut(is.Value, yamlnode.Text(was))
	return yamlnode.WithText(is, more), found
}

// entriesOnTop are the entries of images or replicas that are new or changed. One that the
// base has, and one of an image that it calls otherwise, cannot be undone.
func entriesOnTop(was, is *yaml.Node) (add *yaml.Node, said bool) {
	add, said = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}, true
	before := byField(was, "name")
	for _, e := range yamlnode.Elements(is) {
		name := yamlnode.Text(yamlnode.Field(e, "name"))
		old := before[name]
		delete(before, name)
		switch {
		case old == nil, !merge.Same(old, e) && hasFields(e, old) && yamlnode.Field(old, "newName") == nil:
			add.Content = append(add.Content, e)
		case !merge.Same(old, e):
			said = false
		}
	}
	return add, said && len(before) == 0
}

// byField are the elements of a list by what they have in a field.
func byField(list *yaml.Node, field string) map[string]*yaml.Node {
	out := map[string]*yaml.Node{}
	for _, e := range yamlnode.Elements(list) {
		out[yamlnode.Text(yamlnode.Field(e, field))] = e
	}
	return out
}

// hasFields reports whether a mapping has all fields of another.
func hasFields(n, other *yaml.Node) bool {
	return !slices.ContainsFunc(yamlnode.Names(other), func(name string) bool { return yamlnode.Field(n, name) == nil })
}

// moreOnTop are the elements that the fork's list has behind those of the base's.
func moreOnTop(was, is *yaml.Node) (add *yaml.Node, said bool) {
	add, said = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}, true
	for _, e := range yamlnode.Elements(is) {
		if !slices.ContainsFunc(yamlnode.Elements(was), func(o *yaml.Node) bool { return merge.Same(o, e) }) {
			add.Content = append(add.Content, e)
		}
	}
	return add, len(yamlnode.Elements(was))+len(add.Content) == len(yamlnode.Elements(is))
}

// keysOnTop are the keys of a mapping that are new or changed.
func keysOnTop(was, is *yaml.Node) (add *yaml.Node, said bool) {
	if is == nil {
		return nil, false
	}
	add = yamlnode.Without(is, func(name string) bool { return merge.Same(yamlnode.Field(was, name), yamlnode.Field(is, name)) })
	return add, was == nil || hasFields(is, was)
}

// generators are the entries that are new or make something else; these replace the base's.
func generators(was, is *yaml.Node, changed func(string) bool) (add *yaml.Node, said bool) {
	add = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	before := byField(was, "name")
	for _, e := range yamlnode.Elements(is) {
		name := yamlnode.Text(yamlnode.Field(e, "name"))
		old := before[name]
		delete(before, name)
		switch {
		case old == nil:
			add.Content = append(add.Content, e)
		case !merge.Same(old, e) || slices.ContainsFunc(generatorFiles(e), changed):
			add.Content = append(add.Content, yamlnode.Set(e, nil, yamlnode.String("replace"), "behavior"))
		}
	}
	return add, len(before) == 0
}

// generatorFiles are the files that an entry of a generator reads.
func generatorFiles(e *yaml.Node) (files []string) {
	for _, field := range [3]string{"files", "envs", "env"} {
		v := yamlnode.Field(e, field)
		for _, f := range append(yamlnode.Elements(v), v) {
			if f != nil && f.Kind == yaml.ScalarNode {
				name := f.Value
				if _, file, found := strings.Cut(name, "="); found {
					name = file
				}
				files = append(files, path.Clean(name))
			}
		}
	}
	return files
}

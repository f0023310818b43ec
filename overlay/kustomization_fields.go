package overlay

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// carryFields adds to k the differences between the kustomizations of base and fork that a
// kustomization on top of the base can express, and returns the fields with other differences.
// changed reports whether a file differs between base and fork.
func carryFields(k, base, fork *yaml.Node, changed func(file string) bool) (inexpressible []string) {
	names := yamlnode.Names(fork)
	for _, field := range yamlnode.Names(base) {
		if yamlnode.Field(fork, field) == nil {
			names = append(names, field)
		}
	}
	for _, field := range names {
		baseValue, forkValue := yamlnode.Field(base, field), yamlnode.Field(fork, field)
		add, complete := fieldOverBase(field, baseValue, forkValue, changed)
		if !complete {
			inexpressible = append(inexpressible, field)
		}
		if add != nil && len(add.Content)+len(add.Value) > 0 {
			addField(k, field, add)
		}
	}
	return inexpressible
}

// fieldOverBase returns the value that a kustomization on top of the base needs in a field to build
// the fork's, nil if none. complete is false if that value expresses only a part of the difference.
func fieldOverBase(field string, base, fork *yaml.Node, changed func(string) bool) (add *yaml.Node, complete bool) {
	switch field {
	case "apiVersion", "kind", "metadata", "resources", "bases", "generatorOptions":
		return nil, true
	case "configMapGenerator", "secretGenerator":
		return changedGenerators(base, fork, changed)
	}
	if merge.Same(base, fork) {
		return nil, true
	}
	switch field {
	case "namespace":
		return fork, fork != nil
	case "namePrefix", "nameSuffix":
		return affixOverBase(field, base, fork)
	case "images", "replicas":
		return changedEntries(base, fork)
	case "labels", "patches", "patchesStrategicMerge", "patchesJson6902":
		return addedElements(base, fork)
	case "commonLabels", "commonAnnotations":
		return changedKeys(base, fork)
	}
	return nil, false
}

// affixOverBase returns the text that the fork puts before the base's prefix, or after its suffix.
func affixOverBase(field string, base, fork *yaml.Node) (add *yaml.Node, complete bool) {
	if fork == nil {
		return nil, false
	}
	cut := strings.CutSuffix
	if field == "nameSuffix" {
		cut = strings.CutPrefix
	}
	more, found := cut(fork.Value, yamlnode.Text(base))
	return yamlnode.WithText(fork, more), found
}

// changedEntries returns the entries of images or replicas that are new or changed. An overlay can
// neither remove an entry of the base nor change the new name of an image.
func changedEntries(base, fork *yaml.Node) (add *yaml.Node, complete bool) {
	add, complete = newList(), true
	inBase := indexByField(base, "name")
	for _, e := range yamlnode.Elements(fork) {
		name := yamlnode.Text(yamlnode.Field(e, "name"))
		old := inBase[name]
		delete(inBase, name)
		switch {
		case old == nil, !merge.Same(old, e) && hasFields(e, old) && yamlnode.Field(old, "newName") == nil:
			add.Content = append(add.Content, e)
		case !merge.Same(old, e):
			complete = false
		}
	}
	return add, complete && len(inBase) == 0
}

// indexByField indexes the elements of a list by their value of a field.
func indexByField(list *yaml.Node, field string) map[string]*yaml.Node {
	out := map[string]*yaml.Node{}
	for _, e := range yamlnode.Elements(list) {
		out[yamlnode.Text(yamlnode.Field(e, field))] = e
	}
	return out
}

func hasFields(n, other *yaml.Node) bool {
	return !slices.ContainsFunc(yamlnode.Names(other), func(name string) bool { return yamlnode.Field(n, name) == nil })
}

// addedElements returns the elements that only the fork's list has.
func addedElements(base, fork *yaml.Node) (add *yaml.Node, complete bool) {
	add, complete = newList(), true
	for _, e := range yamlnode.Elements(fork) {
		if !slices.ContainsFunc(yamlnode.Elements(base), func(o *yaml.Node) bool { return merge.Same(o, e) }) {
			add.Content = append(add.Content, e)
		}
	}
	return add, len(yamlnode.Elements(base))+len(add.Content) == len(yamlnode.Elements(fork))
}

// changedKeys returns the keys of a mapping that are new or changed.
func changedKeys(base, fork *yaml.Node) (add *yaml.Node, complete bool) {
	if fork == nil {
		return nil, false
	}
	add = yamlnode.Without(fork, func(name string) bool { return merge.Same(yamlnode.Field(base, name), yamlnode.Field(fork, name)) })
	return add, base == nil || hasFields(fork, base)
}

// changedGenerators returns the entries that are new, and those with another result, which replace the base's. An entry that
// merges into a resource does so again, and cannot take a key of the base's away.
func changedGenerators(base, fork *yaml.Node, changed func(string) bool) (add *yaml.Node, complete bool) {
	add, complete = newList(), true
	inBase := indexByField(base, "name")
	for _, e := range yamlnode.Elements(fork) {
		name := yamlnode.Text(yamlnode.Field(e, "name"))
		old := inBase[name]
		delete(inBase, name)
		switch {
		case old == nil:
			add.Content = append(add.Content, e)
		case merge.Same(old, e) && !slices.ContainsFunc(generatorFiles(e), changed):
		case yamlnode.Text(yamlnode.Field(e, "behavior")) == "merge":
			add.Content = append(add.Content, e)
			complete = complete && hasKeys(e, old, changed)
		default:
			add.Content = append(add.Content, yamlnode.Set(e, nil, yamlnode.String("replace"), "behavior"))
		}
	}
	return add, complete && len(inBase) == 0
}

// hasKeys reports whether an entry of a generator makes all keys of another one. The keys of a file of variables are known
// to be the same where the file is.
func hasKeys(e, old *yaml.Node, changed func(string) bool) bool {
	has := generatedKeys(e)
	return !slices.ContainsFunc(generatedKeys(old), func(key string) bool { return !slices.Contains(has, key) }) &&
		!slices.ContainsFunc(slices.Concat(filesIn(old, "envs"), filesIn(old, "env")), changed)
}

// generatedKeys returns the keys that an entry of a generator makes, and the names of its files of variables.
func generatedKeys(e *yaml.Node) (keys []string) {
	for _, l := range yamlnode.Elements(yamlnode.Field(e, "literals")) {
		key, _, _ := strings.Cut(l.Value, "=")
		keys = append(keys, key)
	}
	for _, f := range yamlnode.Elements(yamlnode.Field(e, "files")) {
		key, _, named := strings.Cut(f.Value, "=")
		if !named {
			key = path.Base(key)
		}
		keys = append(keys, key)
	}
	return slices.Concat(keys, filesIn(e, "envs"), filesIn(e, "env"))
}

// generatorFiles returns the files that an entry of a generator reads.
func generatorFiles(e *yaml.Node) []string {
	return slices.Concat(filesIn(e, "files"), filesIn(e, "envs"), filesIn(e, "env"))
}

// filesIn returns the files that a field of a generator's entry names.
func filesIn(e *yaml.Node, field string) (files []string) {
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
	return files
}

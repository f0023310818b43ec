package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// difference is a value that two programs made different: kpt's and ours, as
// JSON, or absent.
type difference struct {
	at, kpt, ours string
}

// intended is a difference that is meant, with its class and the reason. A * in at,
// kpt or ours stands for any text; absent stands for a value that a program lacks.
type intended struct {
	class         string
	at, kpt, ours string
	why           string
}

const absent = "absent"

func (want intended) covers(got difference) bool {
	return covers(want.at, got.at) && covers(want.kpt, got.kpt) && covers(want.ours, got.ours)
}

func covers(pattern, text string) bool {
	before, after, open := strings.Cut(pattern, "*")
	if !open {
		return pattern == text
	}
	return len(text) >= len(before)+len(after) && strings.HasPrefix(text, before) && strings.HasSuffix(text, after)
}

// checkDifferences checks that exactly the intended differences are there, and
// tallies their classes.
func checkDifferences(t *testing.T, got []difference, want []intended, tally map[string]int) {
	t.Helper()
	seen := make([]bool, len(want))
	for _, d := range got {
		i := slices.IndexFunc(want, func(w intended) bool { return w.covers(d) })
		if i < 0 {
			t.Errorf("not listed: %s\n kpt: %s\nours: %s", d.at, d.kpt, d.ours)
			continue
		}
		seen[i] = true
		tally[want[i].class]++
	}
	for i, w := range want {
		if !seen[i] {
			t.Errorf("does not occur: %s\n kpt: %s\nours: %s\n why: %s", w.at, w.kpt, w.ours, w.why)
		}
	}
}

// differences compares two packages file by file, resource by resource and
// value by value.
func differences(t *testing.T, kpt, ours tree) []difference {
	t.Helper()
	return compareMaps("", resources(t, kpt), resources(t, ours))
}

// resources is the resources of a package by file, kind, namespace and name, and
// the text of the files that have none by file.
func resources(t *testing.T, files tree) map[string]any {
	t.Helper()
	all := map[string]any{}
	for file, text := range files {
		if path.Base(file) != "Kptfile" && path.Ext(file) != ".yaml" {
			all[file] = text
			continue
		}
		for _, node := range documents(t, file, text) {
			key, value := resource(t, file, node)
			if _, twice := all[key]; twice {
				t.Errorf("%s is there twice", key)
			}
			all[key] = value
		}
	}
	return all
}

func documents(t *testing.T, file, text string) (nodes []*yaml.Node) {
	t.Helper()
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		node := &yaml.Node{}
		err := decoder.Decode(node)
		if errors.Is(err, io.EOF) {
			return nodes
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		nodes = append(nodes, node)
	}
}

// resource is the key and the value of a document. The comment on metadata is
// a value too: it is the resource's identity.
func resource(t *testing.T, file string, node *yaml.Node) (key string, value map[string]any) {
	t.Helper()
	var id struct {
		Kind     string
		Metadata struct{ Name, Namespace string }
	}
	if err := errors.Join(node.Decode(&id), node.Decode(&value)); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for _, field := range node.Content[0].Content {
		if field.Value == "metadata" && field.LineComment != "" {
			value["metadata#"] = field.LineComment
		}
	}
	return fmt.Sprintf("%s %s %s ", file, id.Kind, path.Join(id.Metadata.Namespace, id.Metadata.Name)), value
}

// compare finds the outermost values that differ. Lists whose elements have
// names are compared by name, others as one value.
func compare(at string, kpt, ours any) []difference {
	kptMap, kptIsMap := kpt.(map[string]any)
	oursMap, oursIsMap := ours.(map[string]any)
	if kptIsMap && oursIsMap {
		return compareMaps(at+".", kptMap, oursMap)
	}
	kptNames, kptNamed := byName(kpt)
	oursNames, oursNamed := byName(ours)
	if kptNamed && oursNamed {
		return append(compareMaps(at, kptNames, oursNames), compareOrder(at, kpt, ours)...)
	}
	if cmp.Equal(kpt, ours) {
		return nil
	}
	return []difference{{at: strings.TrimSpace(at), kpt: show(kpt), ours: show(ours)}}
}

func compareMaps(at string, kpt, ours map[string]any) (all []difference) {
	either := maps.Clone(kpt)
	maps.Copy(either, ours)
	for _, key := range slices.Sorted(maps.Keys(either)) {
		all = append(all, compare(at+key, get(kpt, key), get(ours, key))...)
	}
	return all
}

// compareOrder compares the order of the names that both lists have.
func compareOrder(at string, kpt, ours any) []difference {
	kptOrder, oursOrder := namesIn(kpt, ours), namesIn(ours, kpt)
	if slices.Equal(kptOrder, oursOrder) {
		return nil
	}
	return []difference{{at: at + " order", kpt: show(kptOrder), ours: show(oursOrder)}}
}

// namesIn returns the names, in order, of the elements of a list that the other
// list has, too.
func namesIn(list, other any) (names []string) {
	elements, _ := byName(other)
	for _, element := range list.([]any) {
		name := nameOf(element)
		if _, both := elements[selector(name)]; both {
			names = append(names, name)
		}
	}
	return names
}

// byName is the elements of a list by name, if each has one of its own.
func byName(value any) (elements map[string]any, ok bool) {
	list, ok := value.([]any)
	elements = map[string]any{}
	for _, element := range list {
		name := nameOf(element)
		elements[selector(name)] = element
		ok = ok && name != ""
	}
	return elements, ok && len(elements) == len(list)
}

func nameOf(element any) string {
	fields, _ := element.(map[string]any)
	name, _ := fields["name"].(string)
	return name
}

func selector(name string) string { return "[name=" + name + "]" }

// missing is the value that get returns for a key that the map lacks.
type missing struct{}

func get(values map[string]any, key string) any {
	if value, ok := values[key]; ok {
		return value
	}
	return missing{}
}

func show(value any) string {
	if value == (missing{}) {
		return absent
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

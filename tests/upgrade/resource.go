package main

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// id says which resource it is, without the version of its kind.
type id struct{ group, kind, namespace, name string }

func (i id) String() string {
	if i.namespace == "" {
		return i.kind + " " + i.name
	}
	return i.kind + " " + i.namespace + "/" + i.name
}

// resource is one resource as a file holds it.
type resource struct {
	id      id
	file    string
	version string         // of its kind
	value   map[string]any // without bookkeeping
	text    *document      // nil for an item of a List
	origin  *resource      // of local's: what it was made of
}

// document is one YAML document of a file: the text between two separators.
type document struct {
	text string
	head string // the separator line above it, "" for the first one
}

// splitDocuments parts a file at its separators. What comes out makes the file
// again, one after another.
func splitDocuments(text string) []*document {
	var docs []*document
	head, start, end := "", 0, 0
	for line := range strings.Lines(text) {
		if isSeparator(line) {
			docs = append(docs, &document{head: head, text: text[start:end]})
			head, start = line, end+len(line)
		}
		end += len(line)
	}
	return append(docs, &document{head: head, text: text[start:]})
}

func isSeparator(line string) bool {
	rest, found := strings.CutPrefix(strings.TrimRight(line, " \t\r\n"), "---")
	return found && (rest == "" || strings.HasPrefix(strings.TrimSpace(rest), "#") && rest[0] == ' ')
}

// joinDocuments is the text of a file. The first document that is left needs no
// separator.
func joinDocuments(docs []*document) string {
	var b strings.Builder
	for _, d := range docs {
		b.WriteString(d.head + d.text)
	}
	return b.String()
}

// readFile reads the resources of a file. The items of a List are resources of
// their own, as kyaml has them.
func readFile(file, text string) ([]*resource, error) {
	var all []*resource
	for _, d := range splitDocuments(text) {
		v, err := decode(d.text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		m, isMap := v.(map[string]any)
		switch items, isList := m["items"].([]any); {
		case v == nil:
		case !isMap:
			return nil, fmt.Errorf("%s: a document is no map", file)
		case m["kind"] == "List" && isList:
			for _, item := range items {
				if m, isMap := item.(map[string]any); isMap {
					all = append(all, newResource(file, m, nil))
				}
			}
		default:
			all = append(all, newResource(file, m, d))
		}
	}
	return all, nil
}

// decode reads one document. A key that occurs twice is an error.
func decode(text string) (any, error) {
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		return nil, err
	}
	return stringKeys(v), nil
}

func newResource(file string, m map[string]any, d *document) *resource {
	metadata, _ := m["metadata"].(map[string]any)
	r := &resource{file: file, value: withoutBookkeeping(m), text: d}
	apiVersion := textOf(m["apiVersion"])
	if group, version, found := strings.Cut(apiVersion, "/"); found {
		r.id.group, r.version = group, version
	} else {
		r.version = apiVersion
	}
	r.id.kind, r.id.namespace, r.id.name = textOf(m["kind"]), textOf(metadata["namespace"]), textOf(metadata["name"])
	if r.id.name == "" {
		r.id.name = textOf(metadata["generateName"])
	}
	return r
}

// textOf is a scalar as text, "" if it is absent.
func textOf(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// resources are the resources of all files.
func (t tree) resources() ([]*resource, error) {
	var all []*resource
	for _, name := range t.names() {
		if !isYAML(name) {
			continue
		}
		found, err := readFile(name, t[name])
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

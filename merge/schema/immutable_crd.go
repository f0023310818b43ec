package schema

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Immutable returns the fields of a kind that nobody may change: of built-in
// kinds as the validation of Kubernetes 1.36 has them, of a custom resource
// those whose rule in its CRD says so.
func (r Resource) Immutable() []ImmutableRule {
	if r.schema == nil {
		return nil
	}
	r.schema.making.Lock()
	defer r.schema.making.Unlock()
	if d := r.schema.definition(r.id); d != nil {
		reader := transitionReader{budget: maxSchemaNodes}
		reader.read(d.tree(), nil)
		return reader.rules
	}
	return builtInImmutable(r.id.groupKind())
}

// transitionReader finds the rules of a CRD's schema that compare a value with
// what it was, and want it the same.
type transitionReader struct {
	budget int
	rules  []ImmutableRule
}

// read reads the schema of a value and of all below it. Of the elements of a
// list there are such rules only where keys tell them apart.
func (r *transitionReader) read(schema *yaml.Node, path []string) {
	if r.budget--; r.budget < 0 || schema == nil || schema.Kind != yaml.MappingNode {
		return
	}
	for _, rule := range yamlnode.Elements(yamlnode.Field(schema, "x-kubernetes-validations")) {
		r.add(yamlnode.Resolve(rule), path)
	}
	below := func(schema *yaml.Node, name string) { r.read(schema, append(slices.Clone(path), name)) }
	if properties := yamlnode.Field(schema, "properties"); properties != nil && properties.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(properties.Content); i += 2 {
			below(yamlnode.Resolve(properties.Content[i+1]), properties.Content[i].Value)
		}
	}
	below(yamlnode.Field(schema, "additionalProperties"), AnyElement)
	if yamlnode.Text(yamlnode.Field(schema, "x-kubernetes-list-type")) == "map" {
		below(yamlnode.Field(schema, "items"), AnyElement)
	}
}

// add adds a rule that wants a value the same. One that starts out with
// `self == oldSelf` is asked only where the value was and is; one on a field of
// the value fails where the field was or is not.
func (r *transitionReader) add(rule *yaml.Node, path []string) {
	if enabled(rule, "optionalOldSelf") {
		return
	}
	text := strings.Join(strings.Fields(yamlnode.Text(yamlnode.Field(rule, "rule"))), "")
	left, right, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(text, "("), ")"), "==")
	if strings.HasPrefix(left, "oldSelf") {
		left, right = right, left
	}
	field, is := strings.CutPrefix(left, "self")
	if !is || right != "oldSelf"+field || !regexp.MustCompile(`^(\.[A-Za-z_]\w*)*$`).MatchString(field) {
		return
	}
	if field == "" {
		r.rules = append(r.rules, ImmutableRule{Path: path, Both: true})
		return
	}
	names := strings.Split(strings.TrimPrefix(field, "."), ".")
	r.rules = append(r.rules, ImmutableRule{Path: append(slices.Clone(path), names...)})
}

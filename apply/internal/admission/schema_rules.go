package admission

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// schemaFaults finds in a stored custom resource the alternatives of its CRD that it does not meet, and lists that have a key
// or a value twice (rules/apply: refused objects). Of the other validations of a CRD it evaluates the parts
// of alternatives.
func schemaFaults(kind schema.Resource, object *yaml.Node) []merge.Conflict {
	root, exact := kind.OpenAPI()
	if !exact || object == nil {
		return nil
	}
	v := validation{budget: 200_000}
	v.value(root, kind.Type, nil, object)
	return v.found
}

// validation visits a value by the schema of a CRD, up to a number of values.
type validation struct {
	budget int
	found  []merge.Conflict
}

func (v *validation) value(s *yaml.Node, known *schema.Type, at *merge.Path, n *yaml.Node) {
	s = yamlnode.Resolve(s)
	if v.budget--; v.budget < 0 || s == nil || n == nil || n.ShortTag() == "!!null" {
		return
	}
	if at != nil {
		v.alternatives(s, at, n)
	}
	switch n.Kind {
	case yaml.MappingNode:
		for key, value := range yamlnode.Pairs(n) {
			if p := property(s, key.Value); p != nil && (at != nil || key.Value != "metadata") {
				v.value(p, known.Part(key.Value), at.Field(key.Value), value)
			}
		}
	case yaml.SequenceNode:
		v.twice(s, at, n)
		for i, e := range n.Content {
			v.value(yamlnode.Field(s, "items"), known.Element(), at.Element(keysAt(known, e, i)), e)
		}
	}
}

// twice finds elements of one key in a list with keys, and equal elements in a set.
func (v *validation) twice(s *yaml.Node, at *merge.Path, n *yaml.Node) {
	typ := yamlnode.Text(yamlnode.Field(s, "x-kubernetes-list-type"))
	var names []string
	for _, name := range yamlnode.Elements(yamlnode.Field(s, "x-kubernetes-list-map-keys")) {
		names = append(names, name.Value)
	}
	if typ != "set" && (typ != "map" || names == nil) {
		return
	}
	seen := map[string]bool{}
	for i, e := range n.Content {
		text, what := managed.JSON(e), "value"
		if typ == "map" {
			var parts []managed.KeyPart
			for _, name := range names {
				parts = append(parts, managed.KeyPart{Name: name, Value: yamlnode.Field(e, name)})
			}
			text, what = managed.Key(parts...).String(), "key"
		}
		if seen[text] {
			v.found = append(v.found, refusal(at.Element(keysAt(nil, e, i)), e, "another element of the list has this "+what))
		}
		seen[text] = true
	}
}

// alternatives refuses a value that does not meet anyOf, oneOf, allOf or not of its schema, as far as these can be evaluated.
func (v *validation) alternatives(s *yaml.Node, at *merge.Path, n *yaml.Node) {
	for _, name := range [4]string{"oneOf", "anyOf", "allOf", "not"} {
		rule := yamlnode.Field(s, name)
		if rule == nil || yamlnode.Text(yamlnode.Field(s, "x-kubernetes-int-or-string")) == "true" {
			continue
		}
		if meets, isKnown := meetsRule(name, rule, n); isKnown && !meets {
			v.found = append(v.found, refusal(at, n, alternativesText(name, rule, n)))
			return
		}
	}
}

// alternativesText describes a rule that a value does not meet. Where each alternative only requires one field, these are named.
func alternativesText(name string, rule, n *yaml.Node) string {
	var fields, has []string
	for _, branch := range yamlnode.Elements(rule) {
		required := yamlnode.Elements(yamlnode.Field(branch, "required"))
		if len(required) != 1 {
			return "it does not meet " + name + " of the CRD"
		}
		fields = append(fields, required[0].Value)
		if yamlnode.Field(n, required[0].Value) != nil {
			has = append(has, required[0].Value)
		}
	}
	switch {
	case name == "oneOf" && len(has) > 1:
		return strings.Join(has, " and ") + " exclude each other"
	case name == "oneOf", name == "anyOf":
		return "it needs one of " + strings.Join(fields, ", ")
	}
	return "it does not meet " + name + " of the CRD"
}

// meetsRule reports whether a value meets a rule that is made of other schemas. isKnown is false if that depends on something
// that is not evaluated.
func meetsRule(name string, rule, n *yaml.Node) (meets, isKnown bool) {
	if name == "not" {
		meets, isKnown = meetsSchema(rule, n)
		return !meets, isKnown
	}
	met, count := 0, 0
	for _, branch := range yamlnode.Elements(rule) {
		one, known := meetsSchema(branch, n)
		if !known {
			return false, false
		}
		count++
		if one {
			met++
		}
	}
	switch name {
	case "oneOf":
		return met == 1, true
	case "anyOf":
		return met > 0, true
	}
	return met == count, true
}

// meetsSchema reports whether a value meets a schema of an alternative.
func meetsSchema(s, n *yaml.Node) (meets, isKnown bool) {
	s = yamlnode.Resolve(s)
	meets = true
	for key, rule := range yamlnode.Pairs(s) {
		one, known := true, true
		switch name := key.Value; name {
		case "description", "title":
		case "required":
			for _, field := range yamlnode.Elements(rule) {
				one = one && (n.Kind != yaml.MappingNode || yamlnode.Field(n, field.Value) != nil)
			}
		case "properties":
			for field, of := range yamlnode.Pairs(rule) {
				if value := yamlnode.Field(n, field.Value); value != nil {
					fits, isFieldKnown := meetsSchema(of, value)
					one, known = one && fits, known && isFieldKnown
				}
			}
		case "enum":
			one = slices.ContainsFunc(yamlnode.Elements(rule), func(e *yaml.Node) bool { return merge.Same(e, n) })
		case "oneOf", "anyOf", "allOf", "not":
			one, known = meetsRule(name, rule, n)
		default:
			known = false
		}
		if !known {
			return false, false
		}
		meets = meets && one
	}
	return meets, true
}

// OpenRules describes the rules of a CRD on changes that are not evaluated, and that are about a value that changes. Both
// objects are as the server stores them.
func OpenRules(kind schema.Resource, live, result *yaml.Node) (texts []string) {
	root, exact := kind.OpenAPI()
	if !exact || live == nil || result == nil {
		return nil
	}
	for _, rule := range readTransitions(root).open {
		for _, pair := range valuesAt(rule.path, live, result) {
			if !merge.Same(pair[0], pair[1]) {
				texts = append(texts, fmt.Sprintf("%s changes, and its CRD has a rule that the plan does not evaluate: %s", strings.Join(rule.path, "."), wording.Cut(rule.text, 80)))
				break
			}
		}
	}
	return texts
}

// valuesAt returns the pairs of values that two objects both have at a path; elements of lists are paired by their index.
func valuesAt(path []string, a, b *yaml.Node) [][2]*yaml.Node {
	switch {
	case a == nil || b == nil:
		return nil
	case len(path) == 0:
		return [][2]*yaml.Node{{a, b}}
	case path[0] != schema.AnyElement:
		return valuesAt(path[1:], yamlnode.Field(a, path[0]), yamlnode.Field(b, path[0]))
	}
	var out [][2]*yaml.Node
	for key, v := range yamlnode.Pairs(a) {
		out = append(out, valuesAt(path[1:], v, yamlnode.Field(b, key.Value))...)
	}
	others := yamlnode.Elements(b)
	for i, e := range yamlnode.Elements(a) {
		if i < len(others) {
			out = append(out, valuesAt(path[1:], e, others[i])...)
		}
	}
	return out
}

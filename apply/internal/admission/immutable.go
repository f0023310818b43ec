package admission

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// immutable finds changes of what nobody may change once the object exists.
func immutable(kind schema.Resource, live, result *yaml.Node, differences func() ([]merge.Difference, error)) ([]merge.Conflict, error) {
	rules := kind.Immutable()
	if live == nil || result == nil || len(rules) == 0 {
		return nil, nil
	}
	changed, err := differences()
	if err != nil {
		return nil, err
	}
	var out []merge.Conflict
	for _, r := range rules {
		if !r.If.Holds(live) || !touches(r, changed) {
			continue
		}
		found, err := merge.Differences(comparable(live, r), comparable(result, r), kind)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			if forbids(r, d) {
				c := refusal(d.Path, d.To, strings.Join(r.Path, ".")+" is immutable")
				c.Values[identity.Local] = d.From
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// touches reports whether one of the differences is of what a rule is about.
func touches(r schema.ImmutableRule, differences []merge.Difference) bool {
	return slices.ContainsFunc(differences, func(d merge.Difference) bool { return forbids(r, d) })
}

// namesOf is a path as rules have it.
func namesOf(p *merge.Path) []string {
	var out []string
	for _, step := range p.Steps() {
		if step.Keys != nil {
			out = append(out, schema.AnyElement)
		} else {
			out = append(out, step.Field)
		}
	}
	return out
}

// forbids reports whether a rule forbids a difference of what it compares: one at its
// field or below that, or one around it that has another value there.
func forbids(r schema.ImmutableRule, d merge.Difference) bool {
	at, from, to := namesOf(d.Path), d.From, d.To
	switch {
	case len(at) < len(r.Path):
		if !leads(at, r.Path[:len(at)]) {
			return false
		}
		from, to = lookup(from, r.Path[len(at):]), lookup(to, r.Path[len(at):])
		if merge.Same(from, to) {
			return false
		}
	case !leads(at[:len(r.Path)], r.Path):
		return false
	}
	return !r.Both || len(at) > len(r.Path) || from != nil && to != nil
}

// leads reports whether a path is one of a rule's.
func leads(path, rule []string) bool {
	for i, name := range rule {
		if name != path[i] && name != schema.AnyElement {
			return false
		}
	}
	return true
}

// lookup follows names; what a list or any value has is not looked into.
func lookup(n *yaml.Node, names []string) *yaml.Node {
	if slices.Contains(names, schema.AnyElement) {
		return n
	}
	return yamlnode.Lookup(n, names...)
}

// keyOf is what tells an element of a list from the others: its key, else its index.
func keyOf(list *schema.Type, element *yaml.Node, index int) []merge.KeyValue {
	var keys []merge.KeyValue
	if list.Relation == schema.ListMap {
		for _, k := range list.Keys {
			if v := yamlnode.Field(element, k.Name); v != nil {
				keys = append(keys, merge.KeyValue{Name: k.Name, Value: v})
			}
		}
	}
	if keys == nil {
		keys = []merge.KeyValue{{Name: "index", Value: &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(index)}}}
	}
	return keys
}

// unions finds members that exclude each other, and one that the type of its struct
// excludes. strict says that a rolling update excludes deletion by hand.
func unions(typ *schema.Type, at *merge.Path, n *yaml.Node, strict bool) []merge.Conflict {
	var out []merge.Conflict
	for _, u := range typ.Unions {
		var members []string
		for _, name := range u.Members {
			if has(n, name) {
				members = append(members, name)
			}
		}
		if len(members) > 1 {
			out = append(out, refusal(at, n, strings.Join(members, " and ")+" exclude each other"))
		}
	}
	if path := at.String(); path != "spec.strategy" && path != "spec.updateStrategy" {
		return out
	}
	if kind := yamlnode.Text(yamlnode.Field(n, "type")); has(n, "rollingUpdate") && (kind == "Recreate" || kind == "OnDelete" && strict) {
		out = append(out, refusal(at, n, fmt.Sprintf("rollingUpdate may not be there with type %s", kind)))
	}
	return out
}

// has reports whether a struct has a field that is not null.
func has(n *yaml.Node, name string) bool {
	v := yamlnode.Field(n, name)
	return v != nil && v.ShortTag() != "!!null"
}

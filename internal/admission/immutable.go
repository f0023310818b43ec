package admission

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// immutable finds changes of what nobody may change once the object exists.
func immutable(kind schema.Resource, live, result *yaml.Node) ([]merge.Conflict, error) {
	rules := kind.Immutable()
	if live == nil || result == nil || len(rules) == 0 {
		return nil, nil
	}
	differences, err := merge.Differences(live, result, kind)
	if err != nil {
		return nil, err
	}
	var out []merge.Conflict
	for _, d := range differences {
		steps := namesOf(d.Path)
		at := slices.IndexFunc(rules, func(r schema.ImmutableRule) bool {
			return r.If.Holds(live) && forbids(r, steps, d.From, d.To)
		})
		if at < 0 {
			continue
		}
		c := refusal(d.Path, d.To, strings.Join(rules[at].Path, ".")+" is immutable")
		c.Values[identity.Local] = d.From
		out = append(out, c)
	}
	return out, nil
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

// forbids reports whether a rule forbids a difference: one at its field or below that, but
// for what it excepts, or one around it that has another value there.
func forbids(r schema.ImmutableRule, at []string, from, to *yaml.Node) bool {
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
	case slices.ContainsFunc(r.Except, func(e []string) bool { return excepts(at[len(r.Path):], e) }):
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

// excepts reports whether a path is excepted: it leads to what is, or below.
func excepts(path, except []string) bool {
	n := min(len(path), len(except))
	return leads(path[:n], except[:n]) && len(path) >= len(except)
}

// lookup follows names; what a list or any value has is not looked into.
func lookup(n *yaml.Node, names []string) *yaml.Node {
	if slices.Contains(names, schema.AnyElement) {
		return n
	}
	return yamlnode.Lookup(n, names...)
}

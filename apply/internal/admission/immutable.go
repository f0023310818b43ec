package admission

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// immutable finds changes of fields that are immutable once the object exists. before and after are the live object and
// the result as the server stores them.
func immutable(kind schema.Resource, live, result, before, after *yaml.Node) ([]merge.Conflict, error) {
	if before == nil || after == nil {
		return nil, nil
	}
	rules := slices.DeleteFunc(slices.Clone(rulesFor(kind, live)), func(r ImmutableRule) bool {
		return merge.Same(lookup(before, r.Path), lookup(after, r.Path))
	})
	if len(rules) == 0 {
		return nil, nil
	}
	changed, err := merge.Differences(before, after, kind)
	if err != nil || len(changed) == 0 {
		return nil, err
	}
	var out []merge.Conflict
	for _, r := range rules {
		mayChange := slices.ContainsFunc(changed, func(d merge.Comparison) bool { return forbids(r, d) })
		if !r.If.holds(live) || !mayChange || allowed(r, before, after) {
			continue
		}
		found, err := violations(r, kind, before, after)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	given := [3]*merge.Finder{identity.Upstream: merge.NewFinder(result), identity.Local: merge.NewFinder(live)}
	for i := range out {
		for _, side := range [2]identity.Side{identity.Upstream, identity.Local} { // as they are written
			out[i].Values[side] = cmp.Or(given[side].Value(out[i].Path), out[i].Values[side])
		}
	}
	return out, nil
}

// rulesFor returns the rules for a live object: the finalizers of one that is being deleted are immutable, too.
func rulesFor(kind schema.Resource, live *yaml.Node) []ImmutableRule {
	rules := ImmutableRules(kind)
	if yamlnode.Lookup(live, "metadata", "deletionTimestamp") != nil {
		rules = append(slices.Clip(rules), ImmutableRule{Path: []string{"metadata", "finalizers"}, May: shrink})
	}
	return rules
}

// violations returns the changes of a stored object that a rule forbids.
func violations(r ImmutableRule, kind schema.Resource, before, after *yaml.Node) (out []merge.Conflict, err error) {
	found, err := merge.Differences(comparable(before, r), comparable(after, r), kind)
	if err != nil {
		return nil, err
	}
	for _, d := range found {
		if forbids(r, d) {
			c := refusal(d.Path, d.To, strings.Join(r.Path, ".")+limits(r.May))
			c.Values[identity.Local] = d.From
			out = append(out, c)
		}
	}
	return out, nil
}

// limits describes the changes of an immutable field in a sentence.
func limits(may change) string {
	switch may {
	case grow:
		return " may get new elements, but lose none"
	case shrink:
		return " may lose elements, but get no new ones"
	case lower:
		return " may only be lowered"
	}
	return IsImmutable
}

// IsImmutable ends the reason of a change that no rule allows.
const IsImmutable = " is immutable"

// allowed reports whether a field changes in a way that its rule allows.
func allowed(r ImmutableRule, live, result *yaml.Node) bool {
	field := func(object *yaml.Node) *yaml.Node {
		return yamlnode.Lookup(comparable(object, r), r.Path...)
	}
	from, to := field(live), field(result)
	switch {
	case r.Set:
		return contains(from, to, nil) && contains(to, from, nil)
	case r.May == grow:
		return contains(to, from, r.Restored)
	case r.May == shrink:
		return contains(from, to, nil)
	case r.May == lower:
		was, errWas := strconv.Atoi(yamlnode.Text(from))
		is, errIs := strconv.Atoi(yamlnode.Text(to))
		return from == nil || errWas == nil && errIs == nil && is <= was
	}
	return false
}

// contains reports whether a list has all elements of another one, but for elements with some keys.
func contains(list, others *yaml.Node, except []string) bool {
	return !slices.ContainsFunc(yamlnode.Elements(others), func(e *yaml.Node) bool {
		return !slices.Contains(except, yamlnode.Text(yamlnode.Field(e, "key"))) && !slices.ContainsFunc(yamlnode.Elements(list), func(other *yaml.Node) bool { return merge.Same(e, other) })
	})
}

// forbids reports whether a rule forbids a difference: at its field or below, or around it with another value there.
func forbids(r ImmutableRule, d merge.Comparison) bool {
	steps, from, to := d.Path.Steps(), d.From, d.To
	for i, step := range steps[:min(len(steps), len(r.Path))] {
		if name := r.Path[i]; name != schema.AnyElement && (step.Keys != nil || name != step.Field) {
			return false
		}
	}
	if len(steps) < len(r.Path) {
		if from, to = lookup(from, r.Path[len(steps):]), lookup(to, r.Path[len(steps):]); merge.Same(from, to) {
			return false
		}
	}
	return !r.Both || len(steps) > len(r.Path) || from != nil && to != nil
}

// lookup follows names. It does not look into lists and maps of any name.
func lookup(n *yaml.Node, names []string) *yaml.Node {
	if slices.Contains(names, schema.AnyElement) {
		return n
	}
	return yamlnode.Lookup(n, names...)
}

// comparable returns a stored object as a rule compares it: without the excepted fields.
func comparable(object *yaml.Node, r ImmutableRule) *yaml.Node {
	return edit(object, r.Path, func(field *yaml.Node) *yaml.Node {
		for _, path := range r.Except {
			field = edit(field, path, func(*yaml.Node) *yaml.Node { return nil })
		}
		return field
	})
}

// edit returns n with another value at a path, on copies. change gets nil for an absent field, and returns nil to
// remove the field. Nothing is created above the last field, and a map that loses its last field goes.
func edit(n *yaml.Node, path []string, change func(*yaml.Node) *yaml.Node) *yaml.Node {
	switch {
	case len(path) == 0:
		return change(n)
	case n == nil:
		return nil
	case path[0] == schema.AnyElement:
		return editEach(n, path[1:], change)
	case n.Kind != yaml.MappingNode:
		return n
	}
	name := path[0]
	if value := edit(yamlnode.Field(n, name), path[1:], change); value != nil {
		return yamlnode.Put(n, nil, name, value)
	}
	rest := yamlnode.Without(n, func(field string) bool { return field == name })
	if len(rest.Content) == 0 && len(n.Content) > 0 {
		return nil
	}
	return rest
}

// editEach edits each element of a list, or each value of a map.
func editEach(n *yaml.Node, path []string, change func(*yaml.Node) *yaml.Node) *yaml.Node {
	out := *n
	out.Content = slices.Clone(n.Content)
	for i, c := range out.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			continue
		}
		if v := edit(c, path, change); v != nil {
			out.Content[i] = v
		}
	}
	return &out
}

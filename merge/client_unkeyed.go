package merge

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// unkeyed has the decisions about elements of a list if a side has several with one key, such as ports 53 for UDP and
// TCP (rules/apply: lists).
type unkeyed struct {
	decisions map[*element]decision
	differs   bool // whether kubectl makes other elements than config has
}

// keyGroup has the elements of a list with one key, by side.
type keyGroup [3][]*element

// mergeUnkeyed decides the unkeyed elements of a list, key by key.
func (e *element) mergeUnkeyed() unkeyed {
	out := unkeyed{decisions: map[*element]decision{}}
	groups := e.keyGroups()
	removes := slices.ContainsFunc(groups, (*keyGroup).removes) || slices.ContainsFunc(e.children, func(c *element) bool {
		return !c.unkeyed && c.has(origin) && len(removed(c.value[origin], c.value[upstream])) > 0
	})
	for _, g := range groups {
		out.differs = g.decide(out.decisions, e.typ.Keys[0].Name, removes) || out.differs
	}
	return out
}

// keyGroups groups the unkeyed elements of a list by their keys.
func (e *element) keyGroups() (groups []*keyGroup) {
	at := map[string]*keyGroup{}
	for _, c := range e.children {
		if !c.unkeyed {
			continue
		}
		group := at[c.path.String()]
		if group == nil {
			group = &keyGroup{}
			at[c.path.String()], groups = group, append(groups, group)
		}
		for side := range c.value {
			if c.value[side] != nil {
				group[side] = append(group[side], c)
			}
		}
	}
	return groups
}

// removes reports whether kubectl's patch removes an element or a field of one.
func (g *keyGroup) removes() bool {
	nulls, drop := g.deletions()
	return drop || len(nulls) > 0
}

// pairs calls visit with the elements of two sides that kubectl compares. It sorts lists by their keys with a comparison
// that turns equal elements around, so the last ones of both are a pair. The second element is nil for one without a pair.
func (g *keyGroup) pairs(a, b []*element, visit func(x, y *element)) {
	for i := range a {
		x := a[len(a)-1-i]
		if i < len(b) {
			visit(x, b[len(b)-1-i])
		} else {
			visit(x, nil)
		}
	}
}

// deletions returns the fields that config dropped since the last apply, for each element that lost any, and whether an
// element is gone: then the patch removes all elements with the key.
func (g *keyGroup) deletions() (fields [][]string, drop bool) {
	g.pairs(g[origin], g[upstream], func(last, config *element) {
		if config == nil {
			drop = true
		} else if names := removed(last.value[origin], config.value[upstream]); len(names) > 0 {
			fields = append(fields, names)
		}
	})
	return fields, drop
}

// removed returns the fields of a map that another one lacks.
func removed(last, config *yaml.Node) (names []string) {
	for _, name := range yamlnode.Names(last) {
		if yamlnode.Field(config, name) == nil {
			names = append(names, name)
		}
	}
	return names
}

// elementPatch is a part of kubectl's patch for elements with one key: fields to set, and fields to remove.
type elementPatch struct {
	set    []*yaml.Node // keys and values
	remove []string
	drop   bool
}

// patches returns the parts of the patch as kubectl sends them. If the patch removes anything from the list, kubectl
// merges the parts with one key into the first of them.
func (g *keyGroup) patches(key string, removes bool) []*elementPatch {
	var out []*elementPatch
	fields, drop := g.deletions()
	for _, names := range fields {
		out = append(out, &elementPatch{remove: names})
	}
	if drop {
		out = append(out, &elementPatch{drop: true})
	}
	g.pairs(g[upstream], g[local], func(config, live *element) {
		set := config.value[upstream].Content
		if live != nil {
			if set = changedFieldsOf(config.value[upstream], live.value[local]); len(set) == 0 {
				return
			}
			if keyNode, value := yamlnode.Entry(config.value[upstream], key); keyNode != nil {
				set = append([]*yaml.Node{keyNode, value}, set...)
			}
		}
		if removes && len(out) > 0 {
			out[0].set = append(out[0].set, set...)
			return
		}
		out = append(out, &elementPatch{set: set})
	})
	return out
}

// changedFieldsOf returns the fields that config has and live lacks or has with another value.
func changedFieldsOf(config, live *yaml.Node) (out []*yaml.Node) {
	field := yamlnode.Fields(live)
	for name, v := range yamlnode.Pairs(config) {
		if l := field(name.Value); !same(nil, l, v) && !yamlnode.IsNull(v) {
			out = append(out, name, v)
		}
	}
	return out
}

// decide decides the elements with one key as the server applies the patch: each part changes the first element with the
// key that is left. It reports whether the outcome differs from config.
func (g *keyGroup) decide(decisions map[*element]decision, key string, removes bool) (differs bool) {
	left, made := g.apply(g.patches(key, removes))
	for side := range g {
		for _, c := range g[side] {
			decisions[c] = decision{verdict: Drop}
		}
	}
	for _, c := range left {
		switch n := made[c]; {
		case n != nil:
			decisions[c] = decision{verdict: takeMade, made: n}
		default:
			decisions[c] = decision{verdict: TakeLocal}
		}
	}
	g.recordDrift(decisions, left)
	return len(g[upstream]) > 0 && !g.asConfig(left, made)
}

// apply applies the parts of a patch. It returns the elements that are left, and the values of the changed ones.
func (g *keyGroup) apply(patches []*elementPatch) (left []*element, made map[*element]*yaml.Node) {
	if !slices.ContainsFunc(patches, func(p *elementPatch) bool { return p.drop }) {
		left = slices.Clone(g[local])
	}
	made = map[*element]*yaml.Node{}
	added := slices.Clone(g[upstream])
	for _, p := range patches {
		switch {
		case p.drop:
		case len(left) > 0:
			first := left[0]
			n := cmp.Or(made[first], first.value[local])
			n = yamlnode.Without(n, func(name string) bool { return slices.Contains(p.remove, name) })
			made[first] = yamlnode.PutAll(n, p.set)
		case len(added) > 0 && len(p.set) > 0: // an element of config stands for the new one
			made[added[0]] = yamlnode.PutAll(yamlnode.EmptyMap(), p.set)
			left, added = append(left, added[0]), added[1:]
		}
	}
	return left, made
}

// recordDrift records a conflict for each element that is gone and that the last config lacked.
func (g *keyGroup) recordDrift(decisions map[*element]decision, left []*element) {
	for _, c := range g[local] {
		isApplied := func(old *element) bool { return completes(c.typ, old.value[origin], c.value[local]) }
		if !slices.Contains(left, c) && !slices.ContainsFunc(g[origin], isApplied) {
			d := decisions[c]
			d.conflict(Drift, c, upstream)
			decisions[c] = d
		}
	}
}

// asConfig reports whether the elements that are left are config's, but for fields that the server adds.
func (g *keyGroup) asConfig(left []*element, made map[*element]*yaml.Node) bool {
	rest := slices.Clone(left)
	for _, c := range g[upstream] {
		i := slices.IndexFunc(rest, func(l *element) bool {
			return completes(c.typ, unnulled(c.value[upstream]), cmp.Or(made[l], l.value[local]))
		})
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return len(rest) == 0
}

package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Rename is a name or namespace that a side gave a resource, with origin's (rules/fields: references that follow).
type Rename struct{ From, To string }

// onlyFollows reports whether a side changed nothing in an element but references, each of which follows a resource to
// the name or namespace that this side gave it (rules/fields: references that follow). On a branch the name of a resource
// itself is no reference, but a value of its own (rules/git: renamed documents).
func (e *element) onlyFollows(side identity.Side) bool {
	if e.rules == nil || len(e.rules.Renamed[side]) == 0 {
		return false
	}
	o, n := e.value[origin], e.effective(side)
	if o != nil && n != nil && e.resource && e.rules.RemovalsCollide {
		was, is := identity.ReadMeta(o), identity.ReadMeta(n)
		if was.Name != is.Name || was.Namespace != is.Namespace {
			return false
		}
	}
	return follows(o, n, e.rules.Renamed[side])
}

// follows reports whether a value is origin's but for strings in which names or namespaces are replaced by renames.
func follows(o, n *yaml.Node, renames map[Rename]bool) bool {
	if len(renames) == 0 || o == nil || n == nil || !sameForm(o, n) || len(o.Content) != len(n.Content) {
		return false
	}
	switch o.Kind {
	case yaml.ScalarNode:
		return Same(o, n) || isString(o) && isString(n) && followsText(o.Value, n.Value, renames)
	case yaml.MappingNode:
		field := yamlnode.Fields(n)
		for key, v := range yamlnode.Pairs(o) {
			if !follows(v, field(key.Value), renames) {
				return false
			}
		}
		return true
	}
	for i := range o.Content {
		if !follows(o.Content[i], n.Content[i], renames) {
			return false
		}
	}
	return true
}

// followsText is follows for a text, which may have the names among others, as in web.shop.svc and shop/web.
func followsText(o, n string, renames map[Rename]bool) bool {
	was, is := strings.FieldsFunc(o, endsName), strings.FieldsFunc(n, endsName)
	if renames[Rename{o, n}] || len(was) != len(is) {
		return renames[Rename{o, n}]
	}
	for i, word := range was {
		if word != is[i] && !renames[Rename{word, is[i]}] {
			return false
		}
	}
	return true
}

// endsName reports whether a rune ends a name within a text.
func endsName(r rune) bool { return strings.ContainsRune("./:@", r) }

// followed returns lists of elements in which origin and the other side have each element as a side has it that only
// follows renames in it: so that the side changed the other elements alone. An element that the other side changed
// follows, too, also after a merge that let it follow.
func (e *element) followed(lists [3][]*yaml.Node) [3][]*yaml.Node {
	for _, side := range [2]identity.Side{upstream, local} {
		renames := e.rules.Renamed[side]
		if len(renames) == 0 {
			continue
		}
		typ, now := e.typ.Element(), map[string]*yaml.Node{}
		has, origins := map[string]bool{}, map[string]bool{}
		names, alike := namesIn(renames), map[string][]*yaml.Node{}
		for _, n := range lists[side] {
			has[canonicalOf(typ, n)] = true
			text := canonical(masked(n, names))
			alike[text] = append(alike[text], n)
		}
		for i, o := range slices.Concat(lists[origin], lists[otherSide(side)]) {
			text := canonicalOf(typ, o)
			if origins[text] = origins[text] || i < len(lists[origin]); !has[text] && now[text] == nil {
				for _, n := range alike[canonical(masked(o, names))] {
					if follows(o, n, renames) {
						now[text] = n
						break
					}
				}
			}
		}
		if len(now) == 0 {
			continue
		}
		index := newFieldIndex(lists[origin])
		for _, of := range [2]identity.Side{otherSide(side), origin} {
			out := make([]*yaml.Node, len(lists[of]))
			for i, n := range lists[of] {
				if out[i] = now[canonicalOf(typ, n)]; out[i] == nil {
					out[i] = n
					if of == origin || origins[canonicalOf(typ, n)] {
						continue
					}
					if o := index.nearest(n); o != nil && now[canonicalOf(typ, o)] != nil {
						out[i] = following(n, o, now[canonicalOf(typ, o)])
					}
				}
			}
			lists[of] = out
		}
	}
	return lists
}

// namesIn returns the names of renames, old and new ones.
func namesIn(renames map[Rename]bool) map[string]bool {
	names := map[string]bool{}
	for r := range renames {
		names[r.From], names[r.To] = true, true
	}
	return names
}

// masked returns a value with the same text in place of each string with one of some names. If one value follows another,
// their masked forms are equal.
func masked(n *yaml.Node, names map[string]bool) *yaml.Node {
	out := *n
	if n.Kind == yaml.ScalarNode {
		if isString(n) && (names[n.Value] || slices.ContainsFunc(strings.FieldsFunc(n.Value, endsName), func(word string) bool { return names[word] })) {
			out.Value, out.Tag = "", "!!str"
		}
		return &out
	}
	out.Content = slices.Clone(n.Content)
	for i, c := range out.Content {
		if n.Kind != yaml.MappingNode || i%2 == 1 {
			out.Content[i] = masked(c, names)
		}
	}
	return &out
}

// fieldIndex finds the maps of a list by a field with its value.
type fieldIndex map[string][]*yaml.Node

func newFieldIndex(list []*yaml.Node) fieldIndex {
	all := fieldIndex{}
	for _, n := range list {
		for key, v := range yamlnode.Pairs(n) {
			if v.Kind == yaml.ScalarNode {
				text := key.Value + "\x00" + v.Value
				all[text] = append(all[text], n)
			}
		}
	}
	return all
}

// maxAlike is the number of maps beyond which a value that they share tells none of them from the others.
const maxAlike = 64

// nearest returns the map with which a map has more than half of its fields in common, and more than with any other one; nil if
// there is none. The two share a value that few have.
func (all fieldIndex) nearest(n *yaml.Node) (best *yaml.Node) {
	most := len(n.Content) / 2 // of keys and values, half of the fields
	var seen []*yaml.Node
	for key, v := range yamlnode.Pairs(n) {
		few := all[key.Value+"\x00"+v.Value]
		if v.Kind != yaml.ScalarNode || len(few) > maxAlike {
			continue
		}
		for _, o := range few {
			if slices.Contains(seen, o) {
				continue
			}
			seen = append(seen, o)
			common, field := 0, yamlnode.Fields(o)
			for name, value := range yamlnode.Pairs(n) {
				if other := field(name.Value); other != nil && Same(value, other) {
					common += 2
				}
			}
			switch {
			case common > most:
				most, best = common, o
			case common == most:
				best = nil
			}
		}
	}
	return best
}

// following returns a changed version n of the map o with the texts that another version, which follows renames, has in place of o's.
func following(n, o, renamed *yaml.Node) *yaml.Node {
	if n.Kind == yaml.ScalarNode && Same(n, o) {
		return yamlnode.WithText(n, renamed.Value)
	}
	was, is := yamlnode.Fields(o), yamlnode.Fields(renamed)
	for key, v := range yamlnode.Pairs(n) {
		if from, to := was(key.Value), is(key.Value); from != nil && to != nil && from.Kind == v.Kind && to.Kind == v.Kind {
			n = yamlnode.WithField(n, key.Value, following(v, from, to))
		}
	}
	return n
}

package merge

import (
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
	isEnd := func(r rune) bool { return strings.ContainsRune("./:@", r) }
	was, is := strings.FieldsFunc(o, isEnd), strings.FieldsFunc(n, isEnd)
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

// followed returns lists of elements in which origin and the other side have each element as a side has it that only
// follows renames in it: so that the side changed the other elements alone.
func (e *element) followed(lists [3][]*yaml.Node) [3][]*yaml.Node {
	for _, side := range [2]identity.Side{upstream, local} {
		renames := e.rules.Renamed[side]
		if len(renames) == 0 {
			continue
		}
		typ, now := e.typ.Element(), map[string]*yaml.Node{}
		has := map[string]bool{}
		for _, n := range lists[side] {
			has[canonicalOf(typ, n)] = true
		}
		for _, o := range lists[origin] {
			if text := canonicalOf(typ, o); !has[text] {
				for _, n := range lists[side] {
					if follows(o, n, renames) {
						now[text] = n
						break
					}
				}
			}
		}
		for _, of := range [2]identity.Side{origin, otherSide(side)} {
			out := make([]*yaml.Node, len(lists[of]))
			for i, n := range lists[of] {
				if out[i] = now[canonicalOf(typ, n)]; out[i] == nil {
					out[i] = n
				}
			}
			lists[of] = out
		}
	}
	return lists
}

package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Mixed returns the first map of a merged resource that has parts of one value from several versions (rules/laws: one
// version is one value): a version with the digest of another, members of a union that exclude each other, or a key in two
// maps that share none. A version that cannot be collated has nothing to compare, and nothing is found.
func Mixed(versions [3]*yaml.Node, merged *yaml.Node, kind schema.Resource) (at *Path, found bool) {
	prepared, err := expandAll(versions)
	if err != nil {
		return nil, false
	}
	result, err := expandAll([3]*yaml.Node{local: merged})
	if err != nil {
		return nil, false
	}
	return mixed(collator{kind: kind}.resource(prepared), result[local], NewFinder(result[local]))
}

func mixed(e *element, n *yaml.Node, f *Finder) (at *Path, found bool) {
	if n == nil || e.equal {
		return nil, false
	}
	switch e.form {
	case mapping:
		if n.Kind != yaml.MappingNode {
			return nil, false
		}
		if e.isMixed(n) {
			return e.path, true
		}
		for _, c := range e.children {
			if at, found := mixed(c, yamlnode.Field(n, c.path.field), f); found {
				return at, true
			}
		}
	case associative:
		for _, c := range e.children {
			if c.unkeyed {
				continue
			}
			if at, found := mixed(c, f.element(n, c.path.keys), f); found {
				return at, true
			}
		}
	case atomic:
		return e.mixedByIndex(n)
	}
	return nil, false
}

// mixedByIndex compares the elements of lists without keys that have one length.
func (e *element) mixedByIndex(n *yaml.Node) (at *Path, found bool) {
	for _, v := range e.value {
		if v == nil || v.Kind != yaml.SequenceNode || n.Kind != yaml.SequenceNode || len(v.Content) != len(n.Content) {
			return nil, false
		}
	}
	for i, merged := range n.Content {
		c := &element{typ: e.typ.Element(), path: e.path}
		for side, v := range e.value {
			c.value[side] = v.Content[i]
		}
		if slices.ContainsFunc(c.value[:], func(v *yaml.Node) bool { return v.Kind != yaml.MappingNode }) || merged.Kind != yaml.MappingNode {
			continue
		}
		if collateMap(c); c.isMixed(merged) {
			return e.path, true
		}
	}
	return nil, false
}

// isMixed reports whether a merged map has a value of several fields that no version has.
func (e *element) isMixed(n *yaml.Node) bool {
	f := e.imageFields()
	versions := e.versionsBeside(f)
	if f != nil {
		versions = append(versions, f.Tag)
	}
	for _, fields := range versions {
		if !e.isOfOneSide(func(v *yaml.Node) bool {
			return !slices.ContainsFunc(fields, func(name string) bool { return !sameOrAbsent(yamlnode.Field(v, name), yamlnode.Field(n, name)) })
		}) {
			return true
		}
	}
	isMixed := func(u schema.Union) bool { return e.hasMixedMembers(n, u) }
	return slices.ContainsFunc(e.unions(), isMixed) || e.typ != nil && e.sharesKeys(n, e.typ.Apart)
}

// hasMixedMembers reports whether a merged struct has several members of a union, a member beside a discriminator, or a
// member with a companion, and no version has them together.
func (e *element) hasMixedMembers(n *yaml.Node, u schema.Union) bool {
	isIn := func(of *yaml.Node, names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return yamlnode.Field(of, name) == nil })
	}
	members := slices.DeleteFunc(slices.Clone(u.Members), func(name string) bool { return !isIn(n, name) })
	if len(members) == 0 {
		return false
	}
	if !e.isOfOneSide(func(v *yaml.Node) bool {
		return sameOrAbsent(yamlnode.Field(v, u.Discriminator), yamlnode.Field(n, u.Discriminator)) && isIn(v, members...)
	}) && (len(members) > 1 || u.Discriminator != "") {
		return true
	}
	return slices.ContainsFunc(u.Companions, func(name string) bool {
		return isIn(n, name) && !e.isOfOneSide(func(v *yaml.Node) bool { return isIn(v, append(members, name)...) })
	})
}

// isOfOneSide reports whether a version of the map is like the merged one.
func (e *element) isOfOneSide(alike func(v *yaml.Node) bool) bool {
	return slices.ContainsFunc(e.value[:], func(v *yaml.Node) bool { return v != nil && alike(v) })
}

// sharesKeys reports whether two maps of a merged struct that may share no keys share one, and do not in any version.
func (e *element) sharesKeys(n *yaml.Node, apart []string) bool {
	shared := func(of *yaml.Node, name, other string) (keys []string) {
		for _, key := range yamlnode.Names(yamlnode.Field(of, name)) {
			if yamlnode.Field(yamlnode.Field(of, other), key) != nil {
				keys = append(keys, key)
			}
		}
		return keys
	}
	for i, name := range apart {
		for _, other := range apart[i+1:] {
			for _, key := range shared(n, name, other) {
				if !e.isOfOneSide(func(v *yaml.Node) bool { return slices.Contains(shared(v, name, other), key) }) {
					return true
				}
			}
		}
	}
	return false
}

func sameOrAbsent(a, b *yaml.Node) bool {
	return a == nil && b == nil || a != nil && b != nil && Same(a, b)
}

package main

import "slices"

// quad is a resource in the four versions; nil where one lacks it.
type quad struct{ versions [4]*resource }

// name is the name of the quad in findings.
func (q quad) name() string {
	for _, side := range []int{local, upstream, origin, result} {
		if r := q.versions[side]; r != nil {
			return r.id.String() + " (" + r.file + ")"
		}
	}
	return ""
}

// values are the four versions' values.
func (q quad) values() [4]any {
	var v [4]any
	for side, r := range q.versions {
		v[side] = absent{}
		if r != nil {
			v[side] = r.value
		}
	}
	return v
}

// matcher puts the versions together, without asking the function.
type matcher struct {
	quads []*quad
	of    map[*resource]*quad
}

// match makes quads of the four versions. Local's resources know their resources in
// origin; the others are matched by identity, first at the same path (rules/identity:
// matching).
func match(sides [4][]*resource) []*quad {
	m := &matcher{of: map[*resource]*quad{}}
	for _, r := range sides[origin] {
		m.add(origin, r, nil)
	}
	for _, r := range sides[local] {
		m.add(local, r, m.of[r.origin])
	}
	m.join(upstream, sides[upstream], []int{origin, local}, likenesses(nil))
	m.join(result, sides[result], []int{local, upstream}, likenesses(movesOf(m.quads)))
	return m.quads
}

// add puts a resource into a quad, a new one if it is nil.
func (m *matcher) add(side int, r *resource, q *quad) {
	if q == nil {
		q = &quad{}
		m.quads = append(m.quads, q)
	}
	q.versions[side] = r
	m.of[r] = q
}

// join finds the quad of each resource of a side, by its likeness to one of the
// sides that are asked, the closest likeness first.
func (m *matcher) join(side int, resources []*resource, asked []int, likenesses []likeness) {
	rest := resources
	for i, like := range likenesses {
		for _, other := range asked {
			rest = m.joinBy(side, rest, other, like, i == 0)
		}
	}
	for _, r := range rest {
		m.add(side, r, nil)
	}
}

// joinBy joins resources that are alike and the only ones, and returns the others.
// Several in one file are joined in their order, if they are as many.
func (m *matcher) joinBy(side int, resources []*resource, other int, like likeness, inOrder bool) (rest []*resource) {
	free := map[id][]*quad{}
	for _, q := range m.quads {
		if r := q.versions[other]; r != nil && q.versions[side] == nil {
			free[like(r)] = append(free[like(r)], q)
		}
	}
	count := map[id]int{}
	for _, r := range resources {
		count[like(r)]++
	}
	for _, r := range resources {
		k := like(r)
		if len(free[k]) == 0 || len(free[k]) != count[k] || count[k] > 1 && !inOrder {
			rest = append(rest, r)
			continue
		}
		m.add(side, r, free[k][0])
		free[k], count[k] = free[k][1:], count[k]-1
	}
	return rest
}

// likeness returns the ID that two versions of a resource have in common.
type likeness func(*resource) id

// likenesses are, closest first: identity and file; identity; identity but for the
// namespace of a kind that has none, and for a group that moved; and but for the namespaces that local moved.
func likenesses(m moves) []likeness {
	out := []likeness{
		func(r *resource) id { return at(r.id, r.file) },
		func(r *resource) id { return named(r, r.id) },
		func(r *resource) id { return named(r, general(r.id)) },
	}
	if len(m) == 0 {
		return out
	}
	following := func(r *resource) id { return named(r, m.id(general(r.id))) }
	return append(out, func(r *resource) id { return at(following(r), r.file) }, following)
}

// named is an ID, in its file where it has no name: only the path tells then.
func named(r *resource, i id) id {
	if i.name == "" {
		return at(i, r.file)
	}
	return i
}

// at is an ID in a file.
func at(i id, file string) id {
	i.group += "\x00" + file
	return i
}

func general(i id) id {
	switch i.group {
	case "extensions", "apps", "networking.k8s.io", "policy":
		i.group = "apps"
	}
	if isClusterScoped(i.kind) {
		i.namespace = ""
	}
	return i
}

func isClusterScoped(kind string) bool {
	return slices.Contains([]string{
		"ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "Namespace", "PersistentVolume", "StorageClass",
		"PriorityClass", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "APIService", "IngressClass",
		"PodSecurityPolicy", "CSIDriver", "RuntimeClass",
	}, kind)
}

package main

import (
	"maps"
	"slices"
)

// moves are the namespaces that local put into the place of origin's, by origin's: those of all resources that both have,
// at least two of them (rules/adopt: what follows).
type moves map[string]string

// movesOf compares the namespaces of origin's and local's resources.
func movesOf(quads []*quad) moves {
	to, count := map[string]map[string]bool{}, map[string]int{}
	for _, q := range quads {
		o, l := q.versions[origin], q.versions[local]
		if o == nil || l == nil || o.id.namespace == "" {
			continue
		}
		from := o.id.namespace
		if to[from] == nil {
			to[from] = map[string]bool{}
		}
		to[from][l.id.namespace] = true
		count[from]++
	}
	out := moves{}
	for from, names := range to {
		for name := range names {
			if len(names) == 1 && name != from && name != "" && count[from] > 1 {
				out[from] = name
			}
		}
	}
	return out
}

// place is the namespace that local has in the place of another one.
func (m moves) place(namespace string) string {
	if to, moved := m[namespace]; moved {
		return to
	}
	return namespace
}

// id is an identity in local's namespace.
func (m moves) id(i id) id {
	i.namespace = m.place(i.namespace)
	return i
}

// follow is a value with local's namespace in the place of each of origin's that a field names.
func (m moves) follow(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, field := range v {
			if text, isText := field.(string); isText && name == "namespace" {
				out[name] = m.place(text)
				continue
			}
			out[name] = m.follow(field)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = m.follow(v[i])
		}
		return out
	}
	return v
}

// followed reports whether upstream added a resource, and the result has it as a copy in local's namespace.
func (q *quad) followed(m moves) bool {
	u, r := q.versions[upstream], q.versions[result]
	return q.versions[origin] == nil && q.versions[local] == nil && u != nil && r != nil && same(m.follow(withSubjects(u)), m.follow(withSubjects(r)))
}

// withSubjects is the value of a resource in which each subject has a namespace: its own one, or the resource's.
func withSubjects(r *resource) map[string]any {
	subjects, isList := r.value["subjects"].([]any)
	if !isList {
		return r.value
	}
	out, all := maps.Clone(r.value), slices.Clone(subjects)
	for i, s := range all {
		if subject, isMap := s.(map[string]any); isMap && subject["namespace"] == nil {
			subject = maps.Clone(subject)
			subject["namespace"] = r.id.namespace
			all[i] = subject
		}
	}
	out["subjects"] = all
	return out
}

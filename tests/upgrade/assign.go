package main

import (
	"maps"
	"slices"
	"strings"
)

// assign finds the resource that each report is about; nil has the reports that
// are about none. A file that was left to the user is reported in whole.
func assign(o outcome, quads []*quad) map[*quad][]conflict {
	out := map[*quad][]conflict{}
	for _, c := range o.told {
		q := subject(c, quads)
		out[q] = append(out[q], c)
	}
	for _, q := range quads {
		for _, r := range q.versions[:result] {
			if r != nil && (slices.Contains(o.untold, r.file) || slices.Contains(o.broken, r.file)) {
				out[q] = append(out[q], conflict{kind: "left"})
				break
			}
		}
	}
	return out
}

// subject is the resource that a report names, that in the report's file first.
func subject(c conflict, quads []*quad) *quad {
	var found *quad
	for _, q := range quads {
		for _, side := range []int{local, upstream, origin} {
			r := q.versions[side]
			if r == nil || r.id != c.id {
				continue
			}
			if strings.TrimPrefix(strings.TrimPrefix(c.file, "upstream/"), "origin/") == r.file {
				return q
			}
			if found == nil {
				found = q
			}
		}
	}
	return found
}

// compare compares the versions of a resource, and judges what was reported
// about it.
func (q *quad) compare(told []conflict, m moves) comparison {
	var c comparison
	var alarms []finding
	v := q.values()
	if q.versions[upstream] == nil && q.onlyRenamed(m) {
		// alone, a rename keeps nothing that upstream deleted (rules/resources: additions and
		// deletions)
		v[local] = v[origin]
	}
	if len(told) == 0 && q.versions[origin] != nil && q.versions[local] == nil && q.versions[result] == nil {
		v[upstream] = v[origin] // what local removed on purpose stays removed (rules/resources)
	}
	if q.followed(m) {
		v[upstream] = v[result]
	}
	for _, t := range told {
		path, isTrue := judge(v, t.path)
		if isTrue || t.kind == "left" || t.kind == "order" || q.migrated() {
			c.told = append(c.told, path)
			continue
		}
		alarms = append(alarms, finding{falseAlarm, t.path, t.message})
	}
	c.visit("", v)
	c.findings = append(c.findings, alarms...)
	for i := range c.findings {
		c.findings[i].path = q.name() + " " + c.findings[i].path
	}
	return c
}

// onlyRenamed reports whether local changed nothing but the name and the
// namespace, and the references that follow.
func (q *quad) onlyRenamed(m moves) bool {
	o, l := q.versions[origin], q.versions[local]
	return o != nil && l != nil && same(m.follow(unnamed(o.value)), m.follow(unnamed(l.value)))
}

// unnamed is a resource without its name and namespace.
func unnamed(value map[string]any) map[string]any {
	metadata, isMap := value["metadata"].(map[string]any)
	if !isMap {
		return value
	}
	out, rest := maps.Clone(value), maps.Clone(metadata)
	delete(rest, "name")
	delete(rest, "namespace")
	out["metadata"] = rest
	return out
}

// migrated reports whether one side changed the version of the kind: a field that
// the new version lacks is a conflict (rules/resources: a new apiVersion).
func (q *quad) migrated() bool {
	o, u, l := q.versions[origin], q.versions[upstream], q.versions[local]
	return o != nil && (u != nil && u.version != o.version || l != nil && l.version != o.version)
}

func lostReports(told []conflict) []finding {
	var out []finding
	for _, c := range told {
		out = append(out, finding{falseAlarm, c.id.String(), "about no resource: " + c.message})
	}
	return out
}

// doubled finds resources that the result has more often than a side, which may have them in a namespace that local moved,
// and elements that share their name though no side's do.
func doubled(quads []*quad, m moves) []finding {
	var counts [4]map[id]int
	for side := range counts {
		counts[side] = map[id]int{}
		for _, q := range quads {
			if r := q.versions[side]; r != nil && r.id.name != "" {
				counts[side][m.id(r.id)]++
			}
		}
	}
	var out []finding
	for _, q := range quads {
		r := q.versions[result]
		if r == nil {
			continue
		}
		i := m.id(r.id)
		if n := counts[result][i]; n > max(counts[upstream][i], counts[local][i]) && n > 1 && q.versions[local] == nil {
			out = append(out, finding{invalid, q.name(), "occurs more often than on a side"})
		}
		for path := range twins(q.versions[result].value, "") {
			if !isTwin(q, path) {
				out = append(out, finding{invalid, q.name() + " " + path, "two elements of one name"})
			}
		}
	}
	return out
}

func isTwin(q *quad, path string) bool {
	for _, r := range q.versions[:result] {
		if r != nil && twins(r.value, "")[path] {
			return true
		}
	}
	return false
}

// twins are the paths of elements that share their name with another.
func twins(v any, path string) map[string]bool {
	out := map[string]bool{}
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			for p := range twins(v[name], path+fieldStep(name)) {
				out[p] = true
			}
		}
	case []any:
		seen := map[any]bool{}
		for _, e := range v {
			m, _ := e.(map[string]any)
			step := "[]"
			if isScalar(m["name"]) {
				step = elementStep(e, []string{"name"})
				out[path+step] = out[path+step] || seen[step]
				seen[step] = true
			}
			for p := range twins(e, path+step) {
				out[p] = true
			}
		}
	}
	for p := range out {
		if !out[p] {
			delete(out, p)
		}
	}
	return out
}

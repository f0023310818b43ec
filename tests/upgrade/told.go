package main

import (
	"fmt"
	"strings"
)

// conflict is a conflict that a merge reported.
type conflict struct {
	kind, file, path string
	id               id
	message          string
}

// judge walks to a reported path and returns it as the comparison writes it,
// and whether it is true: both sides changed something there, differently. A
// conflict is true too where one side removed an element that holds the path.
func judge(v [4]any, path string) (normal string, isTrue bool) {
	for _, step := range splitPath(path) {
		if changedByBoth(v) && removed(v) {
			return normal, true
		}
		name, next, found := child(v, step)
		if !found {
			break
		}
		normal, v = normal+name, next
	}
	return normal, isConflict(normal, v)
}

func changedByBoth(v [4]any) bool {
	return !same(v[origin], v[upstream]) && !same(v[origin], v[local]) && !same(v[upstream], v[local])
}

// isConflict reports whether the sides changed something differently there.
func isConflict(path string, v [4]any) bool {
	if !changedByBoth(v) {
		return false
	}
	v[result] = absent{}
	c := comparison{told: []string{""}}
	c.visit(path, v)
	for _, f := range c.findings {
		if f.kind == conflicting {
			return true
		}
	}
	return switchedTwice(v)
}

// switchedTwice reports whether both sides took a field out of a map and put
// different ones into it: two switches of a union.
func switchedTwice(v [4]any) bool {
	o, _ := v[origin].(map[string]any)
	u, _ := v[upstream].(map[string]any)
	l, _ := v[local].(map[string]any)
	for name := range o {
		_, inUpstream := u[name]
		_, inLocal := l[name]
		if !inUpstream && !inLocal {
			return true
		}
	}
	return false
}

// child returns the values a step below v: by the step's name, or an element by
// the fields that the step names.
func child(v [4]any, step string) (name string, next [4]any, found bool) {
	steps, children, ok := childrenOf(v)
	if !ok {
		return "", next, false
	}
	if next, found := children[step]; found {
		return step, next, true
	}
	for _, name := range steps {
		for _, e := range children[name] {
			if m, isMap := e.(map[string]any); isMap && strings.HasPrefix(step, "[") && hasFields(m, step) {
				return name, children[name], true
			}
		}
	}
	return "", next, false
}

// hasFields reports whether an element has each field as a step says.
func hasFields(m map[string]any, step string) bool {
	for _, part := range strings.Split(strings.Trim(step, "[]"), ",") {
		name, text, _ := strings.Cut(part, "=")
		v, found := m[name]
		if !found && part == `protocol="TCP"` {
			continue
		}
		if !found || strings.Trim(text, `"`) != fmt.Sprint(v) {
			return false
		}
	}
	return true
}

// splitPath parts a path into steps as the comparison writes them.
func splitPath(path string) []string {
	var steps []string
	start, inBrackets, inQuotes := 0, false, false
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case inQuotes && c == '\\':
			i++
		case c == '"':
			inQuotes = !inQuotes
		case inQuotes:
		case c == ']':
			inBrackets = false
		case !inBrackets && (c == '.' || c == '['):
			steps = addStep(steps, path[start:i])
			start, inBrackets = i, c == '['
		}
	}
	return addStep(steps, path[start:])
}

func addStep(steps []string, step string) []string {
	switch {
	case step == "":
		return steps
	case step[0] != '.' && step[0] != '[':
		step = "." + step
	}
	return append(steps, step)
}

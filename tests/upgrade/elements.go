package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// keyCandidates are the keys by which elements of lists are told apart, as people
// do, without asking the function's schema: a key counts if every element on every
// side has its first field as a scalar and no two elements of a side agree.
func keyCandidates() [][]string {
	return [][]string{
		{"containerPort", "protocol"}, {"port", "protocol"}, {"mountPath"}, {"devicePath"}, {"ip"},
		{"topologyKey", "whenUnsatisfiable"}, {"name"}, {"uid"},
	}
}

// childrenOf are the values below v by the last step of their path: fields of a
// map, elements of lists that have a key on all sides. ok is false where there is
// nothing below, or the values are of different kinds.
func childrenOf(sides [4]any) (steps []string, children map[string][4]any, ok bool) {
	maps, lists := 0, 0
	for _, v := range sides {
		switch v.(type) {
		case map[string]any:
			maps++
		case []any:
			lists++
		case absent:
		default:
			return nil, nil, false
		}
	}
	switch {
	case maps > 0 && lists == 0:
		steps, children = fields(sides)
		return steps, children, true
	case lists > 0 && maps == 0:
		return elements(sides)
	}
	return nil, nil, false
}

func fields(sides [4]any) (steps []string, children map[string][4]any) {
	children = map[string][4]any{}
	for i, v := range sides {
		m, _ := v.(map[string]any)
		for name, field := range m {
			steps = put(steps, children, fieldStep(name), i, field)
		}
	}
	slices.Sort(steps)
	return steps, children
}

// put notes what side i has at a step.
func put(steps []string, children map[string][4]any, step string, i int, v any) []string {
	all, found := children[step]
	if !found {
		steps = append(steps, step)
		all = [4]any{absent{}, absent{}, absent{}, absent{}}
	}
	all[i] = v
	children[step] = all
	return steps
}

// fieldStep writes a field as the function's results do.
func fieldStep(name string) string {
	for _, r := range name {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_') {
			return "[" + strconv.Quote(name) + "]"
		}
	}
	return "." + name
}

func elements(sides [4]any) (steps []string, children map[string][4]any, ok bool) {
	key := keyOf(sides)
	if key == nil {
		return nil, nil, false
	}
	aliases := rekeyed(sides, key)
	children = map[string][4]any{}
	for i, v := range sides {
		list, _ := v.([]any)
		for _, e := range list {
			step := elementStep(e, key)
			if was, found := aliases[i][step]; found {
				step = was
			}
			steps = put(steps, children, step, i, e)
		}
	}
	return steps, children, true
}

// keyOf is the first key that tells all elements apart, nil if there is none.
// The result does not count: it may have elements that no list should.
func keyOf(sides [4]any) []string {
	for _, key := range keyCandidates() {
		if tellsApart(sides[:result], key) {
			return key
		}
	}
	return nil
}

func tellsApart(sides []any, key []string) bool {
	found := false
	for _, v := range sides {
		list, _ := v.([]any)
		seen := map[string]bool{}
		for _, e := range list {
			m, isMap := e.(map[string]any)
			if !isMap || !isScalar(m[key[0]]) || seen[elementStep(e, key)] {
				return false
			}
			seen[elementStep(e, key)] = true
			found = true
		}
	}
	return found
}

func isScalar(v any) bool {
	switch v.(type) {
	case nil, map[string]any, []any:
		return false
	}
	return true
}

// elementStep writes an element as the function's results do.
func elementStep(e any, key []string) string {
	m, _ := e.(map[string]any)
	var parts []string
	for _, name := range slices.Sorted(slices.Values(key)) {
		v := m[name]
		if v == nil && name == "protocol" {
			v = "TCP"
		}
		switch v := v.(type) {
		case nil:
		case string:
			parts = append(parts, name+"="+strconv.Quote(v))
		default:
			parts = append(parts, name+"="+fmt.Sprint(v))
		}
	}
	return "[" + strings.Join(parts, ",") + "]"
}

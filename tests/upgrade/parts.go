package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// mergeParts merges a value that both sides changed by its parts: name and tag of an
// image, lines of a text, such strings in a list (rules/fields: images). It returns
// false where a part was changed differently by both.
func mergeParts(path string, v [4]any) (any, bool) {
	if strings.HasSuffix(path, ".image") {
		return mergeImage(v)
	}
	lists := [3][]any{}
	for i := range lists {
		list, isList := v[i].([]any)
		if !isList || len(list) == 0 {
			return mergeText(v)
		}
		lists[i] = list
	}
	if len(lists[0]) != len(lists[1]) || len(lists[0]) != len(lists[2]) {
		return nil, false
	}
	merged := make([]any, len(lists[0]))
	for i := range merged {
		e, can := mergeElement([4]any{lists[0][i], lists[1][i], lists[2][i]})
		if !can {
			return nil, false
		}
		merged[i] = e
	}
	return merged, true
}

// mergeElement merges an element of a list whose elements have no names: only
// lines of texts are parts there.
func mergeElement(v [4]any) (any, bool) {
	switch {
	case same(v[origin], v[upstream]), same(v[upstream], v[local]):
		return v[local], true
	case same(v[origin], v[local]):
		return nil, false
	}
	return mergeText(v)
}

// imagePattern parts an image into its name and what follows it.
func imagePattern() *regexp.Regexp {
	return regexp.MustCompile(`^([^\s@]*?[^\s@/]+?)(:[\w][\w.-]*)?(@sha256:[0-9a-f]+)?$`)
}

func mergeImage(v [4]any) (any, bool) {
	var names, tags [3]string
	for i := range names {
		text, isText := v[i].(string)
		m := imagePattern().FindStringSubmatch(text)
		if !isText || m == nil {
			return nil, false
		}
		names[i], tags[i] = m[1], m[2]+m[3]
	}
	name, can := mergeOne(names)
	tag, canToo := mergeOne(tags)
	return name + tag, can && canToo
}

func mergeOne(v [3]string) (string, bool) {
	switch {
	case v[origin] == v[upstream], v[upstream] == v[local]:
		return v[local], true
	case v[origin] == v[local]:
		return v[upstream], true
	}
	return "", false
}

// mergeText has git merge the lines of a text. A merge that makes a text that is
// no JSON or YAML of three that are is none.
func mergeText(v [4]any) (any, bool) {
	dir, err := os.MkdirTemp("", "upgrade-")
	if err != nil {
		return nil, false
	}
	defer os.RemoveAll(dir)
	for i, name := range []string{"origin", "upstream", "local"} {
		text, isText := v[i].(string)
		if !isText || !strings.Contains(strings.TrimSuffix(text, "\n"), "\n") {
			return nil, false
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, false
		}
	}
	out, err := git(dir, "merge-file", "-p", "local", "origin", "upstream")
	spoilt := parses(v[origin]) && parses(v[upstream]) && parses(v[local]) && !parses(string(out))
	return string(out), err == nil && !spoilt
}

func parses(text any) bool {
	var v any
	return yaml.Unmarshal([]byte(text.(string)), &v) == nil
}

// hasBoth reports whether the result is a list that has what each side added,
// and not what either removed: the list was merged as a set.
func hasBoth(v [4]any) bool {
	var lists [4][]any
	for i := range v {
		list, isList := v[i].([]any)
		if !isList && !isAbsent(v[i]) {
			return false
		}
		lists[i] = list
	}
	for _, side := range []int{upstream, local} {
		for _, e := range lists[side] {
			if !has(lists[origin], e) && !has(lists[result], e) {
				return false
			}
		}
		for _, e := range lists[origin] {
			if !has(lists[side], e) && has(lists[result], e) {
				return false
			}
		}
	}
	return len(lists[result]) > 0 && plausible(v[result], v[upstream:result])
}

func has(list []any, e any) bool {
	return slices.ContainsFunc(list, func(x any) bool { return same(x, e) })
}

// plausible reports whether every part of a value is one of a side.
func plausible(v any, sides []any) bool {
	if isAbsent(v) || has(sides, v) {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			if !plausible(v[name], under(sides, name)) {
				return false
			}
		}
		return true
	case []any:
		for _, e := range v {
			if !plausible(e, inside(sides)) {
				return false
			}
		}
		return true
	}
	return false
}

func under(sides []any, name string) []any {
	var out []any
	for _, s := range sides {
		if m, isMap := s.(map[string]any); isMap {
			out = append(out, m[name])
		}
	}
	return out
}

func inside(sides []any) []any {
	var out []any
	for _, s := range sides {
		if list, isList := s.([]any); isList {
			out = append(out, list...)
		}
	}
	return out
}

// show is the four values on a line.
func show(v [4]any) string {
	var b strings.Builder
	for i, name := range []string{"origin", "upstream", "local", "result"} {
		text := "-"
		if !isAbsent(v[i]) {
			text = strings.Join(strings.Fields(fmt.Sprintf("%#v", v[i])), " ")
			text = strings.NewReplacer("map[string]interface {}", "", "[]interface {}", "").Replace(text)
		}
		if len(text) > 160 {
			text = text[:80] + " ... " + text[len(text)-80:]
		}
		fmt.Fprintf(&b, "%s %s; ", name, text)
	}
	return strings.TrimSuffix(b.String(), "; ")
}

package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// resource is a resource that is drawn.
type resource = map[string]any

// draw returns three versions of a package; two of them have changes of their own.
func draw(text string, random *rand.Rand) (out [3]pkgmerge.Package, err error) {
	documents := some(strings.Split(text, "---\n"), random)
	for side := range out {
		var all []resource
		for _, document := range documents {
			var r resource
			if err := yaml.Unmarshal([]byte(document), &r); err != nil {
				return out, err
			}
			all = append(all, r)
		}
		if side > 0 {
			all = changed(all, random, side == 2)
		}
		if out[side], err = packageOf(all); err != nil {
			return out, err
		}
	}
	return out, nil
}

// some are a few documents, in their order.
func some(documents []string, random *rand.Rand) (out []string) {
	chance := 2 + random.IntN(5)
	for len(out) < 2 {
		for _, d := range documents {
			if random.IntN(chance) == 0 {
				out = append(out, d)
			}
		}
	}
	return out
}

func packageOf(all []resource) (pkgmerge.Package, error) {
	var b strings.Builder
	for _, r := range all {
		text, err := yaml.Marshal(r)
		if err != nil {
			return pkgmerge.Package{}, err
		}
		fmt.Fprintf(&b, "---\n%s", text)
	}
	return pkgmerge.NewPackage([]pkgmerge.File{{Name: "shop.yaml", Mode: 0o644, Data: []byte(b.String())}})
}

// changed is a package with a few changes; a fork's may be about all of it.
func changed(all []resource, random *rand.Rand, fork bool) []resource {
	for range random.IntN(4) {
		r := all[random.IntN(len(all))]
		for _, field := range [3]string{"spec", "data", "subjects"} {
			if r[field] != nil {
				change(r[field], field, random)
			}
		}
	}
	if random.IntN(3) == 0 {
		at := random.IntN(len(all))
		all = slices.Delete(all, at, at+1)
	}
	if random.IntN(3) == 0 {
		all = append(all, resource{
			"apiVersion": "v1", "kind": "ConfigMap", "data": resource{"of": fmt.Sprint(fork)},
			"metadata": resource{"name": fmt.Sprint("extra", fork), "namespace": "store"},
		})
	}
	if fork {
		for range random.IntN(4) {
			habits()[random.IntN(len(habits()))](all, random)
		}
	}
	return all
}

// change changes something in a map or a list: a scalar, the order, a field or an
// element that goes or comes.
func change(v any, at string, random *rand.Rand) {
	switch v := v.(type) {
	case resource:
		names := slices.Sorted(maps.Keys(v))
		if len(names) == 0 {
			return
		}
		name := names[random.IntN(len(names))]
		list, isList := v[name].([]any)
		switch _, isMap := v[name].(resource); {
		case name == "name", name == "namespace", name == "labels", name == "selector", name == "kind":
		case random.IntN(8) == 0:
			delete(v, name)
		case isList && name != "slots" && random.IntN(3) == 0:
			random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		case isList && len(list) > 0 && random.IntN(4) == 0:
			at := random.IntN(len(list))
			v[name] = slices.Delete(slices.Clone(list), at, at+1)
		case isList && len(list) > 0 && random.IntN(4) == 0:
			v[name] = append(slices.Clone(list), another(list[0], name, random))
		case isList || isMap:
			change(v[name], name, random)
		default:
			v[name] = scalar(name, v[name], random)
		}
	case []any:
		if len(v) > 0 {
			change(v[random.IntN(len(v))], at, random)
		}
	}
}

// another is an element of a list with another key.
func another(element any, of string, random *rand.Rand) any {
	m, isMap := element.(resource)
	if !isMap {
		return fmt.Sprint(element, random.IntN(3))
	}
	out := maps.Clone(m)
	switch {
	case of == "ports" && m["port"] != nil:
		out["port"] = 7000 + random.IntN(3)
	case of == "ports":
		out["containerPort"] = 7000 + random.IntN(3)
	case of == "volumeMounts":
		out["mountPath"] = fmt.Sprint("/", random.IntN(3))
	}
	if m["name"] != nil && of != "volumeMounts" {
		out["name"] = fmt.Sprint("new", random.IntN(3))
	}
	return out
}

func scalar(name string, v any, random *rand.Rand) any {
	switch {
	case name == "image":
		return []string{"web:1", "web", "mirror.example.com:5000/web:2", "busybox@sha256:" + strings.Repeat("0", 64)}[random.IntN(4)]
	case name == "protocol":
		return []string{"TCP", "UDP"}[random.IntN(2)]
	}
	if _, isNumber := v.(int); isNumber {
		return random.IntN(5) + 1
	}
	return []string{"on", "other", "10", "a: b"}[random.IntN(4)]
}

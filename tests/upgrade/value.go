package main

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// absent is the value of a field that is not there; a null that is written is
// nil.
type absent struct{}

func isAbsent(v any) bool { _, is := v.(absent); return is }

// same reports whether two values are equal.
func same(a, b any) bool { return reflect.DeepEqual(a, b) }

// stringKeys makes the keys of all maps strings, as Kubernetes reads them, and
// timestamps too.
func stringKeys(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = stringKeys(v[k])
		}
	case map[any]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[fmt.Sprint(k)] = stringKeys(v[k])
		}
		return out
	case []any:
		for i := range v {
			v[i] = stringKeys(v[i])
		}
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	return v
}

// withoutBookkeeping takes off the annotations by which kpt and kyaml keep
// their books.
func withoutBookkeeping(m map[string]any) map[string]any {
	metadata, _ := m["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	_, written := metadata["annotations"]
	for name := range annotations {
		if isBookkeeping(name) {
			delete(annotations, name)
		}
	}
	if written && len(annotations) == 0 {
		delete(metadata, "annotations")
	}
	return m
}

func isBookkeeping(name string) bool {
	switch name {
	case "config.kubernetes.io/path", "config.kubernetes.io/index", "config.kubernetes.io/merge-source", "config.k8s.io/id":
		return true
	}
	return strings.HasPrefix(name, "internal.")
}

package cluster

import (
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

// class is a kind of difference that is meant: the server's objects here and there are
// equal once without has taken some fields out.
type class struct {
	name, reason string
	without      func(c *comparison, object server.Object) server.Object
}

// classes are the differences that are meant, the first that explains one counts.
// rules/apply: fields says why.
func classes() []class {
	return []class{
		{
			"order", "kubectl places what only live has by its index there, we after what it followed there",
			func(_ *comparison, object server.Object) server.Object { return sorted(object).(server.Object) },
		},
	}
}

// meant are the names of the classes as a tally counts them.
func meant() []string {
	var names []string
	for _, class := range classes() {
		names = append(names, asMeant+class.name)
	}
	return names
}

const asMeant = "different as meant: "

// classOf returns the name of the class that, with the classes before it, explains the
// difference between the server's objects, "" if none does.
func (c *comparison) classOf(here, there server.Object) string {
	for _, class := range classes() {
		here, there = class.without(c, here), class.without(c, there)
		if cmp.Equal(here, there) {
			return class.name
		}
	}
	return ""
}

// sets are the names of lists whose order means nothing to strategic merge: it finds
// their elements by keys, or they are sets.
func sets() []string {
	return []string{"containers", "env", "finalizers", "hostAliases", "imagePullSecrets", "initContainers", "ports",
		"secrets", "topologySpreadConstraints", "volumeMounts", "volumes"}
}

// sorted is a value in which such lists are sorted.
func sorted(value any) any {
	switch value := value.(type) {
	case server.Object:
		out := server.Object{}
		for key, v := range value {
			out[key] = sorted(v)
			if list, ok := out[key].([]any); ok && slices.Contains(sets(), key) {
				slices.SortFunc(list, func(a, b any) int {
					return strings.Compare(manifest(server.Object{"": a}), manifest(server.Object{"": b}))
				})
			}
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			out[i] = sorted(v)
		}
		return out
	default:
		return value
	}
}

package merge

import (
	"maps"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

// DrawnPair are two versions of a built-in kind. GoType is nil where the tests have no Go
// type of the kind.
type DrawnPair struct {
	Name, APIVersion, Kind string
	GoType                 runtime.Object
	From, To               map[string]any
}

// EachDrawnPair draws pairs of versions of every built-in kind, so many of each: in some,
// elements of lists change places or are there twice, and in some, fields are null.
func EachDrawnPair(t *testing.T, seeds int, check func(DrawnPair)) {
	t.Helper()
	types := goTypes()
	every := func(kindUnderTest) bool { return true }
	eachDrawn(t, seeds, every, func(d drawer, c drawn) {
		pair := DrawnPair{
			Name: c.name, APIVersion: c.kind.apiVersion, Kind: c.kind.kind, GoType: typeOf(types, c.kind),
			From: c.sides[origin].(map[string]any), To: c.sides[local].(map[string]any),
		}
		d.disturb(pair.From, d.IntN(4))
		d.disturb(pair.To, d.IntN(4))
		for _, side := range [2]map[string]any{pair.From, pair.To} {
			side["metadata"].(map[string]any)["name"] = "x"
		}
		check(pair)
	})
}

// disturb does to an object what drawing and editing along a schema never do: in one of
// four ways nothing.
func (d drawer) disturb(v any, how int) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list, isList := v[name].([]any)
			switch {
			case isList && len(list) > 0 && how == 1 && d.IntN(2) == 0:
				d.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			case isList && len(list) > 0 && how == 2 && d.IntN(4) == 0:
				v[name] = append(list, deepCopy(list[d.IntN(len(list))]))
			case how == 3 && name != "apiVersion" && name != "kind" && name != "metadata" && d.IntN(12) == 0:
				v[name] = nil
			}
			d.disturb(v[name], how)
		}
	case []any:
		for _, element := range v {
			d.disturb(element, how)
		}
	}
}

package patches

import (
	"maps"
	"strings"

	"pgregory.net/rapid"
)

// object is a resource as JSON has it. Numbers are int64, uint64 or float64.
type object = map[string]any

// hostileKeys are names of entries that JSON pointers, YAML or strategic merge could take
// for something else.
func hostileKeys() []string {
	return []string{
		"a", "b", "", "/", "~", "~0", "~1", "~01", "a/b", "a~1b", "a.b", "a[b]", "0", "1", "01", "-", "-1", "1.5", "1e3", "0x10", "0o7",
		"true", "null", "y", "on", "No", "<<", "=", "$patch", "$retainKeys", "$setElementOrder/a", "$deleteFromPrimitiveList/a", "$other",
		" a", "a ", "a: b", ":a", "#a", "a #b", "'", `"`, `\`, "\n", "a\nb", "\t", "\x00", "\u0085", "\u2028", "\ufeff", "ä/ü", "日本", "😀",
		"!x", "&x", "*x", "%x", "@x", "`", "{", "}", "[", "]", ",", "?", "? a", "- a", "---", "...", "1:30", "2001-01-01", strings.Repeat("long", 60),
	}
}

// hostileTexts are texts that a writer of YAML must take care of.
func hostileTexts() []string {
	return append(hostileKeys(), "yes", "OFF", "~", ".inf", ".nan", "1_000", "+1", "0777", "0b1", "190:20:30.15", "\n\n", "  a\n b\n", "a\n\n", "\ta\n", "a\n  b\n",
		" \n", "a\r\nb", "a\rb", "# a\nb", "a  \nb", "\x7f", "\x1b[0m", "- op: remove\n  path: /a\n", "---\na: b\n", "<script>&amp;", strings.Repeat("a b\n", 300))
}

func drawScalar() *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		if rapid.IntRange(0, 2).Draw(t, "what") > 0 {
			return rapid.SampledFrom(hostileTexts()).Draw(t, "text")
		}
		return rapid.SampledFrom([]any{
			true, false, int64(0), int64(1), int64(-1), int64(1) << 53, int64(1)<<53 + 1, int64(9223372036854775807), 0.5, 1.0, 1e21, -2.5e-7, nil,
		}).Draw(t, "value")
	})
}

// drawAny draws any value for a field that no schema knows.
func drawAny(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		switch what := rapid.IntRange(0, 5).Draw(t, "kind"); {
		case depth == 0 || what < 3:
			return drawScalar().Draw(t, "scalar")
		case what == 3:
			return rapid.SliceOfN(drawAny(depth-1), 0, 4).Draw(t, "list")
		case what == 4:
			return rapid.SliceOfN(drawElement(depth-1), 0, 4).Draw(t, "elements")
		}
		return drawMap(drawAny(depth-1)).Draw(t, "map")
	})
}

// drawElement draws an element that has a key, as a rule.
func drawElement(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		element := drawMap(drawAny(depth)).Draw(t, "element")
		if rapid.IntRange(0, 9).Draw(t, "keyless") > 0 {
			element["name"] = rapid.SampledFrom([]any{"a", "b", `q"`, "c/d~", "y", "1", int64(1), ""}).Draw(t, "name")
		}
		return element
	})
}

// drawText draws the text of a struct's field.
func drawText() *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any { return rapid.SampledFrom(hostileTexts()).Draw(t, "text") })
}

func drawMap(values *rapid.Generator[any]) *rapid.Generator[object] {
	return rapid.Custom(func(t *rapid.T) object {
		return maps.Clone(rapid.MapOfN(rapid.SampledFrom(hostileKeys()), values, 0, 5).Draw(t, "entries"))
	})
}

// shops defines a custom resource whose lists have keys, beside fields that nothing describes.
const shops = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.example.com}
spec:
  group: example.com
  names: {kind: Shop, plural: shops}
  scope: Namespaced
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-preserve-unknown-fields: true
            properties:
              items: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, x-kubernetes-preserve-unknown-fields: true}}
              ports: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port, protocol], items: {type: object, properties: {protocol: {type: string, default: TCP}}}}
              groups: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              frozen: {type: object, x-kubernetes-map-type: atomic, x-kubernetes-preserve-unknown-fields: true}
`

// drawCustom draws a custom resource.
func drawCustom() *rapid.Generator[object] {
	spec := drawStruct(nil,
		field{"items", drawKeyed("name", names(), field{"a/b~c", drawAny(2)}, field{"size", drawScalar()})},
		field{"ports", drawKeyed("port", []any{int64(80), int64(81), int64(80)}, field{"protocol", drawOne("TCP", "UDP", nil)}, field{"name", drawText()})},
		field{"groups", drawTexts()}, field{"frozen", drawAny(2)}, field{"any", drawAny(3)},
	)
	return rapid.Custom(func(t *rapid.T) object {
		out := drawMap(drawAny(3)).Draw(t, "top")
		metadata := object{"name": "shop"}
		if rapid.Bool().Draw(t, "labelled") {
			metadata["labels"] = drawMap(drawText()).Draw(t, "labels")
		}
		return merged(out, object{"apiVersion": "example.com/v1", "kind": "Shop", "metadata": metadata, "spec": spec.Draw(t, "spec")})
	})
}

package values

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	oracle "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"pgregory.net/rapid"
)

// TestLawSchema checks on drawn schemas and values that the same properties are refused as by another library, which helm uses.
func TestLawSchema(t *testing.T) {
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		schema := drawSchema(t, 3)
		if name := rapid.SampledFrom([]string{"", draft7, draft2020}).Draw(t, "draft"); name != "" {
			schema["$schema"] = name
		}
		schema["$defs"] = map[string]any{"one": drawSchema(t, 1), "two": drawSchema(t, 1), "group": map[string]any{"three": drawSchema(t, 1)}}
		names := rapid.SampledFrom([]string{"$defs", "definitions", "both"}).Draw(t, "names of the definitions")
		if names == "both" {
			schema["definitions"] = map[string]any{"one": drawSchema(t, 1)}
		}
		text, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		switch names {
		case "definitions":
			text = []byte(strings.ReplaceAll(string(text), "$defs", "definitions"))
		case "both":
			text = []byte(strings.ReplaceAll(string(text), "#/$defs/one", "#/definitions/one"))
		}
		value, _ := drawValue(t, 3).(tree)
		got, outside, err := validate(&Chart{Name: "a", schema: text}, value)
		if err != nil || len(outside) > 0 {
			t.Fatalf("%s: %v, %q", text, err, outside)
		}
		var paths []string
		for _, r := range got {
			paths = append(paths, joined(r.path))
		}
		slices.Sort(paths)
		want := oracleRefusals(t, text, value)
		if refused += len(want); !slices.Equal(slices.Compact(paths), want) {
			t.Errorf("schema %s\nvalues %v\ngot  %q\nwant %q", text, value, paths, want)
		}
	})
	if refused == 0 {
		t.Error("no schema refused anything")
	}
}

// oracleRefusals are the paths that the other library refuses.
func oracleRefusals(t *rapid.T, text []byte, value tree) []string {
	document, err := oracle.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := oracle.NewCompiler()
	if err := c.AddResource(schemaURL, document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(schemaURL)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	var walk func(e *oracle.ValidationError)
	walk = func(e *oracle.ValidationError) {
		for _, cause := range e.Causes {
			walk(cause)
		}
		switch k := e.ErrorKind.(type) {
		case *kind.AdditionalProperties:
			for _, name := range k.Properties {
				out = append(out, joined(append(slices.Clone(e.InstanceLocation), name)))
			}
		case *kind.Required:
			for _, name := range k.Missing {
				out = append(out, joined(append(slices.Clone(e.InstanceLocation), name)))
			}
		default:
			if len(e.Causes) == 0 {
				out = append(out, joined(e.InstanceLocation))
			}
		}
	}
	if failed, is := schema.Validate(any(value)).(*oracle.ValidationError); is {
		walk(failed)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// drawSchema draws a schema of a map with the fields a, b and c.
func drawSchema(t *rapid.T, depth int) map[string]any {
	out := map[string]any{}
	one := func() any {
		switch n := rapid.IntRange(0, 9).Draw(t, "schema"); {
		case n == 0:
			return rapid.Bool().Draw(t, "always")
		case n == 1 && depth == 3:
			return map[string]any{"$ref": "#/$defs/" + rapid.SampledFrom([]string{"one", "two", "group/three"}).Draw(t, "ref")}
		case n < 5 || depth == 0:
			return rapid.SampledFrom([]map[string]any{{"type": "string"}, {"type": []any{"integer", "null"}}, {"enum": []any{1, "x"}}, {"const": true}, {"minimum": 2}, {"pattern": "^x"}, {"items": map[string]any{"type": "string"}}, {"minItems": 1}}).Draw(t, "leaf")
		}
		return drawSchema(t, depth-1)
	}
	for _, keyword := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"properties", "additionalProperties", "required", "allOf", "anyOf", "type", "if", "patternProperties", "minProperties"}), 1, 3, rapid.ID[string]).Draw(t, "keywords") {
		switch keyword {
		case "properties", "patternProperties":
			fields := map[string]any{}
			for _, name := range []string{"a", "b", "c"} {
				if rapid.Bool().Draw(t, "describes "+name) {
					if keyword == "patternProperties" {
						name = "^" + name
					}
					fields[name] = one()
				}
			}
			out[keyword] = fields
		case "additionalProperties":
			out[keyword] = one()
		case "required":
			out[keyword] = []any{rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "required")}
		case "allOf", "anyOf":
			out[keyword] = []any{one(), one()}
		case "type":
			out[keyword] = "object"
		case "if":
			out["if"], out["then"], out["else"] = one(), one(), one()
		case "minProperties":
			out[keyword] = 2
		}
	}
	return out
}

// drawValue draws a value; of depth 3 it is a map.
func drawValue(t *rapid.T, depth int) any {
	n := rapid.IntRange(0, 9).Draw(t, "value")
	switch {
	case depth == 3 || n > 6 && depth > 0:
		out := tree{}
		for _, name := range []string{"a", "b", "c"} {
			if rapid.Bool().Draw(t, "has "+name) {
				out[name] = drawValue(t, depth-1)
			}
		}
		return out
	case n == 0:
		return nil
	case n == 1:
		return true
	case n == 2:
		return []any{"x", 1}
	case n == 3:
		return fmt.Sprint("x", n)
	}
	return n - 3
}

package merge

import (
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

func key(name, value, tag string) KeyValue {
	return KeyValue{Name: name, Value: &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}}
}

func TestPathString(t *testing.T) {
	var root *Path
	tests := []struct {
		path *Path
		want string
	}{
		{root, ""},
		{root.Field("spec").Field("replicas"), "spec.replicas"},
		{root.Field("metadata").Field("annotations").Field("a.b/c"), `metadata.annotations["a.b/c"]`},
		{root.Field("a.b").Field("c-d_e"), `["a.b"].c-d_e`},
		{root.Field("azAZ09"), "azAZ09"},
		{root.Field("`").Field("{").Field("@").Field("[").Field("/").Field(":"), "[\"`\"][\"{\"][\"@\"][\"[\"][\"/\"][\":\"]"},
		{root.Field("spec").Field("ports").Element([]KeyValue{key("port", "80", "!!int"), key("protocol", "TCP", "!!str")}), `spec.ports[port=80,protocol="TCP"]`},
		{root.Field("items").Element([]KeyValue{key("kind", "Role", "!!str"), key("namespace", "a", "!!str"), key("name", "b", "!!str")}), `items[kind="Role",namespace="a",name="b"]`},
		{root.Field("x").Element([]KeyValue{key("a", "q\"", "!!str"), {Name: "b"}}).Field("image"), `x[a="q\""].image`},
		{root.Field("metadata").Field("finalizers").Element([]KeyValue{key("", "x/y", "!!str")}), `metadata.finalizers[="x/y"]`},
	}
	for _, tt := range tests {
		if got := tt.path.String(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestPatternCovers(t *testing.T) {
	path := (*Path)(nil).Field("spec").Field("containers").Element([]KeyValue{key("name", "web", "!!str")}).Field("image")
	tests := map[string]bool{
		"spec":                              true,
		"spec.containers":                   true,
		"spec.containers[*]":                true,
		"spec.containers[*].image":          true,
		`spec.containers[name="web"].image`: true,
		`spec.containers[name="db"]`:        false,
		"spec.containers[*].image.x":        false,
		"spec.containers.image":             false,
		"spec[*]":                           false,
		"metadata":                          false,
	}
	for text, want := range tests {
		p, err := ParsePattern(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Covers(path); got != want {
			t.Errorf("%s covers %s: %v, want %v", text, path, got, want)
		}
	}
}

func TestParsePatternErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":            `path "" is empty, want field names joined by dots`,
		"a..b":        `path "a..b": no field name at character 2, want field names joined by dots, ["odd name"], [*] or [key="value"]`,
		".a":          `path ".a": no field name at character 1, want field names joined by dots, ["odd name"], [*] or [key="value"]`,
		"a[":          `path "a[": no key=value at character 2, want field names joined by dots, ["odd name"], [*] or [key="value"]`,
		"a[*":         `path "a[*": no key=value at character 2, want field names joined by dots, ["odd name"], [*] or [key="value"]`,
		"a[0]":        `path "a[0]": no key=value at character 2, want field names joined by dots, ["odd name"], [*] or [key="value"]`,
		`a["x`:        `path "a[\"x": no closing quote at character 2, want field names joined by dots, ["odd name"], [*] or [key="value"]`,
		`a[name="x"b`: `path "a[name=\"x\"b": no closing bracket at character 2, want field names joined by dots, ["odd name"], [*] or [key="value"]`,
		"a[b=]":       `path "a[b=]": no value at character 2, want field names joined by dots, ["odd name"], [*] or [key="value"]`,
		"a[*]b":       `path "a[*]b": unexpected "b" at character 5, want field names joined by dots, ["odd name"], [*] or [key="value"]`,
		"/spec/a":     `path "/spec/a": no field name at character 1, want field names joined by dots, ["odd name"], [*] or [key="value"]`,
	} {
		if _, err := ParsePattern(text); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// Every path that results show can be used in the function config.
func TestPathReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := (*Path)(nil).Field(rapid.StringN(1, 8, -1).Draw(t, "field"))
		for range rapid.IntRange(0, 4).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "element") {
				path = path.Element([]KeyValue{
					key(rapid.SampledFrom([]string{"name", "port", ""}).Draw(t, "key"), rapid.String().Draw(t, "value"), "!!str"),
					key("other", "0x1F", "!!int"),
				})
			} else {
				path = path.Field(rapid.StringN(1, 8, -1).Draw(t, "field"))
			}
		}
		p, err := ParsePattern(path.String())
		if err != nil {
			t.Fatal(err)
		}
		if !p.Covers(path) {
			t.Fatalf("%s does not cover itself", path)
		}
	})
}

func FuzzParsePattern(f *testing.F) {
	for _, seed := range []string{"a.b", `a["x"]`, "a[*].b", `a[n="x",p=80]`, "[", "a[=]", `[""]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := ParsePattern(text); err == nil && len(p) == 0 {
			t.Errorf("%q is a pattern without steps", text)
		}
	})
}

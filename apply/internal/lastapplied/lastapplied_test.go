package lastapplied

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

func parse(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	return n.Content[0]
}

func TestWrite(t *testing.T) {
	for name, c := range map[string]struct{ config, want string }{
		"keys are sorted":           {"kind: A\napiVersion: v1", `{"apiVersion":"v1","kind":"A","metadata":{"annotations":{}}}`},
		"nulls stay":                {"a: null\nmetadata: {name: x}", `{"a":null,"metadata":{"annotations":{},"name":"x"}}`},
		"what HTML has is escaped":  {"a: '<a&b>'", `{"a":"\u003ca\u0026b\u003e","metadata":{"annotations":{}}}`},
		"numbers":                   {"a: [1.0, 0.5, 0x1F, 1e21, 18446744073709551615]", `{"a":[1,0.5,31,1e+21,18446744073709552000],"metadata":{"annotations":{}}}`},
		"its own annotation is not": {"metadata: {annotations: {b: c, " + Annotation + ": x}}", `{"metadata":{"annotations":{"b":"c"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Write(parse(t, c.config))
			if err != nil || got != c.want+"\n" {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
	if got, err := Write(parse(t, "a: .inf")); err == nil {
		t.Errorf("infinity was written: %s", got)
	}
}

func TestRead(t *testing.T) {
	n, err := Read(`{"a":"yes","b":[1,0.5,null,true],"a":"no"}`)
	if err != nil {
		t.Fatal(err)
	}
	text, err := Write(n)
	if want := `{"a":"no","b":[1,0.5,null,true],"metadata":{"annotations":{}}}` + "\n"; err != nil || text != want {
		t.Errorf("got %q, %v; want %q", text, err, want)
	}
	if n, err := Read(""); n != nil || err != nil {
		t.Errorf("nothing was read as %v, %v", n, err)
	}
	for _, wrong := range []string{"{", "a: b", "[]", `"a"`, "{} {}"} {
		if _, err := Read(wrong); err == nil {
			t.Errorf("%q was read", wrong)
		}
	}
}

package main

import (
	"slices"
	"strings"
	"testing"
)

// TestCompare spoils results on purpose: each must be found, and nothing else.
func TestCompare(t *testing.T) {
	for _, test := range []struct {
		name                            string
		origin, upstream, local, result string
		told                            string
		want                            []kindOf
	}{
		{"nothing changed", "{a: 1}", "{a: 1}", "{a: 1}", "{a: 1}", "", nil},
		{"both arrive", "{a: 1, b: 1}", "{a: 2, b: 1}", "{a: 1, b: 2}", "{a: 2, b: 2}", "", nil},
		{"upstream's is lost", "{a: 1}", "{a: 2}", "{a: 1}", "{a: 1}", "", []kindOf{upstreamLost}},
		{"local's is lost", "{a: 1}", "{a: 1}", "{a: 2}", "{a: 1}", "", []kindOf{localLost}},
		{"an addition of local's is lost", "{}", "{}", "{a: {b: 1}}", "{}", "", []kindOf{localLost}},
		{"a deletion of upstream's is lost", "{a: 1}", "{}", "{a: 1}", "{a: 1}", "", []kindOf{upstreamLost}},
		{"a value of nobody's", "{a: 1}", "{a: 1}", "{a: 1}", "{a: 3}", "", []kindOf{madeUp}},
		{"a conflict that is told", "{a: 1}", "{a: 2}", "{a: 3}", "{a: 2}", ".a", []kindOf{conflicting}},
		{"a conflict that is not", "{a: 1}", "{a: 2}", "{a: 3}", "{a: 2}", "", []kindOf{conflicting, localLost}},
		{"a conflict that is none", "{a: 1, b: 1}", "{a: 2, b: 1}", "{a: 1, b: 2}", "{a: 2, b: 2}", ".a", []kindOf{falseAlarm}},
		{"elements by name", "[{name: a, v: 1}]", "[{name: n}, {name: a, v: 1}]", "[{name: a, v: 2}]", "[{name: n}, {name: a, v: 2}]", "", nil},
		{"an element twice", "[{name: a, v: 1}]", "[{name: a, v: 2}]", "[{name: a, v: 1}]", "[{name: a, v: 2}, {name: a}]", "", []kindOf{upstreamLost}},
		{"an element that local removed and upstream changed", "[{name: a, v: 1}, {name: b}]", "[{name: a, v: 2}, {name: b}]", "[{name: b}]", "[{name: b}]", `[name="a"]`, []kindOf{conflicting}},
		{"a port that upstream renumbered", "[{port: 80, name: http}]", "[{port: 81, name: http}]", "[{port: 80, name: http, nodePort: 3}]", "[{port: 81, name: http, nodePort: 3}]", "", nil},
		{"a list without names", "[a]", "[a, b]", "[a, c]", "[a, b]", "", []kindOf{conflicting, localLost}},
		{"a set", "[a, d]", "[a, b, d]", "[a, c]", "[a, c, b]", "", nil},
		{"an image in parts", "{image: a/i:1}", "{image: a/i:2}", "{image: m/i:1}", "{image: m/i:2}", "", nil},
		{"an image that gets a tag", "{image: a/i}", "{image: a/i:2}", "{image: m/i}", "{image: m/i:2}", "", nil},
		{"an image in parts, told", "{image: a/i:1}", "{image: a/i:2}", "{image: m/i:1}", "{image: a/i:2}", ".image", []kindOf{localLost, falseAlarm}},
		{"an image whole", "{image: a/i:1}", "{image: a/i:2}", "{image: m/i:1}", "{image: a/i:2}", "", []kindOf{localLost}},
		{"lines of a text", `"a\nb\nc\n"`, `"A\nb\nc\n"`, `"a\nb\nC\n"`, `"A\nb\nC\n"`, "", nil},
		{"lines of a text, whole", `"a\nb\nc\n"`, `"A\nb\nc\n"`, `"a\nb\nC\n"`, `"A\nb\nc\n"`, "", []kindOf{localLost}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var v [4]any
			q := quad{}
			for i, text := range []string{test.origin, test.upstream, test.local, test.result} {
				value, err := decode("v: " + text)
				if err != nil {
					t.Fatal(err)
				}
				v[i] = value
				q.versions[i] = &resource{value: value.(map[string]any)}
			}
			var told []conflict
			if test.told != "" {
				told = []conflict{{path: "v" + test.told}}
			}
			var kinds []kindOf
			for _, f := range q.compare(told, nil).findings {
				kinds = append(kinds, f.kind)
			}
			if !slices.Equal(kinds, test.want) {
				t.Errorf("got %q, want %q", kinds, test.want)
			}
		})
	}
}

// A resource that local removed, and upstream changed, stays removed.
func TestCompareRemoved(t *testing.T) {
	was, is := &resource{value: map[string]any{"a": 1}}, &resource{value: map[string]any{"a": 2}}
	for _, test := range []struct {
		result *resource
		want   []kindOf
	}{{nil, nil}, {is, []kindOf{conflicting, localLost}}} {
		var kinds []kindOf
		for _, f := range (&quad{versions: [4]*resource{was, is, nil, test.result}}).compare(nil, nil).findings {
			kinds = append(kinds, f.kind)
		}
		if !slices.Equal(kinds, test.want) {
			t.Errorf("got %q, want %q", kinds, test.want)
		}
	}
}

// TestExtra spoils texts on purpose.
func TestExtra(t *testing.T) {
	const text = "# Head.\na: 1\nb: \"x\" # why\nc:\n- 1\n"
	for _, test := range []struct{ name, result, want string }{
		{"the same", text, ""},
		{"a change", strings.Replace(text, "a: 1", "a: 2", 1), ""},
		{"other quotes", strings.Replace(text, `"x"`, "'x'", 1), `rewritten: "b: \"x\" # why" as "b: 'x' # why"`},
		{"another indentation", strings.Replace(text, "- 1", "  - 1", 1), `rewritten: "  1" as "    1"`},
		{"a comment twice", text + "# Head.\n", `added: "# Head."`},
		{"another order", "# Head.\nb: \"x\" # why\nc:\n- 1\na: 1\n", `moved: "a: 1"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := quad{}
			if got := strings.Join(q.extra(text, test.result), "; "); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

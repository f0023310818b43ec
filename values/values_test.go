package values_test

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/values"
)

// chart returns a chart of its values and one template.
func chart(t *testing.T, defaults, template string, more ...pkgmerge.File) *values.Chart {
	t.Helper()
	c, err := values.NewChart("chart", append([]pkgmerge.File{
		{Name: "Chart.yaml", Data: []byte("name: a\nversion: 1.0.0\nannotations: {images: docker.io/a}\n")},
		{Name: "templates/all.yaml", Data: []byte(template)},
		{Name: "values.yaml", Data: []byte(defaults)},
	}, more...))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// classes returns the findings as lines.
func classes(t *testing.T, old, now *values.Chart, user ...string) (*values.Result, []string) {
	t.Helper()
	var files []pkgmerge.File
	for i, text := range user {
		files = append(files, pkgmerge.File{Name: fmt.Sprintf("%d.yaml", i), Data: []byte(text)})
	}
	r, err := values.Compare(old, now, files)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range r.Findings {
		line := strings.TrimSpace(fmt.Sprintf("%s %s %s", f.Class, values.PathText(f.Path), values.PathText(f.NewPath)))
		for _, path := range f.Candidates {
			line += " maybe " + values.PathText(path)
		}
		if f.Nearest != nil {
			line += " nearest " + values.PathText(f.Nearest)
		}
		if f.OverriddenBy != "" {
			line += " overridden by " + f.OverriddenBy
		}
		if f.Note != "" {
			line += " (" + f.Note + ")"
		}
		lines = append(lines, line)
	}
	return r, lines
}

func TestClasses(t *testing.T) {
	const guess = " (a template that cannot be followed may use it)"
	for _, c := range []struct {
		name                          string
		old, oldText, now, text, user string
		want                          []string
	}{
		{"needed", "a: 1", "{{.Values.a}}", "a: 1", "{{.Values.a}}", "a: 2", []string{"needed a"}},
		{"moved beneath", "a: 1", "{{.Values.a}}", "a: 3", "{{.Values.a}}", "a: 2", []string{"moved-beneath a"}},
		{"default is new", "", "{{.Values.a}}", "a: 3", "{{.Values.a}}", "a: 2", []string{"moved-beneath a"}},
		{"default is gone", "a: 1", "{{.Values.a}}", "", "{{.Values.a}}", "a: 2", []string{"moved-beneath a"}},
		{"redundant", "a: 1", "{{.Values.a}}", "a: 2", "{{.Values.a}}", "a: 2", []string{"redundant a"}},
		{"a text is no number", "a: 1", "{{.Values.a}}", "a: 1", "{{.Values.a}}", `a: "1"`, []string{"needed a"}},
		{"a word is true", "a: false", "{{.Values.a}}", "a: true", "{{.Values.a}}", "a: yes", []string{"redundant a"}},
		{"empty map", "a: {b: 1}", "{{.Values.a}}", "a: {b: 2}", "{{.Values.a}}", "a: {}", []string{"redundant a"}},
		{"null", "a: 1", "{{.Values.a}}", "a: 1", "{{.Values.a}}", "a: null", []string{"needed a"}},
		{"list", "a: [1]", "{{.Values.a}}", "a: [1, 2]", "{{.Values.a}}", "a: [3]", []string{"moved-beneath a"}},
		{"dead", "a: 1", "{{.Values.a}}", "", "", "a: 2", []string{"dead a"}},
		{"unknown", "", "", "replicas: 1", "{{.Values.replicas}}", "replcas: 2", []string{"unknown replcas nearest replicas", "new replicas"}},
		{"unknown, and the name is elsewhere", "", "", "web: {replicas: 1}", "{{.Values.web.replicas}}", "replicas: 2", []string{"unknown replicas nearest web.replicas", "new web"}},
		{"unknown, and a name elsewhere is near", "", "", "web: {replicas: 1}", "{{.Values.web.replicas}}", "replcas: 2", []string{"unknown replcas nearest web.replicas", "new web"}},
		{"free map", "a: {}", "{{toYaml .Values.a}}", "a: {}", "{{toYaml .Values.a}}", "a: {b: 1}", []string{"needed a.b"}},
		{"used without a default", "", "{{.Values.a.b}}", "", "{{.Values.a.b}}", "a: {b: 1, c: 2}", []string{"needed a.b", "unknown a.c"}},
		{"used as a whole", "a: {b: 1}", "{{toYaml .Values.a}}", "a: {b: 1}", "{{toYaml .Values.a}}", "a: {c: 1}", []string{"needed a.c"}},
		{"with", "", "", "a: {b: 1}", "{{with .Values.a}}{{.b}}{{.c}}{{end}}", "a: {c: 1, zzz: 1}", []string{"needed a.c", "unknown a.zzz"}},
		{
			"an empty default where there was none", "", "{{.Values.a}}{{.Values.b}}", "a: ''\nb: x\nc: ''", "{{.Values.a}}{{.Values.b}}{{.Values.c}}",
			"a: 1\nb: 1\nc: 1", []string{"needed a", "moved-beneath b", "moved-beneath c"},
		},
		{
			"a range in a range", "", "", "a: {x: {ports: {o: {c: 1}}}}", "{{range .Values.a}}{{range $k, $v := .ports}}{{$v.b}}{{end}}{{end}}",
			"a: {x: {ports: {p: {b: 1, zzz: 1}}}}", []string{"needed a.x.ports.p.b", "unknown a.x.ports.p.zzz nearest a.x.ports.o.zzz"},
		},
		{"range", "", "", "a: {x: {b: 1}}", "{{range .Values.a}}{{.b}}{{end}}", "a: {z: {b: 1, zzz: 1}}", []string{"needed a.z.b", "unknown a.z.zzz nearest a.x.zzz"}},
		{"variable", "", "", "", "{{$v := .Values.a}}{{if $v.b}}{{$v.c}}{{end}}", "a: {c: 1, d: 1}", []string{"needed a.c", "unknown a.d"}},
		{"include of a dict", "", "", "", `{{define "x"}}{{.of.b}}{{.top.Values.c}}{{end}}{{include "x" (dict "of" .Values.a "top" $)}}`, "a: {b: 1, z: 2}\nc: 3", []string{"needed a.b", "unknown a.z", "needed c"}},
		{"tpl of a value", "a: '{{ .Values.b }}'", "{{tpl .Values.a .}}", "a: '{{ .Values.b }}'", "{{tpl .Values.a .}}", "b: 1\nzzz: 2", []string{"needed b", "unknown zzz"}},
		{"index", "", "", "", `{{index .Values "a" "b"}}{{get .Values.c "d"}}{{dig "e" "f" 1 .Values}}`, "a: {b: 1}\nc: {d: 1}\ne: {f: 1}\ng: 1", []string{"needed a.b", "needed c.d", "needed e.f", "unknown g"}},
		{"computed name", "", "", "", `{{range list "a" "b"}}{{index $.Values .}}{{end}}{{index $.Values (printf "%sEnabled" .Release.Name)}}`, "a: 1\nxEnabled: 1\nz: 1", []string{"needed a", "needed xEnabled" + guess, "needed z" + guess}},
		{
			"a map without some fields", "", "", "", `{{toYaml (omit .Values.a "b" "c")}}{{omit .Values.a "b"}}{{.Values.a.b.d}}{{omit .Values.e .Values.f}}`,
			"a: {b: {d: 1, z: 2}, c: 3, e: 4}\ne: {z: 5}\nf: x", []string{"needed a.b.d", "unknown a.b.z", "needed a.c", "needed a.e", "needed e.z", "needed f"},
		},
		{"a file of a value's name", "", "", "", `{{include (print $.Template.BasePath "/" .Values.a) . | sha256sum}}`, "a: b.yaml\nz: 1", []string{"needed a", "unknown z"}},
		{
			"fields that templates set in the values", "", "", "", `{{$s := .Values.more}}{{$s = set $s "default" (omit .Values.s "z")}}{{range $s}}{{toYaml .spec}}{{end}}` +
				`{{$_ := set .Values.t "u" .Values.v}}{{toYaml .Values.t}}{{$_ := set .Values.w .Release.Name .Values.x}}{{.Values.w.any.b}}`,
			"s: {spec: {a: 1}, z: 2}\nv: {a: 1}\nx: {b: 1, z: 2}\nmore: {c: {spec: {d: 1}}}",
			[]string{"needed s.spec.a", "unknown s.z", "needed v.a", "needed x.b", "unknown x.z", "needed more.c.spec.d"},
		},
		{
			"maps that are merged into others", "", "", "", `{{$d := dict}}{{$_ := merge $d .Values.a}}{{$d.b}}{{$_ := mergeOverwrite .Values.c .Values.d (dict "f" .Values.f)}}{{.Values.c.e}}{{.Values.c.f.g}}` +
				`{{$_ := merge .Values.d .Values.c}}{{$_ := merge . (dict "my" .Values.h)}}{{.my.i}}`,
			"a: {b: 1, z: 2}\nd: {e: 1, z: 2}\nf: {g: 1, z: 2}\nh: {i: 1, z: 2}",
			[]string{"needed a.b", "unknown a.z", "needed d.e", "unknown d.z", "needed f.g", "unknown f.z", "needed h.i", "unknown h.z"},
		},
		{"tpl of a text that is put together", "", "", "", `{{tpl (printf "{{ .Values.%s }}" .Release.Name) .}}`, "a: 1", []string{"needed a" + guess}},
		{
			"fields of names that are not known", "", "", "", `{{$d := dict}}{{$_ := set $d .Release.Name .Values.a}}{{$d.x.b}}{{$_ := set (fromYaml "") "c" .Values.c}}`,
			"a: {b: 1, z: 2}\nc: {d: 1}", []string{"needed a.b", "unknown a.z", "needed c.d"},
		},
		{
			"include of a list", "", "", "", `{{define "x"}}{{$top := index . 0}}{{print (index . 1)}}{{$top.Values.c}}{{(index . 2).b}}{{end}}{{include "x" (list $ "name" .Values.a)}}`,
			"a: {b: 1, z: 2}\nc: 3\nz: 4", []string{"needed a.b", "unknown a.z", "needed c", "unknown z"},
		},
		{"an element in another place", "", "", "", `{{index (reverse (list .Values.a .Values.b)) 0}}{{(first (list .Values.c .Values.d)).e}}`, "a: 1\nb: 2\nc: {e: 1}\nz: 3", []string{"needed a", "needed b", "needed c.e", "unknown z"}},
		{"an element in a place that is counted", "", "", "", `{{$i := 0}}{{range .Values.c}}{{$i = add1 $i}}{{end}}{{index (list .Values.a .Values.b) $i}}`, "a: 1\nb: 2\nc: [1]", []string{"needed a", "needed b", "needed c"}},
		{
			"fields that templates set in the context", "", "", "list: {x: {a: 1}}", `{{define "all"}}{{with .Object}}{{.b}}{{end}}{{.Values.d}}{{end}}` +
				`{{include "all" .}}{{range .Values.list}}{{$_ := set $ "Object" .}}{{include "all" $}}{{end}}{{$_ := set . "Values" (merge .Values.more .Values)}}`,
			"list: {x: {b: 1, z: 2}}\nmore: {d: 1, z: 2}\n", []string{"needed list.x.b", "unknown list.x.z nearest list.x.a", "needed more.d", "unknown more.z"},
		},
		{"no template can be parsed", "", "", "", "{{", "a: 1", []string{"needed a" + guess}},
		{"renamed by comment", "# How many\na: 1", "", "# How many\nb: 1", "{{.Values.b}}", "a: 2", []string{"renamed a b"}},
		{"renamed by a comment with the old name", "# Number of a\na: 1", "", "# Number of a\nb: 1", "{{.Values.b}}", "a: 2", []string{"renamed a b"}},
		{"a comment of the name only", "# a\na: 1", "", "# b\nb: 1", "{{.Values.b}}", "a: 2", []string{"dead a", "new b"}},
		{"renamed by place", "a: 1", "x: {{.Values.a}}", "b: 2", "x: {{.Values.b}}", "a: 2", []string{"renamed a b"}},
		{"renamed map", "# Of a\na: {c: 5, d: 6}", "", "# Of a\nb: {c: 5, d: 6}", "{{.Values.b}}", "a: {c: 2}", []string{"renamed a.c b.c"}},
		{"two candidates", "# How many\na: 1", "", "# How many\nb: 1\n# How many\nc: 1", "{{.Values.b}}", "a: 2", []string{"dead a maybe b maybe c", "new b", "new c"}},
		{"new name is taken", "# How many\na: 1", "", "# How many\nb: 1", "{{.Values.b}}", "a: 2\nb: 3", []string{"dead a maybe b (the values already have b)", "moved-beneath b"}},
		{"trivial default proves nothing", "a: ''", "", "b: ''", "{{.Values.b}}", "a: x", []string{"dead a", "new b"}},
		{"a common word proves nothing", "level: info", "l: {{.Values.level}}", "mode: info", "m: {{.Values.mode}}", "level: x", []string{"dead level maybe mode", "new mode"}},
		{"a switch of another map", "a: {enabled: true}", "", "b: {enabled: true}", "{{.Values.b.enabled}}", "a: {enabled: false}", []string{"dead a.enabled", "new b"}},
		{"a switch in a map more", "a: {enabled: true}", "", "c: {a: {enabled: true}}", "{{.Values.c.a.enabled}}", "a: {enabled: false}", []string{"renamed a.enabled c.a.enabled"}},
		{"a name that only one has", "a: {size: 3}", "", "b: {size: 3}", "{{.Values.b.size}}", "a: {size: 4}", []string{"renamed a.size b.size"}},
		{"a name that others have", "a: {size: 3}\nc: {size: 4}", "{{.Values.c.size}}", "b: {size: 3}\nc: {size: 4}", "{{.Values.b.size}}{{.Values.c.size}}", "a: {size: 4}", []string{"dead a.size maybe b.size", "new b"}},
		{"one of two twins is gone", "a:\n  # The host\n  host: x.local\nb:\n  # The host\n  host: x.local", "", "a:\n  # The host\n  host: x.local\nc:\n  a:\n    # The host\n    host: x.local", "{{.Values.a.host}}{{.Values.c.a.host}}", "b: {host: y}", []string{"dead b.host maybe c.a.host", "new c"}},
		{"one line of a map that is gone", "b: {size: 3, old: 5}", "", "c: {size: 3}", "{{.Values.c.size}}", "b: {size: 4, old: 6}", []string{"dead b.size maybe c.size (b.old beside it would stay behind)", "dead b.old"}},
		{"a list in place of an empty map", "a: {}", "", "a: []", "{{toYaml .Values.a}}", "a: {b: 1}", []string{"needed a.b (the new chart has a list at a, which the map replaces; write a list)"}},
		{"a text in place of an empty map", "a: {}", "", "a: ''", "{{.Values.a}}", "a: {b: 1}", []string{"needed a.b (the new chart has one value at a, which the map replaces; write one value)"}},
		{"maps in place of texts in lists of a list", "a: [{p: []}]", "", "a: [{p: [{q: x}]}]", "{{toYaml .Values.a}}", "a: [{p: [y]}, {}]", []string{"moved-beneath a (the elements of the lists p in it are maps in the new chart; write maps)"}},
		{"texts in lists of a list as before", "a: [{p: [x]}]", "", "a: [{p: [z]}]", "{{toYaml .Values.a}}", "a: [{p: [y]}, {p: []}]", []string{"moved-beneath a"}},
		{"maps and texts in lists of a list", "a: [{p: []}]", "", "a: [{p: [{q: x}, y]}]", "{{toYaml .Values.a}}", "a: [{p: [y]}]", []string{"moved-beneath a"}},
		{"maps in place of texts in a list", "a: [x]", "", "a: [{host: x}]", "{{toYaml .Values.a}}", "a: [y]", []string{"moved-beneath a (the elements of the list are maps in the new chart; write maps)"}},
		{"texts in place of maps in a list", "a: [{host: x}]", "", "a: [x]", "{{toYaml .Values.a}}", "a: [{host: y}]", []string{"moved-beneath a (the elements of the list are no maps in the new chart; write single values)"}},
		{"a switch of another map", "", "", "a: {enabled: false}", "{{.Values.a.enabled}}", "another: {enabled: true}", []string{"unknown another.enabled", "new a"}},
		{"a name of another map", "", "", "a: {b: {replicas: 1}}", "{{.Values.a.b.replicas}}", "replicas: 2", []string{"unknown replicas nearest a.b.replicas", "new a"}},
		{"a name of two other maps", "", "", "a: {replicas: 1}\nb: {replicas: 1}", "{{.Values.a}}{{.Values.b}}", "replicas: 2", []string{"unknown replicas", "new a", "new b"}},
		{"a telling text", "a: https://example.com/a", "", "b: https://example.com/a", "{{.Values.b}}", "a: x", []string{"renamed a b"}},
		{"a telling text that others have", "a: https://example.com\nc: https://example.com", "{{.Values.c}}", "b: https://example.com\nc: https://example.com", "{{.Values.b}}{{.Values.c}}", "a: x", []string{"dead a maybe b", "new b"}},
		{"a telling map", "a: {x: 5, y: 6}", "", "b: {x: 5, y: 6}", "{{toYaml .Values.b}}", "a: {x: 2}", []string{"renamed a.x b.x"}},
		{
			"a null in a map that is read whole", "h: {a: , b: 1}\nc:\nl: {m: {k: }}\nw: {x: }", "", "h: {a: , b: 1}\nc:\nl: {m: {k: }}\nw: {x: }",
			"{{toYaml .Values.h}}{{.Values.c}}{{range $k, $v := .Values.l}}{{$k}}{{end}}{{.Values.w.x}}", "h: {a: null, b: 1}\nc: null\nl: {m: {k: null}}\nw: {x: null}\n",
			[]string{
				"needed h.a (the default is null, too, but a template reads the map with it, and helm keeps only a null of yours)", "redundant h.b", "redundant c",
				"needed l.m.k (the default is null, too, but a template reads the map with it, and helm keeps only a null of yours)", "redundant w.x",
			},
		},
		{
			"a comment that others have but for a word", "# The default: 1m\na:\n# The default: 1h\nb:", "", "# The default: 1m\na:\n# The default: 4h\nc:\n# The default: 1h\nd:", "",
			"b: 2h", []string{"dead b maybe d", "new c", "new d"},
		},
		{
			"a comment of several words", "# Pods of the cache\na: 1\n# Pods of the web\nb: 1", "", "# Pods of the web\nb: 1\n# Nodes of the cache\nd: 1\n# Pods of the cache\nc: 1", "{{.Values.c}}",
			"a: 2", []string{"dead a maybe c", "new c", "new d"},
		},
		{"a common comment", "# Labels\na: {l: 2}\nc: {}\n# Off\nd: false\n# Off\ne: false", "{{.Values.d}}", "# Off\nf: false\n# Off\nd: false", "{{.Values.f}}{{.Values.d}}", "e: true", []string{"dead e maybe f", "new f"}},
		{"another variable", "a: 1", "- name: A\n  value: {{.Values.a}}", "b: 2", "- name: B\n  value: {{.Values.b}}", "a: 3", []string{"dead a", "new b"}},
		{"another condition", "a: 1", "spec:\n{{if .Values.a}}\nx\n{{end}}", "b: 2", "spec:\n{{if .Values.b}}\ny\n{{end}}", "a: 3", []string{"dead a", "new b"}},
		{"renamed below a key", "a: {}", "x:\n  {{toYaml .Values.a}}", "b: {}", "x:\n  {{toYaml .Values.b}}", "a: {c: 3}", []string{"renamed a.c b.c"}},
		{"image split", "image: a.io/x/web:1", "i: {{.Values.image}}", "image: {repository: a.io/x/web, tag: '2'}", "{{.Values.image.repository}}", "image: b.io/web:1", []string{"renamed image image.repository (its tag goes to image.tag)"}},
		{"image split in three", "image: a.io/x/web:1", "", "image: {registry: a.io, repository: x/web, tag: '2'}", "{{.Values.image.tag}}", "image: b.io:5/web:1", []string{"renamed image image.repository (its registry goes to image.registry; its tag goes to image.tag)"}},
		{"image without a registry", "image: a.io/x/web:1", "", "image: {registry: a.io, repository: x/web, tag: '2'}", "{{.Values.image.tag}}", "image: web:1", []string{"moved-beneath image (the new chart has a map there, which the value replaces; move it to a field of the map)"}},
		{"image without a tag", "image: web:1", "", "image: {repository: web, tag: ''}", "{{.Values.image.tag}}", "image: b.io:5/web", []string{"moved-beneath image (the new chart has a map there, which the value replaces; move it to a field of the map)"}},
		{"image of another name", "image: web:1", "", "image: {repository: app, tag: ''}", "{{.Values.image.tag}}", "image: mine:1", []string{"moved-beneath image (the new chart has a map there, which the value replaces; move it to a field of the map)"}},
		{"one value for a map", "image: {tag: 1}", "", "image: web:2", "{{.Values.image}}", "image: {tag: 2}", []string{"moved-beneath image.tag (the new chart has one value at image, which the map replaces; write one value)"}},
		{"null for a map", "a: 1", "", "a: {b: 1}", "{{.Values.a.b}}", "a: null", []string{"moved-beneath a"}},
		{"new switches", "a: {enabled: false}", "", "a: {enabled: false, m: {enabled: true}, n: {enabled: false}}", "", "", []string{"new a.m"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, got := classes(t, chart(t, c.old, c.oldText), chart(t, c.now, c.text), c.user)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSubcharts(t *testing.T) {
	about := pkgmerge.File{Name: "Chart.yaml", Data: []byte("name: a\nversion: 1.0.0\ndependencies:\n- {name: db, alias: store, condition: store.active, import-values: [out]}\n- {name: gone}\n")}
	sub := func(value string) []pkgmerge.File {
		return []pkgmerge.File{about,
			{Name: "charts/db/Chart.yaml", Data: []byte("name: db\nversion: 1.0.0\n")},
			{Name: "charts/db/values.yaml", Data: []byte("size: " + value + "\nexports: {out: {port: 5}}\nglobal: {zone: a}\n")},
			{Name: "charts/db/templates/db.yaml", Data: []byte("{{.Values.size}}{{.Values.global.zone}}")},
		}
	}
	text := "{{.Values.port}}"
	_, got := classes(t, chart(t, "store: {size: 3}", text, sub("1")...), chart(t, "store: {size: 3}", text, sub("2")...),
		"store: {size: 3, active: true, sise: 1}\nport: 5\nglobal: {zone: b}\ngone: {x: 1}\n")
	want := []string{"redundant store.size", "needed store.active", "unknown store.sise nearest store.size", "redundant port", "needed global.zone",
		"needed gone.x (the subchart is not in the directory charts, so its defaults and templates are not known)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNearestOfSubcharts: no line of a subchart names a field of another one.
func TestNearestOfSubcharts(t *testing.T) {
	of := func(name string) pkgmerge.File {
		return pkgmerge.File{Name: "charts/" + name + "/Chart.yaml", Data: []byte("name: " + name + "\nversion: 1.0.0\n")}
	}
	c := chart(t, "a: {gateway: {port: 1}}\nb: {x: 1}\nshared: {replicas: 1}\n", "", of("a"), of("b"))
	_, got := classes(t, c, c, "b: {gateway: {port: 2}, replicas: 2}\ngatewey: 3\n")
	if want := []string{"unknown b.gateway.port", "unknown b.replicas nearest shared.replicas", "unknown gatewey nearest a.gateway"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSchema(t *testing.T) {
	schema := pkgmerge.File{Name: "values.schema.json", Data: []byte(`{"properties": {"a": {"type": "integer"}, "m": {"additionalProperties": false, "properties": {"x": {}}}}, "required": ["r"]}`)}
	_, got := classes(t, chart(t, "a: 1", ""), chart(t, "a: 1\nm: {x: 1}", "{{.Values.m}}", schema), "a: text\nm: {z: 1}\n")
	_, split := classes(t, chart(t, "image: web:1", ""), chart(t, "image: {repository: web, tag: ''}", "", pkgmerge.File{Name: "values.schema.json", Data: []byte(`{"properties": {"image": {"type": "object"}}}`)}), "image: b.io/web:1")
	if diff := cmp.Diff([]string{"renamed image image.repository (its tag goes to image.tag)"}, split); diff != "" {
		t.Errorf("an image that is split (-want +got):\n%s", diff)
	}
	want := []string{"refused a (got string, want integer)", "refused m.z nearest m.x (additional properties 'z' not allowed)", "refused r (missing property 'r')"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSchemaOutside: a schema reads nothing but itself, says so, and refuses the rest as before.
func TestSchemaOutside(t *testing.T) {
	const id, rest = `"$id": "https://example.com/v1/values.schema.json", `, `"b": {"type": "integer"}`
	for schema, wants := range map[string][2]string{
		`{"properties": {"a": {"$ref": "https://example.com/a.json"}, ` + rest + `}}`:                                             {"https://example.com/a.json", "needed a, refused b"},
		`{"properties": {"a": {"$ref": "other.json"}, ` + rest + `}}`:                                                             {"other.json", "needed a, refused b"},
		`{` + id + `"properties": {"a": {"$ref": "a.json#/x", "type": "object"}, ` + rest + `}}`:                                  {"https://example.com/v1/a.json", "needed a, refused b"},
		`{"properties": {"a": {"oneOf": [{"$ref": "#/$defs/a"}, {"type": "integer"}]}}, "$defs": {"a": {"$ref": "a.json"}}}`:      {"a.json", "needed a, needed b"},
		`{"not": {"$ref": "a.json"}, "properties": {"not": {"type": "integer"}, "a": {"enum": [{"$ref": "a.json"}, 2, 3]}}}`:      {"a.json", "needed a, needed b"},
		`{"allOf": [{"$ref": "a.json"}], "properties": {"b": {"if": {"$ref": "a.json"}, "then": false}}, "unevaluatedItems": {}}`: {"a.json", "needed a, needed b"},
	} {
		r, got := classes(t, chart(t, "a: 1\nb: 1", ""), chart(t, "a: 1\nb: 1", "", pkgmerge.File{Name: "values.schema.json", Data: []byte(schema)}), "a: 2\nb: x\n")
		for i := range got {
			got[i], _, _ = strings.Cut(got[i], " (")
		}
		want := []string{fmt.Sprintf("the values.schema.json of a refers to %q; nothing outside of the file is read, so values that are described there are not checked", wants[0])}
		if diff := cmp.Diff(want, r.Unread) + cmp.Diff(wants[1], strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", schema, diff)
		}
	}
}

func TestFiles(t *testing.T) {
	c := chart(t, "a: 1\nm: {b: 1}", "{{.Values.a}}{{.Values.m}}")
	_, got := classes(t, c, c, "a: 2\nm: {b: 2}\n", "a: 3\n", "m: 4\n")
	want := []string{"needed a overridden by 1.yaml", "needed m.b overridden by 2.yaml", "needed a", "needed m"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const differs = " (it is the new default, and an earlier file has another value)"
	for _, test := range []struct {
		base, prod string
		want       []string
	}{
		{"a: 2\n", "a: 1\n", []string{"needed a overridden by 1.yaml", "needed a" + differs}},
		{"a: 1\n", "a: 1\n", []string{"redundant a overridden by 1.yaml", "redundant a"}},
		{"m: {c: 2}\n", "m: {b: 1}\n", []string{"needed m.c", "redundant m.b"}},
		{"m: {b: 2}\n", "m: {}\n", []string{"needed m.b", "redundant m"}},
		{"m: 2\n", "m: {b: 1}\n", []string{"needed m overridden by 1.yaml", "needed m.b" + differs}},
		{"m: null\n", "m: {b: 1}\n", []string{"needed m overridden by 1.yaml", "needed m.b" + differs}},
		{"m: null\n", "m: {}\n", []string{"needed m overridden by 1.yaml", "needed m" + differs}},
	} {
		if _, got := classes(t, c, c, test.base, test.prod); !cmp.Equal(got, test.want) {
			t.Errorf("%q, %q: (-want +got):\n%s", test.base, test.prod, cmp.Diff(test.want, got))
		}
	}
	plain, err := values.NewChart("v1.yaml", []pkgmerge.File{{Name: "v1.yaml", Data: []byte("a: 1\n")}})
	if err != nil {
		t.Fatal(err)
	}
	if _, got := classes(t, plain, plain, "a: 1\nother: 2\n"); !cmp.Equal(got, []string{"redundant a", "needed other (the defaults do not have it, and no template says whether the chart uses it)"}) {
		t.Errorf("plain files: %v", got)
	}
	older, err := values.NewChart("v0.yaml", []pkgmerge.File{{Name: "v0.yaml", Data: []byte("a: 1\ngone: 2\n")}})
	if err != nil {
		t.Fatal(err)
	}
	r, got := classes(t, older, plain, "a: 1\ngone: 3\n")
	if !cmp.Equal(got, []string{"redundant a", "moved-beneath gone (gone from the defaults, and no template says whether the chart uses it)"}) {
		t.Errorf("plain files: %v", got)
	}
	if files, err := r.Edits(true, func(*values.Finding) bool { return false }); err != nil || string(files[0].Data) != "a: 1\ngone: 3\n" {
		t.Errorf("plain files are pruned: %s, %v", files[0].Data, err)
	}
	if _, err := values.Compare(c, c, []pkgmerge.File{{Name: "v.yaml", Data: []byte("a: 1\na: 2\n")}}); err == nil || !strings.Contains(err.Error(), `v.yaml`) || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("a key twice: %v", err)
	}
	moved := []pkgmerge.File{{Name: "README.md", Data: []byte("# It moved\n")}}
	if _, err := values.NewChart("charts/web@main", moved); err == nil || !strings.Contains(err.Error(), "no Chart.yaml") {
		t.Errorf("a directory with a README: %v", err)
	}
	for _, name := range []string{"deploy/values.prod", "-"} {
		if _, err := values.NewChart(name, []pkgmerge.File{{Name: path.Base(name), Data: []byte("a: 1\n")}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := values.NewChart("x", []pkgmerge.File{{Name: "a"}, {Name: "b"}}); err == nil || !strings.Contains(err.Error(), "no Chart.yaml") {
		t.Errorf("no chart: %v", err)
	}
}

// TestImageInTwoKeys: an image and the tag beside it go into the map of an image, with the other fields beside it.
func TestImageInTwoKeys(t *testing.T) {
	old := chart(t, "image: hub.io/web\nimageTag: '1'\nimagePullPolicy: Always\nw: {image: web, imageTag: '1'}\nv: {image: web, tag: '1'}", "i: {{.Values.image}}:{{.Values.imageTag}}\np: {{.Values.imagePullPolicy}}")
	now := chart(t, "image: {repository: hub.io/web, tag: '2', pullPolicy: Always}\nw: {image: {registry: hub.io, repository: web, tag: '2'}}\nv: {image: {repository: web, tag: '2'}}", "i: {{.Values.image.repository}}:{{.Values.image.tag}}\np: {{.Values.image.pullPolicy}}")
	for _, c := range []struct{ user, want string }{
		{"# ours\nimage: my.io/web # mirror\nimageTag: '3' # pinned\nimagePullPolicy: Never\nb: 1\n", "# ours\nimage:\n  repository: my.io/web # mirror\n  tag: '3' # pinned\n  pullPolicy: Never\nb: 1\n"},
		{"imageTag: '3'\nimage: my.io/web\n", "image:\n  tag: '3'\n  repository: my.io/web\n"},
		{"imageTag: '3'\n", "image:\n  tag: '3'\n"},
		{"image: my.io/web\n", "image:\n  repository: my.io/web\n"},
		{"image: my.io/web:3\n", "image: my.io/web:3\n"},
		{"image: my.io/web:3\nimageTag: '3'\n", "image: my.io/web:3\n"},
		{"image: {tag: '4'}\nimageTag: '3'\n", "image: {tag: '4'}\n"},
		{"w: {image: my.io/web, imageTag: '3'}\n", "w:\n  image:\n    registry: my.io\n    repository: web\n    tag: '3'\n"},
		{"v:\n  image: my.io/web\n  # pinned\n  tag: '3'\n", "v:\n  image:\n    repository: my.io/web\n    # pinned\n    tag: '3'\n"},
		{"w: {image: other, imageTag: '3'}\n", "w: {image: other}\n"},
		{"x: &i {image: web}\n<<: *i\nimageTag: '3'\n", "x: &i {image: web}\n<<: *i\n"},
	} {
		r, lines := classes(t, old, now, c.user)
		files, err := r.Edits(true, func(f *values.Finding) bool { return f.Class == values.Unknown })
		if err != nil {
			t.Fatalf("%s: %v", c.user, err)
		}
		if diff := cmp.Diff(c.want, string(files[0].Data)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", lines, diff)
		}
	}
}

// TestMergeKeys: a field that a merge key brings, too, is no key twice; it has the value that helm reads, and is never edited.
func TestMergeKeys(t *testing.T) {
	c := chart(t, "one: {m: 1, k: 1}\ntwo: {m: 2, k: 2}", "{{ .Values.one }}{{ .Values.two }}")
	for _, test := range []struct {
		user, want string
		classes    []string
	}{
		{"one: &one\n  m: 3\ntwo:\n  <<: *one\n  m: 2\n  k: 2\n", "one: &one\n  m: 3\ntwo:\n  <<: *one\n  m: 2\n", []string{"needed one.m", "redundant two.m", "redundant two.k"}},
		{"one: &one\n  m: 3\ntwo:\n  m: 2\n  <<: *one\n  k: 2\n", "one: &one\n  m: 3\ntwo:\n  m: 2\n  <<: *one\n", []string{"needed one.m", "redundant two.k", "needed two.m"}},
		{"one: &one {m: 3}\ntwo: {m: 2, <<: [*one]}\n", "one: &one {m: 3}\ntwo: {m: 2, <<: [*one]}\n", []string{"needed one.m", "needed two.m"}},
	} {
		r, lines := classes(t, c, c, test.user)
		if diff := cmp.Diff(test.classes, lines); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.user, diff)
		}
		files, err := r.Edits(true, func(*values.Finding) bool { return false })
		if err != nil {
			t.Fatalf("%q: %v", test.user, err)
		}
		if diff := cmp.Diff(test.want, string(files[0].Data)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.user, diff)
		}
	}
	twice := pkgmerge.File{Name: "v.yaml", Data: []byte("one: &one\n  m: 3\ntwo:\n  <<: *one\n  m: 2\n  m: 4\n")}
	if _, err := values.Compare(c, c, []pkgmerge.File{twice}); err == nil || !strings.Contains(err.Error(), `line 6: key "m"`) {
		t.Errorf("a key twice beside a merge key: %v", err)
	}
}

// TestAnchors: a line whose anchor an alias uses is not removed or split, but it may move with its anchor.
func TestAnchors(t *testing.T) {
	const stays = " (an alias uses its anchor, so it is never removed)"
	old := chart(t, "# Of a\na: {m: 1}\nc: x\nd: {e: 1, f: 2}\nimage: web:1", "")
	now := chart(t, "# Of a\nz: {m: 1}\nc: y\nd: {e: 1, f: 2}\nimage: {repository: web, tag: ''}", "{{.Values.z}}{{.Values.d}}")
	for _, c := range []struct {
		user, want string
		classes    []string
	}{
		{"c: &c y\nd: {g: *c}\n", "c: &c y\nd: {g: *c}\n", []string{"redundant c" + stays, "needed d.g"}},
		{"c: &c y\nb: 1\n", "b: 1\n", []string{"redundant c", "unknown b nearest c"}},
		{"d: &d\n  e: 1\n  g: 3\nz: *d\n", "d: &d\n  e: 1\n  g: 3\nz: *d\n", []string{"redundant d.e" + stays, "needed d.g", "needed z.e", "needed z.g"}},
		{"a:\n  m: &m 3\nd: {g: *m}\n", "z:\n  m: &m 3\nd: {g: *m}\n", []string{"renamed a.m z.m", "needed d.g"}},
		{"image: &i w.io/web:1\nd: {g: *i}\n", "image: &i w.io/web:1\nd: {g: *i}\n", []string{"moved-beneath image (the new chart has a map there, which the value replaces; move it to a field of the map)", "needed d.g"}},
	} {
		r, lines := classes(t, old, now, c.user)
		if diff := cmp.Diff(c.classes, lines); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.user, diff)
		}
		files, err := r.Edits(true, func(*values.Finding) bool { return false })
		if err != nil {
			t.Fatalf("%q: %v", c.user, err)
		}
		if diff := cmp.Diff(c.want, string(files[0].Data)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", lines, diff)
		}
	}
}

// TestEdits: only the lines that change change.
func TestEdits(t *testing.T) {
	old := chart(t, "# Of a\na: {m: 1, s: {}}\nb: 1\nc: x\np: {q: 1}\nimage: web:1\nw: {image: web:1}", "")
	now := chart(t, "# Of a\nz: {m: 1, s: {}}\nb: 1\nc: y\np: {q: 1}\nimage: {repository: web, tag: ''}\nw: {image: {repository: web, tag: ''}}", "{{.Values.z}}{{.Values.b}}{{.Values.c}}{{.Values.p}}")
	for _, c := range []struct{ user, want string }{
		{"# top\n\na: # why\n  # three\n  m: 3   # zones\n  s: {d: 'x'}\nc: y\n\n# two\nb: 2\n", "# top\n\nz: # why\n  # three\n  m: 3   # zones\n  s: {d: 'x'}\n\n# two\nb: 2\n"},
		{"c: y\n", "{}\n"},
		{"# licence\n\n# of c\nc: y\n\n# end\n", "# licence\n\n{}\n\n# end\n"},
		{"# licence\r\n\r\nc: y\r\n# end", "# licence\r\n\r\n{}\r\n# end"},
		{"image: b.io/web:1\n\n# end\n", "image:\n  repository: b.io/web\n  tag: \"1\"\n\n# end\n"},
		{"p:\n  q: 1\nb: 2\n", "b: 2\n"},
		{"b: 2\n# ours\n# b: 3\nc: y\n", "b: 2\n# ours\n# b: 3\n"},
		{"b: 2\n\n#p:\n#  q: 2\n#b: 3\n# a word\nc: y\n\n# ref: x\np: {q: 1}\n", "b: 2\n\n#p:\n#  q: 2\n#b: 3\n"},
		{"# c: z\nc: y\np:\n  # q: 3\n  q: 1\n\nb: 2\n", "# c: z\n\nb: 2\n"},
		{"p:\n  # q: 4\n  q: 1\n  k: 1\nb: 2\n", "p:\n  # q: 4\n  k: 1\nb: 2\n"},
		{"# top\n\n# c: z\n# why\nc: y\n# p:\n#   q: 5\np: {q: 1}\n# end\n", "# top\n\n# c: z\n# p:\n#   q: 5\n{}\n# end\n"},
		{"# c: z\n\nc: y\n", "# c: z\n\n{}\n"},
		{"# c: z\nc: y\n# ours\nimage: b.io/web:1\n", "# c: z\n# ours\nimage:\n  repository: b.io/web\n  tag: \"1\"\n"},
		{"x: &v {m: 3}\na: *v\nc: y\nb: 2", "x: &v {m: 3}\na: *v\nb: 2"},
		{"{c: y, b: 2}\n", "{b: 2}\n"},
		{"a: {m: 3}\nz: {s: {}, m: {}}\n", "z: {m: {}}\n"},
		{"a: {s: {d: x}}\nz: {s: {}}\n", "z:\n  s:\n    d: x\n"},
		{"# top\r\na:\r\n  m: 3\r\nc: y\r\nb: 2\r\n", "# top\r\nz:\r\n  m: 3\r\nb: 2\r\n"},
		{"", ""},
		{"# top\nb: 2\n# ours\nimage: b.io/web:1.10 # pinned\np: {q: 3}\n", "# top\nb: 2\n# ours\nimage:\n  repository: b.io/web # pinned\n  tag: \"1.10\"\np: {q: 3}\n"},
		{"w: {image: 'b.io/web:1'}\n", "w:\n  image:\n    repository: b.io/web\n    tag: \"1\"\n"},
	} {
		r, lines := classes(t, old, now, c.user)
		files, err := r.Edits(true, func(f *values.Finding) bool { return f.Class == values.Unknown })
		if err != nil {
			t.Fatalf("%s: %v", c.user, err)
		}
		if diff := cmp.Diff(c.want, string(files[0].Data)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", lines, diff)
		}
	}
}

// TestCustomizations: a line of a fleet.yaml is edited only if that is right for each of its customizations.
func TestCustomizations(t *testing.T) {
	old, now := chart(t, "gone: 1\nused: 1\nsize: 3\n", "{{ .Values.gone }}{{ .Values.used }}"), chart(t, "size: 1\n", "{{ tpl (default \"\" .Values.text) $ }}{{ .Values.size }}")
	fleet := "helm:\n  chart: cache\n  values:\n    gone: 2\n    used: 3\n    size: 1\ntargetCustomizations:\n" +
		"- name: plain\n  helm: {values: {size: 1}}\n- helm:\n    values:\n      text: '{{ .Values.used }}'\n      size: 1 # as elsewhere\n- doNotDeploy: true\n  helm: {values: {size: 4}}\n"
	releases, err := values.Releases([]pkgmerge.File{{Name: "fleet.yaml", Data: []byte(fleet)}})
	if err != nil || len(releases) != 3 {
		t.Fatal(len(releases), err)
	}
	compared, kept := map[*values.Release]*values.Result{}, map[*values.Finding]bool{}
	for _, r := range releases {
		if compared[r], err = r.Compare(old, now); err != nil {
			t.Fatal(err)
		}
	}
	var lines []string
	var changes []values.Replacement
	for _, r := range releases[1:] {
		r.Inherit(compared[r], compared[r.Base], kept)
	}
	for _, r := range releases {
		edited, err := compared[r].Edits(true, func(f *values.Finding) bool { return kept[f] })
		if err != nil {
			t.Fatal(err)
		}
		own, err := r.Replacements(edited, "")
		if err != nil {
			t.Fatal(err)
		}
		r.Locate(compared[r])
		for _, f := range compared[r].Findings {
			lines = append(lines, fmt.Sprintf("%s: %s %s:%d %s", r.Name, f.Class, f.File, f.Line, f.Note))
		}
		changes = append(changes, own...)
	}
	want := []string{
		"chart cache: dead fleet.yaml:4 ",
		"chart cache: dead fleet.yaml:5 for chart cache, customization 2 it is moved beneath, so it stays",
		"chart cache: redundant fleet.yaml:6 ",
		"chart cache, customization plain: redundant fleet.yaml:9 ",
		"chart cache, customization 2: moved-beneath fleet.yaml:5 for chart cache, customization 2",
		"chart cache, customization 2: needed fleet.yaml:12 ",
		"chart cache, customization 2: redundant fleet.yaml:13 ",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("findings:\n%s\nwant:\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	is, err := values.Replace(pkgmerge.File{Name: "fleet.yaml", Data: []byte(fleet)}, changes)
	pruned := strings.NewReplacer("    gone: 2\n", "", "    size: 1\n", "", "{size: 1}", "{}", "      size: 1 # as elsewhere\n", "").Replace(fleet)
	if err != nil || string(is.Data) != pruned {
		t.Errorf("%s, want\n%s (%v)", is.Data, pruned, err)
	}
}

// TestPlacesOfValues: values that a manifest sets one by one, in the order in which helm gets them, and the places that are not read.
func TestPlacesOfValues(t *testing.T) {
	old, now := chart(t, "old: {size: 1}\ngone: 1\nused: 1\n", ""), chart(t, "new: {size: 1}\nused: 1\n", "{{ .Values.used }}{{ .Values.new.size }}")
	const inline, application = "  valuesInline: {used: 1}\n", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec: {source: {chart: a, helm: {"
	kustomization := "helmCharts:\n- name: a\n  valuesFile: a.yaml\n  additionalValuesFiles: [b.yaml]\n" + inline
	for name, c := range map[string]struct {
		file, text   string
		want, unread []string
	}{
		"set": {"helmfile.yaml", "releases:\n- name: a\n  chart: a\n  values:\n  - old: {size: 2}\n    used: 1\n  set:\n  - {name: old.size, value: 3}\n  - {name: gone, value: x}\n  setString:\n  - {name: used, value: 01}\n", []string{
			"renamed old.size = 2 (5), by helmfile.yaml, it moves by hand, with the value that overrides it", "redundant used = 1 (6), by helmfile.yaml, ",
			"renamed old.size = 3 (8), by , a value in this form is not edited, so rename it yourself", "dead gone = x (9), by , ", "needed used = 01 (11), by , ",
		}, nil},
		"set that is not read": {"helmfile.yaml", "releases:\n- name: a\n  chart: a\n  values: [{used: 1}]\n  set:\n  - {name: 'l[0]', value: 3}\n  - {name: l, values: [3]}\n  - {name: used, value: '{{ 1 }}'}\n  secrets: [s.yaml]\n",
			[]string{"needed used = 1 (4), by , it is the new default, and values that are not read may have another one"}, []string{
				"release a: its secrets in line 9 are encrypted and are not read", "release a: its value of l[0] in line 6 is not read", "release a: its value of l in line 7 is not read", "release a: its value of used in line 8 is not read"}},
		"parameters": {"app.yaml", application + "parameters: [{name: used, value: '1'}, {name: gone, value: '1', forceString: true}], fileParameters: [{name: f, path: p}]}}}\n",
			[]string{"needed used = 1 (3), by , it is the new default, and values that are not read may have another one", "dead gone = 1 (3), by , "}, []string{"Application : its value of f in line 3 is not read"}},
		"target": {"release.yaml", "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec:\n  chart: {spec: {chart: a, valuesFiles: [x.yaml]}}\n  valuesFrom: [{kind: Secret, name: s, targetPath: used}]\n  values: {used: 1}\n",
			[]string{"needed used = 1 (6), by , it is the new default, and values that are not read may have another one"}, []string{
				"HelmRelease : its value of used, from Secret s, is not read", "HelmRelease : its valuesFiles are in the chart and are not read"}},
		"kustomize": {"kustomization.yaml", kustomization,
			[]string{"needed used = 2 (1), by b.yaml, ", "needed used = 1 (5), by b.yaml, it is the new default, and an earlier file has another value", "needed used = 3 (1), by , "}, nil},
		"kustomize, merged": {"kustomization.yaml", kustomization + "  valuesMerge: merge\n",
			[]string{"redundant used = 1 (5), by b.yaml, ", "needed used = 2 (1), by b.yaml, ", "needed used = 3 (1), by , "}, nil},
		"kustomize, replaced": {"kustomization.yaml", kustomization + "  valuesMerge: replace\n",
			[]string{"redundant used = 1 (5), by b.yaml, ", "needed used = 3 (1), by , "}, nil},
		"Fleet's own chart": {"fleet.yaml", "helm: {values: {used: 1}}\n", []string{"redundant used = 1 (1), by , "}, nil},
	} {
		releases, err := values.Releases([]pkgmerge.File{{Name: c.file, Data: []byte(c.text)}, {Name: "Chart.yaml", Data: []byte("name: a\n")},
			{Name: "a.yaml", Data: []byte("used: 2\n")}, {Name: "b.yaml", Data: []byte("used: 3\n")}})
		if err != nil || len(releases) != 1 {
			t.Fatal(name, len(releases), err)
		}
		compared, err := releases[0].Compare(old, now)
		if err != nil {
			t.Fatal(name, err)
		}
		releases[0].Locate(compared)
		var got []string
		for _, f := range compared.Findings {
			if f.Class != values.New {
				got = append(got, fmt.Sprintf("%s %s = %v (%d), by %s, %s", f.Class, values.PathText(f.Path), f.Value, f.Line, f.OverriddenBy, f.Note))
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.unread, compared.Unread); diff != "" {
			t.Errorf("%s, not read (-want +got):\n%s", name, diff)
		}
	}
}

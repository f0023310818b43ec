package values_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/values"
)

// TestManyNames: a name that is one of very many is any name.
func TestManyNames(t *testing.T) {
	for _, n := range []int{30, 300} {
		var defaults, names, user strings.Builder
		want := []string{}
		for i := range n {
			fmt.Fprintf(&defaults, "c%d: {p: 1}\n", i)
			fmt.Fprintf(&names, "%q ", fmt.Sprintf("c%d", i))
			fmt.Fprintf(&user, "c%d: {p: 2}\n", i)
			want = append(want, fmt.Sprintf("moved-beneath c%d.p", i))
		}
		old := chart(t, defaults.String(), "")
		now := chart(t, "", "{{range list "+names.String()+"}}{{(index $.Values .).p}}{{end}}")
		r, _ := classes(t, old, now, user.String())
		for i, f := range r.Findings {
			if got := fmt.Sprintf("%s %s", f.Class, values.PathText(f.Path)); got != want[i] {
				t.Errorf("%d names: %s, want %s", n, got, want[i])
			}
		}
	}
}

// TestFilesOfTheChart: tpl runs files of the chart, which are followed. One that is no template by itself may read all values.
func TestFilesOfTheChart(t *testing.T) {
	const guess = " (a template that cannot be followed may use it)"
	files := []pkgmerge.File{{Name: "files/a.sh", Data: []byte("{{ .Values.a }}")}, {Name: "dashboard.json", Data: []byte("{{ $labels.pod }}")}}
	for template, want := range map[string][]string{
		`{{ tpl (.Files.Get "files/a.sh" | indent 2) . }}`:                                       {"needed a", "unknown z"},
		`{{ .Files.Get "files/a.sh" }}`:                                                          {"unknown a", "unknown z"},
		`{{ tpl (.Files.Get "files/a.sh" | replace "a" "z") . }}`:                                {"needed a" + guess, "needed z" + guess},
		`{{ range $name, $_ := .Files.Glob "files/*" }}{{ tpl ($.Files.Get $name) $ }}{{ end }}`: {"needed a", "unknown z"},
	} {
		c := chart(t, "", template, files...)
		if _, got := classes(t, c, c, "a: 1\nz: 2\n"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", template, got, want)
		}
	}
}

// TestSharedDicts: dicts that are made of one dict twice take no time that doubles with each.
func TestSharedDicts(t *testing.T) {
	template := "{{$d := dict \"a\" .Values.a}}" + strings.Repeat("{{$d = dict \"x\" $d \"y\" $d}}", 40) + "{{toYaml $d}}{{list $d $d}}"
	c := chart(t, "a: 1\n", template)
	if _, lines := classes(t, c, c, "a: 2\n"); !slices.Equal(lines, []string{"needed a"}) {
		t.Error(lines)
	}
}

// TestComputedNames: a name that a template computes may be a word of the templates in another form, the name of the chart, or a
// word of a text that it includes.
func TestComputedNames(t *testing.T) {
	const guess = " (a template that cannot be followed may use it)"
	for template, want := range map[string][]string{
		`{{ index .Values (camelcase "foo_bar" | untitle) }}`:                   {"needed fooBar" + guess, "unknown other"},
		`{{ index .Values ("foo-Bar" | replace "-" "") }}`:                      {"needed fooBar" + guess, "unknown other"},
		`{{ define "x" }}fooBar{{ end }}{{ index .Values (include "x" .) }}`:    {"needed fooBar" + guess, "unknown other"},
		`{{ define "x" }}fooBar{{ end }}{{ include "x" . }}{{ .Values.other }}`: {"unknown fooBar", "needed other"},
	} {
		c := chart(t, "", template)
		if _, got := classes(t, c, c, "fooBar: 1\nother: 2\n"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", template, got, want)
		}
	}
	c := chart(t, "", "{{ (index .Values .Chart.Name).b }}")
	if _, got := classes(t, c, c, "a: {b: 1}\n"); !slices.Equal(got, []string{"needed a.b" + guess}) {
		t.Errorf("name of the chart: %q", got)
	}
}

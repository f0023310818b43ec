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

// TestDictsInDicts: a dict that templates fill in each turn, and that has others in it, is followed to its fields.
func TestDictsInDicts(t *testing.T) {
	helper := pkgmerge.File{Name: "templates/_object.tpl", Data: []byte(`{{- define "object" -}}{{- $o := .values -}}{{- $_ := set $o "pod" dict -}}
{{- range $k, $v := .root.Values.options -}}{{- $_ := set $o.pod $k $v -}}{{- end -}}
{{- $_ := set .root.Values.added "token" (dict "name" $o.name) -}}{{- $_ := set .root.Values.added.token "of" $o -}}{{- toYaml $o -}}{{- end -}}`)}
	for template, want := range map[string][]string{
		`{{ range $name, $v := .Values.objects }}{{ include "object" (dict "root" $ "values" $v) }}{{ end }}`:                                         {"needed objects.a.name", "needed options.b", "unknown other"},
		`{{ $_ := set . "Values" (mergeOverwrite .Values.common (omit .Values "common")) }}{{ include "object" (dict "root" $ "values" .Values.o) }}`: {"unknown objects.a.name", "needed options.b", "unknown other"},
	} {
		c := chart(t, "options: {}\nadded: {}\ncommon: {}\n", template, helper)
		if _, got := classes(t, c, c, "objects: {a: {name: x}}\noptions: {b: 1}\nother: 2\n"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", template, got, want)
		}
	}
}

// TestPrintedNames: a name that is printed has its known parts, so that no other template is included by it.
func TestPrintedNames(t *testing.T) {
	helper := pkgmerge.File{Name: "templates/_merged.tpl", Data: []byte(`{{- define "merged" -}}{{- if .Values.old -}}{{- mergeOverwrite .Values.now .Values.old | toYaml -}}{{- else -}}{{- .Values.now | toYaml -}}{{- end -}}{{- end -}}`)}
	other := pkgmerge.File{Name: "templates/other.yaml", Data: []byte(`{{- $now := (include "merged" . | fromYaml) -}}{{ $now.a }}`)}
	for name, want := range map[string]string{
		`(print .Template.BasePath "/other.yaml")`:    "unknown now.zzzz",
		`(printf "%s/%s" .Release.Name "other.yaml")`: "unknown now.zzzz",
		`(printf "%s" .Release.Name)`:                 "needed now.zzzz",
		`(printf "mer%s" .Release.Name)`:              "needed now.zzzz",
	} {
		c := chart(t, "now: {a: 1}\n", "{{ include "+name+" . | sha256sum }}", helper, other)
		if _, got := classes(t, c, c, "now: {a: 2, zzzz: 1}\n"); got[0] != "needed now.a" || got[1] != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestEditedTexts: a function may make a template of a value that has an action, and of no other one.
func TestEditedTexts(t *testing.T) {
	const guess = " (a template that cannot be followed may use it)"
	for template, want := range map[string]string{
		`{{ tpl (.Values.plain | trunc 20) $ }}`:                       "unknown other",
		`{{ tpl (.Values.text | trunc 20) $ }}`:                        "needed other" + guess,
		`{{ tpl (index .Values (lower "TEXT") | trunc 20) $ }}`:        "needed other" + guess,
		`{{ range .Values.list }}{{ tpl (. | trunc 20) $ }}{{ end }}`:  "needed other" + guess,
		`{{ range .Values.names }}{{ tpl (. | trunc 20) $ }}{{ end }}`: "unknown other",
		`{{ tpl (tpl .Values.text $ | trunc 20) $ }}`:                  "unknown other",
		`{{ tpl (tpl .Values.quoted $ | trunc 20) $ }}`:                "needed other" + guess,
	} {
		c := chart(t, "plain: a\ntext: '{{ .Release.Name }}'\nnames: [a]\nlist: ['{{ 1 }}']\nquoted: 'a'\n", template)
		user := "other: 1\n"
		if strings.Contains(template, "quoted") {
			user += "quoted: '{{ \"{{\" }} .Values.other }}'\n"
		}
		if _, got := classes(t, c, c, user); got[0] != want {
			t.Errorf("%s: %q, want %q", template, got[0], want)
		}
	}
}

// TestComputedNames: a name that functions of known texts make is known; any other one may be each name of its map.
func TestComputedNames(t *testing.T) {
	const guess = " (a template that cannot be followed may use it)"
	known, any := []string{"needed fooBar", "unknown other"}, []string{"needed fooBar" + guess, "needed other" + guess}
	for template, want := range map[string][]string{
		`{{ index .Values (camelcase "foo_bar" | untitle) }}`:                    any,
		`{{ index .Values .Release.Name }}`:                                      any,
		`{{ if hasKey .Values .Template.Name }}x{{ end }}`:                       any,
		`{{ index .Values (.Files.Get "a" | trim) }}`:                            any,
		`{{ index .Values (printf "%sBar" .Release.Name) }}`:                     any,
		`{{ range list "fooBar" .Release.Name }}{{ index $.Values . }}{{ end }}`: {"needed fooBar", "needed other" + guess},
		`{{ .Values.YAML }}`: {"needed fooBar" + guess, "needed other" + guess},
		`{{ tpl (replace "X" .Release.Name "{{ .Values.X }}") . }}`:                                                          any,
		`{{ .Values.AsMap.fooBar }}`:                                                                                         known,
		`{{ dig "fooBar" 1 .Values.AsMap }}`:                                                                                 known,
		`{{ tpl (replace "X" "fooBar" "{{ .Values.X }}") . }}`:                                                               known,
		`{{ tpl (print "{{ .Values.foo" "Bar }}") . }}`:                                                                      known,
		`{{ index .Values ("foo-Bar" | replace "-" "") }}`:                                                                   known,
		`{{ index .Values (join "B" (list "foo" "ar")) }}`:                                                                   known,
		`{{ index .Values ("x.fooBar" | trimPrefix "x.") }}`:                                                                 known,
		`{{ index .Values ("fooBarX" | trunc 6) }}`:                                                                          known,
		`{{ index .Values ("Zm9vQmFy" | b64dec) }}`:                                                                          known,
		`{{ index .Values (regexFind "[a-zA-Z]+" "12fooBar3") }}`:                                                            known,
		`{{ index .Values (printf "%s%s" "foo" "Bar") }}`:                                                                    known,
		`{{ range splitList "," "fooBar,x" }}{{ index $.Values . }}{{ end }}`:                                                known,
		`{{ define "x" }}fooBar{{ end }}{{ index .Values (include "x" .) }}`:                                                 known,
		`{{ define "x" }}{{ if .Values.a }}fooBar{{ end }}{{ end }}{{ index .Values (include "x" . | trim | default "b") }}`: known,
		`{{ define "x" }}{{ .Release.Name }}{{ end }}{{ index .Values (include "x" .) }}`:                                    any,
		`{{ define "x" }}fooBar{{ end }}{{ include "x" . }}{{ .Values.other }}`:                                              {"unknown fooBar", "needed other"},
		`{{ $v := .Values }}{{ range splitList "." "fooBar" }}{{ $v = index $v . }}{{ end }}{{ $v }}`:                        known,
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

// TestEncodedValues: a value that goes through a text in YAML and back is followed by its fields.
func TestEncodedValues(t *testing.T) {
	const guess = " (a template that cannot be followed may use it)"
	const merged = `{{ define "render" }}{{ $v := typeIs "string" .value | ternary .value (.value | toYaml) }}{{ tpl $v .context }}{{ end }}` +
		`{{ define "merge" }}{{ $d := dict }}{{ range .values }}{{ $d = include "render" (dict "value" . "context" $.context) | fromYaml | merge $d }}{{ end }}{{ $d | toYaml }}{{ end }}`
	const ofBitnami = `{{- define "render" }}{{- $v := typeIs "string" .value | ternary .value (.value | toYaml) }}
{{- if contains "{{" (toJson .value) }}{{- if .scope }}{{- tpl (cat "{{- with $.Scope -}}" $v "{{- end }}") (merge (dict "Scope" .scope) .context) }}{{- else }}{{- tpl $v .context }}{{- end }}
{{- else }}
    {{- $v }}
{{- end }}
{{- end -}}
{{ define "merge" }}{{ $d := dict }}{{ range .values }}{{ $d = include "render" (dict "value" . "context" $.context "scope" $.scope) | fromYaml | merge $d }}{{ end }}{{ $d | toYaml }}{{ end }}`
	known := []string{"needed a.b", "unknown a.z"}
	for template, want := range map[string][]string{
		`{{ (.Values.a | toYaml | fromYaml).b }}`:                                                                 known,
		`{{ define "x" }}{{- toYaml .Values.a -}}{{ end }}{{ (include "x" . | fromYaml).b }}`:                     known,
		merged + `{{ (include "merge" (dict "values" (list .Values.a .Values.c) "context" $) | fromYaml).b }}`:    {"needed a.b", "dead a.z"},
		ofBitnami + `{{ (include "render" (dict "value" .Values.a "context" $) | fromYaml).b }}`:                  {"needed a.b", "dead a.z"},
		ofBitnami + `{{ (include "render" (dict "value" .Values.a "context" $ "scope" $) | fromYaml).b }}`:        {"needed a.b", "needed a.z"},
		ofBitnami + `{{ (include "merge" (dict "values" (list .Values.a .Values.c) "context" $) | fromYaml).b }}`: {"needed a.b", "dead a.z"},
		`{{ if contains "{{" (toJson .Values.a) }}y{{ end }}{{ .Values.a.b }}`:                                    known,
		`{{ if contains "{{" (toJson .Values.a) }}y{{ end }}{{ .Values.a.b }}{{ .Values.t }}`:                     known,
		`{{ if contains "z" (toJson .Values.a) }}y{{ end }}{{ .Values.a.b }}`:                                     {"needed a.b", "needed a.z"},
		`{{ define "x" }}{{ toYaml .Values.a }}{{ end }}{{ include "x" . }}`:                                      {"needed a.b", "needed a.z"},
		`{{ define "x" }}{{ toYaml .Values.a }}{{ end }}{{ if eq (include "x" .) "y" }}y{{ end }}`:                {"needed a.b", "needed a.z"},
		`{{ if toYaml .Values.a }}y{{ end }}`:                                                                     {"needed a.b", "needed a.z"},
		`{{ if .Values.a }}y{{ end }}`:                                                                            {"needed a.b", "needed a.z"},
		`{{ range $k, $v := .Values }}{{ $k }}{{ end }}`:                                                          {"needed a.b" + guess, "needed a.z" + guess},
		`{{ range $k, $v := .Values }}{{ $v.b }}{{ end }}`:                                                        {"needed a.b" + guess, "dead a.z"},
	} {
		c := chart(t, "", template)
		if _, got := classes(t, c, c, "a: {b: 1, z: 2}\n"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", template, got, want)
		}
	}
}

// TestActionsInNames: an action in the name of a field, or one that ends in another element of a list, reads values.
func TestActionsInNames(t *testing.T) {
	c := chart(t, "", `{{ tpl (toYaml .Values.labels) . }}{{ (toYaml .Values.a | fromYaml).b }}`)
	for _, labels := range []string{`"{{ .Values.name }}": x`, `of: ["{{ if .Values.name }}", x, "{{ end }}"]`} {
		if _, got := classes(t, c, c, "labels:\n  "+labels+"\nname: y\nother: 1\n"); !slices.Equal(got[1:], []string{"needed name", "unknown other"}) {
			t.Errorf("%s: %q", labels, got)
		}
	}
	if _, got := classes(t, c, c, "a: {b: 1, z: {'{{ 1 }}': 1}}\n"); !slices.Equal(got, []string{"needed a.b", "unknown a.z[\"{{ 1 }}\"]"}) {
		t.Errorf("%q", got)
	}
}

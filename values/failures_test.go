package values_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/values"
)

// failures returns the failures of a chart with a user's values as lines.
func failures(t *testing.T, old, now *values.Chart, user string) (out []string) {
	t.Helper()
	r, _ := classes(t, old, now, user)
	for _, f := range r.Failures {
		out = append(out, fmt.Sprintf("%s:%d %s %s:%d %s", f.Template, f.Line, values.PathText(f.Path), f.File, f.UserLine, f.Message))
	}
	return out
}

// TestFailures: a call of fail or required is named if the values certainly reach it.
func TestFailures(t *testing.T) {
	const defaults, user = "a: {b: 1, up: true, host: '', list: []}\nname: x\n", "c: 1\na: {b: 2}\nimage: b.io/web:1\n"
	const all = "templates/all.yaml"
	for _, c := range []struct{ template, want string }{
		{`x: y{{ "\n" }}{{ required "a.host is needed" .Values.a.host }}`, all + ":1 a.host :0 a.host is needed"},
		{"x: y\n{{ if .Values.c }}\n{{ fail \"c is gone\" }}{{ end }}", all + ":3 c 0.yaml:1 c is gone"},
		{`{{ if not .Values.a.up }}{{ fail "x" }}{{ end }}`, ""},
		{`{{ if .Release.IsUpgrade }}{{ fail "x" }}{{ end }}`, ""},
		{`{{ if and .Values.a.up (eq .Values.name "x") }}{{ fail (printf "no %s" .Values.name) }}{{ end }}`, all + ":1 a.up :0 no x"},
		{`{{ if and .Values.a.up (eq .Values.name .Release.Name) }}{{ fail "x" }}{{ end }}`, ""},
		{`{{ if eq .Values.name "y" }}{{ else if empty .Values.a.list }}{{ fail .Release.Name }}{{ end }}`, all + ":1 a.list :0 "},
		{`{{ define "v" }}{{ if .Values.c }}c is gone{{ end }}{{ end }}{{ $m := list }}{{ $m = append $m (include "v" .) }}{{ $m = without $m "" }}{{ $m := join "\n" $m }}{{ if $m }}{{ printf "\nWrong:\n%s" $m | fail }}{{ end }}`, all + ":1 c 0.yaml:1 Wrong:\nc is gone"},
		{`{{ $i := list .Values.image }}{{ range $i }}{{ fail (printf "unknown image %s" .) }}{{ end }}`, all + ":1  0.yaml:3 unknown image b.io/web:1"},
		{`{{ $x := "" }}{{ if .Release.IsInstall }}{{ $x = "y" }}{{ end }}{{ required "x" $x }}`, ""},
		{`{{ $d := dict }}{{ if .Release.IsInstall }}{{ $_ := set $d "y" 1 }}{{ end }}{{ required "x" $d.y }}`, ""},
		{`{{ $_ := set .Values.a "host" "z" }}{{ required "x" .Values.a.host }}`, ""},
		{`{{ $_ := unset .Values.a "b" }}{{ required "x" .Values.a.host }}`, all + ":1 a.host :0 x"},
		{`{{ $_ := unset .Values.a "up" }}{{ if .Values.a.up }}{{ fail "x" }}{{ end }}`, ""},
		{`{{ $_ := unset . "Values" }}{{ fail "x" }}`, ""},
		{`please unset it{{ "\n" }}{{ required "x" .Values.a.host }}`, all + ":1 a.host :0 x"},
		{`{{ range .Values }}{{ if .Release }}{{ $_ := set . "host" "y" }}{{ end }}{{ end }}{{ required "x" .Values.a.host }}`, ""},
		{`{{ if .Release.IsInstall }}set {{ .Values.a.b }}{{ end }}{{ $v := .Values }}{{ required "x" $v.a.host }}`, all + ":1  :0 x"},
		{`{{ $d := dict }}{{ $_ := merge $d (dict "y" 1) }}{{ required "x" $d.y }}`, ""},
		{`{{ $d := dict }}{{ with $d }}{{ if .Release }}{{ $_ := set . "y" 1 }}{{ end }}{{ end }}{{ required "x" $d.y }}`, all + ":1  :0 x"},
		{`{{ $d := dict "z" 1 }}{{ with $d }}{{ if $.Release.IsInstall }}{{ $_ := set . "y" 1 }}{{ end }}{{ end }}{{ required "x" $d.y }}`, ""},
		{`{{ $l := list 1 }}{{ if eq (len $l) 1 }}{{ fail "one" }}{{ end }}`, all + ":1  :0 one"},
		{`{{ $d := dict "y" 1 }}{{ $e := deepCopy $d }}{{ $_ := unset $e "y" }}{{ required "x" $e.y }}`, all + ":1  :0 x"},
		{`{{ or .Values.a.up (required "x" .Values.a.host) }}`, ""},
		{`{{ or .Release.Name (required "x" .Values.a.host) }}`, ""},
		{`{{ default .Values.name (required "x" .Values.a.host) }}`, all + ":1 a.host :0 x"},
		{`{{ range .Values.a.list }}{{ fail "x" }}{{ else }}{{ fail "none" }}{{ end }}`, all + ":1 a.list :0 none"},
		{`{{ range list 1 2 }}{{ break }}{{ fail "x" }}{{ end }}`, ""},
		{`{{ with .Values.a }}{{ if not .host }}{{ fail "no host" }}{{ end }}{{ end }}`, all + ":1 a 0.yaml:2 no host"},
		{`{{ if eq .Values.a.b 2 }}{{ fail "x" }}{{ end }}`, ""},
		{`{{ if hasKey .Values "c" }}{{ fail "c is gone" }}{{ end }}`, all + ":1 c 0.yaml:1 c is gone"},
		{`{{ if eq (typeOf .Values.name) "string" }}{{ fail "text" }}{{ end }}{{ if typeIs "string" .Values.name }}x{{ end }}`, all + ":1 name :0 text"},
		{`{{ if or (ne (kindOf .Values.a) "map") (typeIs "string" .Values.a.up) (eq (typeOf .Values.a) "map") (eq (kindOf .Values.c) "int") }}{{ fail "x" }}{{ end }}`, ""},
		{`{{ tpl "{{ fail .Values.c }}" . }}`, ""},
		{`{{ if not (contains "x" .Chart.Annotations.images) }}{{ fail "x" }}{{ end }}`, all + ":1  :0 x"},
		{`{{ if not (contains "docker" .Chart.Annotations.images) }}{{ fail "x" }}{{ end }}`, ""},
		{`{{ if .Chart.AppVersion }}{{ fail "x" }}{{ end }}`, ""},
		{`{{ if not (((.Values.nothing).secure).images) }}{{ fail "x" }}{{ end }}`, all + ":1 nothing.secure.images :0 x"},
		{`{{ $a := list }}{{ range list .Values.a }}{{ $a = append $a .b }}{{ end }}{{ if or (gt (len $a) 0) (gt (len $a) 1) }}{{ $m := "no" }}{{ range concat $a (list 3) }}{{ $m = print $m "," }}{{ end }}{{ print $m | fail }}{{ end }}`, all + ":1  :0 no,,"},
		{`{{ if gt (len .Values.a.list) 0 }}{{ fail "x" }}{{ end }}`, ""},
	} {
		old, now := chart(t, defaults, ""), chart(t, defaults, c.template)
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		if got := failures(t, old, now, user); !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.template, got, want)
		}
		if got := failures(t, now, chart(t, defaults, c.template), user); len(got) > 0 {
			t.Errorf("%s: the old chart fails, too: %q", c.template, got)
		}
	}
}

// TestFailuresOfSubcharts: the templates of a subchart run with its own values, if its condition is true.
func TestFailuresOfSubcharts(t *testing.T) {
	of := func(condition string) *values.Chart {
		return chart(t, "db: {up: "+condition+"}\nglobal: {zone: a}\n", "",
			pkgmerge.File{Name: "requirements.yaml", Data: []byte("dependencies: [{name: db, condition: db.up}]\n")},
			pkgmerge.File{Name: "charts/db/Chart.yaml", Data: []byte("name: db\n")},
			pkgmerge.File{Name: "charts/db/values.yaml", Data: []byte("user: ''\n")},
			pkgmerge.File{Name: "charts/db/templates/a.yaml", Data: []byte("{{ if eq .Values.global.zone \"a\" }}{{ required \"a user\" .Values.user }}{{ end }}")})
	}
	old := chart(t, "", "")
	if got, want := failures(t, old, of("true"), "a: 1\ndb: {user: ''}\n"), []string{"templates/a.yaml:1 db.user 0.yaml:2 a user"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := failures(t, old, of("false"), "db: {user: ''}\n"); got != nil {
		t.Errorf("off: %q", got)
	}
}

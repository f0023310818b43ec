package values_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/values"
)

// TestLawFailures: helm fails on a chart where the program says so. Where all that decides is known, it says so where helm fails.
func TestLawFailures(t *testing.T) {
	condition := func(t *rapid.T, isKnown bool) string {
		some := []string{
			".Values.a", "not .Values.a", "and .Values.a .Values.b", "or .Values.a (not .Values.b)", `eq .Values.c "x"`, `ne .Values.c "x"`, "empty .Values.d", `hasKey .Values.d "e"`,
			"$v", `has "x" (list .Values.c "y")`, `contains "x" .Values.c`, `default .Values.a .Values.b`, `kindIs "map" .Values.d`, `typeIs "string" .Values.a`, `eq (typeOf .Values.a) "string"`, `eq (kindOf .Values.d) "map"`, `ternary .Values.a .Values.b true`, `include "told" .`,
			`.Values.d.e`, `(dict "k" .Values.a).k`, `gt (len $l) 1`, `le (len (concat $l .Values.f)) 0`, `((.Values.g).h).i`, `((.Values.d).e)`, `contains "p" .Chart.Annotations.images`,
			`contains .Values.c .Chart.Annotations.images`, `(dict "chart" .Chart "context" $).context.Chart.Annotations.none`, `eq .Chart.Name .Values.c`, `get .Values.d "e"`, `$l`, `$d.k`,
			`eq (len $l) 1`, `eq 1 (len .Values.f)`, `and .Values.a (set $d "k" "z")`, `hasKey $d "k"`, `not (deepCopy $d).k`, `empty (omit $d "k")`,
		}
		if !isKnown {
			some = append(some, ".Release.IsInstall", `.Capabilities.APIVersions.Has "v1"`, `eq .Release.Name "release"`, `lookup "v1" "Pod" "" ""`, `semverCompare ">1.0.0" .Capabilities.KubeVersion.Version`)
		}
		return rapid.SampledFrom(some).Draw(t, "condition")
	}
	rapid.Check(t, func(t *rapid.T) {
		isKnown := rapid.Bool().Draw(t, "known")
		isSure := isKnown // helm fails where the program says so, and nowhere else
		var b strings.Builder
		b.WriteString(`{{ $v := "" }}{{ $l := list }}{{ $d := dict }}`)
		var write func(depth int)
		write = func(depth int) {
			for range rapid.IntRange(1, 3).Draw(t, "actions") {
				kind := rapid.SampledFrom([]string{"if", "if", "with", "range", "fail", "required", "set", "append", "assign", "told", "change"}).Draw(t, "kind")
				switch {
				case (kind == "if" || kind == "with" || kind == "range") && depth > 0:
					over := condition(t, isKnown)
					if kind == "range" {
						over = rapid.SampledFrom([]string{".Values.d", ".Values.f", "$l", `list "p" "q"`}).Draw(t, "over")
					}
					if fmt.Fprintf(&b, "{{ %s %s }}", kind, over); kind == "if" {
						write(depth - 1)
					} else {
						b.WriteString(`{{ $v = "w" }}`) // the dot is another one
					}
					if rapid.Bool().Draw(t, "else") {
						b.WriteString("{{ else }}")
						write(depth - 1)
					}
					b.WriteString("{{ end }}")
				case kind == "required":
					fmt.Fprintf(&b, `{{ required "r" %s }}`, rapid.SampledFrom([]string{".Values.c", ".Values.d.e", "$v", "$d.k"}).Draw(t, "required"))
				case kind == "set":
					b.WriteString(`{{ $_ := set $d "k" .Values.a }}`)
				case kind == "append":
					b.WriteString(`{{ $l = append $l .Values.c }}`)
				case kind == "assign":
					fmt.Fprintf(&b, `{{ $v = %s }}`, rapid.SampledFrom([]string{`""`, `"x"`, ".Values.a"}).Draw(t, "value"))
				case kind == "change":
					isSure = false
					change := rapid.SampledFrom([]string{
						`{{ with $d }}{{ if COND }}{{ $_ := set . "k" 1 }}{{ end }}{{ end }}`, `{{ include "change" (dict "if" (COND) "d" $d) }}`, `{{ $_ := merge $d (dict "k" .Values.a) }}`,
						`{{ $_ := mergeOverwrite $d (dict "k" .Values.c "in" (dict "k" 1)) }}`, `{{ $_ := unset $d "k" }}`, `{{ $d = deepCopy $d }}`, `{{ $_ := set .Values.d "e" "z" }}`,
						`{{ $_ := unset .Values "c" }}`, `{{ if COND }}{{ $_ := set .Values.d "e" "z" }}{{ end }}`, `{{ $_ := and (COND) (unset $d "k") }}`, `please set the values `,
						`{{ $_ := set $d .Values.c 1 }}`, `{{ $_ := set $d .Release.Name 1 }}`, `{{ $e := $d }}{{ if COND }}{{ $_ := set $e "k" 1 }}{{ end }}`, `{{ range list $d }}{{ $_ := set . "k" "" }}{{ end }}`,
						`{{ $e := dict "d" $d }}{{ if COND }}{{ $_ := unset $e.d "k" }}{{ end }}`, `{{ $_ := merge $d $d }}`, `{{ $e := .Values.d }}{{ if COND }}{{ $_ := set $e "e" "" }}{{ end }}`,
					}).Draw(t, "change")
					b.WriteString(strings.ReplaceAll(change, "COND", condition(t, isKnown)))
				case kind == "fail" && depth < 2:
					b.WriteString(`{{ fail "f" }}`)
				default:
					b.WriteString("x")
				}
			}
		}
		write(2)
		files := []pkgmerge.File{
			{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: drawn\nversion: 1.0.0\nannotations: {images: x}\n")},
			{Name: "templates/_helpers.tpl", Data: []byte(`{{ define "change" }}{{ if .if }}{{ $_ := set .d "k" "y" }}{{ end }}{{ end }}{{ define "told" }}{{ if .Values.a }}{{ .Values.c }}{{ end }}{{ end }}`)},
			{Name: "templates/all.yaml", Data: []byte(b.String())},
			{Name: "values.yaml", Data: []byte("a: false\nb: true\nc: x\nd: {e: ''}\nf: []\n")},
		}
		now, err := newVersion("now", files)
		if err != nil {
			t.Fatal(err)
		}
		user := pkgmerge.File{Name: "values.yaml", Data: []byte(rapid.SampledFrom([]string{"z: 1\n", "a: true\n", "a: true\nc: ''\n", "b: false\nd: {e: y}\n", "c: y\nf: [1]\n"}).Draw(t, "user"))}
		compared, err := values.Compare(now.Chart, now.Chart, []pkgmerge.File{user})
		if err != nil {
			t.Fatal(err)
		}
		_, fails := now.render(user)
		switch {
		case fails == nil && len(compared.Failures) > 0:
			t.Fatalf("helm does not fail:\n%s\n%s%+v", b.String(), user.Data, compared.Failures)
		case isSure && fails != nil && len(compared.Failures) == 0 && strings.Contains(fails.Error(), "execution error"):
			t.Fatalf("helm fails: %v\n%s\n%s", fails, b.String(), user.Data)
		}
	})
}

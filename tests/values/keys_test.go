package values_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/values"
)

// keysOf returns expressions of templates that make a name. One of a context has it in $.
func keysOf(name string) []string {
	half := len(name) / 2
	encoded := strings.NewReplacer("NAME", name, "FRONT", name[:half], "BACK", name[half:], "UPPER", strings.ToUpper(name), "LENGTH", fmt.Sprint(len(name)))
	var out []string
	for _, expression := range []string{
		`"NAME"`, `(join "" (list "FRONT" "BACK"))`, `(trimPrefix "x-" "x-NAME")`, `(trimSuffix ".y" "NAME.y")`, `(b64enc "NAME" | b64dec)`,
		`(regexFind "[a-z]+[0-9]*" "-NAME-")`, `(trunc LENGTH "NAMExyz")`, `("UPPER" | lower)`, `(replace "-" "" "FRONT-BACK")`, `(substr 0 LENGTH "NAME--")`,
		`(printf "%s%s" "FRONT" "BACK")`, `(print "FRONT" "BACK")`, `(include "named" (dict "name" "NAME"))`, `(include "half" "BACK" | printf "%s%s" "FRONT")`,
		`($.Files.Get "NAME.txt" | trim)`, `(first (splitList "." "NAME.x"))`, `(last (list "x" "NAME"))`, `(get (dict "k" "NAME") "k")`,
		`(regexReplaceAll "^x" "xNAME" "")`, `(default "NAME" "")`, `(ternary "NAME" "x" true)`, `(index (fromYaml "k: NAME") "k")`, `(tpl "NAME" $)`,
		`(tpl "{{ .k }}" (dict "k" "NAME"))`, `("NAME" | quote | trimAll "\"")`, `(coalesce "" "NAME")`, `(mustRegexFind "NAME" "NAME")`, `(nospace "FRONT BACK")`,
		`(index (regexSplit "[.]" "x.NAME" -1) 1)`, `(index (list "x" "NAME") (len (list 1)))`, `(first (keys (dict "NAME" 1)))`, `("NAME" | title | untitle)`,
	} {
		out = append(out, encoded.Replace(expression))
	}
	return out
}

// readsOf returns lines of templates that read the field of a block whose name an expression makes.
func readsOf(block, name, key string) []string {
	r := strings.NewReplacer("BLOCK", block, "NAME", name, "KEY", key)
	var out []string
	for _, line := range []string{
		`{{ index .Values "BLOCK" KEY | toJson }}`, `{{ hasKey .Values.BLOCK KEY }}`, `{{ dig "BLOCK" KEY 1 .Values.AsMap | toJson }}`, `{{ get .Values.BLOCK KEY | toJson }}`,
		`{{ pluck KEY .Values.BLOCK | toJson }}`, `{{ tpl (replace "X" KEY "{{ .Values.BLOCK.X | toJson }}") $ }}`, `{{ pick .Values.BLOCK KEY | toJson }}`,
		`{{ tpl (printf "{{ .Values.BLOCK.%s | toJson }}" KEY) $ }}`, `{{ tpl (print "{{ index .Values.BLOCK " (KEY | quote) " | toJson }}") $ }}`,
		`{{ index .Values.AsMap "BLOCK" KEY | toJson }}`, `{{ .Values.BLOCK | toYaml | fromYaml | dig KEY "none" | toJson }}`,
		`{{ include "block" .Values.BLOCK | fromYaml | dig KEY "none" | toJson }}`, `{{ index (merge (dict) .Values.BLOCK) KEY | toJson }}`,
		`{{ index (include "block" .Values.BLOCK | fromYaml | merge (dict)) KEY | toJson }}`, `{{ $v := .Values }}{{ range list "BLOCK" KEY }}{{ $v = index $v . }}{{ end }}{{ toJson $v }}`,
		`{{ $v := .Values }}{{ range splitList "." (printf "BLOCK.%s" KEY) }}{{ if $v }}{{ $v = index $v . }}{{ end }}{{ end }}{{ toJson $v }}`,
		`{{ range $k, $v := .Values.BLOCK }}{{ if eq $k KEY }}{{ toJson $v }}{{ end }}{{ end }}`, `{{ has KEY (keys .Values.BLOCK) }}`, `{{ len (pluck KEY .Values.BLOCK) }}`,
		`{{ $d := dict }}{{ $_ := set $d KEY .Values.BLOCK }}{{ index $d KEY KEY | toJson }}`, `{{ $_ := set . KEY .Values.BLOCK.NAME }}{{ index . KEY | toJson }}`,
		`{{ index (fromJson (toJson .Values.BLOCK)) KEY | toJson }}`, `{{ index (omit .Values.BLOCK "zzz") KEY | toJson }}`, `{{ tpl (.Files.Get "BLOCK.NAME.tpl") $ }}`,
		`{{ .Values.YAML | sha256sum }}`, `{{ (.Values.Table "BLOCK").NAME | toJson }}`, `{{ .Values.PathValue "BLOCK.NAME" | toJson }}`, `{{ .Values.BLOCK | keys | len }}`,
		`{{ $d := dict "in" dict }}{{ range $k, $v := .Values.BLOCK }}{{ $_ := set $d.in $k $v }}{{ end }}{{ index $d.in KEY | toJson }}`,
		`{{ range list "other" KEY }}{{ $d := dict "key" . }}{{ $_ := set $d "of" dict }}{{ $_ := set $d.of "v" (index $.Values.BLOCK $d.key) }}{{ toJson $d.of }}{{ end }}`,
		`{{ $_ := set . "Values" (mergeOverwrite (dict "BLOCK" dict) (omit .Values "zzz")) }}{{ index .Values.BLOCK KEY | toJson }}`,
		`{{ include "render" (dict "value" .Values.BLOCK "context" $) | fromYaml | dig KEY "none" | toJson }}`, `{{ contains "{{" (toJson .Values.BLOCK) }}`,
		`{{ index (include "merge" (dict "values" (list .Values.BLOCK (dict "zzz" 1)) "context" $) | fromYaml) KEY | toJson }}`,
		`{{ tpl (toYaml .Values.texts.BLOCK.NAME) $ }}`, `{{ include "render" (dict "value" .Values.texts.BLOCK "context" $) }}`,
	} {
		out = append(out, r.Replace(line))
	}
	return out
}

// drawKeyed draws a chart whose new version reads fields that have no default any more, by names that templates make; and values
// for all fields.
func drawKeyed(t *rapid.T) (old, now, user []pkgmerge.File) {
	blocks := []string{"server", "worker"}
	names := []string{"release", "all", "drawn", "size", "count2"}
	about := func(version string) pkgmerge.File {
		return pkgmerge.File{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: drawn\nversion: " + version + "\n")}
	}
	var before, after, mine strings.Builder
	for _, block := range blocks {
		fmt.Fprintf(&before, "%s:\n", block)
		fmt.Fprintf(&after, "%s:\n  other: 1\n", block)
		fmt.Fprintf(&mine, "%s:\n", block)
		for _, name := range names {
			fmt.Fprintf(&before, "  %s: 1\n", name)
			fmt.Fprintf(&mine, "  %s: %s\n", name, rapid.SampledFrom([]string{"2", "mine", "{a: 1}", "[x]", "'{{ 1 }}'", "{'{{ 1 }}': 1}"}).Draw(t, "value"))
		}
	}
	now = append(now, pkgmerge.File{Name: "templates/_helpers.tpl", Data: []byte(`{{- define "named" -}}{{ .name }}{{- end -}}{{- define "half" -}}{{ . }}{{- end -}}{{- define "block" -}}{{ toYaml . }}{{- end -}}
{{- define "render" -}}{{- $value := typeIs "string" .value | ternary .value (.value | toYaml) }}
{{- if contains "{{" (toJson .value) }}{{- if .scope }}{{- tpl (cat "{{- with $.Scope -}}" $value "{{- end }}") (merge (dict "Scope" .scope) .context) }}{{- else }}{{- tpl $value .context }}{{- end }}
{{- else }}{{- $value }}{{- end }}{{- end -}}
{{- define "merge" -}}{{- $all := dict -}}{{- range .values -}}{{- $all = include "render" (dict "value" . "context" $.context "scope" $.scope) | fromYaml | merge $all -}}{{- end -}}{{ $all | toYaml }}{{- end -}}`)})
	var template strings.Builder
	for range rapid.IntRange(1, 3).Draw(t, "reads") {
		block, name := rapid.SampledFrom(blocks).Draw(t, "block"), rapid.SampledFrom(names).Draw(t, "name")
		keys := keysOf(name)
		switch name {
		case "release":
			keys = append(keys, "$.Release.Name")
		case "all":
			keys = append(keys, `(base $.Template.Name | trimSuffix ".yaml")`)
		case "drawn":
			keys = append(keys, "$.Chart.Name")
		}
		read := rapid.SampledFrom(readsOf(block, name, rapid.SampledFrom(keys).Draw(t, "key"))).Draw(t, "read")
		if fmt.Fprintln(&template, read); strings.Contains(read, ".texts.") && !strings.Contains(mine.String(), "texts:") {
			fmt.Fprintf(&mine, "texts:\n  %s:\n    %s: %s\n", block, name, fmt.Sprintf(rapid.SampledFrom([]string{
				"{'a{{ .Values.%s.%s | toJson | sha256sum }}': 1}", "['{{ if .Values.%s.%s }}', a, '{{ end }}']", "'{{ .Values.%s.%s | toJson | sha256sum }}'",
			}).Draw(t, "text"), block, name))
		}
		now = append(now, pkgmerge.File{Name: name + ".txt", Data: []byte(name + "\n")},
			pkgmerge.File{Name: block + "." + name + ".tpl", Data: []byte("{{ .Values." + block + "." + name + " | toJson }}")})
	}
	old = []pkgmerge.File{about("1.0.0"), {Name: "values.yaml", Data: []byte(before.String())}}
	now = append(now, about("2.0.0"), pkgmerge.File{Name: "values.yaml", Data: []byte(after.String())}, pkgmerge.File{Name: "templates/all.yaml", Data: []byte(template.String())})
	return old, now, []pkgmerge.File{{Name: "values.yaml", Data: []byte(mine.String())}}
}

// TestLawKeys: a line that a template reads by a name that it makes is never pruned.
func TestLawKeys(t *testing.T) {
	dead := 0
	rapid.Check(t, func(t *rapid.T) {
		before, after, user := drawKeyed(t)
		old, err := newVersion("old", before)
		if err != nil {
			t.Fatal(err)
		}
		now, err := newVersion("new", after)
		if err != nil {
			t.Fatal(err)
		}
		compared, err := values.Compare(old.Chart, now.Chart, user)
		if err != nil {
			t.Fatal(err)
		}
		rendered, err := now.render(user...)
		if err != nil {
			t.Skip(err) // a value of this form is not for the function
		}
		for _, f := range compared.Findings {
			if f.Class == values.Dead {
				dead++
			}
		}
		pruned := edits(t, compared, func(f *values.Finding) bool { return f.Class == values.Renamed })
		if without, err := now.render(pruned...); err != nil || without != rendered {
			t.Fatalf("pruning changes the render (%v):\n%s\n-- template:\n%s\n-- values:\n%s\n-- pruned:\n%s\n-- before:\n%s\n-- after:\n%s",
				err, describe(compared), after[len(after)-1].Data, user[0].Data, pruned[0].Data, rendered, without)
		}
	})
	if dead == 0 {
		t.Error("no dead line was drawn")
	}
}

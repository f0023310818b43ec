package values_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// drawnChart is a chart of drawn fields in two versions, and a user's values.
type drawnChart struct {
	old, now []field
	user     []string // lines of the values file
}

// field is a field of a drawn chart and its default, in YAML.
type field struct {
	block, name, value string
	use                string // its line in the template, with two %s: a label and the path
}

func (f field) path() string { return f.block + "." + f.name }

// uses are the ways in which templates read values.
func uses() []string {
	return []string{
		"%s: {{ .Values.%s | toJson }}",
		"%s: {{ toYaml .Values.%s | nindent 2 }}",
		"%s: {{ with .Values.%s }}{{ toJson . }}{{ else }}none{{ end }}",
		"%s: {{ include \"shown\" (dict \"value\" .Values.%s \"context\" $) }}",
		"%s: {{ $x := .Values.%s }}{{ $x | toJson }}",
		"%s: {{ range $i, $e := list .Values.%s }}{{ $e | toJson }}{{ end }}",
		"%s: {{ tpl (toJson .Values.%s) $ }}",
	}
}

func drawField(t *rapid.T, block string, n int) field {
	name := fmt.Sprintf("%s%d", rapid.SampledFrom([]string{"size", "image", "count", "flag"}).Draw(t, "name"), n)
	value := rapid.SampledFrom([]string{`"a"`, "1", "true", "{}", "[x, y]", `""`, "12", "null"}).Draw(t, "value")
	return field{block, name, value, rapid.SampledFrom(uses()).Draw(t, "use")}
}

// drawChart draws two versions: fields go, come, move to another block, and get other defaults. The user overrides some.
func drawChart(t *rapid.T) drawnChart {
	var c drawnChart
	n := rapid.IntRange(1, 8).Draw(t, "fields")
	for i := range n {
		f := drawField(t, rapid.SampledFrom([]string{"server", "worker"}).Draw(t, "block"), i)
		c.old = append(c.old, f)
		switch rapid.IntRange(0, 5).Draw(t, "change") {
		case 0: // gone
		case 1:
			f.value = rapid.SampledFrom([]string{`"b"`, "2", "false", "{k: v}", "[x, z]"}).Draw(t, "default")
			c.now = append(c.now, f)
		case 2:
			f.block = "agent"
			c.now = append(c.now, f)
		default:
			c.now = append(c.now, f)
		}
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "new") {
		c.now = append(c.now, drawField(t, rapid.SampledFrom([]string{"server", "metrics"}).Draw(t, "block"), n+i))
	}
	lines := map[string][]string{}
	for _, f := range append(c.old, c.now...) {
		value := rapid.SampledFrom([]string{"", "", "mine", f.value, "[mine, x]", "{mine: 1}", `"b"`, "2"}).Draw(t, "override")
		if value != "" && !strings.Contains(strings.Join(lines[f.block], "\n"), "  "+f.name+":") {
			lines[f.block] = append(lines[f.block], fmt.Sprintf("  %s: %s # of %s", f.name, value, f.name))
		}
	}
	for _, block := range []string{"worker", "server", "agent", "metrics"} {
		if len(lines[block]) > 0 {
			c.user = append(c.user, "# about "+block, block+":")
			c.user = append(c.user, lines[block]...)
		}
	}
	return c
}

// chartFiles returns the files of a version.
func chartFiles(version string, fields []field) []pkgmerge.File {
	blocks := map[string][]field{}
	for _, f := range fields {
		blocks[f.block] = append(blocks[f.block], f)
	}
	var defaults, template strings.Builder
	for _, block := range []string{"agent", "metrics", "server", "worker"} {
		fmt.Fprintf(&defaults, "%s:\n", block)
		if len(blocks[block]) == 0 {
			fmt.Fprint(&defaults, "  unused: 1\n")
		}
		for _, f := range blocks[block] {
			fmt.Fprintf(&defaults, "  # The field %s\n  %s: %s\n", f.name, f.name, f.value)
			fmt.Fprintf(&template, f.use+"\n", f.name, f.path())
		}
	}
	return []pkgmerge.File{
		{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: drawn\nversion: " + version + "\n")},
		{Name: "templates/_helpers.tpl", Data: []byte(`{{- define "shown" -}}{{ .value | toJson }} {{ .context.Release.Name }}{{- end -}}`)},
		{Name: "templates/all.yaml", Data: []byte(template.String())},
		{Name: "values.yaml", Data: []byte(defaults.String())},
	}
}

package report_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// hostileTexts are texts in names, values and comments that a reader may take for
// something else.
func hostileTexts() []string {
	return []string{
		"<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "<!--", "-->", "]]>", "<![CDATA[", "&lt;b&gt;", "\"><b>", "'><b>", "</pre></td></table>",
		"::error file=a::b", "%0A::error::x", "##[error]x", "`", "```", "~~~", "|", "\\|", "[a](javascript:alert(1))", "![a](http://example.com/a.png)", "@everyone", "#1",
		"<https://example.com>", "https://example.com/", "www.example.com", "<details>", "</details>", "</code>", "*b*", "_b_", "$x$", "\\",
		"\x1b[31mred\x1b[0m", "\x1b]8;;http://example.com\x07", "\u202egnp.exe", "\u2066a\u2069", "\u200f", "\u200b", "\ufeff", "\u2028", "\u2029", "\u0085", "\u00ad", "\x7f", "\a", "\r\n::error::y", "\n# heading\n", "\n\n<b>x</b>\n", "\t", "\U000e0001", "\U000e0041",
		"{{.}}", "{{7*7}}", "${{ secrets.X }}", "é", "日本", "👩‍💻", "a", "", " ", "plain-name", "true", "80", "~", "null", "- a: b", "a: b", "#c",
	}
}

func drawText(t *rapid.T, label string) string {
	parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostileTexts()), rapid.String()), 1, 4).Draw(t, label)
	return strings.ToValidUTF8(strings.Join(parts, ""), "?")
}

// hostileResource is a ConfigMap, or a Deployment, of hostile texts.
func hostileResource(t *rapid.T, name, namespace, file, label string) *pkgmerge.Resource {
	text := func(what string) *yaml.Node { return yamlnode.String(drawText(t, label+" "+what)) }
	set := func(m *yaml.Node, name string, v *yaml.Node) *yaml.Node { return yamlnode.Put(m, nil, name, v) }
	metadata := set(set(yamlnode.EmptyMap(), "name", yamlnode.String(name)), "annotations", set(yamlnode.EmptyMap(), "example.com/a", text("annotation")))
	if namespace != "" {
		metadata = set(metadata, "namespace", yamlnode.String(namespace))
	}
	n := set(set(set(yamlnode.EmptyMap(), "apiVersion", yamlnode.String("v1")), "kind", yamlnode.String("ConfigMap")), "metadata", metadata)
	values := set(set(set(yamlnode.EmptyMap(), "a", text("a")), "b", text("b")), label, text("own"))
	values = set(values, name, text("odd"))
	values.Content[1].LineComment = "# " + strings.NewReplacer("\n", " ", "\r", " ").Replace(drawText(t, label+" comment"))
	n = set(n, "data", values)
	n = set(n, "list", &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{text("x"), text("y")}})
	return pkgmerge.NewResource(file, 0, n)
}

// hostileReport is that of a merge of hostile versions.
func hostileReport(t *rapid.T) *report.Report {
	name, namespace := "n"+drawText(t, "name"), drawText(t, "namespace")
	file := strings.Trim("f"+strings.ReplaceAll(drawText(t, "file"), "/", "-"), " ") + ".yaml"
	if yamlnode.Text(yamlnode.String(name)) == "a" {
		name = "b"
	}
	var packages [3]pkgmerge.Package
	for _, side := range identity.Sides() {
		packages[side].Resources = []*pkgmerge.Resource{hostileResource(t, name, namespace, file, side.String())}
	}
	only := rapid.SampledFrom([]string{"", "upstream", "local"}).Draw(t, "another")
	if only == "upstream" || only == "local" {
		side := identity.Upstream
		if only == "local" {
			side = identity.Local
		}
		packages[side].Resources = append(packages[side].Resources, hostileResource(t, "other"+name, namespace, file, only))
	}
	prefer := rapid.SampledFrom([]merge.Preference{merge.PreferUpstream, merge.PreferLocal, merge.PreferUnion, merge.PreferFail}).Draw(t, "prefer")
	result, err := pkgmerge.Merge(t.Context(), packages, pkgmerge.Options{Policy: pkgmerge.Prefer(prefer)})
	if err != nil {
		t.Skip(err)
	}
	r, err := report.New(result, report.Options{Prefix: drawText(t, "prefix"), Warnings: []string{drawText(t, "warning")}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestHostileTexts writes hostile reports in every format: no format has a character
// that cannot be seen, and what is peculiar to a format is in a test of its own.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := hostileReport(t)
		for _, f := range report.Formats() {
			checkSeen(t, f, writtenBy(t, f, r))
		}
	})
}

// FuzzHostileTexts is TestHostileTexts, fuzzed.
func FuzzHostileTexts(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		r := hostileReport(t)
		for _, f := range report.Formats() {
			checkSeen(t, f, writtenBy(t, f, r))
		}
	}))
}

func writtenBy(t *rapid.T, f report.Format, r *report.Report) string {
	var b strings.Builder
	if err := f.Write(&b, r); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return b.String()
}

type fatal interface{ Fatalf(string, ...any) }

// checkSeen finds characters that cannot be seen, and what is peculiar to a format.
func checkSeen(t fatal, f report.Format, text string) { checkText(t, f.Name, text) }

// checkText is checkSeen for a format by its name.
func checkText(t fatal, format, text string) {
	if !utf8.ValidString(text) {
		t.Fatalf("%s: not UTF-8", format)
	}
	for i, r := range text {
		if r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)) {
			t.Fatalf("%s has character %U:\n%q", format, r, text[max(0, i-100):min(len(text), i+100)])
		}
	}
	if check := formatChecks()[format]; check != nil {
		check(t, text)
	}
}

// formatChecks find forbidden text in the report of a format, by the format's name.
func formatChecks() map[string]func(fatal, string) {
	return map[string]func(fatal, string){
		"json": checkJSON, "markdown": checkMarkdown, "github": checkGitHub, "html": checkHTML,
	}
}

func checkJSON(t fatal, text string) {
	if !json.Valid([]byte(text)) {
		t.Fatalf("no JSON:\n%s", text)
	}
	if strings.ContainsAny(text, "<>&") {
		t.Fatalf("JSON has markup:\n%s", text)
	}
}

// checkMarkdown finds a tag that the format does not write itself.
func checkMarkdown(t fatal, text string) {
	own := []string{
		"<details>", "</details>", "<summary>", "</summary>", "<table>", "</table>", "<tr>", "</tr>", "<th>", "</th>", "<td>", "</td>",
		"<code>", "</code>", "<pre>", "</pre>", "<em>", "</em>", "<!-- -->",
	}
	for rest := text; ; {
		_, tag, found := strings.Cut(rest, "<")
		if !found {
			return
		}
		rest = tag
		if !slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix("<"+tag, o) }) {
			t.Fatalf("Markdown has a tag: <%.60s\n%s", tag, text)
		}
	}
}

// TestHugeValues has values of a megabyte: no report is much longer than it would be
// with short ones.
func TestHugeValues(t *testing.T) {
	t.Parallel()
	var packages [3]pkgmerge.Package
	size := 1 << 20 / seed.Step(4)
	for side, letter := range [3]string{"o", "u", "l"} {
		lines := strings.Repeat(strings.Repeat(letter, 79)+"\n", size/80)
		n := parse(t, fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {long: %s, lines: %q, %s: x}\n", strings.Repeat(letter, size), lines, strings.Repeat(letter, 1000)))
		packages[side].Resources = []*pkgmerge.Resource{pkgmerge.NewResource("a.yaml", 0, n)}
	}
	r := reportOf(t, packages, pkgmerge.Options{}, report.Options{})
	for _, f := range report.Formats() {
		if text := written(t, f, r); len(text) > 100_000 {
			t.Errorf("%s: %d bytes", f.Name, len(text))
		}
	}
}

func parse(t testing.TB, text string) *yaml.Node {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	return n.Content[0]
}

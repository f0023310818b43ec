package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/tests/mergecheck"
	"github.com/resource-merge/resource-merge/tests/mergecheck/ways"
)

// TestLawOneValue checks on drawn versions, in every way out, that no result, and no side of its markers, has parts of one
// value from several versions (rules/laws: one version is one value).
func TestLawOneValue(t *testing.T) {
	values, oneOfAll := wholeValues(), map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		v := values[rapid.IntRange(0, len(values)-1).Draw(t, "value")]
		var sides [3]string
		for side := range sides {
			form := rapid.IntRange(0, len(v.forms)-1).Draw(t, "form")
			sides[side] = v.render(v.forms[form], rapid.IntRange(0, 2).Draw(t, "number"), rapid.Bool().Draw(t, "beside"))
		}
		if strings.HasPrefix(v.name, "setter") && !strings.Contains(sides[0], "#") {
			t.Skip("a new setter comes beside a changed value (rules/laws: exceptions)")
		}
		p := mergecheck.Package{
			Origin: map[string]string{"a.yaml": sides[0]}, Upstream: map[string]string{"a.yaml": sides[1]}, Local: map[string]string{"a.yaml": sides[2]},
		}
		for _, way := range ways.All() {
			if way == "union" && v.name == "tag and digest in an element" {
				continue // it has both sides' elements
			}
			all, err := ways.Merge(t.Context(), way, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range all {
				if m.Unchecked != "" {
					continue
				}
				for _, text := range bothSides(m.Result["a.yaml"]) {
					parts := v.parts(text)
					if !slices.ContainsFunc(sides[:], func(side string) bool { return v.parts(side) == parts }) {
						t.Errorf("%s: the result has %q, which no version has\n--- origin\n%s--- upstream\n%s--- local\n%s--- result\n%s",
							way, parts, sides[0], sides[1], sides[2], m.Result["a.yaml"])
					}
					oneOfAll[v.name]++
				}
			}
		}
	})
	if len(oneOfAll) == 0 {
		t.Error("nothing was merged")
	}
}

// wholeValue is a value of several lines, some of which have numbers: a version is one of the forms, with a number in place
// of each %d. Between its lines stand others, so that lines of two sides may merge apart.
type wholeValue struct {
	name   string
	head   string
	indent string
	forms  [][]string
}

func wholeValues() []wholeValue {
	deployment := "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  template:\n    spec:\n      containers:\n      - name: web\n"
	return []wholeValue{
		{"tag and digest", "release:\n", "  ", [][]string{{"tag: v1.%d", "digest: sha256:a%d"}, {"tag: v1.%d"}, {"digest: sha256:a%d"}}},
		{"tag and digest of an image", "web:\n  image: r/web\n", "  ", [][]string{{"imageTag: v1.%d", "imageDigest: sha256:a%d"}, {"imageTag: v1.%d"}}},
		{"tag and another digest", "web:\n  image: r/web\n", "  ", [][]string{{"tag: v1.%d", "digest: sha256:a%d", "digestChroot: sha256:b%d"}, {"tag: v1.%d"}}},
		{"tag and digest in an element", "web:\n- kept: a\n", "  ", [][]string{{"tag: v1.%d", "digest: sha256:a%d"}}},
		{"version and sha", "chart:\n", "  ", [][]string{{"version: v1.%d", "sha: a%d"}, {"version: v1.%d", "sha256: b%d"}, {"version: v1.%d"}}},
		{"tag, semver and digest", "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata:\n  name: web\nspec:\n  ref:\n", "    ",
			[][]string{{"tag: v1.%d", "digest: sha256:a%d"}, {"semver: 1.x.%d", "digest: sha256:a%d"}}},
		{"tag, branch and commit", "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata:\n  name: web\nspec:\n  ref:\n", "    ",
			[][]string{{"tag: v1.%d", "commit: a%d"}, {"branch: v1.x.%d", "commit: a%d"}, {"tag: v1.%d"}, {"branch: v1.x.%d"}}},
		{"setter on the line", deployment, "        ", [][]string{{`image: r/web:%d # {"$imagepolicy": "a:%d"}`}, {"image: r/web:%d"}}},
		{"setter above", "tools:\n", "  ", [][]string{{"# renovate: depName=a%d\n  tool: %d"}, {"tool: %d"}}},
		{"setter above an element", deployment + "        env:\n", "        ",
			[][]string{{"# renovate: depName=a%d\n        - name: A\n          value: v%d"}, {"- name: A\n          value: v%d"}}},
		{"setter above a map", "tools:\n", "  ",
			[][]string{{"# renovate: depName=a%d\n  tool:\n    repository: a\n    tag: v%d"}, {"tool:\n    repository: a\n    tag: v%d"}}},
		{"step", "runs:\n  using: composite\n  steps:\n  - name: build\n", "    ", [][]string{{"uses: a/b@v%d", "with: {a: %d}"}, {"run: make %d", "shell: bash"}, {"uses: a/b@v%d"}}},
		{"webhook", "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata:\n  name: web\nwebhooks:\n- name: web\n  clientConfig:\n",
			"    ", [][]string{{"url: https://a/%d"}, {"service: {name: a%d}"}}},
		{"conversion", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: web\nspec:\n  conversion:\n", "    ",
			[][]string{{"strategy: None"}, {"strategy: Webhook", "webhook: {clientConfig: {url: https://a/%d}}"}}},
		{"release", "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: web\nspec:\n", "  ",
			[][]string{{"chart: {spec: {chart: a%d}}"}, {"chartRef: {kind: OCIRepository, name: a%d}"}}},
	}
}

// render returns a version of the value, with lines that all versions have between its lines.
func (v wholeValue) render(form []string, number int, beside bool) string {
	var b strings.Builder
	b.WriteString(v.head)
	for i, line := range form {
		fmt.Fprintf(&b, "%s%s\n", v.indent, strings.ReplaceAll(line, "%d", fmt.Sprint(number)))
		fmt.Fprintf(&b, "%sfirst%d: a\n%[1]ssecond%[2]d: b\n", v.indent, i)
	}
	if beside {
		fmt.Fprintf(&b, "%sbeside: %d\n", v.indent, number)
	}
	return b.String()
}

// isUnion reports whether the value is a struct whose members exclude each other: what is below a member merges by itself.
func (v wholeValue) isUnion() bool {
	return slices.Contains([]string{"step", "webhook", "conversion", "release"}, v.name)
}

// parts returns the lines of a text that have parts of the value, or the names of a union's members, sorted, each once.
func (v wholeValue) parts(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(strings.TrimSpace(line), "- ")
		for _, form := range v.forms {
			for _, lines := range form {
				for part := range strings.Lines(lines) {
					start, _, _ := strings.Cut(strings.TrimSpace(part), "%d")
					key, _, _ := strings.Cut(start, ":")
					if key == "" || !strings.HasPrefix(line, key+":") {
						continue
					}
					if v.isUnion() {
						line = key
					}
					if !slices.Contains(out, line) {
						out = append(out, line)
					}
				}
			}
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

package values_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/values"
	"sigs.k8s.io/yaml"
)

// twin is a block of a chart that is like others: the component that reads it, its name in each version, "" where there is none.
type twin struct{ component, old, now string }

// drawTwins draws a chart of components whose blocks have the same fields, comments and defaults. In the new version some blocks have
// another name, which may be that of another block before, and some are gone or some are new. Both at once are drawn only beside a
// block that stayed: else nothing tells a component that came in place of another one from a renamed one. The user sets fields of the
// old blocks, each to a value of its own.
func drawTwins(t *rapid.T) (twins []twin, old, now []pkgmerge.File, user pkgmerge.File) {
	names := rapid.Permutation([]string{"server", "worker", "agent", "proxy", "slave", "replica"}).Draw(t, "names")
	isGrowing := rapid.Bool().Draw(t, "grows")
	for i := range rapid.IntRange(2, 3).Draw(t, "twins") {
		one := twin{fmt.Sprint("component", i), names[2*i], names[2*i]}
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 0, 1:
			one.now = names[2*i+1]
		case 2:
			if isGrowing {
				one.old = ""
			} else {
				one.now = ""
			}
		}
		twins = append(twins, one)
	}
	if first, second := &twins[0], &twins[1]; first.old != "" && rapid.Bool().Draw(t, "the second takes the name of the first") {
		first.now, second.now = names[1], first.old
	}
	if len(twins) == 3 && rapid.Bool().Draw(t, "one goes while one comes") {
		twins = []twin{{"component0", names[0], ""}, {"component1", "", names[2]}, {"component2", names[4], names[4]}}
	}
	fields := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"port", "host", "enabled", "replicas", "settings"}), 1, 3, rapid.ID[string]).Draw(t, "fields")
	defaults := map[string]string{}
	for _, field := range fields {
		defaults[field] = rapid.SampledFrom([]string{"8080", "true", `""`, "example.com:8080", "{a: b, c: 2}", "[x, y]"}).Draw(t, "default")
	}
	comment := rapid.SampledFrom([]string{"", "# The setting of it", "# The FIELD of BLOCK", "# How the component in BLOCK runs"}).Draw(t, "comment")
	use := rapid.SampledFrom([]string{
		"COMPONENT-FIELD: {{ toJson .Values.BLOCK.FIELD }}",
		"COMPONENT-FIELD:\n  # the value\n  {{ toJson .Values.BLOCK.FIELD }}",
		"COMPONENT-FIELD: {{ include \"shown\" .Values.BLOCK.FIELD }}",
		"COMPONENT-FIELD:\n  # the value\n  {{ with .Values.BLOCK }}{{ toJson .FIELD }}{{ end }}",
	}).Draw(t, "use")
	write := func(version string, name func(twin) string) []pkgmerge.File {
		var values, template strings.Builder
		for _, one := range twins {
			if name(one) == "" {
				continue
			}
			fmt.Fprintf(&values, "%s:\n", name(one))
			for _, field := range fields {
				r := strings.NewReplacer("COMPONENT", one.component, "BLOCK", name(one), "FIELD", field)
				if comment != "" {
					fmt.Fprintf(&values, "  %s\n", r.Replace(comment))
				}
				fmt.Fprintf(&values, "  %s: %s\n", field, defaults[field])
				fmt.Fprintln(&template, r.Replace(use))
			}
		}
		return []pkgmerge.File{
			{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: twins\nversion: " + version + "\n")},
			{Name: "templates/_helpers.tpl", Data: []byte(`{{- define "shown" -}}{{ toJson . }}{{- end -}}`)},
			{Name: "templates/all.yaml", Data: []byte(template.String())},
			{Name: "values.yaml", Data: []byte(values.String())},
		}
	}
	var lines strings.Builder
	for _, one := range twins {
		if one.old == "" {
			continue
		}
		text := ""
		for _, field := range fields {
			if rapid.Bool().Draw(t, "sets") {
				text += fmt.Sprintf("  %s: of %s\n", field, one.component)
			}
		}
		if text != "" {
			fmt.Fprintf(&lines, "%s:\n%s", one.old, text)
		}
	}
	user = pkgmerge.File{Name: "values.yaml", Data: []byte(lines.String())}
	return twins, write("1.0.0", func(one twin) string { return one.old }), write("2.0.0", func(one twin) string { return one.now }), user
}

// TestLawTwins: a line that moves goes to the component that it was for: no component gets the value of another one by an edit.
func TestLawTwins(t *testing.T) {
	moved, stayed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		twins, before, after, user := drawTwins(t)
		old, err := newVersion("old", before)
		if err != nil {
			t.Fatal(err)
		}
		now, err := newVersion("new", after)
		if err != nil {
			t.Fatal(err)
		}
		compared, err := values.Compare(old.Chart, now.Chart, []pkgmerge.File{user})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range compared.Findings {
			switch f.Class {
			case values.Renamed:
				moved++
			case values.Dead:
				stayed++
			}
		}
		edited := edits(t, compared, func(*values.Finding) bool { return false })
		was, is := componentsIn(t, now, user), componentsIn(t, now, edited[0])
		for key, value := range is {
			component, _, _ := strings.Cut(key, "-")
			if value != was[key] && strings.Contains(value, "of component") && !strings.Contains(value, "of "+component) {
				t.Fatalf("%s has %s (%v):\n%s\n-- old:\n%s%s\n-- new:\n%s%s\n-- values:\n%s\n-- edited:\n%s", key, value, twins,
					describe(compared), before[3].Data, before[2].Data, after[3].Data, after[2].Data, user.Data, edited[0].Data)
			}
		}
	})
	if moved == 0 || stayed == 0 {
		t.Errorf("%d lines moved and %d stayed", moved, stayed)
	}
}

// componentsIn returns the values of the components' fields in a render.
func componentsIn(t *rapid.T, v *version, user pkgmerge.File) map[string]string {
	rendered, err := v.rendered([]pkgmerge.File{user})
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]any{}
	if err := yaml.Unmarshal([]byte(rendered["twins/templates/all.yaml"]), &shown); err != nil {
		t.Fatalf("%v\n%s", err, rendered)
	}
	out := map[string]string{}
	for key, value := range shown {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		out[key] = string(text)
	}
	return out
}

package main

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/review"
	"github.com/resource-merge/resource-merge/values"
)

// values draws values of a chart.
func (d draw) values() map[string]any {
	number := func() any { return d.oneOf("number", 1, 2, 3, nil) }
	return d.some(map[string]func() any{
		"a": number, "b": number, "on": func() any { return d.is("on") },
		"m": func() any { return d.some(map[string]func() any{"a": number, "b": number}) },
		"deep": func() any {
			return map[string]any{"x": map[string]any{"z": d.some(map[string]func() any{"a": number, "b": number})}}
		},
		"global": func() any { return d.some(map[string]func() any{"g": number}) },
	})
}

// chart draws a version of a chart.
func (d draw) chart(version string) []pkgmerge.File {
	var template []string
	for _, action := range []string{".Values.a", ".Values.b", "(.Values.m).a", "(.Values.m).b", ".Values.m | toJson", "range .Values.deep }}{{ range . }}{{ .a }}{{ end }}{{ end", "(.Values.global).g", "if .Values.on }}{{ .Values.c }}{{ end"} {
		if d.is(action) {
			template = append(template, "{{ "+action+" }}")
		}
	}
	var files []pkgmerge.File
	for name, text := range map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: cache\nversion: " + version + "\n", "values.yaml": text(d.values()), "templates/a.yaml": strings.Join(template, "\n"),
	} {
		files = append(files, pkgmerge.File{Name: name, Data: []byte(text)})
	}
	slices.SortFunc(files, func(a, b pkgmerge.File) int { return strings.Compare(a.Name, b.Name) })
	return files
}

// renderOverlays renders the release that each overlay builds.
func (t tree) renderOverlays(charts map[string][]pkgmerge.File) (out string, err error) {
	files := filesys.MakeFsInMemory()
	for name, text := range t {
		if err := files.WriteFile("/"+name, []byte(text)); err != nil {
			return "", err
		}
	}
	options := krusty.MakeDefaultOptions()
	options.LoadRestrictions = 0
	for _, dir := range []string{"prod", "test"} {
		built, err := krusty.MakeKustomizer(options).Run(files, "/"+dir)
		if err != nil {
			return "", err
		}
		var release struct {
			Spec struct {
				Chart  struct{ Spec struct{ Version string } }
				Values any
			}
		}
		data, err := built.Resources()[len(built.Resources())-1].AsYAML()
		if err == nil {
			err = yaml.Unmarshal(data, &release)
		}
		if err != nil {
			return "", err
		}
		user, err := yaml.Marshal(release.Spec.Values)
		if err != nil {
			return "", err
		}
		rendered, err := render(charts[release.Spec.Chart.Spec.Version], []pkgmerge.File{{Name: "values.yaml", Data: user}})
		if err != nil {
			return "", err
		}
		out += string(rendered)
	}
	return out, nil
}

// renderUmbrella renders the umbrella chart with its values alone, and with those of an environment.
func (t tree) renderUmbrella(charts map[string][]pkgmerge.File) (out string, err error) {
	for _, environment := range []string{"", "values-prod.yaml"} {
		files := []pkgmerge.File{{Name: "Chart.yaml", Data: []byte(t["up/Chart.yaml"])}, {Name: "templates/own.yaml", Data: []byte(t["up/templates/own.yaml"])}}
		for _, f := range charts["2.0.0"] {
			files = append(files, pkgmerge.File{Name: "charts/cache/" + f.Name, Data: f.Data})
		}
		user := []pkgmerge.File{{Name: "values.yaml", Data: []byte(t["up/values.yaml"])}}
		if environment != "" {
			user = append(user, pkgmerge.File{Name: environment, Data: []byte(t["up/"+environment])})
		}
		rendered, err := render(files, user)
		if err != nil {
			return "", err
		}
		out += string(rendered)
	}
	return out, nil
}

// overlays draws a release, and two overlays with patches of it. One of them may pin a version.
func (d draw) overlays() tree {
	indent := func(v any, n int) string {
		return strings.ReplaceAll("\n"+strings.TrimSuffix(text(v), "\n"), "\n", "\n"+strings.Repeat(" ", n))
	}
	head := "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: cache}\nspec:\n"
	source := "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: charts}\nspec: {url: https://example.com}\n---\n"
	out := tree{
		"base/kustomization.yaml": "resources: [release.yaml]\n",
		"base/release.yaml":       source + head + "  chart: {spec: {chart: cache, version: 2.0.0, sourceRef: {kind: HelmRepository, name: charts}}}\n  values:" + indent(d.values(), 4) + "\n",
		"prod/kustomization.yaml": "resources: [../base]\npatches:\n- path: patch.yaml\n",
		"prod/patch.yaml":         head + "  values:" + indent(d.values(), 4) + "\n",
		"test/kustomization.yaml": "resources: [../base]\npatches:\n- patch: |\n    " + strings.ReplaceAll(strings.TrimSuffix(head, "\n"), "\n", "\n    ") + "\n      values:" + indent(d.values(), 8) + "\n",
	}
	if d.is("pinned") {
		out["prod/patch.yaml"] = strings.Replace(out["prod/patch.yaml"], "  values:", "  chart: {spec: {version: 1.0.0 }}\n  values:", 1)
	}
	return out
}

// umbrella draws a chart with a dependency, and two values files.
func (d draw) umbrella() tree {
	below := func() map[string]any {
		out := d.some(map[string]func() any{"own": func() any { return 1 }, "global": func() any { return map[string]any{"g": d.oneOf("g", 1, 2)} }})
		out["store"] = d.values()
		return out
	}
	return tree{
		"up/Chart.yaml":         "apiVersion: v2\nname: up\nversion: 0.1.0\ndependencies:\n- name: cache\n  alias: store\n  version: 2.0.0\n  repository: https://example.com\n  condition: store.on\n",
		"up/templates/own.yaml": "{{ .Values.own }}\n{{ (.Values.store).b }}\n",
		"up/values.yaml":        text(below()), "up/values-prod.yaml": text(below()),
	}
}

// TestChartClasses checks that a line of values in an overlay or in an umbrella chart that is dead or redundant changes no byte of any
// overlay's render, nor of that with any values file.
func TestChartClasses(t *testing.T) {
	tally := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		d := draw{t, new(int)}
		charts := map[string][]pkgmerge.File{"1.0.0": d.chart("1.0.0"), "2.0.0": d.chart("2.0.0")}
		kind, now, build := "overlays", d.overlays(), tree.renderOverlays
		if d.is("umbrella") {
			kind, now, build = "umbrella", d.umbrella(), tree.renderUmbrella
		}
		old := maps.Clone(now)
		for name, text := range now {
			old[name] = strings.ReplaceAll(text, "version: 2.0.0", "version: 1.0.0")
		}
		bumps, notes, err := review.Find(old.files(), now.files())
		if err != nil || len(bumps) != 1 || len(notes) > 0 {
			t.Fatal(bumps, notes, err, show(old, now))
		}
		b := bumps[0]
		b.Review(review.Upstream{Charts: func(r *values.Release) (*values.Chart, error) {
			return values.NewChart(path.Base(r.Chart), charts[r.Version])
		}})
		if len(b.Notes) > 0 {
			t.Fatal(b.Notes, show(now))
		}
		moved, err := b.Without(nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := build(now.with(t, moved), charts)
		if err != nil {
			return
		}
		for _, l := range b.Lines {
			tally[fmt.Sprint(kind, " ", l.Class)]++
			if l.Class != review.Dead && l.Class != review.Redundant {
				continue
			}
			changes, err := b.Without(l)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := build(now.with(t, changes), charts); err != nil || got != want {
				var texts strings.Builder
				for _, version := range []string{"1.0.0", "2.0.0"} {
					for _, f := range charts[version] {
						fmt.Fprintf(&texts, "--- %s\n%s\n", f.Name, f.Data)
					}
				}
				t.Fatalf("%s %s:%d %s %v (%s): without it helm renders (%v)\n%s\nin place of\n%s\n%s%s", l.Class, l.File, l.Number, l.Path, l.Value, l.Note, err, got, want, show(now), texts.String())
			}
		}
	})
	t.Log(tally)
	for _, kind := range []string{"overlays", "umbrella"} {
		for _, class := range []review.Class{review.Needed, review.Redundant, review.Dead} {
			if tally[fmt.Sprint(kind, " ", class)] == 0 {
				t.Errorf("%s: no line was %s", kind, class)
			}
		}
	}
}

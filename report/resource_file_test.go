package report_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
)

// scripts are the versions of a package with a script, a file with a Secret and a binary.
// Both sides changed all three.
func scripts(t *testing.T) (packages [3]pkgmerge.Package) {
	t.Helper()
	for side, own := range [3]string{identity.Origin: "a", identity.Upstream: "b", identity.Local: "c"} {
		first := ""
		if identity.Side(side) == identity.Local {
			first = "# ours\n"
		}
		var err error
		packages[side], err = pkgmerge.NewPackage([]pkgmerge.File{
			{Name: "config.yaml", Mode: 0o644, Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n")},
			{Name: "run.sh", Mode: 0o755, Data: []byte(first + "#!/bin/sh\nset -e\necho " + own + "\nexit 0\n")},
			{Name: "secret.tpl", Mode: 0o644, Data: []byte("{{ if x }}\nkind: Secret\nvalue: hush-" + own + "\n")},
			{Name: "db.env", Mode: 0o644, Data: []byte("PASSWORD=hush-" + own + "\n")},
			{Name: "logo.png", Mode: 0o644, Data: []byte("\x00" + own)},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return packages
}

// TestFilesWithoutResources has their conflicts at their lines, hides what may be secret,
// and gives rules that decide them.
func TestFilesWithoutResources(t *testing.T) {
	r := reportOf(t, scripts(t), pkgmerge.Options{}, report.Options{Prefix: "deploy"})
	for _, f := range report.Formats() {
		if text := written(t, f, r); strings.Contains(text, "hush") {
			t.Errorf("%s shows what is secret:\n%s", f.Name, text)
		}
	}
	golden(t, "files.text.txt", written(t, format("text"), r))
	for _, it := range r.Resources {
		for _, conflict := range it.Conflicts {
			var cfg yaml.Node
			text := "apiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\nconflicts:\n  rules:\n" + indented(conflict.Rule.YAML())
			if err := yaml.Unmarshal([]byte(text), &cfg); err != nil {
				t.Fatal(err)
			}
			settings, err := command.ReadSettings(cfg.Content[0])
			if err != nil {
				t.Fatal(err)
			}
			again, err := pkgmerge.Merge(context.Background(), scripts(t), pkgmerge.Options{Policy: settings.Rules()})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range again.FileChanges {
				if "deploy/"+f.Name == conflict.File && f.Conflicts[0].Chosen != identity.Local {
					t.Errorf("%s: took upstream's still with\n%s", f.Name, text)
				}
			}
		}
	}
}

// TestResultsHaveFiles: the results of a function have the conflicts of files without resources, each with its file, as the
// iterator over all conflicts does, and hide what may be secret.
func TestResultsHaveFiles(t *testing.T) {
	for _, policy := range []merge.Preference{merge.PreferUpstream, merge.PreferFail} {
		result, err := pkgmerge.Merge(context.Background(), scripts(t), pkgmerge.Options{Policy: pkgmerge.Prefer(policy)})
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for c := range result.Conflicts() {
			want = append(want, c.Subject())
			if c.Fails() != (policy == merge.PreferFail) {
				t.Errorf("%s: fails: %v", c.Subject(), c.Fails())
			}
		}
		results, _ := report.Results(result, nil)
		for _, r := range results {
			if r.Tags["conflict"] != "" {
				got = append(got, r.File.Path)
			}
			if strings.Contains(r.Message, "hush") {
				t.Errorf("a secret is shown: %s", r.Message)
			}
		}
		if len(want) != 4 || !slices.Equal(want, got) {
			t.Errorf("conflicts of %q, results of %q", want, got)
		}
	}
}

package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/tests/history"
)

// TestLawNoOrigin checks on drawn pairs of versions without an origin that every difference is named under every policy, that
// the policy fail fails on it, and that taking one side of all markers gives this side's version (rules/laws: nobody knows).
func TestLawNoOrigin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		upstream, local := drawAlone(t, "upstream"), drawAlone(t, "local")
		packages := [3]pkgmerge.Package{packageOf(t), packageOf(t, upstream.file()), packageOf(t, local.file())}
		differs := upstream.differences(local)
		for _, prefer := range []merge.Preference{merge.PreferUpstream, merge.PreferLocal, merge.PreferUnion, merge.PreferNewest, merge.PreferFail} {
			r, err := pkgmerge.Merge(t.Context(), packages, pkgmerge.Options{NoOrigin: true, Policy: pkgmerge.Prefer(prefer), MergeComments: pkgmerge.CommentNever})
			if err != nil {
				t.Fatal(err)
			}
			if fails := r.FirstFailing() != ""; fails != (prefer == merge.PreferFail && len(differs) > 0) {
				t.Errorf("under policy %d the merge fails: %t, with %d differences", prefer, fails, len(differs))
			}
			var told []string
			for _, c := range r.Changes {
				for _, conflict := range c.Conflicts {
					told = append(told, conflict.Path.String())
					if conflict.Kind != merge.NoOrigin {
						t.Errorf("%s is a conflict %s", conflict.Path, conflict.Kind)
					}
				}
				for _, remark := range c.Remarks { // the policy newest tells the version that it takes
					told = append(told, remark.Path.String())
				}
			}
			for _, at := range differs {
				if !slices.ContainsFunc(told, func(path string) bool { return at == path || strings.HasPrefix(at, path+".") }) {
					t.Errorf("under policy %d nobody is told that %s differs: %q\n%s---\n%s", prefer, at, told, upstream, local)
				}
			}
		}
		marked, err := command.MergeMarked(t.Context(), packages, pkgmerge.Options{NoOrigin: true, MergeComments: pkgmerge.CommentNever}, pkgmerge.Rules{})
		if err != nil {
			t.Fatal(err)
		}
		files, err := marked.Result.Files()
		if err != nil {
			t.Fatal(err)
		}
		pieces := command.MarkerFormat{}.Parse(files[0].Data)
		check := func(got []byte, want alone) {
			if !history.Alike(got, []byte(want.String())) {
				t.Errorf("one side of all markers is\n%s---\nwant\n%s---\nmarked\n%s", got, want, files[0].Data)
			}
		}
		var ours, theirs []byte
		for _, p := range pieces {
			ours, theirs = append(append(ours, p.Same...), p.Sides[command.Ours]...), append(append(theirs, p.Same...), p.Sides[command.Theirs]...)
		}
		check(ours, local)
		check(theirs, upstream)
	})
}

// alone is a Deployment, as fields with their paths.
type alone map[string]string

// drawAlone draws fields of a Deployment: scalars, a map of names, and a list with keys.
func drawAlone(t *rapid.T, side string) alone {
	out := alone{}
	for _, path := range []string{"metadata.labels.app", "metadata.labels.tier", "spec.replicas", "spec.paused", "spec.strategy.type"} {
		if rapid.Bool().Draw(t, side+" has "+path) {
			out[path] = fmt.Sprint(rapid.IntRange(1, 3).Draw(t, side+" "+path))
		}
	}
	for _, name := range []string{"web", "log", "tls"} {
		if rapid.Bool().Draw(t, side+" has container "+name) {
			for _, field := range []string{"image", "workingDir"} {
				out[fmt.Sprintf("spec.template.spec.containers[name=%q].%s", name, field)] = fmt.Sprint("v", rapid.IntRange(1, 2).Draw(t, side+" "+name+" "+field))
			}
		}
	}
	return out
}

// differences are the paths of the fields that differ.
func (a alone) differences(b alone) (out []string) {
	for path, value := range a {
		if b[path] != value {
			out = append(out, path)
		}
	}
	for path := range b {
		if _, both := a[path]; !both {
			out = append(out, path)
		}
	}
	return out
}

// String returns the Deployment as YAML.
func (a alone) String() string {
	var b strings.Builder
	b.WriteString("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n")
	section := func(indent, head string, fields ...string) {
		for _, field := range fields {
			if value := a[field]; value != "" {
				b.WriteString(head)
				head = ""
				fmt.Fprintf(&b, "%s%s: %q\n", indent, field[strings.LastIndex(field, ".")+1:], value)
			}
		}
	}
	section("    ", "  labels:\n", "metadata.labels.app", "metadata.labels.tier")
	b.WriteString("spec:\n  minReadySeconds: 1\n")
	section("  ", "", "spec.replicas", "spec.paused")
	section("    ", "  strategy:\n", "spec.strategy.type")
	b.WriteString("  template:\n    spec:\n      containers:\n      - name: all\n        image: a\n")
	for _, name := range []string{"web", "log", "tls"} {
		at := fmt.Sprintf("spec.template.spec.containers[name=%q].", name)
		section("        ", "      - name: "+name+"\n", at+"image", at+"workingDir")
	}
	return b.String()
}

func (a alone) file() pkgmerge.File {
	return pkgmerge.File{Name: "a.yaml", Mode: 0o644, Data: []byte(a.String())}
}

func packageOf(t *rapid.T, files ...pkgmerge.File) pkgmerge.Package {
	p, err := pkgmerge.NewPackage(files)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

package overlay_test

import (
	"context"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/overlay"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// TestTwice refuses a package that kustomize cannot build (rules/overlay: compared
// resources).
func TestTwice(t *testing.T) {
	files := func(names ...string) []pkgmerge.File {
		var out []pkgmerge.File
		for _, name := range names {
			out = append(out, pkgmerge.File{Name: name, Mode: 0o644, Data: []byte("apiVersion: v1\nkind: Service\nmetadata: {name: web}\n")})
		}
		return out
	}
	kustomization := pkgmerge.File{Name: "a/kustomization.yaml", Mode: 0o644, Data: []byte("resources: [web.yaml]\n")}
	for name, test := range map[string]struct {
		files []pkgmerge.File
		want  string
	}{
		"files": {
			files("a.yaml", "b.yaml"),
			"Service web is in a.yaml and in b.yaml, and kustomize builds only one of a name: write a kustomization.yaml that lists the files in use",
		},
		"directories": {
			append(files("a/web.yaml", "b/web.yaml"), kustomization),
			"Service web is in a/web.yaml and in b/web.yaml, and kustomize builds only one of a name: " +
				"give a directory that has a kustomization.yaml, such as a, or write one that lists the files in use",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := pkgmerge.NewPackage(test.files)
			if err != nil {
				t.Fatal(err)
			}
			_, err = overlay.Make(context.Background(), [3]pkgmerge.Package{p, p, p}, overlay.Options{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("it says %v, want %s", err, test.want)
			}
		})
	}
}

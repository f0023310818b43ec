package pkgmerge_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
	"github.com/resource-merge/resource-merge/sink"
	"github.com/resource-merge/resource-merge/source"
)

// Three directories become one package, in a fourth directory. The conflicts are
// data.
func Example() {
	ctx := context.Background()
	const shop = "../tests/outside/shop/"
	merged, err := os.MkdirTemp("", "merged")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(merged)
	if err := mergeDirectories(ctx, shop+"origin", shop+"upstream", shop+"local", merged); err != nil {
		log.Fatal(err)
	}
	files, err := os.ReadDir(merged)
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range files {
		fmt.Println(file.Name())
	}
	// Output:
	// apps/Deployment web, spec.replicas: both-changed, took upstream's version
	// apps/Deployment web, spec.template.spec.containers[name="web"].livenessProbe.periodSeconds: both-changed, took upstream's version
	// Secret web, stringData.token: both-changed, took upstream's version
	// deployment.yaml
	// disruption.yaml
	// route.yaml
	// secret.yaml
	// service.yaml
}

func mergeDirectories(ctx context.Context, origin, upstream, local, merged string) error {
	packages, err := source.Three(ctx, source.Dir(origin), source.Dir(upstream), source.Dir(local))
	if err != nil {
		return err
	}
	result, err := pkgmerge.Merge(ctx, packages, pkgmerge.Options{})
	if err != nil {
		return err
	}
	for c := range result.Conflicts() {
		fmt.Printf("%s, %s: %s, took %s's version\n", c.Subject(), c.Path, c.Kind, c.Chosen)
	}
	return sink.Dir(merged).Write(ctx, result)
}

// ownScale is a custom policy: the numbers of replicas stay local's, and a conflict in a Secret fails the run.
type ownScale struct{}

// For is asked once for each resource, and its answer once for each path.
func (ownScale) For(m *pkgmerge.Match) merge.Policy {
	if m.ID.Kind == "Secret" {
		return merge.Prefer(merge.PreferFail)
	}
	return func(at *merge.Path) merge.Preference {
		if at.String() == "spec.replicas" {
			return merge.PreferLocal
		}
		return merge.PreferUpstream
	}
}

// A Policy decides conflicts by resource and path.
func ExamplePolicy() {
	ctx := context.Background()
	result, err := pkgmerge.Merge(ctx, [3]pkgmerge.Package{
		identity.Origin:   {Resources: []*pkgmerge.Resource{deployment("web.yaml", "web:1", 1)}},
		identity.Upstream: {Resources: []*pkgmerge.Resource{deployment("web.yaml", "web:2", 2)}},
		identity.Local:    {Resources: []*pkgmerge.Resource{deployment("web.yaml", "web:1", 5)}},
	}, pkgmerge.Options{Policy: ownScale{}})
	if err != nil {
		log.Fatal(err)
	}
	messages, err := report.Results(result, nil)
	if err != nil {
		log.Fatal(err) // a conflict should fail the run
	}
	for _, m := range messages {
		fmt.Println(m.Message)
	}
	// Output:
	// merged 1 resource: 1 changed, 0 added, 0 deleted, 0 unchanged; 1 conflict: your value kept
	// Deployment web spec.replicas: upstream set it to 2, you to 5; yours was kept
}

// vendored is a custom strategy: files in the directory vendor are taken from upstream unchanged, and all others are
// merged.
type vendored struct{ pkgmerge.ResourceMerge }

// Name returns the name of the strategy in errors.
func (vendored) Name() string { return "vendored" }

// Merge decides one resource.
func (v vendored) Merge(m *pkgmerge.Match) (merge.Outcome, error) {
	if path.Dir(m.Newest().File) != "vendor" {
		return v.ResourceMerge.Merge(m)
	}
	if !m.Has(identity.Upstream) {
		return merge.Outcome{Verdict: merge.Drop}, nil
	}
	return merge.Outcome{Verdict: merge.TakeUpstream}, nil
}

// A Strategy decides the outcome of each resource.
func ExampleStrategy() {
	var packages [3]pkgmerge.Package
	for side, image := range [3]string{identity.Origin: "web:1", identity.Upstream: "web:2", identity.Local: "mirror/web:1"} {
		packages[side].Resources = []*pkgmerge.Resource{deployment("own/web.yaml", image, 1), deployment("vendor/web.yaml", image, 1)}
	}
	result, err := pkgmerge.Merge(context.Background(), packages, pkgmerge.Options{Strategy: vendored{}, MergeComments: pkgmerge.CommentNever})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range result.Package().Resources {
		fmt.Printf("%s:\n%s", r.File, must(r.YAML()))
	}
	// Output:
	// own/web.yaml:
	// apiVersion: apps/v1
	// kind: Deployment
	// metadata:
	//   name: web
	// spec:
	//   replicas: 1
	//   template:
	//     spec:
	//       containers:
	//       - name: web
	//         image: mirror/web:2
	// vendor/web.yaml:
	// apiVersion: apps/v1
	// kind: Deployment
	// metadata:
	//   name: web
	// spec:
	//   replicas: 1
	//   template:
	//     spec:
	//       containers:
	//       - name: web
	//         image: web:2
}

// deployment returns a resource made in memory.
func deployment(file, image string, replicas int) *pkgmerge.Resource {
	return must(newResource(file, fmt.Appendf(nil, `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: %d
  template:
    spec:
      containers:
      - name: web
        image: %s
`, replicas, image)))
}

func newResource(file string, text []byte) (*pkgmerge.Resource, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	return pkgmerge.NewResource(file, 0, &document), nil
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// A package may be made of files in memory.
func ExampleNewPackage() {
	p, err := newPackage([]byte("apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n"), []byte("#!/bin/sh\n"))
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range p.Resources {
		fmt.Println(r)
	}
	fmt.Println(len(p.Files), "files")
	// Output:
	// Service web in app/web.yaml
	// 2 files
}

func newPackage(text, script []byte) (pkgmerge.Package, error) {
	return pkgmerge.NewPackage([]pkgmerge.File{
		{Name: "app/web.yaml", Mode: 0o644, Data: text},
		{Name: "run.sh", Mode: 0o755, Data: script},
	})
}

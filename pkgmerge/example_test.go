package pkgmerge_test

import (
	"context"
	"fmt"
	"log"
	"path"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
	"github.com/resource-merge/resource-merge/source"
)

// Three directories become one package. Package sink writes it into a fourth.
func Example() {
	ctx := context.Background()
	const shop = "../tests/outside/shop/"
	packages, err := source.Three(ctx, source.Dir(shop+"origin"), source.Dir(shop+"upstream"), source.Dir(shop+"local"))
	if err != nil {
		log.Fatal(err)
	}
	result, err := pkgmerge.Merge(ctx, packages, pkgmerge.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range result.Package().Resources {
		fmt.Println(r)
	}
	for _, change := range result.Changes {
		for _, c := range change.Conflicts {
			fmt.Printf("%s of %s at %s: took %s's\n", c.Kind, change.ID, c.Path, c.Chosen)
		}
	}
	// Output:
	// apps/Deployment web in deployment.yaml
	// policy/PodDisruptionBudget web in disruption.yaml
	// networking.k8s.io/Ingress web in route.yaml
	// Secret web in secret.yaml
	// Service web in service.yaml
	// both-changed of apps/Deployment web at spec.replicas: took upstream's
	// both-changed of apps/Deployment web at spec.template.spec.containers[name="web"].livenessProbe.periodSeconds: took upstream's
	// both-changed of Secret web at stringData.token: took upstream's
}

// ownScale is a policy of its own: the numbers of replicas stay local's, and a
// conflict in a Secret fails the run.
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
		identity.Origin:   deployment("web:1", 1),
		identity.Upstream: deployment("web:2", 2),
		identity.Local:    deployment("web:1", 5),
	}, pkgmerge.Options{Policy: ownScale{}})
	if err != nil {
		log.Fatal(err)
	}
	messages, err := report.Results(result, nil)
	if err != nil {
		log.Fatal(err) // a conflict was to fail the run
	}
	for _, m := range messages {
		fmt.Println(m.Message)
	}
	// Output:
	// merged 1 resource: 1 changed, 0 added, 0 deleted, 0 unchanged; 1 conflict, local kept
	// Deployment web spec.replicas: upstream set it to 2, local to 5; local's was kept
}

// vendored is a strategy of its own: what lies in the directory vendor is taken
// from upstream as it is, and everything else is merged.
type vendored struct{ pkgmerge.ResourceMerge }

// Name is what errors call the strategy.
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

// A Strategy decides what becomes of each resource.
func ExampleStrategy() {
	in := func(file, image string) *pkgmerge.Resource {
		r := deployment(image, 1).Resources[0]
		return pkgmerge.NewResource(file, 0, must(r.Tree()))
	}
	var packages [3]pkgmerge.Package
	for side, image := range [3]string{identity.Origin: "web:1", identity.Upstream: "web:2", identity.Local: "mirror/web:1"} {
		packages[side].Resources = []*pkgmerge.Resource{in("own/web.yaml", image), in("vendor/web.yaml", image)}
	}
	result, err := pkgmerge.Merge(context.Background(), packages, pkgmerge.Options{Strategy: vendored{}, OmitMergeComments: true})
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

// deployment is a package with one Deployment, made in memory.
func deployment(image string, replicas int) pkgmerge.Package {
	var document yaml.Node
	text := fmt.Sprintf(`apiVersion: apps/v1
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
`, replicas, image)
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		log.Fatal(err)
	}
	return pkgmerge.Package{Resources: []*pkgmerge.Resource{pkgmerge.NewResource("web.yaml", 0, &document)}}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

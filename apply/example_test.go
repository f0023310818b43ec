package apply_test

import (
	"context"
	"fmt"
	"log"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// One object as an apply finds it, and its config: somebody has scaled it since the last apply.
const (
	recorded = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{},"name":"web","namespace":"shop"},"spec":{"paused":false,"replicas":1}}
spec:
  paused: false
  replicas: 5
`
	config = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: web
`
)

// foresee prints what an apply would do to recorded objects.
func foresee(ctx context.Context, packages [3]pkgmerge.Package) error {
	result, err := pkgmerge.Merge(ctx, packages, pkgmerge.Options{Strategy: apply.Strategy{Namespace: "shop"}})
	if err != nil {
		return err
	}
	for _, step := range apply.Of(result).Steps {
		fmt.Println(step.Action, step.ID, step.Fields)
	}
	for _, change := range result.Changes {
		for _, c := range change.Conflicts {
			fmt.Printf("%s, %s: %s\n", change.ID, c.Path, c.Kind)
		}
	}
	return nil
}

// Upstream is the config, and local the live objects.
func ExampleOf() {
	var packages [3]pkgmerge.Package
	for side, text := range map[identity.Side]string{identity.Upstream: config, identity.Local: recorded} {
		var err error
		if packages[side], err = pkgmerge.NewPackage([]pkgmerge.File{{Name: "all.yaml", Mode: 0o644, Data: []byte(text)}}); err != nil {
			log.Fatal(err)
		}
	}
	if err := foresee(context.Background(), packages); err != nil {
		log.Fatal(err)
	}
	// Output:
	// update apps/Deployment shop/web 1
	// create ServiceAccount shop/web 0
	// apps/Deployment shop/web, spec.replicas: drift
}

package pkgmerge_test

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// A merge stops with an error when its context ends.
func ExampleMerge_deadline() {
	ctx, stop := context.WithTimeout(context.Background(), 0)
	defer stop()
	var packages [3]pkgmerge.Package
	for side := range packages {
		packages[side].Resources = []*pkgmerge.Resource{deployment("web.yaml", "web:1", side)}
	}
	_, err := pkgmerge.Merge(ctx, packages, pkgmerge.Options{})
	fmt.Println(err)
	// Output:
	// the merge was stopped: context deadline exceeded
}

// Merges may run at once, of the same packages too: here one for each strategy.
func ExampleMerge_atOnce() {
	packages := [3]pkgmerge.Package{
		identity.Origin:   {Resources: []*pkgmerge.Resource{deployment("web.yaml", "web:1", 1)}},
		identity.Upstream: {Resources: []*pkgmerge.Resource{deployment("web.yaml", "web:2", 1)}},
		identity.Local:    {Resources: []*pkgmerge.Resource{deployment("web.yaml", "web:1", 5)}},
	}
	strategies := []pkgmerge.Strategy{pkgmerge.ResourceMerge{}, must(pkgmerge.StrategyNamed("copy-merge")), must(pkgmerge.StrategyNamed("force-delete-replace"))}
	results := make([]*pkgmerge.Result, len(strategies))
	var group sync.WaitGroup
	for i, strategy := range strategies {
		group.Go(func() {
			results[i] = must(pkgmerge.Merge(context.Background(), packages, pkgmerge.Options{Strategy: strategy}))
		})
	}
	group.Wait()
	for i, result := range results {
		tree := must(result.Package().Resources[0].YAML())
		fmt.Printf("%s: web:2 %t, 5 replicas %t\n", strategies[i].Name(),
			strings.Contains(string(tree), "image: web:2"), strings.Contains(string(tree), "replicas: 5"))
	}
	// Output:
	// resource-merge: web:2 true, 5 replicas true
	// copy-merge: web:2 true, 5 replicas false
	// force-delete-replace: web:2 true, 5 replicas false
}

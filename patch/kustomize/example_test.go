package kustomize_test

import (
	"fmt"
	"log"

	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/patch/kustomize"
)

// files are those of one version, by their names.
func files(texts map[string]string) kustomize.Files {
	return kustomize.Files{IDs: texts, Read: func(name string) ([]byte, error) { return []byte(texts[name]), nil }}
}

// Build a kustomization over two versions of its remote base, and see which resources each entry of its layers meets.
func ExampleBuilder() {
	const deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1}\n"
	versions := map[string]kustomize.Files{
		"https://example.com/base?ref=v1": files(map[string]string{"kustomization.yaml": "resources: [web.yaml]", "web.yaml": deployment}),
		"https://example.com/base?ref=v2": files(map[string]string{"kustomization.yaml": "namePrefix: shop-\nresources: [web.yaml]", "web.yaml": deployment}),
	}
	own := files(map[string]string{"kustomization.yaml": `
resources: ["https://example.com/base?ref=v2"]
patches:
- target: {kind: Deployment, name: web}
  patch: |
    - {op: replace, path: /spec/replicas, value: 2}
- target: {kind: Service}
  patch: |
    - {op: add, path: /spec/type, value: NodePort}
`})
	met := &kustomize.Uses{}
	for side, version := range []string{"https://example.com/base?ref=v1", "https://example.com/base?ref=v2"} {
		b := &kustomize.Builder{
			Bases: func(entry string) (kustomize.Files, string, error) { return versions[entry], ".", nil },
			Known: schema.NewColumn(schema.StrategicMerge, nil), Side: side, Uses: met,
			Version: func(kustomize.Kustomization, string) (string, bool) { return version, true },
		}
		items, err := b.Directory(own, ".", true)
		if err != nil {
			log.Fatal(err)
		}
		for _, i := range items {
			fmt.Println(kustomize.NameOf(i.Names[len(i.Names)-1]))
		}
	}
	for _, u := range met.All {
		fmt.Printf("%s:%d: meets %d and %d resources\n", u.File, u.Entry.Line, len(u.Sides[0].Targets), len(u.Sides[1].Targets))
	}
	// Output:
	// apps/v1 Deployment web
	// apps/v1 Deployment shop-web
	// kustomization.yaml:4: meets 1 and 1 resources
	// kustomization.yaml:7: meets 0 and 0 resources
}

package patch_test

import (
	"fmt"
	"log"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/patch"
)

// parse reads one resource.
func parse(text string) *yaml.Node {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		log.Fatal(err)
	}
	return document.Content[0]
}

const (
	web = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, resourceVersion: "17"}
spec:
  replicas: 1
  template:
    spec:
      containers:
      - name: web
        image: web:1.0
      - name: log
        image: log:1.0
`
	changed = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, resourceVersion: "17"}
spec:
  replicas: 5 # for the sale
  template:
    spec:
      containers:
      - name: web
        image: web:1.1
`
)

// What kubectl patch takes for a kind of Kubernetes: a strategic merge patch.
func ExampleMaker_Make() {
	p, differs, err := patch.New(patch.Options{}).Make(parse(web), parse(changed))
	if err != nil || !differs {
		log.Fatal(err)
	}
	text, err := p.YAML()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Form)
	fmt.Print(string(text))
	// Output:
	// strategic
	// apiVersion: apps/v1
	// kind: Deployment
	// metadata:
	//   name: web
	//   namespace: shop
	// spec:
	//   replicas: 5 # for the sale
	//   template:
	//     spec:
	//       $setElementOrder/containers:
	//       - name: web
	//       containers:
	//       - name: web
	//         image: web:1.1
	//       - name: log
	//         $patch: delete
}

// JSON patches for kustomize, that apply to the version of the resource that they were made
// of only.
func ExampleComponent() {
	maker := patch.New(patch.Options{Form: patch.JSON, Precondition: true})
	p, _, err := maker.Make(parse(web), parse(changed))
	if err != nil {
		log.Fatal(err)
	}
	component, err := patch.Component([]patch.Patch{p})
	if err != nil {
		log.Fatal(err)
	}
	text, err := yaml.Marshal(component)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(text))
	// Output:
	// apiVersion: kustomize.config.k8s.io/v1alpha1
	// kind: Component
	// patches:
	//     - target:
	//         group: apps
	//         version: v1
	//         kind: Deployment
	//         name: web
	//         namespace: shop
	//       patch: |
	//         - op: replace
	//           path: /metadata/resourceVersion
	//           value: "17"
	//         - op: replace
	//           path: /spec/replicas
	//           value: 5 # for the sale
	//         - op: test
	//           path: /spec/template/spec/containers/1/name
	//           value: log
	//         - op: remove
	//           path: /spec/template/spec/containers/1
	//         - op: test
	//           path: /spec/template/spec/containers/0/name
	//           value: web
	//         - op: replace
	//           path: /spec/template/spec/containers/0/image
	//           value: web:1.1
}

module github.com/resource-merge/resource-merge

go 1.26

require (
	github.com/google/go-cmp v0.7.0
	github.com/kptdev/krm-functions-sdk/go/fn v1.1.1
	go.yaml.in/yaml/v3 v3.0.4
	pgregory.net/rapid v1.3.0
	sigs.k8s.io/kustomize/kyaml v0.21.1
)

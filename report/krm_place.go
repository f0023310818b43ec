package report

import (
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/identity"
)

// file is where a result is, nil if the file is not known.
func file(path string, index int) *framework.File {
	if path == "" {
		return nil
	}
	return &framework.File{Path: path, Index: index}
}

func reference(m identity.Meta) *kyaml.ResourceIdentifier {
	return &kyaml.ResourceIdentifier{
		TypeMeta: kyaml.TypeMeta{APIVersion: m.APIVersion, Kind: m.Kind},
		NameMeta: kyaml.NameMeta{Name: m.Name, Namespace: m.Namespace},
	}
}

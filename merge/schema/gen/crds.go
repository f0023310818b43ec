package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

// project is a module whose zip file has the CRDs that its project publishes.
type project struct {
	module string
	files  []string // patterns of paths below the module's directory
}

// projects lists whose CRDs the second table has (design 4, step 3).
func projects() []project {
	return []project{
		{"github.com/argoproj/argo-cd/v3@v3.6.1", []string{"manifests/crds/*-crd.yaml"}},
		{"github.com/argoproj/argo-rollouts@v1.10.2", []string{"manifests/crds/*-crd.yaml"}},
		{"github.com/cert-manager/cert-manager@v1.21.2", []string{"deploy/crds/*.yaml"}},
		{"github.com/crossplane/crossplane/v2@v2.1.0", []string{"cluster/crds/*.yaml"}},
		{"github.com/external-secrets/external-secrets@v1.3.2", []string{"config/crds/bases/*.yaml"}},
		{"github.com/fluxcd/helm-controller@v1.6.4", []string{"config/crd/bases/*.yaml"}},
		{"github.com/fluxcd/kustomize-controller@v1.10.1", []string{"config/crd/bases/*.yaml"}},
		{"github.com/fluxcd/source-controller@v1.10.1", []string{"config/crd/bases/*.yaml"}},
		{"github.com/kyverno/kyverno@v1.19.1", []string{"config/crds/*/*.yaml"}},
		{"github.com/prometheus-operator/prometheus-operator@v0.85.0", []string{"example/prometheus-operator-crd/*.yaml"}},
		{"istio.io/api@v1.31.1", []string{"kubernetes/customresourcedefinitions.gen.yaml"}},
		{"knative.dev/eventing@v0.46.0", []string{"config/core/resources/*.yaml", "config/channels/in-memory-channel/resources/*.yaml"}},
		{"knative.dev/serving@v0.51.0", []string{"config/core/300-resources/*.yaml"}},
		{"sigs.k8s.io/gateway-api@v1.7.0", []string{"config/crd/experimental/*.yaml"}},
	}
}

// crds returns the CRDs in a project's files. A project without any is an
// error.
func (p project) crds() ([]*yaml.Node, error) {
	info, err := download(p.module)
	if info.Zip == "" {
		return nil, fmt.Errorf("downloading %s: %w", p.module, err)
	}
	archive, err := zip.OpenReader(info.Zip)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", p.module, err)
	}
	defer archive.Close()
	var found []*yaml.Node
	for _, file := range archive.File {
		if !p.wants(file.Name) {
			continue
		}
		crds, err := readCRDs(file)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", file.Name, err)
		}
		found = append(found, crds...)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no CRD in %v", p.module, p.files)
	}
	return found, nil
}

// wants reports whether a file of the module's zip file is one of the project's
// files.
func (p project) wants(name string) bool {
	for _, pattern := range p.files {
		if ok, err := path.Match(p.module+"/"+pattern, name); err == nil && ok {
			return true
		}
	}
	return false
}

// readCRDs returns the documents of a file that are CRDs.
func readCRDs(file *zip.File) ([]*yaml.Node, error) {
	reader, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	text, err := io.ReadAll(reader)
	if err != nil {
		return nil, err
	}
	var crds []*yaml.Node
	for documents := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var doc yaml.Node
		if err := documents.Decode(&doc); errors.Is(err, io.EOF) {
			return crds, nil
		} else if err != nil {
			return nil, err
		}
		if node := doc.Content[0]; kindOf(node) == "CustomResourceDefinition" {
			crds = append(crds, node)
		}
	}
}

func kindOf(n *yaml.Node) string {
	var head struct{ Kind string }
	if err := n.Decode(&head); err != nil {
		return ""
	}
	return strings.TrimSpace(head.Kind)
}

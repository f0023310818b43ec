package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// generateCRDs returns the table of the kinds of well-known projects as Go code, from package schema's reading of their
// CRDs. It omits the status of resources, which no package has.
func generateCRDs() ([]byte, error) {
	c := custom{graph: &graph{nodes: map[string]*node{}}}
	comment := "// The CRDs of these modules define the kinds of this table:\n//\n"
	for _, p := range projects() {
		crds, err := p.crds()
		if err != nil {
			return nil, err
		}
		if err := c.add(crds); err != nil {
			return nil, fmt.Errorf("%s: %w", p.module, err)
		}
		comment += fmt.Sprintf("//\t%s\n", p.module)
	}
	slices.SortFunc(c.kinds, compareKinds)
	return render(comment+"\n", "custom", c.kinds, c.graph)
}

// custom collects kinds and their types, which are named after their paths.
type custom struct {
	kinds []kind
	graph *graph
}

// crd is the part of a CRD with the kind that it defines.
type crd struct {
	Spec struct {
		Group    string
		Names    struct{ Kind string }
		Versions []struct{ Name string }
	}
}

// add adds the kinds that CRDs define.
func (c *custom) add(nodes []*yaml.Node) error {
	known := schema.New(nil, schema.Trees(nodes...), false)
	for _, n := range nodes {
		var d crd
		if err := n.Decode(&d); err != nil {
			return fmt.Errorf("decoding a CRD: %w", err)
		}
		for _, v := range d.Spec.Versions {
			k := kind{group: d.Spec.Group, kind: d.Spec.Names.Kind, version: v.Name}
			k.cluster = known.ClusterScoped(k.group, k.kind)
			k.name = c.root(known.Resource(k.group, k.version, k.kind).Type, k)
			c.kinds = append(c.kinds, k)
		}
	}
	for _, w := range known.Warnings {
		return fmt.Errorf("%s: %s", w.Path, w.Text)
	}
	return nil
}

// root adds the type of a kind, without metadata and status.
func (c *custom) root(t *schema.Type, k kind) string {
	own := *t
	own.Fields = maps.Clone(t.Fields)
	delete(own.Fields, "metadata")
	delete(own.Fields, "status")
	return c.name(&own, fmt.Sprintf("%s.%s.%s", k.group, k.kind, k.version))
}

// name returns the name of the node of a type at a path, "" if neither it nor a type below it matters to merging.
func (c *custom) name(t *schema.Type, path string) string {
	if t == nil {
		return ""
	}
	n := &node{relation: relationName(t.Relation), scalar: scalarName(t.Scalar), embedded: t.Embedded}
	for _, k := range t.Keys {
		n.keys = append(n.keys, key{name: k.Name, defaultValue: k.Default})
	}
	for _, u := range t.Unions {
		added := union{Discriminator: u.Discriminator}
		for _, name := range u.Members {
			added.Fields = append(added.Fields, member{Name: name})
		}
		n.unions = append(n.unions, added)
	}
	n.elem = c.name(t.Elem, path+"[]")
	for _, field := range slices.Sorted(maps.Keys(t.Fields)) {
		if to := c.name(t.Fields[field], path+"."+field); to != "" {
			n.fields = append(n.fields, edge{field: field, to: to})
		}
	}
	if n.matters() || n.elem != "" || len(n.fields) > 0 {
		c.graph.nodes[path] = n
		return path
	}
	return ""
}

func relationName(r schema.Relation) string {
	return map[schema.Relation]string{schema.Atomic: "Atomic", schema.ListMap: "ListMap", schema.Set: "Set", schema.Granular: "Granular"}[r]
}

func scalarName(s schema.Scalar) string {
	return map[schema.Scalar]string{schema.Quantity: "Quantity", schema.Image: "Image"}[s]
}

// project is a module whose zip file has the published CRDs of a project.
type project struct {
	module string
	files  []string // patterns of paths below the module's directory
}

// projects lists the projects in the second table (rules/schemas: tables of other kinds).
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

// crds returns the CRDs in a project's files, at least one.
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

// wants reports whether a file of the module's zip file is one of the project's files.
func (p project) wants(name string) bool {
	return slices.ContainsFunc(p.files, func(pattern string) bool {
		ok, err := path.Match(p.module+"/"+pattern, name)
		return err == nil && ok
	})
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

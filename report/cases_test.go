package report_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/tests/caselist"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// testCase is a case of testdata at the repository's top with three versions and a config.
type testCase struct {
	caselist.Case
	packages [3]pkgmerge.Package
	config   *yaml.Node // a mapping
}

// caseStep is the distance of the cases that a run takes.
func caseStep() int { return seed.Step(5) }

// cases are those whose sides are three files, and whose config may have rules: that of an
// overlay may not. A quick run has every fifth of them.
func cases(t testing.TB) []testCase {
	t.Helper()
	var out []testCase
	found := 0
	all, err := caselist.Read("../testdata")
	for _, c := range all {
		if c.Files["local.yaml"] == nil {
			continue
		}
		if found++; found%caseStep() != 0 {
			continue
		}
		c := newCase(c)
		if c.config != nil && yamlnode.Field(c.config, "sources") == nil && yamlnode.Text(yamlnode.Field(c.config, "output")) != "overlay" {
			out = append(out, c)
		}
	}
	if err != nil || len(out) < 100/caseStep() {
		t.Fatalf("%d cases, %v", len(out), err)
	}
	return out
}

func newCase(of caselist.Case) testCase {
	c := testCase{Case: of}
	for side, name := range [3]string{identity.Origin: "origin.yaml", identity.Upstream: "upstream.yaml", identity.Local: "local.yaml"} {
		documents, err := readDocuments(c.Files[name])
		if err != nil {
			return testCase{} // what is not YAML is no case for reports
		}
		for i, n := range documents {
			file := yamlnode.Annotation(n, "internal.config.kubernetes.io/path")
			if file == "" {
				file = "all.yaml"
			}
			c.packages[side].Resources = append(c.packages[side].Resources, pkgmerge.NewResource(file, i, n))
		}
	}
	c.config = yamlnode.EmptyMap()
	if documents, err := readDocuments(c.Files["config.yaml"]); err == nil && len(documents) == 1 {
		c.config = documents[0]
	}
	if kind := yamlnode.Text(yamlnode.Field(c.config, "kind")); kind != "" && kind != "ResourceMerge" {
		return testCase{}
	}
	c.config = yamlnode.Put(c.config, nil, "apiVersion", yamlnode.String("fn.kpt.dev/v1alpha1"))
	c.config = yamlnode.Put(c.config, nil, "kind", yamlnode.String("ResourceMerge"))
	return c
}

// readDocuments reads the mappings of a stream.
func readDocuments(text []byte) (out []*yaml.Node, err error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	for err == nil {
		var n yaml.Node
		if err = d.Decode(&n); err == nil && len(n.Content) == 1 && n.Content[0].Kind == yaml.MappingNode {
			out = append(out, n.Content[0])
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return out, err
}

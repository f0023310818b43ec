package report_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// testCase is a case of testdata at the repository's top: a directory with three
// versions and a config.
type testCase struct {
	name     string
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
	err := filepath.WalkDir("../testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "local.yaml" {
			return err
		}
		if found++; found%caseStep() != 0 {
			return nil
		}
		c, err := readCase(filepath.Dir(path))
		if c.config != nil && yamlnode.Field(c.config, "sources") == nil && yamlnode.Text(yamlnode.Field(c.config, "output")) != "overlay" {
			out = append(out, c)
		}
		return err
	})
	if err != nil || len(out) < 100/caseStep() {
		t.Fatalf("%d cases, %v", len(out), err)
	}
	return out
}

func readCase(dir string) (testCase, error) {
	c := testCase{name: dir}
	for side, name := range [3]string{identity.Origin: "origin.yaml", identity.Upstream: "upstream.yaml", identity.Local: "local.yaml"} {
		documents, err := readDocuments(filepath.Join(dir, name))
		if err != nil {
			return testCase{}, nil // what is not YAML is no case for reports
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
	if documents, err := readDocuments(filepath.Join(dir, "config.yaml")); err == nil && len(documents) == 1 {
		c.config = documents[0]
	}
	if kind := yamlnode.Text(yamlnode.Field(c.config, "kind")); kind != "" && kind != "ResourceMerge" {
		return testCase{}, nil
	}
	c.config = yamlnode.Put(c.config, nil, "apiVersion", yamlnode.String("fn.kpt.dev/v1alpha1"))
	c.config = yamlnode.Put(c.config, nil, "kind", yamlnode.String("ResourceMerge"))
	return c, nil
}

// readDocuments reads the mappings of a stream; there are none in a file that is
// missing.
func readDocuments(file string) ([]*yaml.Node, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []*yaml.Node
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

package config

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// TestReadmeConfig checks the config that README shows, and finds fields that it
// lacks, and keys of a ConfigMap that docs/config.md does not tell of.
func TestReadmeConfig(t *testing.T) {
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(apiVersion: fn.kpt.dev.*?)```").FindSubmatch(text)
	if block == nil {
		t.Fatal("README shows no config")
	}
	var shown yaml.Node
	if err := yaml.Unmarshal(block[1], &shown); err != nil {
		t.Fatal(err)
	}
	if err := compileSchema(t).Validate(jsonValue(t, shown.Content[0])); err != nil {
		t.Error(err)
	}
	if _, err := Read(shown.Content[0]); err != nil {
		t.Error(err)
	}
	for _, name := range fieldsOf(reflect.TypeFor[Config]()) {
		if yamlnode.Field(shown.Content[0], name) == nil {
			t.Errorf("the config that README shows lacks %s", name)
		}
	}
	reference, err := os.ReadFile("../../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range configMapKeys() {
		if !strings.Contains(string(reference), "`"+k.key+"`") {
			t.Errorf("docs/config.md does not tell of %s", k.key)
		}
	}
}

// TestDocumentedSchema finds another address of the schema in docs/config.md than
// its own.
func TestDocumentedSchema(t *testing.T) {
	text, err := os.ReadFile("../../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	if line := "\n# yaml-language-server: $schema=" + schemaID + "\n"; !strings.Contains(string(text), line) {
		t.Errorf("docs/config.md lacks the line %q", line)
	}
}

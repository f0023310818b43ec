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

// TestDocumentedConfigs checks the configs that README and docs/config.md show, and finds fields that the latter
// lacks, and keys of a ConfigMap that it does not tell of.
func TestDocumentedConfigs(t *testing.T) {
	shownConfig(t, "../../../README.md")
	whole := shownConfig(t, "../../../docs/config.md")
	for _, name := range fieldsOf(reflect.TypeFor[Config]()) {
		if yamlnode.Field(whole, name) == nil {
			t.Errorf("the config that docs/config.md shows lacks %s", name)
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

// shownConfig returns the first config that a document shows, which must be a valid one.
func shownConfig(t *testing.T, document string) *yaml.Node {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(apiVersion: fn.kpt.dev.*?)```").FindSubmatch(text)
	if block == nil {
		t.Fatalf("%s shows no config", document)
	}
	var shown yaml.Node
	if err := yaml.Unmarshal(block[1], &shown); err != nil {
		t.Fatal(err)
	}
	if err := compileSchema(t).Validate(jsonValue(t, shown.Content[0])); err != nil {
		t.Errorf("%s: %v", document, err)
	}
	if _, err := Read(shown.Content[0]); err != nil {
		t.Errorf("%s: %v", document, err)
	}
	return shown.Content[0]
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

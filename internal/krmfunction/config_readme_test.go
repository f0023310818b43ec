package krmfunction

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// TestReadmeConfig checks the config that README shows, and finds fields and
// ConfigMap keys that README does not tell of.
func TestReadmeConfig(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
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
	if _, err := ReadConfig(shown.Content[0]); err != nil {
		t.Error(err)
	}
	for _, f := range configShape().fields {
		if yamlnode.Field(shown.Content[0], f.name) == nil {
			t.Errorf("the config that README shows lacks %s", f.name)
		}
	}
	for _, k := range configMapKeys() {
		if !strings.Contains(string(text), "`"+k.key+"`") {
			t.Errorf("README does not tell of %s", k.key)
		}
	}
}

// TestReadmeSchema finds another address of the schema in README than its own.
func TestReadmeSchema(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if line := "\n# yaml-language-server: $schema=" + schemaID + "\n"; !strings.Contains(string(text), line) {
		t.Errorf("README lacks the line %q", line)
	}
}

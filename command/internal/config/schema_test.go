package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/tests/caselist"
)

const schemaFile = "../../../docs/resource-merge.schema.json"

// schemaCopy is the schema in a module of its own, which cannot embed a file of another one.
const schemaCopy = "../../../engines/fn/kyamlmerge/resource-merge.schema.json"

var update = flag.Bool("update", false, "rewrite docs/resource-merge.schema.json, and its copy")

// TestConfigSchemaIsCurrent finds a schema that is older than the Go types;
// `go test ./command/internal/config -run TestConfigSchema -update` rewrites it.
func TestConfigSchemaIsCurrent(t *testing.T) {
	var want bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(configSchema(t)); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{schemaFile, schemaCopy} {
		if *update {
			if err := os.WriteFile(file, want.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.String(), string(got)); diff != "" {
			t.Errorf("%s is stale; run go test ./command/internal/config -run TestConfigSchema -update (-want +got):\n%s", file, diff)
		}
	}
}

// beyondSchema are the cases whose config the schema cannot tell is wrong.
func beyondSchema() []string {
	return []string{
		"bad-input/one-path-for-two-sides", // compares two paths after cleaning them
		"conflicts/rule-path-malformed",    // the grammar of paths
		"config-lists/path-malformed",
	}
}

// TestConfigSchemaOnCases compares the schema with the function on the configs
// of the cases in testdata.
func TestConfigSchemaOnCases(t *testing.T) {
	known := compileSchema(t)
	accepted, rejected := 0, 0
	for name, config := range caseConfigs(t) {
		if yamlnode.Text(yamlnode.Field(config, "kind")) == "ConfigMap" {
			continue
		}
		_, err := Read(config)
		invalid := known.Validate(jsonValue(t, config))
		switch {
		case err == nil && invalid != nil:
			t.Errorf("%s: the function accepts what the schema does not: %v", name, invalid)
		case err != nil && invalid == nil && !slices.Contains(beyondSchema(), name):
			t.Errorf("%s: the schema accepts what the function does not: %v", name, err)
		case err == nil:
			accepted++
		default:
			rejected++
		}
	}
	if accepted < 70 || rejected < 12 {
		t.Errorf("found %d configs that the function accepts and %d that it does not; are there so few?", accepted, rejected)
	}
}

// caseConfigs are the function configs of the cases, by the case's name.
func caseConfigs(t *testing.T) map[string]*yaml.Node {
	t.Helper()
	cases, err := caselist.Read("../../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	configs := map[string]*yaml.Node{}
	for _, c := range cases {
		config := firstDocument(c.Files["config.yaml"])
		if input := c.Files["input.yaml"]; input != nil {
			config = yamlnode.Field(firstDocument(input), "functionConfig")
		}
		if config != nil {
			configs[c.Name] = config
		}
	}
	return configs
}

// firstDocument is the first document of a text, nil if that cannot be read: some cases are about that.
func firstDocument(text []byte) *yaml.Node {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil || len(doc.Content) == 0 {
		return nil
	}
	return doc.Content[0]
}

// TestConfigSchemaOnRandomConfigs compares the schema with the function on
// configs of right and wrong fields and values. The strings are such that no
// two paths are equal, as only the function sees that.
func TestConfigSchemaOnRandomConfigs(t *testing.T) {
	known := compileSchema(t)
	accepted, rejected := 0, 0
	for range 20 { // a hundred configs are too few to meet every limit
		rapid.Check(t, func(t *rapid.T) {
			if agreed(t, known, drawConfig(t)) {
				accepted++
			} else {
				rejected++
			}
		})
	}
	if accepted == 0 || rejected == 0 {
		t.Errorf("accepted %d configs and rejected %d; want some of each", accepted, rejected)
	}
}

// agreed reports whether the function and the schema accept a config, and fails if
// one does and the other does not.
func agreed(t *rapid.T, known *jsonschema.Schema, value any) bool {
	var config yaml.Node
	if err := config.Encode(value); err != nil {
		t.Fatal(err)
	}
	_, err := Read(&config)
	if invalid := known.Validate(jsonValue(t, &config)); (err == nil) != (invalid == nil) {
		text, _ := yaml.Marshal(&config)
		t.Fatalf("the function says %v, the schema %v, of\n%s", err, invalid, text)
	}
	return err == nil
}

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	compiled, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// jsonValue is a node as the validator takes it.
func jsonValue(t interface{ Fatal(...any) }, n *yaml.Node) any {
	var v any
	if err := n.Decode(&v); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

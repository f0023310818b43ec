package report_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// TestSARIFSchema holds the reports of the cases, and hostile ones, against the schema
// of SARIF 2.1.0.
func TestSARIFSchema(t *testing.T) {
	t.Parallel()
	schema := sarifSchema(t)
	for _, c := range cases(t) {
		if r := merged(t, c); r != nil {
			validate(t, schema, c.Name, written(t, format("sarif"), r))
		}
	}
	for i := range 20 {
		validate(t, schema, "hostile", written(t, format("sarif"), rapid.Custom(hostileReport).Example(i)))
	}
	if err := schema.Validate(map[string]any{"version": "2.1.0"}); err == nil {
		t.Error("the schema takes anything")
	}
}

// goSARIF is the module that has the schema. Nothing of it is imported.
const goSARIF = "github.com/owenrumney/go-sarif/v3@v3.3.1"

// sarifSchema is the schema that OASIS publishes, as a module has it in a literal.
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	out, err := exec.Command("go", "mod", "download", "-json", goSARIF).Output()
	if err != nil {
		t.Fatalf("downloading %s: %v\n%s", goSARIF, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(module.Dir, "pkg", "report", "v210", "sarif", "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	ast.Inspect(file, func(n ast.Node) bool {
		if it, ok := n.(*ast.BasicLit); ok && len(it.Value) > len(text) {
			text = it.Value
		}
		return true
	})
	if text, err = strconv.Unquote(text); err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sarif.json", value); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

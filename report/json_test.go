package report_test

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestJSONSchema holds the report of each case against its schema.
func TestJSONSchema(t *testing.T) {
	t.Parallel()
	schema := compileSchema(t, "../docs/report.schema.json")
	checked := 0
	for _, c := range cases(t) {
		r := merged(t, c)
		if r == nil {
			continue
		}
		checked++
		validate(t, schema, c.Name, written(t, format("json"), r))
	}
	if checked < 100/caseStep() {
		t.Errorf("only %d cases", checked)
	}
}

func compileSchema(t *testing.T, file string) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// validate holds a text against a schema.
func validate(t *testing.T, schema *jsonschema.Schema, name, text string) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

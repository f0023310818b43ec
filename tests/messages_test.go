package tests

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// TestMessagesShowValues runs every case: where both sides set a value that fits into a
// message and may be shown, the message of the conflict has both, whole
// (rules/conflicts: results).
func TestMessagesShowValues(t *testing.T) {
	const fits = 48
	seen := 0
	for i, c := range cases(t) {
		if i%seed.Step(3) != 0 {
			continue
		}
		out, _ := command.Function(inputOf(t, c))
		_, text := splitOutput(t, out)
		var results []struct {
			Message string
			Field   struct{ CurrentValue, ProposedValue any } `yaml:",omitempty"`
			Tags    map[string]string
		}
		if err := yaml.Unmarshal([]byte(lowered(text)), &results); err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			for _, v := range []any{r.Field.CurrentValue, r.Field.ProposedValue} {
				value := fmt.Sprint(v)
				if r.Tags["conflict"] != "both-changed" || v == nil || len(value) > fits || strings.ContainsAny(value, "\"\\\n{}[]") {
					continue
				}
				seen++
				if !strings.Contains(r.Message, value) {
					t.Errorf("%s: %q does not show %s", c.Name, r.Message, value)
				}
			}
		}
	}
	if seen < 40/seed.Step(3) {
		t.Errorf("only %d values were looked for", seen)
	}
}

// lowered writes the names of the fields of a result as yaml expects them of a
// struct.
func lowered(text string) string {
	return strings.NewReplacer("currentValue:", "currentvalue:", "proposedValue:", "proposedvalue:").Replace(text)
}

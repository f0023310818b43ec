package merge

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestSameScalars is DESIGN 3: scalars are equal by kind and decoded value.
func TestSameScalars(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"0x1F", "31", true},
		{"0o17", "15", true},
		{"017", "15", true},
		{"1_000", "1000", true},
		{"+5", "5", true},
		{"-0", "0", true},
		{"99999999999999999999", "99999999999999999999", true},
		{"18446744073709551615", "18446744073709551614", false},
		{"80", "'80'", false},
		{"80", "80.0", false},
		{"80", "!!float 80", false},
		{"80", "!!str 80", false},
		{"1e3", "1000.0", true},
		{".inf", ".Inf", true},
		{".nan", ".NaN", true},
		{"true", "True", true},
		{"true", "'true'", false},
		{"~", "null", true},
		{"~", "''", false},
		{"2020-01-01", "'2020-01-01'", true},
		{"a", "'a'", true},
		{"yes", "\"yes\"", true},
		{"!!binary YQ==", "YQ==", false},
		{"!a x", "!b x", false},
		{"!a x", "!a x", true},
	} {
		if got := same(scalarOf(t, tt.a), scalarOf(t, tt.b)); got != tt.same {
			t.Errorf("%s and %s: same is %v", tt.a, tt.b, got)
		}
	}
}

func scalarOf(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(text, err)
	}
	return doc.Content[0]
}

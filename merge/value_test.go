package merge

import (
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// TestSameScalars checks rules/fields: equality: scalars are equal by kind and decoded
// value.
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
		{"yes", "\"yes\"", false},
		{"Off", "'Off'", false},
		{"n", "|-\n  n", false},
		{"!!str y", "'y'", true},
		{"yes", "Yes", false},
		{"'yes'", "\"yes\"", true},
		{"yes", "yes", true},
		{"maybe", "'maybe'", true},
		{"!!binary YQ==", "YQ==", false},
		{"!a x", "!b x", false},
		{"!a x", "!a x", true},
	} {
		if got := same(nil, scalarOf(t, tt.a), scalarOf(t, tt.b)); got != tt.same {
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

// TestSameQuantities checks rules/fields: equality: quantities by the schema compare
// by the amount.
func TestSameQuantities(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"1000m", "'1'", true},
		{"1", "'1'", true},
		{"0.5", "500m", true},
		{"0.5", "'.5'", true},
		{"5.", "5", true},
		{"1Ki", "1024", true},
		{"1Mi", "1024Ki", true},
		{"1.5Gi", "1536Mi", true},
		{"1Ei", "1152921504606846976", true},
		{"1Ti", "1P", false},
		{"1G", "1000M", true},
		{"1G", "1Gi", false},
		{"1E", "1000P", true},
		{"1E3", "1k", true},
		{"1e3", "1000", true},
		{"1e+3", "'1e3'", true},
		{"1000000n", "1m", true},
		{"1000u", "1m", true},
		{"-1", "-1000m", true},
		{"+1", "'+1000m'", true},
		{"-0", "0Gi", true},
		{"0x10", "'16'", true},
		{"1e1000000000", "1e1000000000", true},
		{"'1e1000000000'", "'10e999999999'", true},
		{"'1e1000000001'", "'1e1000000000'", false},
		{"'1e99999999999999999999'", "'1e99999999999999999998'", false},
		{"1Q", "'1Q'", true},
		{"1.2.3", "'1.23'", false},
		{"''", "0", false},
		{"'.'", "0", false},
		{"1i", "1", false},
		{"1KMi", "1", false},
		{"1 ", "'1 '", false},
		{"true", "'true'", false},
		{"~", "0", false},
	} {
		typ := &schema.Type{Scalar: schema.Quantity}
		if got := same(typ, scalarOf(t, tt.a), scalarOf(t, tt.b)); got != tt.same {
			t.Errorf("%s and %s: same is %v", tt.a, tt.b, got)
		}
	}
}

// TestSameQuantitiesWithin checks rules/fields: equality for quantities in lists and
// structs that are decided whole.
func TestSameQuantitiesWithin(t *testing.T) {
	divided := &schema.Type{Relation: schema.Atomic, Fields: map[string]*schema.Type{"divisor": {Scalar: schema.Quantity}}}
	list := &schema.Type{Relation: schema.Atomic, Elem: divided}
	a, b := scalarOf(t, "[{divisor: 1, x: yes}]"), scalarOf(t, "[{x: yes, divisor: '1'}]")
	if !same(list, a, b) || same(nil, a, b) || canonicalOf(list, a) != canonicalOf(list, b) || canonical(a) == canonical(b) {
		t.Error("quantities in an atomic list do not compare by the amount")
	}
}

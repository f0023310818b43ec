package values

import (
	"math/big"
	"testing"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/tests/mergecheck"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// TestAmounts: mergecheck reads quantities as apimachinery does, but for what that rounds: less
// than a billionth, and what is more than 64 bits hold.
func TestAmounts(t *testing.T) {
	most := new(big.Rat).SetInt64(1<<63 - 1)
	amounts, rounded, none := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"", "+", "-"}).Draw(t, "sign") + rapid.StringMatching(`[0-9]{0,6}`).Draw(t, "digits") +
			rapid.SampledFrom([]string{"0", "1", "5.", ".5", ".25", "0.001", "2.500"}).Draw(t, "more digits") +
			rapid.SampledFrom([]string{
				"", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-2", "e+1", "e", "e+", "i", "mi", "K", "Kii", " ", "x10", ".1",
			}).Draw(t, "unit")
		want, err := resource.ParseQuantity(text)
		got, ok := mergecheck.Amount(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text})
		if ok != (err == nil) {
			t.Fatalf("%q is an amount: %t, apimachinery says %v", text, ok, err)
		}
		if !ok {
			none++
			return
		}
		amount, _ := new(big.Rat).SetString(got)
		billionths := new(big.Rat).Mul(amount, big.NewRat(1e9, 1))
		if !billionths.IsInt() || new(big.Rat).Abs(amount).Cmp(most) > 0 {
			rounded++
			return
		}
		amounts++
		if theirs, _ := new(big.Rat).SetString(want.AsDec().String()); theirs.Cmp(amount) != 0 {
			t.Fatalf("%q is %s, want %s", text, got, theirs.RatString())
		}
	})
	t.Logf("%d amounts, %d that are rounded, %d that are none", amounts, rounded, none)
	if amounts < seed.Checks()*2/5 || none < seed.Checks()/10 {
		t.Errorf("%d amounts and %d other texts were compared", amounts, none)
	}
}

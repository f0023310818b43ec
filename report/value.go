package report

import (
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// shown is a value as results carry it: a scalar decoded, a list or map as a
// line of YAML, at most 256 bytes of either; nil where absent.
func shown(n *yaml.Node) any {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.ScalarNode {
		return wording.Cut(wording.Flow(n), maxValue)
	}
	var v any
	if err := n.Decode(&v); err != nil || len(n.Value) > maxValue {
		return wording.Cut(n.Value, maxValue)
	}
	switch v.(type) {
	case string, time.Time: // a timestamp is a string
		return wording.Cut(n.Value, maxValue)
	case float64:
		if strings.Trim(n.Value, "+-_0123456789") == "" { // an integer of more than 64 bits
			return n.Value
		}
	}
	return v
}

// ValuesAsText makes strings of the values of results. Porch, which reads a number or a
// boolean there as a fault, does not take results without (design 20).
func ValuesAsText(results framework.Results) {
	for _, r := range results {
		if r.Field == nil {
			continue
		}
		for _, value := range []*any{&r.Field.CurrentValue, &r.Field.ProposedValue} {
			if *value != nil {
				*value = fmt.Sprint(*value)
			}
		}
	}
}

// shownText is shown as a tag carries it, which is a string.
func shownText(n *yaml.Node) string {
	if v := shown(n); v != nil {
		return fmt.Sprint(v)
	}
	return "null"
}

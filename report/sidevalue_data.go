package report

import (
	"encoding/json"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// maxNodes is how many nodes of a value are made data of: aliases may stand for
// far more than the package holds.
const maxNodes = 100_000

// data makes data of values, as JSON has it, with texts as they may be seen.
type data struct{ budget int }

func (d *data) of(n *yaml.Node) any {
	n = yamlnode.Resolve(n)
	if d.budget--; d.budget < 0 || n == nil {
		return wording.Ellipsis
	}
	switch n.Kind {
	case yaml.MappingNode:
		out := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			out[visible(wording.CutMiddle(n.Content[i].Value, maxShown))] = d.of(n.Content[i+1])
		}
		return out
	case yaml.SequenceNode:
		out := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			out = append(out, d.of(c))
		}
		return out
	}
	return scalarData(n)
}

// scalarData is a scalar: null, a bool, a number that JSON can write, else a text.
func scalarData(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		if v, err := strconv.ParseBool(n.Value); err == nil {
			return v
		}
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value)
		}
		var number any
		if err := n.Decode(&number); err == nil {
			if text, err := json.Marshal(number); err == nil {
				return json.RawMessage(text)
			}
		}
	}
	return wording.CutMiddle(visibleLines(n.Value), maxShown)
}

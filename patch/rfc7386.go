package patch

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// rfc7386 is the JSON merge patch of a map: what differs in maps, entry by entry, a null for
// what goes, and any other value whole. The API server drops nulls out of what it sets, also
// within lists, so one that must stay anywhere in a value that is set is Unsayable.
func rfc7386(c *merge.Comparison) (*yaml.Node, error) {
	out := yamlnode.EmptyMap()
	for _, part := range c.Parts {
		switch {
		case part.Equal():
		case part.To == nil:
			put(out, part, null())
		case part.IsMap():
			inner, err := rfc7386(part)
			if err != nil {
				return nil, err
			}
			put(out, part, inner)
		default:
			if err := writable(Merge, part.Path, part.To); err != nil {
				return nil, err
			}
			put(out, part, value(part))
		}
	}
	return out, nil
}

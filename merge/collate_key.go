package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// identifier says how the elements of a list are told apart, and by which keys,
// in the order of their names; nil if they are not and the list is decided whole. Where the schema has no
// answer, those say it who own elements of the list (14), or the keys may be inferred from what the sides
// have (design 4, step 5).
func (c collator) identifier(e *element) (identify, []schema.Key) {
	relation, keys := schema.Granular, []schema.Key(nil)
	if e.typ != nil {
		relation, keys = e.typ.Relation, e.typ.Keys
	} else if len(e.owned) > 0 {
		relation, keys = e.ownedAs()
	}
	lists := [3][]*yaml.Node{e.parts(origin, yaml.SequenceNode), e.parts(upstream, yaml.SequenceNode), e.parts(local, yaml.SequenceNode)}
	if relation == schema.Resources {
		if id := c.pairResources(lists); id != nil {
			return id, nil
		}
	}
	if (relation == schema.Granular || relation == schema.Resources) && c.kind.Infer {
		keys = schema.InferKeys(lists[:]...)
		e.guessed = true
	}
	if byName := func(x, y schema.Key) int { return strings.Compare(x.Name, y.Name) }; !slices.IsSortedFunc(keys, byName) {
		keys = slices.SortedFunc(slices.Values(keys), byName)
	}
	switch {
	case relation == schema.Functions:
		return pairFunctions(lists), nil
	case relation == schema.Set:
		return setKey, nil
	case len(keys) > 0:
		return func(n *yaml.Node) (elementKey, bool) { return tupleKey(n, keys) }, keys
	}
	return nil, nil
}

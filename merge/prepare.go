package merge

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

const (
	// maxDepth limits the nesting of a resource (rules/input: limits).
	maxDepth = 1000
	// Aliases may expand to growth times the nodes of the resource, and slack more: a larger one is an alias bomb.
	growth, slack = 10, 1_000
)

// Fault is the error for a version that cannot be merged.
type Fault struct {
	Side identity.Side
	// Line is the line of the node.
	Line   int
	Reason string
}

func (f *Fault) Error() string {
	return fmt.Sprintf("the %s version: line %d: %s", f.Side, f.Line, f.Reason)
}

func fault(at *yaml.Node, reason string, args ...any) error {
	return &Fault{Line: at.Line, Reason: fmt.Sprintf(reason, args...)}
}

func tooDeep(at *yaml.Node) error { return fault(at, "nested deeper than 1,000 levels") }

// Expand returns a version of a resource without anchors, and with its aliases and merge keys written out
// (rules/comments-and-text: anchors and aliases): a copy, or the version itself if it has none. Duplicate keys,
// nesting deeper than 1,000 levels, alias cycles and bombs are Faults.
func Expand(n *yaml.Node) (*yaml.Node, error) {
	if n == nil {
		return nil, nil
	}
	s := survey{}
	if err := s.walk(n, 0); err != nil {
		return nil, err
	}
	if !s.aliases {
		return n, nil
	}
	e := expander{budget: growth*s.nodes + slack, open: map[*yaml.Node]bool{}}
	return e.expand(n, 0)
}

// expandAll expands the versions; a Fault names its side.
func expandAll(versions [3]*yaml.Node) (out [3]*yaml.Node, err error) {
	for _, side := range identity.Sides() {
		if out[side], err = Expand(versions[side]); err != nil {
			if fault := (*Fault)(nil); errors.As(err, &fault) {
				fault.Side = side
			}
			return out, err
		}
	}
	return out, nil
}

// survey holds the results of one walk over a resource, which does not follow aliases.
type survey struct {
	nodes   int
	aliases bool
	keys    keyIndex // of one map at a time
}

func (s *survey) walk(n *yaml.Node, depth int) error {
	if depth > maxDepth {
		return tooDeep(n)
	}
	s.nodes++
	s.aliases = s.aliases || n.Kind == yaml.AliasNode || n.Anchor != "" || n.Tag == "!!merge"
	if n.Kind == yaml.MappingNode {
		if err := s.checkKeys(n); err != nil {
			return err
		}
	}
	for _, c := range n.Content {
		if err := s.walk(c, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// checkKeys looks for duplicate keys in a map.
func (s *survey) checkKeys(m *yaml.Node) error {
	s.keys = keyIndex{list: s.keys.list[:0]}
	for i := 0; i+1 < len(m.Content); i += 2 {
		key := yamlnode.Resolve(m.Content[i])
		if key.Kind != yaml.ScalarNode {
			return fault(key, "a map key is a list or a map")
		}
		v := valueOf(key)
		if _, found := s.keys.find(v); found {
			return fault(m.Content[i], "duplicate key %q", key.Value)
		}
		s.keys.add(v)
	}
	return nil
}

// expander copies a tree with its aliases and merge keys written out.
type expander struct {
	budget int
	open   map[*yaml.Node]bool // the anchors of the aliases that are being expanded
}

func (e *expander) expand(n *yaml.Node, depth int) (*yaml.Node, error) {
	if e.budget--; e.budget < 0 {
		return nil, fault(n, "aliases expand to many times the size of the item")
	}
	if depth > maxDepth {
		return nil, tooDeep(n)
	}
	if n.Kind == yaml.AliasNode {
		return e.alias(n, depth)
	}
	out := *n
	out.Anchor, out.Content = "", nil
	e.uncomment(&out)
	if n.Kind == yaml.MappingNode {
		return e.mapping(n, &out, depth)
	}
	for _, c := range n.Content {
		child, err := e.expand(c, depth+1)
		if err != nil {
			return nil, err
		}
		out.Content = append(out.Content, child)
	}
	return &out, nil
}

// uncomment removes the comments of a node within an alias: they belong to the anchor
// (rules/comments-and-text: anchors and aliases).
func (e *expander) uncomment(n *yaml.Node) {
	if len(e.open) > 0 {
		copyComments(n, &yaml.Node{})
	}
}

func copyComments(to, from *yaml.Node) {
	to.HeadComment, to.LineComment, to.FootComment = from.HeadComment, from.LineComment, from.FootComment
}

// alias expands an alias, which keeps its own comments.
func (e *expander) alias(n *yaml.Node, depth int) (*yaml.Node, error) {
	if e.open[n.Alias] {
		return nil, fault(n, "alias %q contains itself", n.Value)
	}
	e.open[n.Alias] = true
	out, err := e.expand(n.Alias, depth)
	delete(e.open, n.Alias)
	if err != nil {
		return nil, err
	}
	copyComments(out, n)
	return out, nil
}

// mapping expands a map. Its own entries win over merged ones, and an earlier merged map wins over a later one, as in
// YAML. Merged entries take the position of the merge key.
func (e *expander) mapping(n, out *yaml.Node, depth int) (*yaml.Node, error) {
	taken := make(map[value]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag != "!!merge" {
			taken[valueOf(yamlnode.Resolve(n.Content[i]))] = true
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		v, err := e.expand(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		if key.Tag != "!!merge" {
			written := *yamlnode.Resolve(key)
			written.Anchor = ""
			copyComments(&written, key)
			e.uncomment(&written)
			out.Content = append(out.Content, &written, v)
		} else if err := mergeIn(out, v, taken); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// mergeIn appends the entries of a merge key's value, a map or a list of maps.
func mergeIn(out, v *yaml.Node, taken map[value]bool) error {
	sources := []*yaml.Node{v}
	if v.Kind == yaml.SequenceNode {
		sources = v.Content
	}
	for _, m := range sources {
		if m.Kind != yaml.MappingNode {
			return fault(m, "the value of a merge key (<<) is not a mapping")
		}
		for i := 0; i+1 < len(m.Content); i += 2 {
			if k := valueOf(m.Content[i]); !taken[k] {
				taken[k] = true
				out.Content = append(out.Content, m.Content[i], m.Content[i+1])
			}
		}
	}
	return nil
}

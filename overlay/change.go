package overlay

import (
	"math/big"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/patch"
)

// Status tells whether upstream has a change of the fork (rules/overlay: needed changes).
type Status string

const (
	// Needed: upstream does not have the change.
	Needed Status = "needed"
	// Redundant: upstream has the change too.
	Redundant Status = "redundant"
	// Colliding: upstream changed the same field differently. The overlay has the fork's value.
	Colliding Status = "colliding"
	// Dead: upstream dropped the resource.
	Dead Status = "dead"
)

// Change is one change of the fork.
type Change struct {
	Status   Status
	Resource patch.Target
	// Path is the field; "" for a resource that the fork added or dropped.
	Path string
	// Values are the three versions of a colliding change, nil where absent.
	Values [3]*yaml.Node
	// Secret reports that the values may be secrets, which no report may show.
	Secret bool
}

// changes returns the changes of the fork in one resource.
func (p *pair) changes(known *schema.Schema) ([]Change, error) {
	o, u, l := p.versions[identity.Origin], p.versions[identity.Upstream], p.versions[identity.Local]
	t := p.userTarget()
	collisions := p.collisions(t)
	one := func(w Status) ([]Change, error) { return append(collisions, Change{Status: w, Resource: t}), nil }
	switch {
	case o == nil && l == nil:
		return nil, nil
	case l == nil && u == nil, o == nil && u != nil && merge.Same(u, l):
		return one(Redundant)
	case len(collisions) > 0 && (l == nil || o == nil):
		return collisions, nil
	case l == nil, o == nil:
		return one(Needed)
	case merge.Same(o, l):
		return nil, nil
	case u == nil:
		return []Change{{Status: Dead, Resource: t}}, nil
	}
	return p.fieldChanges(known, t, collisions)
}

// fieldChanges returns the changes of the fork in the fields of one resource, after its collisions.
func (p *pair) fieldChanges(known *schema.Schema, t patch.Target, collisions []Change) ([]Change, error) {
	o, u, l := p.versions[identity.Origin], p.versions[identity.Upstream], p.versions[identity.Local]
	differences, err := merge.Differences(o, l, known.Resource(identity.Group(t.APIVersion), identity.Version(t.APIVersion), t.Kind))
	if err != nil {
		return nil, err
	}
	out, reported, upstream := collisions, newPathSet(collisions), merge.NewFinder(u)
	for _, d := range differences {
		s := Change{Status: Needed, Resource: t, Path: d.Path.String()}
		if merge.Same(upstream.Value(d.Path), d.To) {
			s.Status = Redundant
		}
		if !reported.overlaps(s.Path) {
			out = append(out, s)
		}
	}
	return out, nil
}

// userTarget returns the resource's name in local, else in upstream, else in origin.
func (p *pair) userTarget() patch.Target {
	for _, side := range [3]identity.Side{identity.Local, identity.Upstream, identity.Origin} {
		if p.versions[side] != nil {
			return patch.TargetOf(p.versions[side])
		}
	}
	return patch.Target(p.target())
}

func (p *pair) collisions(t patch.Target) (out []Change) {
	if p.versions[identity.Upstream] == nil {
		return nil
	}
	for _, c := range p.change.Conflicts {
		out = append(out, Change{Status: Colliding, Resource: t, Path: c.Path.String(), Values: c.Values, Secret: p.change.MayHoldSecret(c.Path)})
	}
	return out
}

// pathSet is a set of field paths.
type pathSet struct {
	sorted []string
	set    map[string]bool
}

func newPathSet(changes []Change) pathSet {
	p := pathSet{set: map[string]bool{}}
	for _, s := range changes {
		p.sorted, p.set[s.Path] = append(p.sorted, s.Path), true
	}
	slices.Sort(p.sorted)
	return p
}

// overlaps reports whether the set has path, or a path that contains it or is below it.
func (p pathSet) overlaps(path string) bool {
	if len(p.sorted) == 0 {
		return false
	}
	for i := range len(path) + 1 {
		if ends := i == len(path) || i == 0 || path[i] == '.' || path[i] == '['; ends && p.set[path[:i]] {
			return true
		}
	}
	for _, mark := range [2]string{".", "["} {
		if at, _ := slices.BinarySearch(p.sorted, path+mark); at < len(p.sorted) && strings.HasPrefix(p.sorted[at], path+mark) {
			return true
		}
	}
	return path == ""
}

// subject returns the kind, namespace and name of a resource.
func subject(t yamlnode.Meta) string { return wording.Object(t.Kind, t.Namespace, t.Name) }

// rounded returns the paths of the integers below a path that no 64-bit float equals: kustomize reads
// the numbers of a resource as such floats when it applies a JSON patch.
func rounded(n *yaml.Node, at *merge.Path) (paths []string) {
	switch {
	case n.Kind == yaml.MappingNode:
		for key, v := range yamlnode.Pairs(n) {
			paths = append(paths, rounded(v, at.Field(key.Value))...)
		}
	case n.Kind == yaml.SequenceNode:
		for _, e := range n.Content {
			paths = append(paths, rounded(e, at)...)
		}
	case n.ShortTag() == "!!int", n.ShortTag() == "!!float": // an integer of more than 64 bits is a float to the parser
		if number, isInteger := new(big.Int).SetString(n.Value, 0); isInteger {
			if _, accuracy := new(big.Float).SetInt(number).Float64(); accuracy != big.Exact {
				paths = append(paths, at.String())
			}
		}
	}
	return paths
}

// reordered returns the paths of the lists whose order a strategic patch changes: the patch puts the
// elements that it names first.
func reordered(c *merge.Comparison) (paths []string) {
	if c == nil || c.Equal() {
		return nil
	}
	if c.IsList() && !keepsOrder(c) {
		paths = append(paths, c.Path.String())
	}
	for _, part := range c.Parts {
		if part.From != nil && part.To != nil {
			paths = append(paths, reordered(part)...)
		}
	}
	return paths
}

// keepsOrder reports whether kustomize builds a list in the fork's order.
func keepsOrder(c *merge.Comparison) bool {
	var built []*yaml.Node
	for _, part := range c.Parts {
		if part.To != nil && !part.Equal() {
			built = append(built, part.To)
		}
	}
	rest := slices.Clone(c.Parts)
	slices.SortStableFunc(rest, func(a, b *merge.Comparison) int { return a.FromAt - b.FromAt })
	for _, part := range rest {
		if part.From != nil && part.To != nil && part.Equal() {
			built = append(built, part.To)
		}
	}
	return slices.Equal(built, c.To.Content)
}

// differsOnlyInOrder reports whether two versions are equal except for the order of lists with keys.
func differsOnlyInOrder(c *merge.Comparison) bool {
	switch {
	case c.Equal():
		return true
	case c.From == nil || c.To == nil || c.Unkeyed || !c.IsMap() && !c.IsList():
		return false
	}
	return !slices.ContainsFunc(c.Parts, func(part *merge.Comparison) bool { return !differsOnlyInOrder(part) })
}

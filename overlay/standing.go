package overlay

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/patch"
)

// Word says what upstream has made of one change of the fork.
type Word string

const (
	// Needed: upstream does not have it.
	Needed Word = "needed"
	// Redundant: upstream has it now.
	Redundant Word = "redundant"
	// Colliding: upstream changed the same otherwise. The overlay has the fork's.
	Colliding Word = "colliding"
	// Dead: upstream dropped the resource.
	Dead Word = "dead"
)

// Standing is one change of the fork, and whether it is still needed.
type Standing struct {
	Word     Word
	Resource patch.Target
	// Path is the field; "" for a resource that the fork added or dropped.
	Path string
	// Values are the three versions of a colliding change, nil where absent.
	Values [3]*yaml.Node
}

// standings are the changes of the fork in one resource.
func (p *pair) standings(known *schema.Schema) ([]Standing, error) {
	o, u, l := p.versions[identity.Origin], p.versions[identity.Upstream], p.versions[identity.Local]
	t := p.named()
	collisions := p.collisions(t)
	one := func(w Word) ([]Standing, error) { return append(collisions, Standing{Word: w, Resource: t}), nil }
	switch {
	case o == nil && l == nil, l == nil && u == nil && o == nil:
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
		return []Standing{{Word: Dead, Resource: t}}, nil
	}
	differences, err := merge.Differences(o, l, known.Resource(identity.Group(t.APIVersion), identity.Version(t.APIVersion), t.Kind))
	if err != nil {
		return nil, err
	}
	out := collisions
	for _, d := range differences {
		s := Standing{Word: Needed, Resource: t, Path: d.Path.String()}
		if merge.Same(d.Path.Value(u), d.To) {
			s.Word = Redundant
		}
		if !slices.ContainsFunc(collisions, func(c Standing) bool { return overlaps(c.Path, s.Path) }) {
			out = append(out, s)
		}
	}
	return out, nil
}

// named is the resource as the user knows it.
func (p *pair) named() patch.Target {
	for _, side := range [3]identity.Side{identity.Local, identity.Upstream, identity.Origin} {
		if p.versions[side] != nil {
			return patch.TargetOf(p.versions[side])
		}
	}
	return p.target()
}

// collisions are the conflicts of the merge.
func (p *pair) collisions(t patch.Target) (out []Standing) {
	for _, c := range p.change.Conflicts {
		if p.versions[identity.Upstream] == nil {
			continue
		}
		out = append(out, Standing{Word: Colliding, Resource: t, Path: c.Path.String(), Values: c.Values})
	}
	return out
}

// overlaps reports whether one path is the other, or leads to it.
func overlaps(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	rest, found := strings.CutPrefix(b, a)
	return found && (rest == "" || a == "" || rest[0] == '.' || rest[0] == '[')
}

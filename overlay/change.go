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

// Word says what upstream has made of one change of the fork (rules/overlay: needed changes).
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
	// Secret says that the values may be secrets, which no report may show.
	Secret bool
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
	out, told, upstream := collisions, newPaths(collisions), merge.NewFinder(u)
	for _, d := range differences {
		s := Standing{Word: Needed, Resource: t, Path: d.Path.String()}
		if merge.Same(upstream.Value(d.Path), d.To) {
			s.Word = Redundant
		}
		if !told.overlap(s.Path) {
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
	return patch.Target(p.target())
}

// collisions are the conflicts of the merge.
func (p *pair) collisions(t patch.Target) (out []Standing) {
	for _, c := range p.change.Conflicts {
		if p.versions[identity.Upstream] == nil {
			continue
		}
		out = append(out, Standing{Word: Colliding, Resource: t, Path: c.Path.String(), Values: c.Values, Secret: p.change.MayHoldSecret(c.Path)})
	}
	return out
}

// paths are the paths of changes, sorted, and as a set.
type paths struct {
	sorted []string
	known  map[string]bool
}

func newPaths(standings []Standing) paths {
	p := paths{known: map[string]bool{}}
	for _, s := range standings {
		p.sorted, p.known[s.Path] = append(p.sorted, s.Path), true
	}
	slices.Sort(p.sorted)
	return p
}

// overlap reports whether a path is one of the paths, or leads to one, or one leads to it.
func (p paths) overlap(path string) bool {
	if len(p.sorted) == 0 {
		return false
	}
	for i := range len(path) + 1 {
		if ends := i == len(path) || i == 0 || path[i] == '.' || path[i] == '['; ends && p.known[path[:i]] {
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

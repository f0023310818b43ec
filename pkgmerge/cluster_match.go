package pkgmerge

import (
	"fmt"

	"github.com/resource-merge/resource-merge/identity"
)

// objectName is an object of any namespace.
type objectName struct{ group, kind, name string }

func nameOf(id identity.ID) objectName { return objectName{id.Group, id.Kind, id.Name} }

// liveObjects finds live objects.
type liveObjects struct {
	byID map[identity.ID]*Resource
	// namespaces are those of the objects of a name.
	namespaces map[objectName][]string
}

// match finds the live object of each config: a cluster knows objects by group, kind,
// namespace and name, and nothing else (rules/apply: identity of objects). Matches are in
// the order of local's resources, then upstream's.
func (c *cluster) match() ([]*Match, error) {
	live, err := c.liveObjects()
	if err != nil {
		return nil, err
	}
	ids, err := c.configIDs(live)
	if err != nil {
		return nil, err
	}
	other := make(map[*Resource]*Resource, 2*len(ids)) // of config its live object, and of that its config
	for _, r := range c.packages[c.config].Resources {
		id, named := ids[r]
		if l := live.byID[id]; named && l != nil && other[l] == nil { // a package may have one name several times
			other[r], other[l], ids[l] = l, r, id
		}
	}
	var out []*Match
	for _, r := range c.packages[identity.Local].Resources {
		out = append(out, c.object(ids, other[r], r))
	}
	var rest []*Resource // of upstream's, what is matched
	for _, r := range c.packages[identity.Upstream].Resources {
		switch {
		case other[r] != nil:
			rest = append(rest, r)
		case c.config == identity.Upstream: // is created; what only the cluster has is not added to a package
			rest, out = append(rest, r), append(out, c.object(ids, r, nil))
		}
	}
	c.packages[identity.Upstream].Resources = rest
	return out, nil
}

// configIDs is who the config is in the cluster. Config that a cluster cannot know, or
// that is there twice, is an error; a package may have both.
func (c *cluster) configIDs(live liveObjects) (map[*Resource]identity.ID, error) {
	ids, seen := map[*Resource]identity.ID{}, map[identity.ID]*Resource{}
	for _, r := range c.packages[c.config].Resources {
		if !r.isApplied() {
			continue
		}
		if err := checkName(r); err != nil && c.config == identity.Upstream {
			return nil, err
		}
		id := c.idOf(r, live)
		if seen[id] != nil && c.config == identity.Upstream {
			return nil, twice("config", id, seen[id], r)
		}
		ids[r], seen[id] = id, r
	}
	return ids, nil
}

// object is the match of an object, of which a side may have no version.
func (c *cluster) object(ids map[*Resource]identity.ID, upstream, local *Resource) *Match {
	r := local
	if r == nil {
		r = upstream
	}
	id, found := ids[r]
	if !found {
		id = r.ID()
	}
	m := c.newMatch(identity.Triple{ID: id})
	m.Versions[identity.Upstream], m.Versions[identity.Local] = upstream, local
	m.reading = func(m *Match) error { return c.read(c, m) }
	for side := range m.packages {
		m.packages[side] = "."
	}
	return m
}

// liveObjects are the live objects that a cluster can have. One that is there twice is an
// error.
func (c *cluster) liveObjects() (liveObjects, error) {
	out := liveObjects{byID: map[identity.ID]*Resource{}, namespaces: map[objectName][]string{}}
	for _, r := range c.packages[c.live].Resources {
		if r.Meta.Naming != identity.ByName || !r.isApplied() {
			continue
		}
		id := r.Meta.PlainID()
		cluster, known := c.schema.Scope(id.Group, id.Kind)
		switch {
		case cluster:
			id.Namespace = ""
		case known && id.Namespace == "":
			id.Namespace = c.namespace
		}
		if other := out.byID[id]; other != nil {
			return out, twice("live", id, other, r)
		}
		out.byID[id] = r
		out.namespaces[nameOf(id)] = append(out.namespaces[nameOf(id)], id.Namespace)
	}
	return out, nil
}

// idOf is who config is in the cluster. Config without a namespace is in the default one,
// unless its kind has none; of a kind that nothing knows, it is where the one live object
// of its name is.
func (c *cluster) idOf(r *Resource, live liveObjects) identity.ID {
	id := r.Meta.PlainID()
	cluster, known := c.schema.Scope(id.Group, id.Kind)
	switch namespaces := live.namespaces[nameOf(id)]; {
	case cluster:
		id.Namespace = ""
	case id.Namespace != "":
	case !known && len(namespaces) == 1:
		id.Namespace = namespaces[0]
	default:
		id.Namespace = c.namespace
	}
	return id
}

// checkName finds config that a cluster cannot know by its name.
func checkName(r *Resource) error {
	switch r.Meta.Naming {
	case identity.ByGenerateName:
		return fmt.Errorf("%s: metadata.generateName: an object that the server names cannot be applied, it has to have metadata.name", r)
	case identity.ByPath:
		return fmt.Errorf("%s: metadata.name is missing: an object without a name cannot be applied", r)
	}
	return nil
}

// twice is the error of an object that is there twice on a side.
func twice(side string, id identity.ID, a, b *Resource) error {
	return fmt.Errorf("%s has %s twice: %s, and %s; an object of a cluster can be there once", side, id, a.place(), b.place())
}

// place says where a resource is, for errors.
func (r *Resource) place() string {
	if label := r.label(); label != "" {
		return fmt.Sprintf("in %s at index %d", label, r.Index)
	}
	return fmt.Sprintf("in line %d", r.item.Line)
}

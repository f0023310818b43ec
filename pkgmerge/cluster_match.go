package pkgmerge

import (
	"fmt"

	"github.com/resource-merge/resource-merge/identity"
)

// objectName is an object of any namespace.
type objectName struct{ group, kind, name string }

func nameOf(id identity.ID) objectName { return objectName{id.Group, id.Kind, id.Name} }

// liveObjects finds live objects, by index.
type liveObjects struct {
	byID map[identity.ID]int
	// namespaces are those of the objects of a name.
	namespaces map[objectName][]string
}

// match finds the live object of each config: a cluster knows objects by group, kind,
// namespace and name, and nothing else (design 13.1). Matches are in the order of local's
// resources, then upstream's.
func (c *cluster) match() ([]*Match, error) {
	live, err := c.liveObjects()
	if err != nil {
		return nil, err
	}
	configOf := map[int]int{}
	ids := map[identity.ID]*Resource{}
	idOf := make([]identity.ID, len(c.packages[c.config].Resources))
	for i, r := range c.packages[c.config].Resources {
		if !r.isApplied() {
			continue
		}
		if err := checkName(r); err != nil && c.config == identity.Upstream {
			return nil, err
		}
		id := c.idOf(r, live)
		if other := ids[id]; other != nil && c.config == identity.Upstream {
			return nil, twice("config", id, other, r)
		}
		idOf[i], ids[id] = id, r
		if at, found := live.byID[id]; found {
			configOf[at] = i
		}
	}
	return c.matches(idOf, configOf), nil
}

// matches are the objects of both sides. configOf says by the index of a live object which
// config it has.
func (c *cluster) matches(idOf []identity.ID, configOf map[int]int) []*Match {
	liveOf := map[int]int{}
	for at, i := range configOf {
		liveOf[i] = at
	}
	var out []*Match
	for i, r := range c.packages[identity.Local].Resources {
		at, found := configOf[i]
		id := r.ID()
		if c.config == identity.Local {
			at, found = liveOf[i]
		} else if found {
			id = idOf[at]
		}
		m := c.object(id, r)
		if found {
			m.Versions[identity.Upstream] = c.packages[identity.Upstream].Resources[at]
		}
		out = append(out, m)
	}
	if c.config == identity.Local { // what only the cluster has is not added to the package
		var matched []*Resource
		for _, m := range out {
			if u := m.Versions[identity.Upstream]; u != nil {
				matched = append(matched, u)
			}
		}
		c.packages[identity.Upstream].Resources = matched
		return out
	}
	for i, r := range c.packages[identity.Upstream].Resources {
		if _, found := liveOf[i]; !found {
			m := c.object(idOf[i], nil)
			m.Versions[identity.Upstream] = r
			out = append(out, m)
		}
	}
	return out
}

// object is the match of an object, with local's version.
func (c *cluster) object(id identity.ID, local *Resource) *Match {
	m := c.newMatch(identity.Triple{ID: id})
	m.Versions[identity.Local] = local
	m.reading = func(m *Match) error { return c.read(c, m) }
	for side := range m.packages {
		m.packages[side] = "."
	}
	return m
}

// liveObjects are the live objects that a cluster can have. One that is there twice is an
// error.
func (c *cluster) liveObjects() (liveObjects, error) {
	out := liveObjects{byID: map[identity.ID]int{}, namespaces: map[objectName][]string{}}
	resources := c.packages[c.live].Resources
	for i, r := range resources {
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
		if other, found := out.byID[id]; found {
			return out, twice("live", id, resources[other], r)
		}
		out.byID[id] = i
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

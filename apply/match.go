package apply

import (
	"fmt"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// cluster is the versions of a merge in which one side is the objects of a recorded cluster
// (rules/apply: identity of objects).
type cluster struct {
	packages [3]pkgmerge.Package
	// schema is what is known of the kinds, once the objects are matched.
	schema *schema.Schema
	// config and live are the sides of what is applied and of what is live.
	config, live identity.Side
	namespace    string
}

// open takes Lists apart, and leaves out files of upstream's that have no resources: nothing of
// them is for a cluster. A file that should have some and cannot be read is an error, as it is
// for kubectl.
func (c *cluster) open() error {
	if origin := c.packages[identity.Origin].Resources; len(origin) > 0 {
		return fmt.Errorf("%s is on the origin side, but origin is read from each live object", origin[0])
	}
	for _, side := range c.objectSides() {
		p, err := c.packages[side].OnlyResources()
		if err != nil {
			return err
		}
		if side == identity.Upstream {
			c.packages[side] = p
		}
	}
	for _, side := range c.objectSides() {
		p, err := c.packages[side].Unlisted()
		if err != nil {
			return err
		}
		c.packages[side] = p
	}
	return nil
}

// objectSides are the sides that have objects of a cluster: a package into which live objects
// are merged stays as it is.
func (c *cluster) objectSides() []identity.Side {
	if c.config == identity.Local {
		return []identity.Side{identity.Upstream}
	}
	return []identity.Side{identity.Upstream, identity.Local}
}

// isApplied reports whether a resource is config for a cluster, and not for the tools
// that work on packages (rules/apply: config).
func isApplied(r *pkgmerge.Resource) bool {
	switch group := identity.Group(r.Meta.APIVersion); {
	case group == "kpt.dev" && (r.Meta.Kind == "Kptfile" || r.Meta.Kind == "ResourceGroup"), group == "fn.kpt.dev",
		group == "kustomize.config.k8s.io", r.Meta.Kind == "" && bookkeeping.IsKustomization(r.File):
		return false
	}
	return r.Annotation("config.kubernetes.io/local-config") != "true"
}

// objectName is an object of any namespace.
type objectName struct{ group, kind, name string }

func nameOf(id identity.ID) objectName { return objectName{id.Group, id.Kind, id.Name} }

// liveObjects finds live objects.
type liveObjects struct {
	byID map[identity.ID]*pkgmerge.Resource
	// namespaces are those of the objects of a name.
	namespaces map[objectName][]string
}

// match finds the live object of each config: a cluster knows objects by group, kind,
// namespace and name, and nothing else (rules/apply: identity of objects). Matches are in
// the order of local's resources, then upstream's.
func (c *cluster) match() ([]*pkgmerge.Match, error) {
	live, err := c.liveObjects()
	if err != nil {
		return nil, err
	}
	ids, err := c.configIDs(live)
	if err != nil {
		return nil, err
	}
	other := make(map[*pkgmerge.Resource]*pkgmerge.Resource, 2*len(ids)) // of config its live object, and of that its config
	for _, r := range c.packages[c.config].Resources {
		id, named := ids[r]
		if l := live.byID[id]; named && l != nil && other[l] == nil { // a package may have one name several times
			other[r], other[l], ids[l] = l, r, id
		}
	}
	var out []*pkgmerge.Match
	for _, r := range c.packages[identity.Local].Resources {
		out = append(out, newMatch(ids, other[r], r))
	}
	for _, r := range c.packages[identity.Upstream].Resources {
		if other[r] == nil && c.config == identity.Upstream { // is created; what only the cluster has is not added to a package
			out = append(out, newMatch(ids, r, nil))
		}
	}
	return out, nil
}

// configIDs is who the config is in the cluster. Config that a cluster cannot know, or
// that is there twice, is an error; a package may have both.
func (c *cluster) configIDs(live liveObjects) (map[*pkgmerge.Resource]identity.ID, error) {
	ids, seen := map[*pkgmerge.Resource]identity.ID{}, map[identity.ID]*pkgmerge.Resource{}
	for _, r := range c.packages[c.config].Resources {
		if !isApplied(r) {
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

// newMatch is the match of an object, of which a side may have no version.
func newMatch(ids map[*pkgmerge.Resource]identity.ID, upstream, local *pkgmerge.Resource) *pkgmerge.Match {
	r := local
	if r == nil {
		r = upstream
	}
	id, found := ids[r]
	if !found {
		id = r.ID()
	}
	m := &pkgmerge.Match{ID: id}
	m.Versions[identity.Upstream], m.Versions[identity.Local] = upstream, local
	return m
}

// liveObjects are the live objects that a cluster can have. One that is there twice is an
// error.
func (c *cluster) liveObjects() (liveObjects, error) {
	out := liveObjects{byID: map[identity.ID]*pkgmerge.Resource{}, namespaces: map[objectName][]string{}}
	for _, r := range c.packages[c.live].Resources {
		if r.Meta.Naming != identity.ByName || !isApplied(r) {
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
func (c *cluster) idOf(r *pkgmerge.Resource, live liveObjects) identity.ID {
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
func checkName(r *pkgmerge.Resource) error {
	switch r.Meta.Naming {
	case identity.ByGenerateName:
		return fmt.Errorf("%s: metadata.generateName: an object that the server names cannot be applied, it has to have metadata.name", r)
	case identity.ByPath:
		return fmt.Errorf("%s: metadata.name is missing: an object without a name cannot be applied", r)
	}
	return nil
}

// twice is the error of an object that is there twice on a side.
func twice(side string, id identity.ID, a, b *pkgmerge.Resource) error {
	return fmt.Errorf("%s has %s twice: %s, and %s; an object of a cluster can be there once", side, id, a.Location(), b.Location())
}

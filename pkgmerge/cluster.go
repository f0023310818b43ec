package pkgmerge

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/live"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// cluster is a run of Merge in which one side is live objects (design 13.1).
type cluster struct {
	// packages are those of the run, and schema is what is known of the kinds, once it is.
	packages *[3]Package
	schema   *schema.Schema
	// structured is schema in the column by which fields are owned.
	structured *schema.Schema
	newMatch   func(identity.Triple) *Match
	// config and live are the sides of what is applied and of what is live.
	config, live identity.Side
	namespace    string
	read         func(*cluster, *Match) error
	// adopt are the managers whose fields come into the package, and unmanaged says that
	// some live object had no managedFields.
	adopt     []string
	unmanaged atomic.Bool
	// inventories are the config's resources that may name its inventory, policy says what
	// of the cluster it may take, and mayBeEmpty that it may prune everything.
	inventories []*Resource
	policy      live.Policy
	mayBeEmpty  bool
	plan        *plan
}

// open takes Lists apart, and of an apply leaves out what is no config.
func (c *cluster) open() (err error) {
	if len(c.packages[identity.Origin].Resources) > 0 {
		return fmt.Errorf("%s is on the origin side, but origin is read from each live object", c.packages[identity.Origin].Resources[0])
	}
	if err := c.dropFiles(); err != nil {
		return err
	}
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		if side == c.config && c.config == identity.Local {
			continue // a package is as it is
		}
		if c.packages[side].Resources, err = unlisted(c.packages[side].Resources); err != nil {
			return err
		}
	}
	if c.config == identity.Local {
		return nil
	}
	var config []*Resource
	for _, r := range c.packages[c.config].Resources {
		switch {
		case r.isInventory():
			c.inventories = append(c.inventories, r)
		case r.isApplied():
			config = append(config, r)
		}
	}
	if len(config) == 0 && len(c.inventories) == 0 {
		return errors.New("upstream has no config: nothing in it is for a cluster")
	}
	c.packages[c.config].Resources = config
	return nil
}

// dropFiles leaves out the files of config and of live objects that have no resources:
// nothing of them is for a cluster. A file that should have some and cannot be read is an
// error, as it is for kubectl.
func (c *cluster) dropFiles() error {
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		p := &c.packages[side]
		if side == identity.Local && c.config == side {
			continue // a package is as it is
		}
		var structured []*content
		for _, f := range p.contents {
			switch {
			case f.fault != "":
				return fmt.Errorf("%s: %s", f.Name, f.fault)
			case f.isStructured() || side == identity.Local:
				structured = append(structured, f)
			}
		}
		p.contents = structured
	}
	return nil
}

// isApplied reports whether a resource is config for a cluster, and not for the tools
// that work on packages (design 13.1).
func (r *Resource) isApplied() bool {
	switch group := identity.Group(r.Meta.APIVersion); {
	case group == "kpt.dev" && (r.Meta.Kind == "Kptfile" || r.Meta.Kind == "ResourceGroup"), group == "fn.kpt.dev",
		group == "kustomize.config.k8s.io", isKustomization(r):
		return false
	}
	return r.item.Annotation("config.kubernetes.io/local-config") != "true"
}

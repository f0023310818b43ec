package pkgmerge

import (
	"errors"
	"fmt"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// cluster is a run of Merge in which one side is live objects (design 13.1).
type cluster struct {
	// packages are those of the run, and schema is what is known of the kinds, once it is.
	packages *[3]Package
	schema   *schema.Schema
	newMatch func(identity.Triple) *Match
	// config and live are the sides of what is applied and of what is live.
	config, live identity.Side
	namespace    string
	read         func(*cluster, *Match) error
}

// open takes Lists apart, and of an apply leaves out what is no config.
func (c *cluster) open() (err error) {
	if len(c.packages[identity.Origin].Resources) > 0 {
		return fmt.Errorf("%s is on the origin side, but origin is read from each live object", c.packages[identity.Origin].Resources[0])
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
		if r.isApplied() {
			config = append(config, r)
		}
	}
	if len(config) == 0 {
		return errors.New("upstream has no config: nothing in it is for a cluster")
	}
	c.packages[c.config].Resources = config
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

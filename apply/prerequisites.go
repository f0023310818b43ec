package apply

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// addMissing adds to each object the reason for which kubectl, which goes through config once, cannot apply it yet: its
// kind is not served before the run, or its namespace is created later (rules/apply: refused objects). `kpt live apply`
// waits for both.
func (r *run) addMissing(matches []*pkgmerge.Match) error {
	served, err := r.servedVersions(matches)
	if r.crds = served; err != nil || r.plan != nil {
		return err
	}
	later := r.createdNamespaces()
	at := map[*pkgmerge.Resource]int{}
	for i, c := range r.packages[identity.Upstream].Resources {
		at[c] = i
	}
	for _, m := range matches {
		config := m.Versions[identity.Upstream]
		if config == nil {
			continue
		}
		o := r.objects[m.ID]
		if crd := served[groupKind{m.ID.Group, m.ID.Kind}]; crd != nil && !crd.isServed && !slices.Contains(crd.versions, identity.Version(config.Meta.APIVersion)) {
			o.missing = append(o.missing, missing((*merge.Path)(nil).Field("apiVersion"), config.Meta.APIVersion, crd.reason()))
		}
		if i, found := later[m.ID.Namespace]; found && i > at[config] {
			o.missing = append(o.missing, missing((*merge.Path)(nil).Field("metadata").Field("namespace"), m.ID.Namespace,
				fmt.Sprintf("Namespace %s comes later in config; put it first", m.ID.Namespace)))
		}
	}
	return nil
}

func missing(path *merge.Path, value, reason string) merge.Conflict {
	return merge.Conflict{
		Kind: merge.Refused, Path: path, Chosen: identity.Upstream, Reason: reason,
		Values: [3]*yaml.Node{identity.Upstream: yamlnode.String(value)},
	}
}

type groupKind struct{ group, kind string }

// crd describes the kind of a custom resource before the run.
type crd struct {
	name     string   // of the CRD
	versions []string // that the server serves before the run
	isLive   bool
	isServed bool // without a live CRD: the recording has objects of the kind
	// keepsFields reports whether the versions differ by name only.
	keepsFields bool
}

func (c *crd) reason() string {
	if !c.isLive {
		return fmt.Sprintf("kubectl looks for its kind before it creates CustomResourceDefinition %s of the same run; apply that first", c.name)
	}
	return fmt.Sprintf("CustomResourceDefinition %s does not serve this version in the cluster; apply the CRD first", c.name)
}

// servedVersions returns the versions that the server serves before the run, for the kinds that CRDs of config or the
// cluster define. A kind with objects in the recording is served.
func (r *run) servedVersions(matches []*pkgmerge.Match) (map[groupKind]*crd, error) {
	out := map[groupKind]*crd{}
	for _, m := range matches {
		live, config := m.Versions[identity.Local], m.Versions[identity.Upstream]
		if m.ID.Group != "apiextensions.k8s.io" || m.ID.Kind != "CustomResourceDefinition" {
			continue
		}
		object := live
		if object == nil {
			object = config
		}
		tree, err := object.Tree()
		if err != nil {
			return nil, err
		}
		spec := yamlnode.Field(tree, "spec")
		strategy := yamlnode.Text(yamlnode.Lookup(spec, "conversion", "strategy"))
		c := &crd{name: m.ID.Name, isLive: live != nil, keepsFields: strategy == "" || strategy == "None"}
		for _, v := range yamlnode.Elements(yamlnode.Field(spec, "versions")) {
			if v = yamlnode.Resolve(v); c.isLive && yamlnode.Text(yamlnode.Field(v, "served")) != "false" {
				c.versions = append(c.versions, yamlnode.Text(yamlnode.Field(v, "name")))
			}
		}
		if strings.HasSuffix(yamlnode.Text(yamlnode.Field(tree, "apiVersion")), "/v1") {
			out[groupKind{yamlnode.Text(yamlnode.Field(spec, "group")), yamlnode.Text(yamlnode.Lookup(spec, "names", "kind"))}] = c
		}
	}
	for _, l := range r.packages[identity.Local].Resources {
		if c := out[groupKind{identity.Group(l.Meta.APIVersion), l.Meta.Kind}]; c != nil && !c.isLive {
			c.isServed = true
		}
	}
	return out, nil
}

// createdNamespaces returns the indices in config of the Namespaces that it creates. A namespace with
// objects in the recording exists.
func (r *run) createdNamespaces() map[string]int {
	out := map[string]int{}
	for i, c := range r.packages[identity.Upstream].Resources {
		if c.Meta.Kind == "Namespace" && c.Meta.APIVersion == "v1" {
			out[c.Meta.Name] = i
		}
	}
	for _, l := range r.packages[identity.Local].Resources {
		delete(out, l.Meta.Namespace)
		if l.Meta.Kind == "Namespace" {
			delete(out, l.Meta.Name)
		}
	}
	return out
}

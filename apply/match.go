package apply

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// cluster is a merge in which one side has the objects of a recorded cluster (rules/apply: identity of objects).
type cluster struct {
	packages [3]pkgmerge.Package
	schema   *schema.Schema // set by the matching
	// config and live are the sides of the config and of the live objects.
	config, live identity.Side
	namespace    string
}

// open flattens Lists, and leaves out upstream's files without resources, which no cluster takes. A file that should
// have resources and cannot be read is an error, as it is for kubectl.
func (c *cluster) open() error {
	if origin := c.packages[identity.Origin].Resources; len(origin) > 0 {
		return fmt.Errorf("%s is on the origin side, but origin is read from each live object", origin[0])
	}
	sides := []identity.Side{identity.Upstream, identity.Local}
	if c.config == identity.Local {
		sides = sides[:1] // a package into which live objects are merged stays as it is
	}
	for _, side := range sides {
		p, err := c.packages[side].OnlyResources()
		if err != nil {
			return err
		}
		if side == identity.Local {
			p = c.packages[side] // whose other files stay
		}
		if c.packages[side], err = p.Unlisted(); err != nil {
			return err
		}
		if side == c.live {
			c.packages[side].Resources = append(c.packages[side].Resources, emptyLists(p, c.packages[side])...)
		}
	}
	return nil
}

// emptyLists returns the Lists without items, which record that nothing is live, and stay.
func emptyLists(p, unlisted pkgmerge.Package) (out []*pkgmerge.Resource) {
	has := map[*pkgmerge.Resource]bool{}
	for _, r := range unlisted.Resources {
		has[r.Listed()] = true
	}
	for _, r := range p.Resources {
		if !has[r] {
			out = append(out, r)
		}
	}
	return out
}

// isConfig reports whether a resource is config for a cluster, and not for tools that work on packages (rules/apply:
// config).
func isConfig(r *pkgmerge.Resource) bool {
	switch group := identity.Group(r.Meta.APIVersion); {
	case group == "kpt.dev" && (r.Meta.Kind == "Kptfile" || r.Meta.Kind == "ResourceGroup"), group == "fn.kpt.dev",
		group == "kustomize.config.k8s.io", r.Meta.Kind == "" && bookkeeping.IsKustomization(r.File):
		return false
	}
	return r.Item().Annotation("config.kubernetes.io/local-config") != "true"
}

// liveObjects finds live objects.
type liveObjects struct {
	byID map[identity.ID]*pkgmerge.Resource
	// namespaces has the namespaces of the objects with an ID but for its namespace.
	namespaces map[identity.ID][]string
}

// match finds the live object of each config: a cluster knows objects by group, kind, namespace and name, and nothing
// else (rules/apply: identity of objects). Matches are in the order of local's resources, then upstream's.
func (c *cluster) match() ([]*pkgmerge.Match, error) {
	live, err := c.liveObjects()
	if err != nil {
		return nil, err
	}
	ids, err := c.configIDs(live)
	if err != nil {
		return nil, err
	}
	pairs := c.pair(live, ids)
	var out []*pkgmerge.Match
	for _, r := range c.packages[identity.Local].Resources {
		out = append(out, newMatch(ids, pairs[r], r))
	}
	for _, r := range c.packages[identity.Upstream].Resources {
		if pairs[r] == nil && c.config == identity.Upstream { // config is created; live objects are not added to a package
			out = append(out, newMatch(ids, r, nil))
		}
	}
	return out, nil
}

// pair returns the live object of each config, and the config of each live object. It gives both one ID.
func (c *cluster) pair(live liveObjects, ids map[*pkgmerge.Resource]identity.ID) map[*pkgmerge.Resource]*pkgmerge.Resource {
	pairs := make(map[*pkgmerge.Resource]*pkgmerge.Resource, 2*len(ids))
	for _, r := range c.packages[c.config].Resources {
		id, named := ids[r]
		if l := live.byID[id]; named && l != nil && pairs[l] == nil { // a package may have one name several times
			pairs[r], pairs[l], ids[l] = l, r, id
		}
	}
	return pairs
}

// configIDs returns the identities of config in the cluster. Config that a cluster cannot know, and duplicates, are
// errors; a package may have both.
func (c *cluster) configIDs(live liveObjects) (map[*pkgmerge.Resource]identity.ID, error) {
	ids, seen := map[*pkgmerge.Resource]identity.ID{}, map[identity.ID]*pkgmerge.Resource{}
	for _, r := range c.packages[c.config].Resources {
		if !isConfig(r) {
			continue
		}
		if err := checkName(r); err != nil && c.config == identity.Upstream {
			return nil, err
		}
		id := c.configID(r, live)
		if seen[id] != nil && c.config == identity.Upstream {
			return nil, duplicateError("config", id, seen[id], r)
		}
		ids[r], seen[id] = id, r
	}
	return ids, nil
}

// newMatch returns the match of an object; one side may have no version of it.
func newMatch(ids map[*pkgmerge.Resource]identity.ID, upstream, local *pkgmerge.Resource) *pkgmerge.Match {
	r := cmp.Or(local, upstream)
	id, found := ids[r]
	if !found {
		id = r.ID()
	}
	m := &pkgmerge.Match{ID: id}
	m.Versions[identity.Upstream], m.Versions[identity.Local] = upstream, local
	return m
}

// liveObjects returns the live objects that a cluster can have. Duplicates are an error.
func (c *cluster) liveObjects() (liveObjects, error) {
	out := liveObjects{byID: map[identity.ID]*pkgmerge.Resource{}, namespaces: map[identity.ID][]string{}}
	for _, r := range c.packages[c.live].Resources {
		if r.Meta.Naming != identity.ByName || !isConfig(r) {
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
			return out, duplicateError("live", id, other, r)
		}
		out.byID[id] = r
		name := withoutNamespace(id)
		out.namespaces[name] = append(out.namespaces[name], id.Namespace)
	}
	return out, nil
}

func withoutNamespace(id identity.ID) identity.ID {
	id.Namespace = ""
	return id
}

// configID returns the identity of config in the cluster. Config without a namespace is in the default one, unless its
// kind is cluster-scoped; if nothing knows the kind, it is in the namespace of the only live object of its name.
func (c *cluster) configID(r *pkgmerge.Resource, live liveObjects) identity.ID {
	id := r.Meta.PlainID()
	cluster, known := c.schema.Scope(id.Group, id.Kind)
	switch namespaces := live.namespaces[withoutNamespace(id)]; {
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

// checkName returns an error for config without a name.
func checkName(r *pkgmerge.Resource) error {
	switch r.Meta.Naming {
	case identity.ByGenerateName:
		return fmt.Errorf("%s: metadata.generateName: an object named by the server cannot be applied; give it a metadata.name", r)
	case identity.ByPath:
		return fmt.Errorf("%s: metadata.name is missing: an object without a name cannot be applied", r)
	}
	return nil
}

// location says where a resource is: in its file, or in a line of the input.
func location(r *pkgmerge.Resource) string {
	if file := cmp.Or(r.Label, r.File); file != "" {
		return fmt.Sprintf("in %s at index %d", file, r.Index)
	}
	return fmt.Sprintf("in line %d", r.Item().Line)
}

// duplicateError is the error of an object that a side has twice.
func duplicateError(side string, id identity.ID, a, b *pkgmerge.Resource) error {
	return fmt.Errorf("%s has %s twice: %s, and %s; a cluster can have an object only once", side, id, location(a), location(b))
}

// unrecordedText names the kinds of created objects without an object in the recording: perhaps nobody asked for these
// kinds (rules/apply: identity of objects). It returns "" if there is no such kind.
func (r *run) unrecordedText(changes []*pkgmerge.Change) string {
	recorded := map[identity.ID]bool{}
	for _, live := range r.packages[identity.Local].Resources {
		recorded[kindOnly(live.Meta.PlainID())] = true
	}
	var kinds []string
	for _, c := range changes {
		kind := kindOnly(c.ID)
		if !c.Has(identity.Upstream) || recorded[kind] || r.plan != nil && r.plan.holder == c.ID {
			continue
		}
		recorded[kind], kinds = true, append(kinds, kind.Kind)
	}
	slices.Sort(kinds)
	switch len(kinds) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("the recording has no %s: all of them in config count as created; if kubectl get was not asked for this kind, record it, too", kinds[0])
	}
	last := len(kinds) - 1
	return fmt.Sprintf("the recording has no %s and %s: all of them in config count as created; if kubectl get was not asked for these kinds, record them, too",
		strings.Join(kinds[:last], ", "), kinds[last])
}

// kindOnly returns the group and kind of an ID.
func kindOnly(id identity.ID) identity.ID { return identity.ID{Group: id.Group, Kind: id.Kind} }

// elsewhere returns the namespaces in which live objects without config have the kind and name of an
// object that config creates (rules/apply: identity of objects), by the created object.
func (c *cluster) elsewhere(changes []*pkgmerge.Change) map[*pkgmerge.Change][]string {
	unmatched, out := map[identity.ID][]string{}, map[*pkgmerge.Change][]string{}
	for _, change := range changes {
		if !change.Has(identity.Upstream) {
			name := withoutNamespace(change.ID)
			unmatched[name] = append(unmatched[name], change.ID.Namespace)
		}
	}
	for _, change := range changes {
		if namespaces := unmatched[withoutNamespace(change.ID)]; !change.Has(identity.Local) && change.ID.Namespace != "" && len(namespaces) > 0 {
			out[change] = namespaces
		}
	}
	return out
}

// inLiveVersion returns config in the apiVersion in which the live object is recorded, as a server serves every object in
// every version. ok is false if the two versions differ by more than names (rules/apply: other versions).
func (r *reading) inLiveVersion(config *yaml.Node) (n *yaml.Node, ok bool) {
	from, to := apiVersionOf(config), apiVersionOf(r.trees[identity.Local])
	if config == nil || to == "" || from == to || from == "" {
		return config, true
	}
	kind := groupKind{r.match.ID.Group, r.match.ID.Kind}
	renamed := yamlnode.Put(config, nil, "apiVersion", yamlnode.String(to))
	crd := r.run.crds[kind]
	switch {
	case identity.Group(from) != identity.Group(to):
		return config, false
	case kind == groupKind{"autoscaling", "HorizontalPodAutoscaler"}:
		return r.autoscaler(renamed, identity.Version(from), identity.Version(to))
	case crd != nil:
		return renamed, crd.keepsFields
	}
	return renamed, r.run.fields.SameIn(kind.group, kind.kind, identity.Version(from), identity.Version(to))
}

// autoscaler converts an autoscaler between v1, which has a target for the CPU, and v2, where it is the only metric.
func (r *reading) autoscaler(n *yaml.Node, from, to string) (out *yaml.Node, ok bool) {
	switch {
	case from == "v1" && to == "v2":
		if metrics := yamlnode.Lookup(r.trees[identity.Local], "spec", "metrics"); metrics != nil && cpuTarget(metrics) == nil {
			return n, false
		}
		target := yamlnode.Lookup(n, "spec", "targetCPUUtilizationPercentage")
		n = yamlnode.Set(n, nil, nil, "spec", "targetCPUUtilizationPercentage")
		if target != nil {
			n = yamlnode.Set(n, nil, cpuMetrics(target), "spec", "metrics")
		}
		return n, yamlnode.Annotation(n, "autoscaling.alpha.kubernetes.io/metrics") == ""
	case from == "v2" && to == "v1":
		return olderAutoscaler(n)
	}
	return n, false
}

// olderAutoscaler converts an autoscaler from v2 to v1.
func olderAutoscaler(n *yaml.Node) (out *yaml.Node, ok bool) {
	metrics := yamlnode.Lookup(n, "spec", "metrics")
	if yamlnode.Lookup(n, "spec", "behavior") != nil || metrics != nil && cpuTarget(metrics) == nil {
		return n, false
	}
	n = yamlnode.Set(n, nil, nil, "spec", "metrics")
	if metrics != nil {
		n = yamlnode.Set(n, nil, cpuTarget(metrics), "spec", "targetCPUUtilizationPercentage")
	}
	return n, true
}

// cpuTarget returns the utilization of the CPU that is the only metric of a list, nil for any other list.
func cpuTarget(metrics *yaml.Node) *yaml.Node {
	list := yamlnode.Elements(metrics)
	if len(list) != 1 {
		return nil
	}
	value := yamlnode.Lookup(list[0], "resource", "target", "averageUtilization")
	if value == nil || !merge.Same(cpuMetrics(value).Content[0], list[0]) {
		return nil
	}
	return value
}

// cpuMetrics returns the metrics of v2 for a target of v1.
func cpuMetrics(target *yaml.Node) *yaml.Node {
	if yamlnode.IsNull(target) {
		return target
	}
	object := func(fields ...*yaml.Node) *yaml.Node { return yamlnode.PutAll(yamlnode.EmptyMap(), fields) }
	text := yamlnode.String
	metric := object(text("resource"), object(text("name"), text("cpu"),
		text("target"), object(text("averageUtilization"), target, text("type"), text("Utilization"))), text("type"), text("Resource"))
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{metric}}
}

// otherVersion describes an object that is recorded in a version that cannot be compared with config's.
func (r *reading) otherVersion(config *yaml.Node) string {
	want := apiVersionOf(config)
	return fmt.Sprintf("not compared: it is recorded as %s, and config is %s; record it with kubectl get %s.%s.%s",
		apiVersionOf(r.trees[identity.Local]), want, r.match.ID.Kind, identity.Version(want), identity.Group(want))
}

package pkgmerge

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/live"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// cluster is a run of Merge in which one side is live objects (rules/apply: identity of
// objects).
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
// that work on packages (rules/apply: config).
func (r *Resource) isApplied() bool {
	switch group := identity.Group(r.Meta.APIVersion); {
	case group == "kpt.dev" && (r.Meta.Kind == "Kptfile" || r.Meta.Kind == "ResourceGroup"), group == "fn.kpt.dev",
		group == "kustomize.config.k8s.io", isKustomization(r):
		return false
	}
	return r.item.Annotation("config.kubernetes.io/local-config") != "true"
}

// newCluster is what a run knows of live objects, nil if it has none.
func (m *merger) newCluster() *cluster {
	if s, is := m.strategy.(applying); is {
		return &cluster{
			packages: &m.packages, newMatch: m.newMatch, config: identity.Upstream, live: identity.Local,
			namespace: cmp.Or(s.defaultNamespace(), "default"), read: s.read,
			policy: s.inventoryPolicy(), mayBeEmpty: m.options.MayBeEmpty,
		}
	}
	if from := m.options.FromLive; from != nil {
		return &cluster{
			packages: &m.packages, newMatch: m.newMatch, config: identity.Local, live: identity.Upstream,
			namespace: cmp.Or(from.Namespace, "default"), read: (*cluster).readDrift, adopt: from.Adopt,
		}
	}
	return nil
}

// applied are the steps of an apply, nil where live objects are merged into a package.
func (m *merger) applied(changes []*Change) *Applied {
	if !m.isApply() {
		return nil
	}
	out := &Applied{Strategy: m.strategy.Name()}
	if p := m.cluster.plan; p != nil {
		of := make(map[identity.ID]*Change, len(changes))
		for _, change := range changes {
			of[change.ID] = change
		}
		for i := range p.Steps {
			out.Steps = append(out.Steps, newStep(of[p.Steps[i].ID], &p.Steps[i]))
		}
		return out
	}
	of := make(map[*Resource]*Change, len(changes))
	for _, change := range changes {
		if u := change.Versions[identity.Upstream]; u != nil {
			of[u] = change
		}
	}
	for _, r := range m.packages[identity.Upstream].Resources {
		out.Steps = append(out.Steps, newStep(of[r], nil))
	}
	return out
}

// newStep is what is done to an object; planned is nil without a plan.
func newStep(c *Change, planned *live.Step) *Step {
	s := &Step{Change: c, Does: Leaves, Planned: planned}
	switch {
	case c == nil:
		s.Does = Prunes
	case planned != nil && planned.Action != live.Apply:
		s.Does = planned.Action.String()
	case c.Action == Added:
		s.Does = Creates
	case c.Action == Changed:
		s.Does, s.Fields = Updates, s.fields
	}
	return s
}

// notices are what there is to say of all live objects.
func (c *cluster) notices() []Notice {
	if !c.unmanaged.Load() {
		return nil
	}
	return []Notice{{Warning: true, Text: "live objects have no managedFields: only what was applied is compared, and nothing that somebody added is taken; " +
		"kubectl get shows managedFields with --show-managed-fields"}}
}

// applyResult is what the server would hold: the live object with what the apply changes,
// or the config of one that is created.
func applyResult(out merge.Outcome, trees [3]*yaml.Node) *yaml.Node {
	if out.Node == nil {
		return trees[identity.Upstream]
	}
	return out.Node
}

// mutated is config in which the fields that get values of other objects when it is
// applied have the values that live has there now: the plan does not know others
// (rules/live: mutations).
func (m *Match) mutated(config *yaml.Node) *yaml.Node {
	s := m.step()
	if s == nil || !m.Has(identity.Local) {
		return config
	}
	for _, mutation := range s.Mutations {
		if path, ok := fieldSteps(mutation.TargetPath); ok {
			config = withLive(config, m.trees[identity.Local], path)
		}
	}
	return config
}

// fieldSteps are the names and indexes of a path such as $.spec.hosts[0].name. Any other
// query finds nothing that is sure.
func fieldSteps(path string) (steps []string, ok bool) {
	path = strings.ReplaceAll(strings.TrimPrefix(path, "$"), "[", ".")
	for step := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		step = strings.Trim(strings.TrimSuffix(step, "]"), `'"`)
		if step == "" || strings.ContainsAny(step, "*?@(]") {
			return nil, false
		}
		steps = append(steps, step)
	}
	return steps, true
}

// withLive is a value with live's at a path, if both have the path.
func withLive(config, live *yaml.Node, path []string) *yaml.Node {
	switch {
	case len(path) == 0:
		return live
	case config == nil || live == nil || config.Kind != live.Kind:
		return config
	}
	to, from := childAt(config, path[0]), childAt(live, path[0])
	if to < 0 || from < 0 {
		return config
	}
	out := *config
	out.Content = slices.Clone(config.Content)
	out.Content[to] = withLive(config.Content[to], live.Content[from], path[1:])
	return &out
}

// childAt is where a field or an element is in the content of a value, -1 if it has none.
func childAt(n *yaml.Node, step string) int {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == step {
				return i + 1
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Content) {
			return i
		}
	}
	return -1
}

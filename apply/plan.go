package apply

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/internal/live"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// plan is the plan of `kpt live apply` for a package with an inventory (rules/live: plans).
type plan struct {
	*live.Plan
	input   live.Input
	decided map[identity.ID]live.Step // the steps by object, before the server refuses any
	holder  identity.ID               // the object of the inventory
}

// makePlan plans the matches if the package or the cluster has an inventory. Without one nothing is pruned, and the
// order is the config's. The match of an inventory that is created is added.
func (r *run) makePlan(matches []*pkgmerge.Match) ([]*pkgmerge.Match, error) {
	if len(r.inventories) == 0 && !slices.ContainsFunc(r.packages[identity.Local].Resources, isInventory) {
		return matches, nil
	}
	input, err := r.planInput(matches)
	if err != nil || input.Inventory == nil {
		return matches, err
	}
	p := &plan{input: input, holder: input.Inventory.Object, decided: map[identity.ID]live.Step{}}
	if p.Plan, err = live.New(input); err != nil {
		return nil, err
	}
	for _, s := range p.Steps {
		p.decided[s.ID] = s
	}
	r.plan = p
	if input.Inventory.Live {
		return matches, nil
	}
	created, err := r.newInventory(p)
	return append(matches, created), err
}

// planInput reads the input of a plan, and chooses the inventory.
func (r *run) planInput(matches []*pkgmerge.Match) (input live.Input, err error) {
	ids := r.plannedIDs(matches)
	candidates, errCandidates := planObjects(r.inventories, ids)
	config, errConfig := planObjects(r.packages[identity.Upstream].Resources, ids)
	objects, errLive := planObjects(r.packages[identity.Local].Resources, ids)
	input = live.Input{Config: config, Live: objects, Adopt: r.strategy.Adopt, MayBeEmpty: r.strategy.MayBeEmpty}
	if err := cmp.Or(errCandidates, errConfig, errLive); err != nil {
		return input, err
	}
	own, err := live.Own(candidates)
	if err == nil {
		input.Inventory, err = live.Choose(own, input.Live)
	}
	return input, err
}

// plannedIDs returns the IDs of the resources that a plan is about.
func (r *run) plannedIDs(matches []*pkgmerge.Match) map[*pkgmerge.Resource]identity.ID {
	ids := map[*pkgmerge.Resource]identity.ID{}
	for _, m := range matches {
		ids[m.Versions[identity.Upstream]], ids[m.Versions[identity.Local]] = m.ID, m.ID
	}
	for _, i := range r.inventories {
		ids[i] = i.Meta.PlainID()
	}
	return ids
}

// planObjects returns resources as objects of a plan.
func planObjects(resources []*pkgmerge.Resource, ids map[*pkgmerge.Resource]identity.ID) ([]live.Object, error) {
	out := make([]live.Object, len(resources))
	for i, r := range resources {
		tree, err := r.Tree()
		if err != nil {
			return nil, err
		}
		out[i] = live.Object{ID: ids[r], Node: tree}
	}
	return out, nil
}

// newInventory returns the match of an inventory that the cluster lacks, in a new file.
func (r *run) newInventory(p *plan) (*pkgmerge.Match, error) {
	text, err := pkgmerge.NewResource("", 0, p.Inventory()).YAML()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.input.Inventory, err)
	}
	upstream := &r.packages[identity.Upstream]
	name := "inventory.yaml"
	hasName := func(f pkgmerge.File) bool { return f.Name == name }
	for n := 1; slices.ContainsFunc(upstream.Files, hasName) || slices.ContainsFunc(r.packages[identity.Local].Files, hasName); n++ {
		name = fmt.Sprintf("inventory-%d.yaml", n)
	}
	if *upstream, err = upstream.WithFile(pkgmerge.File{Name: name, Mode: 0o644, Data: text}); err != nil {
		return nil, err
	}
	created := upstream.Resources[len(upstream.Resources)-1]
	return newMatch(map[*pkgmerge.Resource]identity.ID{created: p.holder}, created, nil), nil
}

// isInventory reports whether a resource names an inventory: a ResourceGroup or ConfigMap with an id, or the package's
// Kptfile with a field inventory (rules/live: the inventory).
func isInventory(r *pkgmerge.Resource) bool {
	group, kind := identity.Group(r.Meta.APIVersion), r.Meta.Kind
	isKptfile := group == "kpt.dev" && kind == "Kptfile" && (r.File == "" || r.File == "Kptfile")
	isGroup, isMap := group == "kpt.dev" && kind == "ResourceGroup", group == "" && kind == "ConfigMap"
	if !isKptfile && !isGroup && !isMap {
		return false
	}
	tree, err := r.Tree()
	switch {
	case err != nil:
		return false
	case isKptfile:
		return yamlnode.Field(tree, "inventory") != nil
	}
	return yamlnode.Lookup(tree, "metadata", "labels", live.InventoryID) != nil
}

// remake makes the plan again without the objects that the server would refuse: their dependents are skipped
// (rules/live: errors).
func (p *plan) remake(changes []*pkgmerge.Change) (err error) {
	refused := map[identity.ID]bool{}
	for _, c := range changes {
		if Refused(c) {
			refused[c.ID] = true
		}
	}
	if len(refused) == 0 {
		return nil
	}
	p.input.Refused = func(id identity.ID) bool { return refused[id] }
	if p.Plan, err = live.New(p.input); err != nil {
		return fmt.Errorf("plan without the refused objects: %w", err)
	}
	return nil
}

// mergePlanned returns the outcome of an object that a plan does not apply; found is false for any other.
func (r *run) mergePlanned(m *pkgmerge.Match) (out merge.Outcome, found bool, err error) {
	if r.plan == nil {
		return out, false, nil
	}
	s, inPlan := r.plan.decided[m.ID]
	switch {
	case m.ID == r.plan.holder:
		out, err = replacedBy(m, r.plan.Inventory())
	case !inPlan || s.Action == live.Apply:
		return out, false, nil
	case s.Action == live.Skip && m.Has(identity.Local):
		out.Verdict = merge.TakeLocal
	case s.Action == live.Skip, s.Action == live.Prune:
		out.Verdict = merge.Drop
	default:
		var trees [3]*yaml.Node
		if trees, err = m.Trees(); err == nil {
			out, err = replacedBy(m, released(trees[identity.Local]))
		}
	}
	return out, true, err
}

// released returns a live object without its owning inventory.
func released(n *yaml.Node) *yaml.Node {
	if yamlnode.Annotation(n, live.OwningInventory) == "" {
		return n
	}
	return yamlnode.Set(n, nil, nil, "metadata", "annotations", live.OwningInventory)
}

// replacedBy returns the outcome with a given tree.
func replacedBy(m *pkgmerge.Match, tree *yaml.Node) (merge.Outcome, error) {
	trees, err := m.Trees()
	switch {
	case err != nil:
		return merge.Outcome{}, err
	case !m.Has(identity.Local):
		return merge.Outcome{Verdict: merge.TakeUpstream, Node: tree}, nil
	case merge.Same(tree, trees[identity.Local]):
		return merge.Outcome{Verdict: merge.TakeLocal}, nil
	}
	return merge.Outcome{Verdict: merge.MergeParts, Node: tree}, nil
}

// withOwner returns config with the annotation of its owning inventory (rules/live: owners).
func (r *reading) withOwner(config *yaml.Node) *yaml.Node {
	p := r.run.plan
	if p == nil || r.match.ID == p.holder {
		return config
	}
	return annotated(config, live.OwningInventory, yamlnode.String(p.Owner))
}

// withMutations returns config with live's values of the fields that get their values from other objects during the
// apply: the plan knows no others (rules/live: mutations).
func (r *reading) withMutations(config *yaml.Node) *yaml.Node {
	if r.run.plan == nil || !r.match.Has(identity.Local) {
		return config
	}
	for _, mutation := range r.run.plan.decided[r.match.ID].Mutations {
		if path, ok := fieldSteps(mutation.TargetPath); ok {
			config = withLive(config, r.trees[identity.Local], path)
		}
	}
	return config
}

// fieldSteps returns the names and indexes of a path such as $.spec.hosts[0].name; ok is false for any other query.
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

// withLive returns config with live's value at a path, if both have the path.
func withLive(config, live *yaml.Node, path []string) *yaml.Node {
	switch {
	case len(path) == 0:
		return live
	case config == nil || live == nil || config.Kind != live.Kind:
		return config
	}
	to, from := childIndex(config, path[0]), childIndex(live, path[0])
	if to < 0 || from < 0 {
		return config
	}
	out := *config
	out.Content = slices.Clone(config.Content)
	out.Content[to] = withLive(config.Content[to], live.Content[from], path[1:])
	return &out
}

// childIndex returns the index of a field's value, or of an element, in the content of a node; -1 if there is none.
func childIndex(n *yaml.Node, step string) int {
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

// addMissing adds to each object the reason for which kubectl, which goes through config once, cannot apply it yet: its
// kind is not served before the run, or its namespace is created later or is another one than -n names (rules/apply: refused
// objects). `kpt live apply`
// waits for both.
func (r *run) addMissing(matches []*pkgmerge.Match) error {
	served, err := r.servedVersions(matches)
	r.crds = served
	r.addUnserved(matches)
	if err != nil || r.plan != nil {
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
		if r.isElsewhere(m) {
			o.missing = append(o.missing, missing((*merge.Path)(nil).Field("metadata").Field("namespace"), m.ID.Namespace,
				fmt.Sprintf("kubectl -n %s takes no object of another namespace; leave out -n", r.strategy.Namespace)))
		}
		if i, found := later[m.ID.Namespace]; found && i > at[config] {
			o.missing = append(o.missing, missing((*merge.Path)(nil).Field("metadata").Field("namespace"), m.ID.Namespace,
				fmt.Sprintf("Namespace %s comes later in config; put it first", m.ID.Namespace)))
		}
	}
	return nil
}

// addUnserved adds to each object of a kind that Kubernetes does not serve the reason (rules/apply: refused objects). A kind
// that a CRD defines, or that has an object in the recording, is served.
func (r *run) addUnserved(matches []*pkgmerge.Match) {
	recorded := map[[2]string]bool{}
	for _, l := range r.packages[identity.Local].Resources {
		recorded[[2]string{l.Meta.APIVersion, l.Meta.Kind}] = true
	}
	for _, m := range matches {
		config := m.Versions[identity.Upstream]
		if config == nil || r.crds[groupKind{m.ID.Group, m.ID.Kind}] != nil || recorded[[2]string{config.Meta.APIVersion, config.Meta.Kind}] {
			continue
		}
		if reason := r.fields.Unserved(config.Meta.APIVersion, config.Meta.Kind); reason != "" {
			o := r.objects[m.ID]
			o.missing = append(o.missing, missing((*merge.Path)(nil).Field("apiVersion"), config.Meta.APIVersion, reason))
		}
	}
}

// isElsewhere reports whether an object is in another namespace than the one of a run that is about one only.
func (r *run) isElsewhere(m *pkgmerge.Match) bool {
	return r.strategy.OneNamespace && m.ID.Namespace != "" && m.ID.Namespace != r.strategy.Namespace
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
		tree, err := cmp.Or(live, config).Tree()
		if err != nil {
			return nil, err
		}
		spec := yamlnode.Field(tree, "spec")
		if strings.HasSuffix(yamlnode.Text(yamlnode.Field(tree, "apiVersion")), "/v1") {
			kind := groupKind{yamlnode.Text(yamlnode.Field(spec, "group")), yamlnode.Text(yamlnode.Lookup(spec, "names", "kind"))}
			out[kind] = newCRD(m.ID.Name, spec, live != nil)
		}
	}
	for _, l := range r.packages[identity.Local].Resources {
		if c := out[groupKind{identity.Group(l.Meta.APIVersion), l.Meta.Kind}]; c != nil && !c.isLive {
			c.isServed = true
		}
	}
	return out, nil
}

// newCRD reads the spec of a CRD. The server serves the versions of a live one.
func newCRD(name string, spec *yaml.Node, isLive bool) *crd {
	strategy := yamlnode.Text(yamlnode.Lookup(spec, "conversion", "strategy"))
	c := &crd{name: name, isLive: isLive, keepsFields: strategy == "" || strategy == "None"}
	for _, v := range yamlnode.Elements(yamlnode.Field(spec, "versions")) {
		if v = yamlnode.Resolve(v); isLive && yamlnode.Text(yamlnode.Field(v, "served")) != "false" {
			c.versions = append(c.versions, yamlnode.Text(yamlnode.Field(v, "name")))
		}
	}
	return c
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

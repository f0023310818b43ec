// Package apply foresees the effect of config on a cluster: the fields that an apply changes in recorded live objects,
// the changes of others that it overwrites, the objects that the server would refuse, and the objects that are pruned.
// It asks no cluster.
//
// Strategy is a strategy of package pkgmerge, for which upstream is the config and local the live objects:
//
//	result, err := pkgmerge.Merge(ctx, packages, pkgmerge.Options{Strategy: apply.Strategy{Namespace: "shop"}})
//	applied := apply.Of(result)
//
// The result's package has the objects after the apply, its conflicts are the overwritten changes and the refused
// objects, and Applied has a Step for each object.
//
// Capture is the way back: it takes changes in a cluster into the package.
//
// Both are Drivers (see pkgmerge.Driver). Their rules for single fields are in package merge: ClientApply and
// ServerSide.
package apply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/internal/admission"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Strategy changes live objects as `kubectl apply` would (rules/apply: the strategy apply), or as `kubectl apply
// --server-side` would (rules/server-side-apply: managers). It is never taken from a Kptfile.
type Strategy struct {
	Namespace  string // of config that names none; "" is default
	ServerSide bool   // applies on the server's side
	Manager    string // of a server-side apply; "" is kubectl
	Force      bool   // lets a server-side apply take fields that other managers own
	Adopt      bool   // lets a package with an inventory take live objects of no inventory (rules/live: owners)
	MayBeEmpty bool   // lets config without resources prune all entries of its inventory (rules/live: the prune set)
	// WithoutOwners lets an apply whose conflicts fail pass live objects without managedFields, which do not tell who wrote
	// a value (rules/apply: drift).
	WithoutOwners bool
	// OneNamespace refuses objects of another namespace, as kubectl -n does (rules/apply: refused objects).
	OneNamespace bool
}

// Helm is the manager of helm upgrade, whose rules a server-side apply by it follows (rules/server-side-apply: helm).
const Helm = "helm"

// isHelm reports whether the apply is that of helm upgrade.
func (s Strategy) isHelm() bool { return s.ServerSide && s.Manager == Helm }

// Name returns the name of the strategy in the function config.
func (s Strategy) Name() string {
	if s.ServerSide {
		return "server-side-apply"
	}
	return "apply"
}

// Begin begins an apply. Origin is read from the live objects, and has no resources.
func (s Strategy) Begin(versions [3]pkgmerge.Package) (pkgmerge.Run, [3]pkgmerge.Package, error) {
	r := &run{strategy: s, rules: merge.ClientApply{}, column: schema.StrategicMerge, read: (*reading).lastApplied, fields: admission.NewFields()}
	if s.ServerSide {
		r.rules, r.column, r.read = merge.ServerSide{Manager: s.Manager, Force: s.Force}, schema.Structured, (*reading).owned
	}
	r.cluster = cluster{packages: versions, config: identity.Upstream, live: identity.Local, namespace: cmp.Or(s.Namespace, "default")}
	if err := r.open(); err != nil {
		return nil, versions, err
	}
	r.sortConfig()
	if len(r.packages[r.config].Resources) == 0 && len(r.inventories) == 0 {
		return nil, versions, errors.New("upstream has no config: none of its resources is for a cluster")
	}
	return r, r.packages, nil
}

// sortConfig sets the inventories apart from the config, and leaves out resources that are not applied.
func (r *run) sortConfig() {
	var config []*pkgmerge.Resource
	for _, c := range r.packages[r.config].Resources {
		switch {
		case r.strategy.isHelm() && c.Item().Annotation("helm.sh/hook") != "": // Helm runs it and does not apply it
		case isInventory(c):
			r.inventories = append(r.inventories, c)
		case isConfig(c):
			config = append(config, c)
		}
	}
	r.packages[r.config].Resources = config
}

// Prepare decides nothing.
func (Strategy) Prepare(context.Context, []*pkgmerge.Match) (map[int]merge.Outcome, error) {
	return nil, nil
}

// Merge applies the config of one object. A live object without config stays.
func (Strategy) Merge(m *pkgmerge.Match) (merge.Outcome, error) {
	r, is := m.Run().(*run)
	if !is {
		return merge.Outcome{}, fmt.Errorf("%s: an apply needs a run of its own: pass its strategy to pkgmerge.Merge", m.Newest())
	}
	return r.merge(m)
}

// run is one apply.
type run struct {
	strategy Strategy
	cluster
	rules  merge.Rules
	column schema.Column
	read   func(*reading) error // makes origin from a live object, and from the config its comparable form
	// inventories are the config's resources that may name its inventory, and plan is nil without an inventory.
	inventories []*pkgmerge.Resource
	plan        *plan
	// objects has the state of each object. Only the merge of an object alters its state.
	objects map[identity.ID]*object
	fields  *admission.Fields
	crds    map[groupKind]*crd // of custom resources
	release release            // of helm upgrade
	// isForeign means that an object belongs to no release or to another one: helm upgrade then changes nothing.
	isForeign bool
	applied   *Applied
}

// object is the state of one object in an apply.
type object struct {
	stale        []merge.Conflict // the reasons for which config is refused, whatever comes of it
	missing      []merge.Conflict // the reasons for which it cannot be applied in this run
	sent         *yaml.Node       // config as a server-side apply sends it
	unowned      bool             // the live object has no managedFields
	otherVersion bool             // the live object is recorded in a version that cannot be compared with config's
	// unfinished describes the part of a server-side apply that fails with a warning, "" if there is none.
	unfinished string
	fields     int      // the number of fields that the merge changes, unless the plan decides
	openRules  []string // the rules of the CRD on what changes that are not evaluated
}

// Match finds the live object of each config, and makes the plan.
func (r *run) Match(known *schema.Schema) (pkgmerge.Matching, error) {
	r.schema = known.InColumn(r.column)
	matches, err := r.match()
	if err == nil {
		matches, err = r.makePlan(matches)
	}
	if err != nil {
		return pkgmerge.Matching{}, err
	}
	r.objects = map[identity.ID]*object{}
	for _, m := range matches {
		r.objects[m.ID] = &object{}
	}
	if err := r.addMissing(matches); err != nil {
		return pkgmerge.Matching{}, err
	}
	if r.strategy.isHelm() {
		r.addForeign(matches)
	}
	return pkgmerge.Matching{Matches: matches, Packages: r.packages, Schema: r.schema}, nil
}

// Read makes origin from a live object, and from the config its comparable form.
func (r *run) Read(m *pkgmerge.Match, versions [3]*yaml.Node) ([3]*yaml.Node, []string, error) {
	if !m.Has(identity.Upstream) {
		return versions, nil, nil
	}
	read := &reading{cluster: &r.cluster, run: r, match: m, trees: versions}
	err := r.read(read)
	return read.trees, read.warnings, err
}

// Write edits the text of the live object, or writes the text of a created one. Neither gets comments from the config
// (rules/apply: live objects).
func (r *run) Write(m *pkgmerge.Match, result merge.Outcome) (*pkgmerge.Resource, error) {
	return m.Rewrite(result)
}

// Finish plans again without the refused objects, lists the steps, and warns of created objects that the recording has
// in another namespace. Where conflicts fail the run, config that names no namespace must not create such objects.
func (r *run) Finish(changes []*pkgmerge.Change) ([]pkgmerge.Notice, error) {
	if r.plan != nil {
		if err := r.plan.remake(changes); err != nil {
			return nil, err
		}
	}
	r.applied = &Applied{Strategy: r.strategy.Name(), Steps: r.steps(changes)}
	if err := guardData(r.applied.Steps); err != nil {
		return nil, err
	}
	unowned, err := r.unownedText(changes)
	if err != nil {
		return nil, err
	}
	notices, elsewhere := r.generalNotices(changes, unowned), r.elsewhere(changes)
	for _, c := range changes {
		if o := r.objects[c.ID]; o != nil && o.unfinished != "" {
			notices = append(notices, pkgmerge.Notice{Warning: true, Change: c, Text: o.unfinished})
		}
		if o := r.objects[c.ID]; o != nil && c.Action == pkgmerge.Changed {
			for _, text := range o.openRules {
				notices = append(notices, pkgmerge.Notice{Warning: true, Change: c, Text: text})
			}
		}
		namespaces := elsewhere[c]
		if namespaces == nil {
			continue
		}
		text, err := elsewhereText(c, namespaces)
		if err != nil {
			return nil, err
		}
		notices = append(notices, pkgmerge.Notice{Warning: true, Change: c, Text: text})
	}
	return notices, nil
}

// generalNotices returns the warnings about the apply as a whole.
func (r *run) generalNotices(changes []*pkgmerge.Change, unowned string) (notices []pkgmerge.Notice) {
	for _, text := range [3]string{r.failureText(changes), unowned, r.unrecordedText(changes)} {
		if text != "" {
			notices = append(notices, pkgmerge.Notice{Warning: true, Text: text})
		}
	}
	return notices
}

// unownedText says how many changed objects have no managedFields, "" for none. That is an error where conflicts would
// fail the run and none does, unless the strategy accepts it: a loss may be untold (rules/apply: drift).
func (r *run) unownedText(changes []*pkgmerge.Change) (string, error) {
	count, mayFail, fails := 0, false, false
	for _, c := range changes {
		if o := r.objects[c.ID]; o != nil && o.unowned && (c.Action == pkgmerge.Changed || Refused(c)) {
			count++
			mayFail = mayFail || c.Policy().Fails(nil)
		}
		fails = fails || slices.ContainsFunc(c.Conflicts, c.Fails)
	}
	if count == 0 {
		return "", nil
	}
	text := "the recording has no managedFields of " + wording.Plural(count, "object") + " that the apply changes, and so does not tell who wrote a field"
	if r.strategy.ServerSide {
		text += "; for the server before-first-apply owns all of theirs"
	}
	text += "; record them with kubectl get --show-managed-fields"
	if mayFail && !fails && !r.strategy.WithoutOwners {
		return "", errors.New(text + ", or accept that with --without-owners, apply.withoutOwners in a config")
	}
	return text, nil
}

// guardData gives each prune of an object that has data a reason, which is an error where conflicts fail the run: the data of a
// namespace, of the objects of a definition, of a claim and of a stateful set go with it (rules/apply: results of an apply).
func guardData(steps []*Step) error {
	kinds := map[[2]string]string{
		{"", "Namespace"}:                                    "everything in it is deleted with it",
		{"", "PersistentVolumeClaim"}:                        "its volume may be deleted with it",
		{"apps", "StatefulSet"}:                              "its claims may be deleted with it",
		{"apiextensions.k8s.io", "CustomResourceDefinition"}: "all objects of its kind are deleted with it",
	}
	for _, s := range steps {
		what := kinds[[2]string{s.ID.Group, s.ID.Kind}]
		if s.Action != Prune || what == "" {
			continue
		}
		s.Reason = what
		if s.Change != nil && s.Change.Policy().Fails(nil) {
			return fmt.Errorf("%s would be pruned, and %s; keep it in config, or protect it with the annotation client.lifecycle.config.k8s.io/deletion: detach", nameOf(s.ID), what)
		}
	}
	return nil
}

// elsewhereText says that the recording has a created object in other namespaces. That is an error for config without a
// namespace where conflicts fail the run.
func elsewhereText(c *pkgmerge.Change, namespaces []string) (string, error) {
	text := fmt.Sprintf("would be created in namespace %s, but the recording has it in namespace %s", c.ID.Namespace, strings.Join(namespaces, " and "))
	if c.Versions[identity.Upstream].Meta.Namespace == "" {
		text += "; if that is the one, give -n " + namespaces[0]
		if c.Policy().Fails(nil) {
			return "", fmt.Errorf("%s %s", c.Newest(), text)
		}
	}
	return text, nil
}

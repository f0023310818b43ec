package apply

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/internal/admission"
	"github.com/resource-merge/resource-merge/apply/internal/lastapplied"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Capture is the strategy ResourceMerge for an upstream of live objects and a local package: it takes into the package the
// changes that somebody made in the cluster (rules/apply: capture). Origin is the config that was applied last, or the package's
// own resource where a live object does not record it.
type Capture struct {
	pkgmerge.ResourceMerge
	// Namespace is the namespace of resources that name none; "" is default.
	Namespace string
	// Managers are the managers whose fields are taken; nil means the managers of people (see IsPerson).
	Managers []string
	// Paths are the fields that are taken, with all below them; nil means all fields.
	Paths []merge.Pattern
	// Applied takes each change of a field that was applied, whoever made it, and no change of an object that does not
	// record its last config (rules/apply: drift back into the package).
	Applied bool
}

// Begin begins a merge. Origin is read from the live objects, and has no resources.
func (c Capture) Begin(versions [3]pkgmerge.Package) (pkgmerge.Run, [3]pkgmerge.Package, error) {
	d := &captures{Capture: c, known: admission.NewFields(), found: map[identity.ID][]LiveChange{}, managers: map[string]bool{}}
	d.cluster = cluster{packages: versions, config: identity.Local, live: identity.Upstream, namespace: cmp.Or(c.Namespace, "default")}
	if err := d.open(); err != nil {
		return nil, versions, err
	}
	d.scaled = scaled(d.packages)
	return d, d.packages, nil
}

// captures is one merge of live objects into a package.
type captures struct {
	Capture
	cluster
	structured *schema.Schema // the schema of field ownership
	known      *admission.Fields
	scaled     map[identity.ID]bool // the objects that an autoscaler scales

	mutex     sync.Mutex
	unmanaged bool // whether a live object had no managedFields
	found     map[identity.ID][]LiveChange
	managers  map[string]bool
}

// Match finds the live object of each resource of the package.
func (c *captures) Match(known *schema.Schema) (pkgmerge.Matching, error) {
	c.schema, c.structured = known, known.InColumn(schema.Structured)
	matches, err := c.match()
	return pkgmerge.Matching{Matches: matches, Packages: c.packages, Schema: known}, err
}

// Write leaves the writing to Merge.
func (*captures) Write(*pkgmerge.Match, merge.Outcome) (*pkgmerge.Resource, error) { return nil, nil }

// Finish reports live objects without managedFields, without which only fields that were applied can be taken.
func (c *captures) Finish([]*pkgmerge.Change) ([]pkgmerge.Notice, error) {
	const record = "; record them with kubectl get -o yaml --show-managed-fields"
	switch {
	case !c.unmanaged:
		return nil, nil
	case c.Applied:
		return []pkgmerge.Notice{{Warning: true, Text: "live objects have no managedFields: only applied fields are compared, and added fields are not merged" + record}}, nil
	}
	return nil, errors.New("live objects have no managedFields, which tell who set a field" + record)
}

// Read makes origin from the config that was applied last to a live object, and upstream from that and the chosen changes.
func (c *captures) Read(m *pkgmerge.Match, versions [3]*yaml.Node) ([3]*yaml.Node, []string, error) {
	if !m.Has(identity.Upstream) {
		return versions, nil, nil
	}
	r := &reading{cluster: &c.cluster, match: m, trees: versions}
	err := c.read(r)
	return r.trees, r.warnings, err
}

// LiveChange is a field of a live object that differs from the config that was applied last.
type LiveChange struct {
	Path     *merge.Path
	From, To *yaml.Node // the values in the last config and in the cluster; nil if it is absent
	Managers []string   // the owners of the live value, as kubectl names them; nil for a removed field, which nobody owns
	Taken    bool       // whether the merge takes it; false for a field that somebody else than the chosen managers set
}

// Captured returns the changes in the cluster that a merge by Capture found in one object: first the taken changes.
func Captured(result *pkgmerge.Result, id identity.ID) []LiveChange {
	if c, is := result.Run.(*captures); is {
		return c.found[id]
	}
	return nil
}

// CapturableManagers returns the names of the managers of all live objects of a merge by Capture, sorted. Managers that
// applied the objects are not among them.
func CapturableManagers(result *pkgmerge.Result) []string {
	if c, is := result.Run.(*captures); is {
		return slices.Sorted(maps.Keys(c.managers))
	}
	return nil
}

// IsPerson reports whether people use a manager: kubectl by its commands that change objects, and clients with an interface.
// A client without a field manager is named by its user agent: that of a browser is Mozilla, for a console that hands it on,
// and that of Lens node-fetch.
func IsPerson(manager string) bool {
	switch manager {
	case "kubectl-client-side-apply", "kubectl-last-applied":
		return false
	case "kubectl", "k9s", "Mozilla", "node-fetch", "dashboard":
		return true
	}
	return strings.HasPrefix(manager, "kubectl-")
}

// scaled returns the objects whose replicas an autoscaler of the cluster or the package sets.
func scaled(packages [3]pkgmerge.Package) map[identity.ID]bool {
	out := map[identity.ID]bool{}
	for _, p := range packages {
		for _, r := range p.Resources {
			if r.Meta.Kind != "HorizontalPodAutoscaler" && r.Meta.Kind != "ScaledObject" {
				continue
			}
			if tree, err := r.Tree(); err == nil {
				target := yamlnode.Lookup(tree, "spec", "scaleTargetRef")
				out[identity.ID{Kind: yamlnode.Text(yamlnode.Field(target, "kind")), Name: yamlnode.Text(yamlnode.Field(target, "name"))}] = true
			}
		}
	}
	return out
}

// isScaled reports whether a field has the replicas that an autoscaler sets, which names its kind or none.
func (c *captures) isScaled(at *merge.Path, id identity.ID) bool {
	return at.String() == "spec.replicas" && (c.scaled[identity.ID{Kind: id.Kind, Name: id.Name}] || id.Kind == "Deployment" && c.scaled[identity.ID{Name: id.Name}])
}

// isChosenManager reports whether the fields of an entry of managedFields are taken.
func (c *captures) isChosenManager(e managed.Entry) bool {
	if isApplier(e) || e.Subresource == "status" {
		return false
	}
	if c.Managers == nil {
		return e.Operation == "Update" && IsPerson(e.Manager)
	}
	return slices.Contains(c.Managers, e.Manager)
}

// read makes the versions of one object.
func (c *captures) read(r *reading) error {
	object := r.match.Versions[identity.Upstream]
	live, err := merge.Expand(r.trees[identity.Upstream])
	if err != nil {
		return fmt.Errorf("%s: %w", object, err)
	}
	entries, err := managed.EntriesOf(live)
	if err != nil {
		return fmt.Errorf("%s: %w", object, err)
	}
	last, err := r.appliedTo(identity.Upstream)
	if err != nil {
		return err
	}
	isRecorded := last != nil
	switch {
	case !isRecorded && c.Applied:
		r.warn("the live object has no annotation %s: none of its changes is merged", lastapplied.Annotation)
		r.trees[identity.Upstream] = nil
		return nil
	case !isRecorded:
		if last, err = merge.Expand(r.trees[identity.Local]); err != nil {
			return fmt.Errorf("%s: %w", r.match.Versions[identity.Local], err)
		}
		last = folded(r.asKubectl(last), nil)
	}
	kind := c.structured.Resource(identity.Group(object.Meta.APIVersion), identity.Version(object.Meta.APIVersion), object.Meta.Kind)
	if from, to := apiVersionOf(last), apiVersionOf(live); from != to && !c.known.SameIn(r.match.ID.Group, r.match.ID.Kind, identity.Version(from), identity.Version(to)) {
		r.warn("its changes are not taken: it is recorded as %s, and was applied as %s; record it with kubectl get %s.%s.%s", to, from, r.match.ID.Kind, identity.Version(from), identity.Group(from))
		r.trees[identity.Upstream] = nil
		return nil
	}
	last, live = r.reduced(last), r.reduced(live)
	r.foldSecrets(&last, live)
	w := capturing{
		captures: c, id: r.match.ID, kind: kind, removes: isRecorded && c.Managers == nil || c.Applied,
		lastStored: merge.NewFinder(c.known.Stored(kind, last)), liveStored: merge.NewFinder(c.known.Stored(kind, live)),
		owners: owners{entries: slices.DeleteFunc(slices.Clone(entries), isApplier)},
	}
	var mine, all *managed.Set
	for _, e := range entries {
		if all = managed.Union(all, e.Fields); c.isChosenManager(e) {
			mine = managed.Union(mine, e.Fields)
		}
	}
	next := w.withoutDefaults(w.value(nil, kind.Type, live, last, scope{mine: mine, all: all}), last)
	taken, err := merge.Differences(last, next, kind)
	if err != nil {
		return fmt.Errorf("%s: %w", object, err)
	}
	c.keep(r.match.ID, w, taken, folded(r.trees[identity.Local], nil))
	r.trees[identity.Origin], r.trees[identity.Upstream] = unfolded(last, r.trees[identity.Local]), unfolded(next, r.trees[identity.Local])
	return nil
}

// keep keeps the changes of one object that the package lacks, and the names of its managers.
func (c *captures) keep(id identity.ID, w capturing, taken []merge.Comparison, local *yaml.Node) {
	var changes []LiveChange
	has := merge.NewFinder(local)
	for _, t := range taken {
		if isEqual(has.Value(t.Path), t.To) {
			continue
		}
		changes = append(changes, LiveChange{Path: t.Path, From: t.From, To: t.To, Managers: w.owners.within(t.Path), Taken: true})
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.found[id] = append(changes, w.left...)
	c.unmanaged = c.unmanaged || w.owners.entries == nil
	for _, e := range w.owners.entries {
		c.managers[e.Manager] = true
	}
}

// restartedAt is the annotation by which kubectl rollout restart makes a change.
const restartedAt = "kubectl.kubernetes.io/restartedAt"

// capturing makes the version of one live object that has the chosen changes only.
type capturing struct {
	*captures
	id                     identity.ID
	kind                   schema.Resource
	removes                bool // whether fields that are gone in the cluster are taken
	lastStored, liveStored *merge.Finder
	owners                 owners
	left                   []LiveChange
}

// reduced returns a live object, or the configuration that was applied last, without annotations of clients and
// controllers.
func (r *reading) reduced(n *yaml.Node) *yaml.Node {
	return yamlnode.WithoutAnnotations(r.compared(n), func(name string) bool {
		switch name {
		case lastapplied.Annotation, "config.k8s.io/owning-inventory", "deployment.kubernetes.io/revision":
			return true
		}
		return false
	})
}

// scope has the owners of a value and of the fields below it.
type scope struct {
	mine, all *managed.Set // of the chosen managers, and of all
	whole     bool         // whether a chosen manager owns a field around the value as a whole
}

func (s scope) below(step managed.Step) scope {
	return scope{s.mine.Below(step), s.all.Below(step), s.isWhole()}
}

// isWhole reports whether a chosen manager owns the value with everything in it. The parent of fields that have owners of
// their own says nothing about these.
func (s scope) isWhole() bool { return s.whole || s.mine.Member() && !s.all.HasBelow() }

// value returns the last value with the chosen changes of the live one, nil if the field is absent then.
func (w *capturing) value(at *merge.Path, typ *schema.Type, live, last *yaml.Node, s scope) *yaml.Node {
	isMap := live != nil && live.Kind == yaml.MappingNode && (last == nil || last.Kind == yaml.MappingNode)
	isList := live != nil && live.Kind == yaml.SequenceNode && isKeyed(typ, s.all) && (last == nil || last.Kind == yaml.SequenceNode)
	switch {
	case live == nil && (!w.removes || !w.isChosen(at) || w.lastStored.Value(at) == nil), last == nil && !s.isWhole() && s.mine.Empty():
		return last
	case live == nil:
		return nil
	case (isMap || isList) && len(live.Content) > 0:
		out := w.fields
		if isList {
			out = w.elements
		}
		if n := out(at, typ, live, last, s); last != nil || len(n.Content) > 0 {
			return n
		}
		return nil
	case last != nil && w.isSame(at, live, last, s), !w.isChosen(at):
		return last
	case last != nil && w.Applied:
	case !s.isWhole() && s.mine.Empty(), w.Paths == nil && !w.Applied && (w.isScaled(at, w.id) || last == nil && admission.IsChosen(w.kind, at)):
		w.left = append(w.left, LiveChange{Path: at, From: last, To: live, Managers: w.owners.around(at)})
		return last
	}
	return yamlnode.Clone(live)
}

// isChosen reports whether a path is one of the chosen paths, or lies below one.
func (w *capturing) isChosen(at *merge.Path) bool {
	return w.Paths == nil || slices.ContainsFunc(w.Paths, func(p merge.Pattern) bool { return p.Covers(at) })
}

// isSame reports whether a server stores two values of a field as the same one. Nobody knows the defaults of a kind that
// nothing describes: there an addition by nobody of the chosen managers is one.
func (w *capturing) isSame(at *merge.Path, live, last *yaml.Node, s scope) bool {
	return merge.Same(live, last) || isSame(w.lastStored.Value(at), w.liveStored.Value(at)) || s.mine.Empty() && !s.isWhole() && covers(live, last)
}

func (w *capturing) fields(at *merge.Path, typ *schema.Type, live, last *yaml.Node, s scope) *yaml.Node {
	out := *live
	out.Content = nil
	is := yamlnode.Fields(live)
	add := func(key, value, before *yaml.Node) {
		if v := w.value(at.Field(key.Value), typ.Field(key.Value), value, before, s.below(managed.Field(key.Value))); v != nil {
			out.Content = append(out.Content, key, v)
		}
	}
	isIdentity := func(name string) bool {
		return at == nil && (name == "apiVersion" || name == "kind") || at != nil && at.String() == "metadata" && (name == "name" || name == "namespace")
	}
	for key, before := range yamlnode.Pairs(last) {
		if isIdentity(key.Value) {
			out.Content = append(out.Content, key, before)
		} else {
			add(key, is(key.Value), before)
		}
	}
	for key, v := range yamlnode.Pairs(live) { // what is new comes last
		if yamlnode.Field(last, key.Value) == nil && !isIdentity(key.Value) && key.Value != restartedAt {
			add(key, v, nil)
		}
	}
	return &out
}

// elements matches elements by their keys. An element that is taken has its key.
func (w *capturing) elements(at *merge.Path, typ *schema.Type, live, last *yaml.Node, s scope) *yaml.Node {
	out := *live
	out.Content = nil
	var known ownedElements
	were := appliedElements{elements: yamlnode.Elements(last), keys: map[string]keyIndex{}}
	matched := map[*yaml.Node]bool{}
	keysOf := func(names []string, e *yaml.Node) (keys []merge.KeyValue) {
		for _, name := range names {
			keys = append(keys, merge.KeyValue{Name: name, Value: yamlnode.Field(e, name)})
		}
		if names == nil {
			keys = []merge.KeyValue{{Value: e}}
		}
		return keys
	}
	var names []string
	for i, e := range live.Content {
		step := stepTo(typ, &known, s.all, e, i)
		names = step.KeyNames()
		was := were.find(e, names)
		matched[was] = true
		v := w.value(at.Element(keysOf(names, e)), typ.Element(), e, was, s.below(step))
		if v != nil && was == nil && v.Kind == yaml.MappingNode {
			v = withKey(v, e, names)
		}
		if v != nil {
			out.Content = append(out.Content, v)
		}
	}
	for _, e := range yamlnode.Elements(last) {
		if !matched[e] {
			if v := w.value(at.Element(keysOf(names, e)), typ.Element(), nil, e, scope{}); v != nil {
				out.Content = append(out.Content, v)
			}
		}
	}
	return &out
}

// withoutDefaults returns an object without the fields that the last config lacks and that the server sets by itself: it
// stores the object without them as it stores it with them. Only nodes that the last config lacks are altered.
func (w *capturing) withoutDefaults(next, last *yaml.Node) *yaml.Node {
	old := map[*yaml.Node]bool{}
	yamlnode.Walk(last, func(n *yaml.Node) { old[n] = true })
	want := w.known.Stored(w.kind, next)
	var visit func(n *yaml.Node)
	visit = func(n *yaml.Node) {
		if old[n] {
			return
		}
		if n.Kind == yaml.SequenceNode {
			for _, e := range n.Content {
				visit(e)
			}
		}
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			visit(n.Content[i+1])
			if all := n.Content; !old[all[i]] {
				n.Content = slices.Delete(slices.Clone(all), i, i+2)
				if merge.Same(w.known.Stored(w.kind, next), want) {
					i -= 2
				} else {
					n.Content = all
				}
			}
		}
	}
	visit(next)
	return next
}

// unfolded returns a Secret with those of its data in stringData that the package has there, if they are text.
func unfolded(n, local *yaml.Node) *yaml.Node {
	source := yamlnode.Field(local, "stringData")
	if source == nil || yamlnode.Text(yamlnode.Field(n, "kind")) != "Secret" || apiVersionOf(n) != "v1" {
		return n
	}
	var texts []*yaml.Node
	data := yamlnode.Field(n, "data")
	for key, v := range yamlnode.Pairs(data) {
		text, err := base64.StdEncoding.DecodeString(v.Value)
		if yamlnode.Field(source, key.Value) != nil && err == nil && utf8.Valid(text) {
			texts = append(texts, key, yamlnode.String(string(text)))
		}
	}
	if texts == nil {
		return n
	}
	isText := func(name string) bool {
		return slices.ContainsFunc(texts, func(t *yaml.Node) bool { return t.Value == name && yamlnode.Field(data, name) != nil })
	}
	if rest := yamlnode.Without(data, isText); len(rest.Content) > 0 {
		n = yamlnode.Put(n, nil, "data", rest)
	} else {
		n = yamlnode.Without(n, func(name string) bool { return name == "data" })
	}
	return yamlnode.Put(n, nil, "stringData", yamlnode.PutAll(yamlnode.MapOf(yamlnode.Field(n, "stringData")), texts))
}

package merge

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// ServerSide says what a server makes of `kubectl apply --server-side`
// (rules/server-side-apply: managers). Upstream is the config, local the live object with
// its managedFields, which say who owns what; there is no origin. What is known about the
// kind is of the column Structured.
//
//	config  M's   others'  result
//	has it  any   no       config's
//	has it  any   yes      config's; a conflict Owned if live differs, and under force taken
//	absent  yes   no       removed
//	absent  yes   yes      live's; M's claim goes
//	absent  no    any      live's
//
// A conflict Owned without force leaves the object as it is, and so does what the server
// refuses to read.
type ServerSide struct {
	// Manager is who applies: M. "" is kubectl.
	Manager string
	// Force takes what config has from its other owners.
	Force bool
}

func (s ServerSide) manager() string { return cmp.Or(s.Manager, "kubectl") }

// standing: a live object without config stays. Config that has managedFields is refused.
func (s ServerSide) standing(versions [3]*yaml.Node) (Outcome, bool) {
	if versions[upstream] == nil {
		return asItStands(versions, local), true
	}
	claimed := yamlnode.Lookup(versions[upstream], "metadata", managedFields)
	if claimed == nil || yamlnode.IsNull(claimed) {
		return Outcome{}, false
	}
	out := asItStands(versions, local)
	if out.Node == nil {
		out.Verdict = Drop
	}
	path := (*Path)(nil).Field("metadata").Field(managedFields)
	values := [3]*yaml.Node{upstream: claimed, local: yamlnode.Lookup(versions[local], "metadata", managedFields)}
	out.Conflicts = []Conflict{{Kind: Refused, Path: path, Values: values, Chosen: local, Reason: "config has managedFields, which only a server writes"}}
	return out, true
}

// collator reads who owns what of live. Origin is what client-side apply was given last,
// as far as it counts.
func (s ServerSide) collator(kind schema.Resource, versions *[3]*yaml.Node) (collator, error) {
	versions[origin] = lastApplied(s.manager(), *versions)
	versions[upstream] = withManagedFields(versions[upstream], versions[local])
	placeData(versions)
	c := collator{kind: kind, alone: true}
	entries, err := readOwners(versions[local])
	if err != nil {
		return c, err
	}
	entries = saveLastApplied(s.manager(), entries, *versions)
	for i := range entries {
		c.owned = append(c.owned, owned{by: &entries[i], fields: ownedIn(kind.Type, entries[i].Fields)})
	}
	return c, nil
}

// readOwners reads the managedFields of a live object, which may be absent.
func readOwners(live *yaml.Node) (managed.Entries, error) {
	if live == nil {
		return nil, nil
	}
	list := yamlnode.Lookup(live, "metadata", managedFields)
	if list == nil || len(yamlnode.Resolve(list).Content) == 0 {
		return nil, errors.New("metadata.managedFields is missing in the live object: kubectl get shows it with --show-managed-fields")
	}
	entries, err := managed.ReadEntries(list)
	if err != nil {
		return nil, fmt.Errorf("metadata.%w", err)
	}
	return entries, nil
}

// withManagedFields is config with a place for managedFields where live has none.
func withManagedFields(config, live *yaml.Node) *yaml.Node {
	if live != nil {
		return config
	}
	metadata := yamlnode.Field(config, "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode {
		metadata = yamlnode.EmptyMap()
	}
	metadata = yamlnode.Put(metadata, nil, managedFields, &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"})
	return yamlnode.Put(config, nil, "metadata", metadata)
}

// decide decides an object. What the server refuses to read, and what it finds owned,
// leave the object as it is.
func (s ServerSide) decide(e *element, _ Policy) decision {
	if d := refusedConfig(e); len(d.conflicts) > 0 {
		return d
	}
	r := s.serving(e)
	d, marks := r.element(e, r.top(e))
	if owned := conflictsOf(d, Owned); len(owned) > 0 && !s.Force {
		return decision{verdict: TakeLocal, conflicts: owned}
	}
	foldStringData(e, &d)
	r.writeOwners(e, &d, marks)
	return d
}

// serving is the apply of an object.
func (s ServerSide) serving(e *element) *serving {
	r := &serving{manager: s.manager(), chosen: local}
	if s.Force {
		r.chosen = upstream
	}
	r.owner = managed.Owner{Manager: r.manager, Operation: managed.Apply, APIVersion: kindOf(e.value[upstream])[0]}
	r.claims = e.claims(true)
	if hasStringData(e.value[upstream]) && !e.has(local) { // what placeData put there
		r.claims = managed.Difference(r.claims, managed.Of(managed.Path{managed.Field("data")}))
	}
	for _, o := range e.owned {
		if o.by.Operation == managed.Update && o.by.Subresource == "" && o.fields.At(lastAppliedPath()).Member() {
			r.leaving = append(r.leaving, o.by.Manager)
		}
	}
	return r
}

// conflictsOf are the conflicts of a kind at and below a decision.
func conflictsOf(d decision, kind Kind) []Conflict {
	var out []Conflict
	for _, c := range d.gather(nil) {
		if c.Kind == kind {
			out = append(out, c)
		}
	}
	return out
}

// serving is one server-side apply of an object.
type serving struct {
	manager string
	// owner is M.
	owner managed.Owner
	// chosen is whose value an owned field has.
	chosen identity.Side
	// claims is what config says, and what M thereby owns.
	claims *managed.Set
	// leaving are the managers whose entries client-side apply left behind.
	leaving []string
}

// leaves reports whether an entry is one that client-side apply left behind.
func (r *serving) leaves(e *managed.Entry) bool {
	return e.Operation == managed.Update && e.Subresource == "" && slices.Contains(r.leaving, e.Manager)
}

// isMine reports whether an entry says what M owned before: M's own, and what is left of
// client-side apply in the same apiVersion (rules/server-side-apply: after client-side
// apply).
func (r *serving) isMine(e *managed.Entry) bool {
	return e.Same(r.owner) || r.leaves(e) && e.APIVersion == r.owner.APIVersion
}

// put makes of the field at a path the value, or nothing if that is nil. The field is an
// element below e; where what it lies in goes, it goes too.
func (d *decision) put(e *element, names []string, v *yaml.Node) {
	for i, c := range e.children {
		switch {
		case d.verdict != MergeParts || c.path.field != names[0]: // #nosec G602 -- a path has a name
		case len(names) > 1:
			d.children[i].put(c, names[1:], v)
		case v == nil:
			d.children[i] = decision{verdict: Drop}
			d.order = slices.DeleteFunc(d.order, func(at int) bool { return at == i })
		default:
			d.children[i] = e.children[i].made(v)
			if !slices.Contains(d.order, i) { // it was to go
				d.order = append(d.order, i)
			}
		}
	}
}

// refusedConfig finds elements of config's keyed lists that the server cannot tell apart,
// two of one key, and one without a key; and nulls in a custom resource's maps that its
// CRD does not allow (rules/server-side-apply: null). With any, the object stays.
func refusedConfig(e *element) decision {
	d := decision{verdict: TakeLocal}
	if !e.has(local) {
		d.verdict = Drop
	}
	d.refuse(e)
	return d
}

func (d *decision) refuse(e *element) {
	for i, c := range e.children {
		if c.unkeyed && c.has(upstream) && e.alike(i) {
			d.conflict(Refused, c, local)
			d.conflicts[len(d.conflicts)-1].Reason = "no key tells the element of the list from another"
		}
		if c.typ != nil && c.typ.NoNull && yamlnode.IsNull(c.value[upstream]) {
			d.conflict(Refused, c, local)
			d.conflicts[len(d.conflicts)-1].Reason = "config has null where the CRD allows none"
		}
		d.refuse(c)
	}
}

// alike reports whether config has another element with the key of this one before it, or
// this one has no key.
func (e *element) alike(i int) bool {
	c := e.children[i]
	if !slices.ContainsFunc(c.path.keys, func(k KeyValue) bool { return k.Value != nil }) {
		return true
	}
	for _, j := range e.order[upstream] {
		if j == i {
			return false
		}
		if managed.SameStep(e.children[j].path.step(), c.path.step()) {
			return true
		}
	}
	return false
}

// placeData makes a place for what the stringData of a Secret comes to, where neither side
// has one: in live, if it is there, so that config does not claim it.
func placeData(versions *[3]*yaml.Node) {
	side := upstream
	if versions[local] != nil {
		side = local
	}
	if hasStringData(versions[upstream]) && yamlnode.Field(versions[upstream], "data") == nil && yamlnode.Field(versions[side], "data") == nil {
		versions[side] = yamlnode.Put(versions[side], nil, "data", yamlnode.EmptyMap())
	}
}

func hasStringData(config *yaml.Node) bool {
	return kindOf(config) == [2]string{"v1", "Secret"} && yamlnode.Field(config, "stringData") != nil
}

// foldStringData puts what config has as stringData into data, as the server stores it,
// over what is there. M owns it as stringData: nobody who owns it as data is asked.
func foldStringData(e *element, d *decision) {
	if !hasStringData(e.value[upstream]) {
		return
	}
	text := yamlnode.Field(e.value[upstream], "stringData")
	for i, c := range e.children {
		if c.path.field != "data" {
			continue
		}
		var fields []*yaml.Node
		for j := 0; text.Kind == yaml.MappingNode && j+1 < len(text.Content); j += 2 {
			if v := text.Content[j+1]; !yamlnode.IsNull(v) {
				encoded := base64.StdEncoding.EncodeToString([]byte(v.Value))
				fields = append(fields, yamlnode.String(text.Content[j].Value), yamlnode.String(encoded))
			}
		}
		data := yamlnode.PutAll(c.merged(d.children[i]), fields)
		if len(data.Content) == 0 {
			data = nil
		}
		d.put(e, []string{"data"}, data)
	}
	d.put(e, []string{"stringData"}, nil)
}

// merged is a map of scalars as it was decided.
func (e *element) merged(d decision) *yaml.Node {
	out := yamlnode.EmptyMap()
	for _, i := range d.order {
		c, v := e.children[i], d.children[i].made
		switch d.children[i].verdict {
		case TakeLocal:
			v = c.value[local]
		case TakeUpstream:
			v = c.value[upstream]
		}
		out.Content = append(out.Content, yamlnode.String(c.path.field), v)
	}
	return out
}

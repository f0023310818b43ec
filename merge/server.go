package merge

import (
	"cmp"
	"encoding/base64"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// ServerSide foresees the result of `kubectl apply --server-side` (rules/server-side-apply: managers). Upstream
// is the config, local the live object with its managedFields, and there is no origin. M is the manager who
// applies. The schema of the kind is from the column Structured.
//
//	config  M's   others'  result
//	has it  any   no       config's
//	has it  any   yes      config's; a conflict Owned if live differs, and under force taken
//	absent  yes   no       removed
//	absent  yes   yes      live's; M's claim goes
//	absent  no    any      live's
//
// A conflict Owned without force leaves the object unchanged, and so does config that the server refuses.
type ServerSide struct {
	// Manager is M, or "" for kubectl.
	Manager string
	// Force takes the fields in config from their other owners.
	Force bool
	// First foresees the first request of kubectl, after which kubectl gives the fields of client-side apply to M, without
	// the second one, which removes the fields that config dropped (rules/server-side-apply: after client-side apply).
	First bool
	// Sent is config with the fields that no apply compares, as the client sends it and the annotation last-applied gets it; nil
	// is config itself.
	Sent *yaml.Node
}

func (s ServerSide) manager() string { return cmp.Or(s.Manager, "kubectl") }

// settled keeps a live object without config, and refuses config that has managedFields.
func (s ServerSide) settled(versions [3]*yaml.Node) (Outcome, bool) {
	if versions[upstream] == nil {
		return unchangedOutcome(versions, local), true
	}
	claimed := yamlnode.Lookup(versions[upstream], "metadata", managedFields)
	if claimed == nil || yamlnode.IsNull(claimed) {
		return Outcome{}, false
	}
	out := unchangedOutcome(versions, local)
	if out.Node == nil {
		out.Verdict = Drop
	}
	path := (*Path)(nil).Field("metadata").Field(managedFields)
	values := [3]*yaml.Node{upstream: claimed, local: yamlnode.Lookup(versions[local], "metadata", managedFields)}
	out.Conflicts = []Conflict{{Kind: Refused, Path: path, Values: values, Chosen: local, Reason: "config has managedFields, which only a server writes"}}
	return out, true
}

// collator reads the owners of the live object's fields. Origin is the config of the last client-side apply, if it counts.
func (s ServerSide) collator(kind schema.Resource, versions *[3]*yaml.Node) (collator, error) {
	versions[origin] = lastApplied(s.manager(), *versions)
	versions[upstream] = withManagedFields(versions[upstream], versions[local])
	unmanaged := versions[local]
	addDataField(versions)
	c := collator{kind: kind, splitsAll: true}
	entries, err := readOwners(versions[local])
	if err != nil {
		return c, err
	}
	if entries == nil && unmanaged != nil {
		entries = managed.Entries{firstOwner(c, unmanaged)}
	}
	entries = saveLastApplied(s.manager(), entries, *versions)
	for i := range entries {
		c.owned = append(c.owned, owned{by: &entries[i], fields: ownedIn(kind.Type, entries[i].Fields)})
	}
	return c, nil
}

// beforeFirstApply is the manager of all fields of a live object without managedFields.
const beforeFirstApply = "before-first-apply"

// firstOwner returns the entry that a server makes for a live object without managedFields, when it is first applied
// (rules/server-side-apply: objects without managers). A field that is null is in no entry: the server compares live
// with an empty object of its kind.
func firstOwner(c collator, live *yaml.Node) managed.Entry {
	live = unnulled(live)
	claims := c.resource([3]*yaml.Node{upstream: live, local: live}).updated(true)
	return managed.Entry{
		Owner:  managed.Owner{Manager: beforeFirstApply, Operation: managed.Update, APIVersion: kindOf(live)[0]},
		Fields: managed.Difference(managed.Difference(claims, unclaimed()), managed.Of(managed.Path{managed.Field("status")})),
	}
}

// readOwners reads the managedFields of a live object; nil if there are none.
func readOwners(live *yaml.Node) (managed.Entries, error) {
	if list := yamlnode.Lookup(live, "metadata", managedFields); list == nil || len(list.Content) == 0 {
		return nil, nil
	}
	return managed.EntriesOf(live)
}

// withManagedFields returns config with empty managedFields if live has none.
func withManagedFields(config, live *yaml.Node) *yaml.Node {
	if yamlnode.Lookup(live, "metadata", managedFields) != nil {
		return config
	}
	metadata := yamlnode.MapOf(yamlnode.Field(config, "metadata"))
	metadata = yamlnode.Put(metadata, nil, managedFields, &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"})
	return yamlnode.Put(config, nil, "metadata", metadata)
}

// decide decides an object. If the server refuses the config, or finds owned fields, the object stays unchanged.
func (s ServerSide) decide(e *element, _ Policy) decision {
	if d := refusedConfig(e); len(d.conflicts) > 0 {
		return d
	}
	a := s.apply(e)
	d, changes := a.element(e, ownership{claims: a.claims, named: true, untouched: true, held: true})
	var all Outcome
	d.gather(&all)
	if owned := slices.DeleteFunc(all.Conflicts, func(c Conflict) bool { return c.Kind != Owned }); len(owned) > 0 && !s.Force {
		return decision{verdict: TakeLocal, conflicts: owned}
	}
	a.foldStringData(e, &d)
	a.writeOwners(e, &d, changes)
	return d
}

func (s ServerSide) apply(e *element) *serverApply {
	a := &serverApply{manager: s.manager(), winner: local, isFirst: s.First, sent: s.Sent}
	if s.Force {
		a.winner = upstream
	}
	a.owner = managed.Owner{Manager: a.manager, Operation: managed.Apply, APIVersion: kindOf(e.value[upstream])[0]}
	a.claims = e.claims(true)
	if hasStringData(e.value[upstream]) && !e.has(local) { // without the field of addDataField
		a.claims = managed.Difference(a.claims, managed.Of(managed.Path{managed.Field("data")}))
	}
	for _, o := range e.owned {
		if recorded := yamlnode.Lookup(e.value[local], "metadata", managedFields); recorded == nil || len(recorded.Content) == 0 {
			break // kubectl takes over no fields of an object without managedFields
		}
		if o.by.Operation == managed.Update && o.by.Subresource == "" && o.fields.At(lastAppliedPath()).Member() {
			a.clientManagers = append(a.clientManagers, o.by.Manager)
		}
	}
	return a
}

// serverApply is a server-side apply of an object.
type serverApply struct {
	manager string
	// owner is M.
	owner managed.Owner
	// winner is the side whose value an owned field gets.
	winner identity.Side
	// claims are the fields in config, which M owns after the apply.
	claims *managed.Set
	// clientManagers are the managers of client-side applies.
	clientManagers []string
	// isFirst means that the fields of client-side applies become M's after the request, and not before it.
	isFirst bool
	// sent is config as the client sends it, nil if it is config itself.
	sent *yaml.Node
}

// isClient reports whether an entry is from a client-side apply.
func (a *serverApply) isClient(e *managed.Entry) bool {
	return e.Operation == managed.Update && e.Subresource == "" && slices.Contains(a.clientManagers, e.Manager)
}

// isMine reports whether an entry has fields that M owned before: M's own entry, and a client-side apply's in the same
// apiVersion (rules/server-side-apply: after client-side apply).
func (a *serverApply) isMine(e *managed.Entry) bool {
	return e.Same(a.owner) || !a.isFirst && a.isTakenOver(e)
}

// isTakenOver reports whether the fields of an entry become M's.
func (a *serverApply) isTakenOver(e *managed.Entry) bool {
	return a.isClient(e) && e.APIVersion == a.owner.APIVersion
}

// put sets the field at a path below e, or removes it if the value is nil. It does nothing if the result lacks the map
// that the field is in.
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
			d.children[i] = c.made(v)
			if !slices.Contains(d.order, i) {
				d.order = append(d.order, i)
			}
		}
	}
}

// refusedConfig returns conflicts for config that the server refuses, so that the object stays: elements of keyed lists
// with a duplicate key or without a key, and nulls in a custom resource's maps that its CRD does not allow
// (rules/server-side-apply: null).
func refusedConfig(e *element) decision {
	d := decision{verdict: TakeLocal}
	if !e.has(local) {
		d.verdict = Drop
	}
	d.refuse(e)
	return d
}

func (d *decision) refuse(e *element) {
	inConfig := sync.OnceValue(func() func(managed.Step) (int, bool) { return e.inConfig(func(*element) bool { return true }) })
	for i, c := range e.children {
		if c.unkeyed && c.has(upstream) && e.hasBadKey(i, inConfig) {
			d.conflict(Refused, c, local).Reason = "the element of the list has no unique key"
		}
		if c.typ != nil && c.typ.NoNull && yamlnode.IsNull(c.value[upstream]) {
			d.conflict(Refused, c, local).Reason = "config has null where the CRD allows none"
		}
		d.refuse(c)
	}
}

// hasBadKey reports whether a child has no key, or the key of an earlier element of config.
func (e *element) hasBadKey(i int, inConfig func() func(managed.Step) (int, bool)) bool {
	c := e.children[i]
	if !slices.ContainsFunc(c.path.keys, func(k KeyValue) bool { return k.Value != nil }) {
		return true
	}
	first, found := inConfig()(c.path.step())
	return found && first != i
}

// addDataField adds an empty field for the stringData of a Secret if neither side has data: to live if that is there,
// so that config does not claim it.
func addDataField(versions *[3]*yaml.Node) {
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

// foldStringData merges config's stringData into data, as the server stores it. M owns it as stringData, and overwrites
// data that others own without a conflict of the server: that is a drift (rules/server-side-apply: secrets).
func (a *serverApply) foldStringData(e *element, d *decision) {
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
		for _, key := range c.children {
			_, text := yamlnode.Entry(&yaml.Node{Kind: yaml.MappingNode, Content: fields}, key.path.field)
			if text == nil || !key.has(local) || same(nil, text, key.value[local]) {
				continue
			}
			if owners := key.ownersExcept(a.isMine); len(owners) > 0 {
				lost := d.conflict(Drift, key, upstream)
				lost.Managers, lost.Values[upstream] = owners, text
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

// merged returns a map of scalars by its decision.
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

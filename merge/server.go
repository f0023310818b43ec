package merge

import (
	"cmp"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// ServerSide says what a server makes of `kubectl apply --server-side` (design 14). Upstream
// is the config, local the live object with its managedFields, which say who owns what;
// there is no origin. What is known about the kind is of the column Structured.
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
	if claimed == nil || isNull(claimed) {
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

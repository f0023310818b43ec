package pkgmerge

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// follower adapts upstream's new resources to the changes that local made to all of its own, as
// kustomize does by its transformers (rules/adopt: as kustomize does it).
type follower struct {
	habits
	// members are all resources, with their names in upstream and in the result.
	members       *transform.Members
	clusterScoped func(group, kind string) bool
}

// follow makes the follower of upstream's new resources. A resource stays unchanged if another one
// already has its adapted name.
func (p *plan) follow(matches []*Match) {
	if p.driven != nil || !slices.ContainsFunc(matches, p.isNew) {
		return
	}
	h := p.habits(matches)
	if h.isNone() {
		return
	}
	f := &follower{habits: h, clusterScoped: p.schema.ClusterScoped}
	names := resultNames{owners: map[identity.ID]identity.ID{}}
	for _, match := range matches {
		if l := match.Versions[identity.Local]; l != nil {
			was := l.Meta
			if upstreams := match.counterpart(); upstreams != nil {
				was = upstreams.Meta
			}
			names.add(was, match.expectedMeta())
		}
	}
	for _, match := range matches {
		if p.isNew(match) {
			match.following = f.item
			names.addNew(match, f)
		}
	}
	f.members, p.habit = transform.NewMembers(names.members, merge.Same), h.String()
}

// resultNames collects the resources of the result with their names in upstream and in the result.
type resultNames struct {
	members []*transform.Member
	// owners maps each name in the result to upstream's name; to itself if it is not unique.
	owners map[identity.ID]identity.ID
}

// add adds a resource by its name in upstream and its name in the result.
func (n *resultNames) add(was, is identity.Meta) {
	member := &transform.Member{Was: plainMeta(was), Is: plainMeta(is)}
	if member.Is != member.Was {
		member.Previous = []string{was.Name}
	}
	n.members = append(n.members, member)
	owner, name := was.PlainID(), is.PlainID()
	if by, found := n.owners[name]; found && by != owner {
		owner = name
	}
	n.owners[name] = owner
}

// addNew adds a new resource of upstream under its adapted name. It keeps upstream's name, with a warning, if
// another resource has the adapted one.
func (n *resultNames) addNew(match *Match, f *follower) {
	was := match.Versions[identity.Upstream].Meta
	if match.Has(identity.Local) || was.Naming == identity.ByPath {
		return
	}
	is := f.adaptedMeta(was)
	if by, found := n.owners[is.PlainID()]; found && by != was.PlainID() {
		match.following = nil
		match.warnings = append(match.warnings, fmt.Sprintf("keeps upstream's name: with yours it would be %s, which is another resource; rename one of them", is.PlainID()))
		is = was
	}
	n.add(was, is)
}

// isNew reports whether upstream may add the resource, or an item of the List, and the strategy merges
// it field by field (rules/adopt: new resources).
func (p *plan) isNew(match *Match) bool {
	u := match.Versions[identity.Upstream]
	isList := u != nil && strings.HasSuffix(u.Meta.Kind, "List")
	return u != nil && (isList || u.Meta.Naming != identity.ByPath && !match.Has(identity.Origin)) &&
		p.strategyOf(match.Newest().File).Name() == ResourceMerge{}.Name()
}

// expectedMeta returns the kind and name in the result of a resource that local has: a resource that only upstream
// renamed has upstream's name, and one that both renamed the name that a conflict takes.
func (m *Match) expectedMeta() identity.Meta {
	o, u, l := m.Versions[identity.Origin], m.Versions[identity.Upstream], m.Versions[identity.Local]
	is := l.Meta
	if o != nil && u != nil {
		is.Name = m.expected("name", o.Meta.Name, u.Meta.Name, is.Name)
		is.Namespace = m.expected("namespace", o.Meta.Namespace, u.Meta.Namespace, is.Namespace)
	}
	return is
}

// expected returns the value in the result of a field of metadata, by its versions.
func (m *Match) expected(field, o, u, l string) string {
	var root *merge.Path
	if o == l || u != o && m.policy().Side(root.Field("metadata").Field(field)) == identity.Upstream {
		return u
	}
	return l
}

// adaptedMeta returns the kind and name of an adapted resource of upstream.
func (f *follower) adaptedMeta(m identity.Meta) identity.Meta {
	t := plainMeta(m)
	switch {
	case transform.IsNamespace(t):
		m.Name = f.namespace(m.Name)
	case f.isInNamespace(t):
		m.Namespace = f.namespace(m.Namespace)
	}
	if !transform.KeepsName(t) && m.Naming == identity.ByName {
		m.Name = f.prefix + m.Name + f.suffix
	}
	return m
}

// isInNamespace reports whether a kind is namespaced by kustomize and by its CRD (rules/adopt:
// otherwise than kustomize).
func (f *follower) isInNamespace(t yamlnode.Meta) bool {
	return !transform.ClusterScoped(t) && !f.clusterScoped(identity.Group(t.APIVersion), t.Kind)
}

// item returns an adapted resource of upstream, or a List with its new items adapted.
func (f *follower) item(full *resourcelist.Item, origin *yaml.Node) (*resourcelist.Item, error) {
	is := full.Node
	switch {
	case transform.IsList(is):
		is = f.adaptNewItems(is, origin)
	case origin == nil:
		is = f.adapt(is)
	}
	if merge.Same(is, full.Node) {
		return full, nil
	}
	adapted, err := full.Rewritten(is)
	if err != nil {
		return nil, err
	}
	return adapted.Parsed()
}

// adaptNewItems returns a List with its items adapted, except for the items of origin's List.
func (f *follower) adaptNewItems(list, origin *yaml.Node) *yaml.Node {
	known := map[yamlnode.Meta]bool{}
	for _, e := range yamlnode.Elements(yamlnode.Field(origin, "items")) {
		known[yamlnode.MetaOf(e)] = true
	}
	return yamlnode.WithField(list, "items", yamlnode.Each(yamlnode.Field(list, "items"), func(e *yaml.Node) *yaml.Node {
		if known[yamlnode.MetaOf(e)] {
			return e
		}
		return f.adapt(e)
	}))
}

func (f *follower) adapt(n *yaml.Node) *yaml.Node {
	if !transform.IsResource(n) {
		return n
	}
	was := yamlnode.MetaOf(n)
	if transform.ClusterScoped(was) || f.isInNamespace(was) {
		n = transform.WithNamespace(n, f.namespace)
	}
	if !transform.KeepsName(was) {
		name := yamlnode.Lookup(n, "metadata", "name")
		n = yamlnode.Set(n, nil, yamlnode.WithText(name, f.prefix+name.Value+f.suffix), "metadata", "name")
	}
	return f.members.Referrer(n).CorrectReferences(n)
}

// followers tells in one notice which added resources were adapted to local (rules/adopt: messages).
func (p *plan) followers(all []*Change) []Notice {
	var adapted []*Change
	for _, c := range all {
		if c.follows && (c.Action == Added || c.Action == Changed) {
			adapted = append(adapted, c)
		}
	}
	if len(adapted) == 0 {
		return nil
	}
	first, says := adapted[0], fmt.Sprintf(" %s (--adopt \"\" or adopt: [] leaves it as upstream has it)", p.habit)
	switch {
	case len(adapted) > 1:
		return []Notice{{Text: fmt.Sprintf("%s that upstream adds, such as %s %s, come%s",
			wording.Plural(len(adapted), "resource"), first.ID.Kind, first.ID.Name, says)}}
	case first.Action == Changed:
		return []Notice{{Change: first, Text: "its new items come" + says}}
	}
	return []Notice{{Change: first, Text: "added," + says}}
}

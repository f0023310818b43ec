package transform

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Member is a resource of what kustomize builds.
type Member struct {
	// Was is how the base calls it, or the overlay's own file; Is is how it comes out.
	Was, Is yamlnode.Meta
	// Previous are the names that it had before; nil if nothing may have changed it.
	Previous []string
}

// Members are all resources of what kustomize builds.
type Members struct {
	// previously has them by kind and a name that they had, and finally by kind and the name
	// that they have.
	previously, finally map[[2]string][]*Member
	// began are the namespaces that resources began in.
	began map[string]bool
	same  Same
}

// NewMembers are the members of what kustomize builds.
func NewMembers(all []*Member, same Same) *Members {
	out := &Members{same: same, previously: map[[2]string][]*Member{}, finally: map[[2]string][]*Member{}, began: map[string]bool{}}
	for _, m := range all {
		out.began[NamespaceOf(m.Was)] = true
		if m.Previous == nil {
			continue
		}
		final := [2]string{m.Is.Kind, m.Is.Name}
		out.finally[final] = append(out.finally[final], m)
		for i, name := range m.Previous {
			if !slices.Contains(m.Previous[:i], name) {
				key := [2]string{m.Is.Kind, name}
				out.previously[key] = append(out.previously[key], m)
			}
		}
	}
	return out
}

// Referrer is a resource whose references kustomize corrects.
type Referrer struct {
	*Members
	is yamlnode.Meta
	// role is the kind and the group of its roleRef, and accounts are the namespaces of its
	// subjects.
	role     [2]string
	accounts map[string]bool
	// Met are the resources that its references were found to name.
	Met []*Member
	// Ambiguous says that a reference may name resources that are called otherwise.
	Ambiguous bool
}

// Referrer is a resource, whose metadata is as it comes out.
func (m *Members) Referrer(n *yaml.Node) *Referrer {
	r := &Referrer{Members: m, is: yamlnode.MetaOf(n), accounts: map[string]bool{}}
	role := yamlnode.Field(n, "roleRef")
	r.role = [2]string{yamlnode.Text(yamlnode.Field(role, "kind")), yamlnode.Text(yamlnode.Field(role, "apiGroup"))}
	if r.is.Kind == "RoleBinding" {
		for _, s := range yamlnode.Elements(yamlnode.Field(n, "subjects")) {
			r.accounts[yamlnode.Text(yamlnode.Field(s, "namespace"))] = true
		}
	}
	return r
}

// named is the resource that a name stands for, nil if kustomize knows none; namespace is what
// stands beside the name, nil if nothing does.
func (r *Referrer) named(f reference, name string, namespace *yaml.Node) (found *Member) {
	for _, m := range r.previously[[2]string{f.kind, name}] {
		if !f.matches(m) || !r.reaches(m) || !r.mayBe(f, m) || namespace != nil && !r.isIn(m, namespace.Value) {
			continue
		}
		if found != nil && (found.Is.Name != m.Is.Name || f.hasNamespace() && found.Is.Namespace != m.Is.Namespace) {
			r.Ambiguous = true
		}
		if found == nil {
			found = m
		}
		r.Met = append(r.Met, m)
	}
	return found
}

// matches reports whether a reference is to a resource of this kind.
func (f reference) matches(m *Member) bool {
	return (f.group == "" || m.Is.Group() == f.group) && (f.version == "" || m.Is.Version() == f.version)
}

// hasNamespace reports whether a namespace stands beside the name.
func (f reference) hasNamespace() bool {
	last := f.path[len(f.path)-1]
	return last == "subjects" || len(f.path) == 3 && f.path[1] == "clientConfig"
}

// mayBe reports whether a reference to a role is to one of this kind.
func (r *Referrer) mayBe(f reference, m *Member) bool {
	if f.path[0] != "roleRef" || r.role[0] == "" || r.role[1] == "" {
		return true
	}
	return r.role == [2]string{m.Is.Kind, m.Is.Group()}
}

// reaches reports whether kustomize looks for the resource from here.
func (r *Referrer) reaches(m *Member) bool {
	return ClusterScoped(r.is) || ClusterScoped(m.Is) || NamespaceOf(r.is) == NamespaceOf(m.Is) ||
		m.Is.Kind == "ServiceAccount" && r.accounts[m.Is.Namespace]
}

// isIn reports whether a resource is in a namespace by which kustomize looks for it: in that
// which it began in, if anything began there.
func (r *Referrer) isIn(m *Member, namespace string) bool {
	if r.began[namespace] {
		return NamespaceOf(m.Was) == namespace
	}
	return NamespaceOf(m.Is) == namespace
}

// Corrected is a resource with references as kustomize corrects them.
func (r *Referrer) Corrected(n *yaml.Node) *yaml.Node {
	for _, f := range referencesOf(r.is) {
		n = visit(n, f.path, func(v *yaml.Node) *yaml.Node { return r.correct(f, v) })
	}
	return n
}

func (r *Referrer) correct(f reference, v *yaml.Node) *yaml.Node {
	if v.Kind == yaml.ScalarNode {
		if m := r.named(f, v.Value, nil); m != nil {
			return yamlnode.WithText(v, m.Is.Name)
		}
		return v
	}
	name := yamlnode.Field(v, "name")
	if name == nil || !f.hasNamespace() {
		return v
	}
	m := r.named(f, name.Value, yamlnode.Field(v, "namespace"))
	if m == nil {
		return v
	}
	v = withTextAt(v, m.Is.Name, "name")
	if m.Is.Namespace != "" {
		v = withTextAt(v, m.Is.Namespace, "namespace")
	}
	return v
}

// visit changes what stands at a path of fields, in every element of the lists on the way
// and at its end. In a name of the path ~ stands for a slash.
func visit(n *yaml.Node, path []string, change func(*yaml.Node) *yaml.Node) *yaml.Node {
	switch {
	case n == nil:
		return n
	case n.Kind == yaml.SequenceNode:
		return yamlnode.Each(n, func(e *yaml.Node) *yaml.Node { return visit(e, path, change) })
	case len(path) == 0:
		return change(n)
	case n.Kind != yaml.MappingNode:
		return n
	}
	name := strings.ReplaceAll(path[0], "~", "/")
	was := yamlnode.Field(n, name)
	if is := visit(was, path[1:], change); is != was {
		return yamlnode.WithField(n, name, is)
	}
	return n
}

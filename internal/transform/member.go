package transform

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Member is a resource that kustomize builds.
type Member struct {
	// Was is its metadata in the base, or in the overlay's own file; Is is the metadata as built.
	Was, Is yamlnode.Meta
	// Previous are its earlier names; nil if kustomize cannot have changed it.
	Previous []string
}

// Members are all resources that kustomize builds.
type Members struct {
	// byPreviousName and byName index the members by kind and name.
	byPreviousName, byName map[[2]string][]*Member
	// sourceNamespaces has the namespaces of the resources before the build.
	sourceNamespaces map[string]bool
	same             Same
}

// NewMembers indexes the resources that kustomize builds.
func NewMembers(all []*Member, same Same) *Members {
	out := &Members{same: same, byPreviousName: map[[2]string][]*Member{}, byName: map[[2]string][]*Member{}, sourceNamespaces: map[string]bool{}}
	for _, m := range all {
		out.sourceNamespaces[NamespaceOf(m.Was)] = true
		if m.Previous == nil {
			continue
		}
		key := [2]string{m.Is.Kind, m.Is.Name}
		out.byName[key] = append(out.byName[key], m)
		for i, name := range m.Previous {
			if !slices.Contains(m.Previous[:i], name) {
				key := [2]string{m.Is.Kind, name}
				out.byPreviousName[key] = append(out.byPreviousName[key], m)
			}
		}
	}
	return out
}

// Referrer is a resource whose references kustomize corrects.
type Referrer struct {
	*Members
	is yamlnode.Meta
	// role is the kind and the group of its roleRef, and accounts has the namespaces of its subjects.
	role     [2]string
	accounts map[string]bool
	// Targets are the resources that its references name.
	Targets []*Member
	// Ambiguous reports that a reference matches resources with different names.
	Ambiguous bool
}

// Referrer returns the referrer for a resource with its metadata as built.
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

// find returns the resource that a reference names, nil if kustomize finds none. namespace is the value
// beside the name, nil if there is none.
func (r *Referrer) find(f reference, name string, namespace *yaml.Node) (found *Member) {
	for _, m := range r.byPreviousName[[2]string{f.kind, name}] {
		if !r.matches(f, m) || namespace != nil && !r.isIn(m, namespace.Value) {
			continue
		}
		if found != nil && (found.Is.Name != m.Is.Name || f.hasNamespace() && found.Is.Namespace != m.Is.Namespace) {
			r.Ambiguous = true
		}
		if found == nil {
			found = m
		}
		r.Targets = append(r.Targets, m)
	}
	return found
}

// matches reports whether a reference may be to a resource: by group and version, by the kind of a role,
// and by the namespaces in which kustomize looks.
func (r *Referrer) matches(f reference, m *Member) bool {
	isRole := f.path[0] == "roleRef" && r.role[0] != "" && r.role[1] != ""
	return (f.group == "" || m.Is.Group() == f.group) && (f.version == "" || m.Is.Version() == f.version) &&
		(!isRole || r.role == [2]string{m.Is.Kind, m.Is.Group()}) &&
		(ClusterScoped(r.is) || ClusterScoped(m.Is) || NamespaceOf(r.is) == NamespaceOf(m.Is) ||
			m.Is.Kind == "ServiceAccount" && r.accounts[m.Is.Namespace])
}

// hasNamespace reports whether the reference has a namespace beside the name.
func (f reference) hasNamespace() bool {
	last := f.path[len(f.path)-1]
	return last == "subjects" || len(f.path) == 3 && f.path[1] == "clientConfig"
}

// isIn reports whether kustomize finds a resource in a namespace: its source namespace if any resource has
// that as its source, else its namespace as built.
func (r *Referrer) isIn(m *Member, namespace string) bool {
	if r.sourceNamespaces[namespace] {
		return NamespaceOf(m.Was) == namespace
	}
	return NamespaceOf(m.Is) == namespace
}

// CorrectReferences returns a resource with its references corrected as by kustomize.
func (r *Referrer) CorrectReferences(n *yaml.Node) *yaml.Node {
	for _, f := range referencesOf(r.is) {
		n = visit(n, f.path, func(v *yaml.Node) *yaml.Node { return r.correct(f, v) })
	}
	return n
}

func (r *Referrer) correct(f reference, v *yaml.Node) *yaml.Node {
	if v.Kind == yaml.ScalarNode {
		if m := r.find(f, v.Value, nil); m != nil {
			return yamlnode.WithText(v, m.Is.Name)
		}
		return v
	}
	name := yamlnode.Field(v, "name")
	if name == nil || !f.hasNamespace() {
		return v
	}
	m := r.find(f, name.Value, yamlnode.Field(v, "namespace"))
	if m == nil {
		return v
	}
	v = withTextAt(v, m.Is.Name, "name")
	if m.Is.Namespace != "" {
		v = withTextAt(v, m.Is.Namespace, "namespace")
	}
	return v
}

// visit changes the values at a path of fields, in each element of lists in the path and at its end. In a
// name of the path ~ stands for a slash.
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

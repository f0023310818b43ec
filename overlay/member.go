package overlay

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch"
)

// member is a resource of what an overlay builds, as kustomize knows it.
type member struct {
	pair *pair
	// was is how the base calls it, or the overlay's own file; patched how the patches leave it;
	// and is how the fork does.
	was, patched, is patch.Target
	// previous are the names that it had before; nil if nothing may have changed it.
	previous []string
}

// isRenamed reports whether a patch gives it another name or namespace.
func (m *member) isRenamed() bool { return m.was != m.patched }

// members are all resources of what an overlay builds.
type members struct {
	all []*member
	// previously has them by kind and a name that they had, and finally by kind and the name
	// that they have.
	previously, finally map[[2]string][]*member
	// began are the namespaces that resources began in.
	began map[string]bool
}

func newMembers(all []*member) *members {
	out := &members{all: all, previously: map[[2]string][]*member{}, finally: map[[2]string][]*member{}, began: map[string]bool{}}
	for _, m := range all {
		out.began[namespaceOf(m.was)] = true
		if m.previous == nil {
			continue
		}
		final := [2]string{m.is.Kind, m.is.Name}
		out.finally[final] = append(out.finally[final], m)
		for i, name := range m.previous {
			if !slices.Contains(m.previous[:i], name) {
				key := [2]string{m.is.Kind, name}
				out.previously[key] = append(out.previously[key], m)
			}
		}
	}
	return out
}

// referrer is a resource whose references kustomize corrects.
type referrer struct {
	*members
	is patch.Target
	// role is the kind and the group of its roleRef, and accounts are the namespaces of its
	// subjects.
	role     [2]string
	accounts map[string]bool
	// met are the resources that its references were found to name.
	met []*member
	// ambiguous says that a reference may name resources that are called otherwise.
	ambiguous bool
}

func (m *members) referrer(n *yaml.Node) *referrer {
	r := &referrer{members: m, is: patch.TargetOf(n), accounts: map[string]bool{}}
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
func (r *referrer) named(f reference, name string, namespace *yaml.Node) (found *member) {
	for _, m := range r.previously[[2]string{f.kind, name}] {
		if !f.matches(m) || !r.reaches(m) || !r.mayBe(f, m) || namespace != nil && !r.isIn(m, namespace.Value) {
			continue
		}
		if found != nil && (found.is.Name != m.is.Name || f.hasNamespace() && found.is.Namespace != m.is.Namespace) {
			r.ambiguous = true
		}
		if found == nil {
			found = m
		}
		r.met = append(r.met, m)
	}
	return found
}

// matches reports whether a reference is to a resource of this kind.
func (f reference) matches(m *member) bool {
	return (f.group == "" || identity.Group(m.is.APIVersion) == f.group) && (f.version == "" || identity.Version(m.is.APIVersion) == f.version)
}

// hasNamespace reports whether a namespace stands beside the name.
func (f reference) hasNamespace() bool {
	last := f.path[len(f.path)-1]
	return last == "subjects" || len(f.path) == 3 && f.path[1] == "clientConfig"
}

// mayBe reports whether a reference to a role is to one of this kind.
func (r *referrer) mayBe(f reference, m *member) bool {
	if f.path[0] != "roleRef" || r.role[0] == "" || r.role[1] == "" {
		return true
	}
	return r.role == [2]string{m.is.Kind, identity.Group(m.is.APIVersion)}
}

// reaches reports whether kustomize looks for the resource from here.
func (r *referrer) reaches(m *member) bool {
	return isClusterScoped(r.is) || isClusterScoped(m.is) || namespaceOf(r.is) == namespaceOf(m.is) ||
		m.is.Kind == "ServiceAccount" && r.accounts[m.is.Namespace]
}

// isIn reports whether a resource is in a namespace by which kustomize looks for it: in that
// which it began in, if anything began there.
func (r *referrer) isIn(m *member, namespace string) bool {
	if r.began[namespace] {
		return namespaceOf(m.was) == namespace
	}
	return namespaceOf(m.is) == namespace
}

// corrected is a resource with references as kustomize corrects them.
func (r *referrer) corrected(n *yaml.Node) *yaml.Node {
	for _, f := range referencesOf(r.is) {
		n = visit(n, f.path, func(v *yaml.Node) *yaml.Node { return r.correct(f, v) })
	}
	return n
}

func (r *referrer) correct(f reference, v *yaml.Node) *yaml.Node {
	if v.Kind == yaml.ScalarNode {
		if m := r.named(f, v.Value, nil); m != nil {
			return withText(v, m.is.Name)
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
	v = yamlnode.WithField(v, "name", withText(name, m.is.Name))
	if m.is.Namespace != "" {
		v = set(v, nil, yamlnode.String(m.is.Namespace), "namespace")
	}
	return v
}

package overlay

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/patch"
)

// naming is what an overlay says of the names of all resources: kustomize's namespace, namePrefix
// and nameSuffix, "" where it says nothing.
type naming struct{ namespace, prefix, suffix string }

// member is a resource of the fork, found false if it could not come out under its name.
func (n naming) member(p *pair) (m *member, found bool) {
	is := patch.TargetOf(p.fork)
	m = &member{pair: p, is: is, patched: is}
	m.patched.Name, found = n.nameBefore(is)
	if n.namespace != "" && !isClusterScoped(is) {
		found = found && is.Namespace == n.namespace
	}
	if p.isPatched() {
		m.was = patch.TargetOf(p.base)
		if n.namespace != "" && isNamespace(is) {
			m.patched.Name, found = m.was.Name, found && is.Name == n.namespace
		}
		if n.namespace != "" && !isClusterScoped(is) {
			m.patched.Namespace = m.was.Namespace
		}
	} else {
		m.was = m.patched
	}
	if m.isRenamed() {
		m.previous = append(m.previous, m.was.Name)
	}
	if n.namespace != "" || n.prefix+n.suffix != "" && !keepsName(is) {
		m.previous = append(m.previous, m.patched.Name)
	}
	if n.prefix != "" && n.suffix != "" && !keepsName(is) {
		m.previous = append(m.previous, n.prefix+m.patched.Name)
	}
	return m, found
}

// nameBefore is a name without the prefix and the suffix, found false if it lacks them.
func (n naming) nameBefore(is patch.Target) (name string, found bool) {
	if keepsName(is) {
		return is.Name, true
	}
	name, hasPrefix := strings.CutPrefix(is.Name, n.prefix)
	name, hasSuffix := strings.CutSuffix(name, n.suffix)
	return name, hasPrefix && hasSuffix && name != ""
}

// members are the resources of the fork, found false if they cannot come out under this naming.
func (n naming) members(pairs []*pair) (out *members, found bool) {
	taken := map[patch.Target]bool{}
	for _, p := range pairs {
		if p.base != nil {
			taken[patch.TargetOf(p.base)] = true
		}
	}
	var all []*member
	for _, p := range pairs {
		if !p.isBuilt() {
			continue
		}
		m, found := n.member(p)
		if !found || n != (naming{}) && !p.isPatched() && taken[m.was] {
			return nil, false
		}
		all = append(all, m)
	}
	return newMembers(all), true
}

// before is what patches make of a resource before kustomize makes the fork's of it.
func (n naming) before(m *member, all *members) *yaml.Node {
	out := all.referrer(m.pair.fork).before(m.pair.fork, m.pair.patchedBase())
	if base := m.pair.patchedBase(); n.namespace != "" && base != nil {
		out = withNamespaceOf(out, base)
	}
	if m.patched.Name != m.is.Name {
		out = set(out, nil, yamlnode.String(m.patched.Name), "metadata", "name")
	}
	return out
}

// after is what kustomize makes of a resource, and what its references were found to name.
func (n naming) after(source *yaml.Node, m *member, all *members) (*yaml.Node, *referrer) {
	out := withNamespace(source, n.namespace)
	if m.patched.Name != m.is.Name {
		out = set(out, nil, yamlnode.String(m.is.Name), "metadata", "name")
	}
	r := all.referrer(out)
	return r.corrected(out), r
}

// comesOut reports whether kustomize makes the fork's resources of the sources, which it sets,
// and else names those whose patches give them names that break others.
func (n naming) comesOut(all *members) (exact bool, culprits []*pair) {
	exact = true
	for _, m := range all.all {
		source := n.before(m, all)
		m.pair.source, m.pair.called = source, []string{m.was.Name, m.patched.Name, m.is.Name}
		out, r := n.after(source, m, all)
		if !r.ambiguous && merge.Same(out, m.pair.fork) {
			continue
		}
		exact = false
		for _, met := range r.met {
			if met.isRenamed() {
				culprits = append(culprits, met.pair)
			}
		}
	}
	return exact, culprits
}

func (n naming) write(k *yaml.Node) {
	for _, f := range [3][2]string{{"namespace", n.namespace}, {"namePrefix", n.prefix}, {"nameSuffix", n.suffix}} {
		if f[1] != "" {
			k.Content = append(k.Content, yamlnode.String(f[0]), yamlnode.String(f[1]))
		}
	}
}

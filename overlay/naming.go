package overlay

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// naming is what an overlay says of the names of all resources: kustomize's namespace, namePrefix
// and nameSuffix, "" where it says nothing.
type naming struct{ namespace, prefix, suffix string }

// member is a resource of what an overlay builds.
type member struct {
	transform.Member
	pair *pair
	// patched is how the patches leave it.
	patched yamlnode.Meta
}

// isRenamed reports whether a patch gives it another name or namespace.
func (m *member) isRenamed() bool { return m.Was != m.patched }

// members are all resources of what an overlay builds.
type members struct {
	*transform.Members
	all []*member
	of  map[*transform.Member]*member
}

func newMembers(all []*member) *members {
	out := &members{all: all, of: map[*transform.Member]*member{}}
	known := make([]*transform.Member, len(all))
	for i, m := range all {
		known[i], out.of[&m.Member] = &m.Member, m
	}
	out.Members = transform.NewMembers(known, merge.Same)
	return out
}

// member is a resource of the fork, found false if it could not come out under its name.
func (n naming) member(p *pair) (m *member, found bool) {
	is := yamlnode.MetaOf(p.fork)
	m = &member{Member: transform.Member{Is: is}, pair: p, patched: is}
	m.patched.Name, found = n.nameBefore(is)
	if n.namespace != "" && !transform.ClusterScoped(is) {
		found = found && is.Namespace == n.namespace
	}
	if p.isPatched() {
		m.Was = yamlnode.MetaOf(p.base)
		if n.namespace != "" && transform.IsNamespace(is) {
			m.patched.Name, found = m.Was.Name, found && is.Name == n.namespace
		}
		if n.namespace != "" && !transform.ClusterScoped(is) {
			m.patched.Namespace = m.Was.Namespace
		}
	} else {
		m.Was = m.patched
	}
	if m.isRenamed() {
		m.Previous = append(m.Previous, m.Was.Name)
	}
	if n.namespace != "" || n.prefix+n.suffix != "" && !transform.KeepsName(is) {
		m.Previous = append(m.Previous, m.patched.Name)
	}
	if n.prefix != "" && n.suffix != "" && !transform.KeepsName(is) {
		m.Previous = append(m.Previous, n.prefix+m.patched.Name)
	}
	return m, found
}

// nameBefore is a name without the prefix and the suffix, found false if it lacks them.
func (n naming) nameBefore(is yamlnode.Meta) (name string, found bool) {
	if transform.KeepsName(is) {
		return is.Name, true
	}
	name, hasPrefix := strings.CutPrefix(is.Name, n.prefix)
	name, hasSuffix := strings.CutSuffix(name, n.suffix)
	return name, hasPrefix && hasSuffix && name != ""
}

// members are the resources of the fork, found false if they cannot come out under this naming.
func (n naming) members(pairs []*pair) (out *members, found bool) {
	taken := map[yamlnode.Meta]bool{}
	for _, p := range pairs {
		if p.base != nil {
			taken[yamlnode.MetaOf(p.base)] = true
		}
	}
	var all []*member
	for _, p := range pairs {
		if !p.isBuilt() {
			continue
		}
		m, found := n.member(p)
		if !found || n != (naming{}) && !p.isPatched() && taken[m.Was] {
			return nil, false
		}
		all = append(all, m)
	}
	return newMembers(all), true
}

// before is what patches make of a resource before kustomize makes the fork's of it.
func (n naming) before(m *member, all *members) *yaml.Node {
	out := all.Referrer(m.pair.fork).Before(m.pair.fork, m.pair.patchedBase())
	if base := m.pair.patchedBase(); n.namespace != "" && base != nil {
		out = transform.WithNamespaceOf(out, base)
	}
	if m.patched.Name != m.Is.Name {
		out = yamlnode.Set(out, nil, yamlnode.String(m.patched.Name), "metadata", "name")
	}
	return out
}

// after is what kustomize makes of a resource, and what its references were found to name.
func (n naming) after(source *yaml.Node, m *member, all *members) (*yaml.Node, *transform.Referrer) {
	out := source
	if n.namespace != "" {
		out = transform.WithNamespace(source, func(string) string { return n.namespace })
	}
	if m.patched.Name != m.Is.Name {
		out = yamlnode.Set(out, nil, yamlnode.String(m.Is.Name), "metadata", "name")
	}
	r := all.Referrer(out)
	return r.Corrected(out), r
}

// comesOut reports whether kustomize makes the fork's resources of the sources, which it sets,
// and else names those whose patches give them names that break others.
func (n naming) comesOut(all *members) (exact bool, culprits []*pair) {
	exact = true
	for _, m := range all.all {
		source := n.before(m, all)
		m.pair.source, m.pair.called = source, []string{m.Was.Name, m.patched.Name, m.Is.Name}
		out, r := n.after(source, m, all)
		if !r.Ambiguous && merge.Same(out, m.pair.fork) {
			continue
		}
		exact = false
		for _, known := range r.Met {
			if met := all.of[known]; met.isRenamed() {
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

// namings are those that a fork may have, that which says nothing first.
func namings(pairs []*pair) (out []naming) {
	most := naming{}
	for _, p := range both(pairs) {
		was, is := yamlnode.MetaOf(p.base), yamlnode.MetaOf(p.fork)
		if before, after, found := strings.Cut(is.Name, was.Name); found && was.Name != is.Name && !transform.KeepsName(is) {
			most.prefix, most.suffix = before, after
		}
		if was.Namespace != is.Namespace {
			most.namespace = is.Namespace
		}
	}
	for _, namespace := range slices.Compact([]string{"", most.namespace}) {
		for _, prefix := range slices.Compact([]string{"", most.prefix}) {
			for _, suffix := range slices.Compact([]string{"", most.suffix}) {
				out = append(out, naming{namespace, prefix, suffix})
			}
		}
	}
	return out
}

// name finds how the overlay gives the fork's resources their names: so that as few as can be
// need a patch for it. It sets the sources of the pairs. Where the kustomization says
// already how they are named, fixed, it adds nothing.
func name(pairs []*pair, fixed bool) naming {
	all := namings(pairs)
	if fixed {
		all = all[:1]
	}
	best, least := naming{}, -1
	var kept []pair
	for _, n := range all {
		if cost, found := n.try(pairs); found && (least < 0 || cost < least) {
			best, least, kept = n, cost, copies(pairs)
		}
	}
	for i, p := range pairs {
		*p = kept[i]
	}
	return best
}

// isNamed reports whether a kustomization says how all resources are named.
func isNamed(k *yaml.Node) bool {
	return slices.ContainsFunc([]string{"namespace", "namePrefix", "nameSuffix"}, func(field string) bool { return yamlnode.Field(k, field) != nil })
}

func copies(pairs []*pair) (out []pair) {
	for _, p := range pairs {
		out = append(out, *p)
	}
	return out
}

// try sets the sources of the pairs, and counts what patches have to do then: a name and a namespace count too. A
// resource whose new name or namespace would break what refers to it is made anew.
func (n naming) try(pairs []*pair) (cost int, found bool) {
	for _, p := range pairs {
		p.anew = false
	}
	for exact := false; !exact; {
		all, found := n.members(pairs)
		if !found {
			return 0, false
		}
		var culprits []*pair
		if exact, culprits = n.comesOut(all); exact {
			break
		}
		if len(culprits) == 0 {
			if n == (naming{}) {
				break // kustomize changes it whatever is done
			}
			return 0, false
		}
		for _, p := range culprits {
			p.anew = true
		}
	}
	for _, p := range pairs {
		switch {
		case p.anew:
			cost += 3
		case p.isPatched() && !merge.Same(p.source, p.base):
			cost++
			was, is := yamlnode.MetaOf(p.base), yamlnode.MetaOf(p.source)
			if was.Name != is.Name {
				cost++
			}
			if was.Namespace != is.Namespace {
				cost++ // that makes it a JSON patch
			}
		}
	}
	return cost, true
}

// renamed is the patch of a resource that the fork calls otherwise: changed, which may be
// empty, with the new name.
func renamed(t yamlnode.Meta, changed *yaml.Node, name string) *yaml.Node {
	if changed == nil {
		changed = mapOf([2]string{"apiVersion", t.APIVersion}, [2]string{"kind", t.Kind})
	}
	return yamlnode.Set(changed, nil, yamlnode.String(name), "metadata", "name")
}

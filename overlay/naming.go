package overlay

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// naming holds the fields of an overlay that name all resources: kustomize's namespace, namePrefix
// and nameSuffix, "" where not set.
type naming struct{ namespace, prefix, suffix string }

// member is a resource that an overlay builds.
type member struct {
	transform.Member
	pair *pair
	// patched is the name after the patches.
	patched yamlnode.Meta
}

// isRenamed reports whether a patch changes the name or namespace.
func (m *member) isRenamed() bool { return m.Was != m.patched }

// members are all resources that an overlay builds.
type members struct {
	*transform.Members
	list     []*member
	bySource map[*transform.Member]*member
}

func newMembers(all []*member) *members {
	out := &members{list: all, bySource: map[*transform.Member]*member{}}
	known := make([]*transform.Member, len(all))
	for i, m := range all {
		known[i], out.bySource[&m.Member] = &m.Member, m
	}
	out.Members = transform.NewMembers(known, merge.Same)
	return out
}

// newMember returns the member for a resource of the fork; found is false if this naming cannot build its name.
func (n naming) newMember(p *pair) (m *member, found bool) {
	is := yamlnode.MetaOf(p.fork)
	m = &member{Member: transform.Member{Is: is}, pair: p, patched: is}
	m.patched.Name, found = n.trimName(is)
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
	m.Previous = n.previousNames(m)
	return m, found
}

// previousNames returns the names that a member has before its last one, as kustomize changes them one by one.
func (n naming) previousNames(m *member) (names []string) {
	is := m.Is
	if m.isRenamed() {
		names = append(names, m.Was.Name)
	}
	if n.namespace != "" || n.prefix+n.suffix != "" && !transform.KeepsName(is) {
		names = append(names, m.patched.Name)
	}
	if n.prefix != "" && n.suffix != "" && !transform.KeepsName(is) {
		names = append(names, n.prefix+m.patched.Name)
	}
	return names
}

// trimName returns a name without the prefix and the suffix; found is false if it lacks them.
func (n naming) trimName(is yamlnode.Meta) (name string, found bool) {
	if transform.KeepsName(is) {
		return is.Name, true
	}
	name, hasPrefix := strings.CutPrefix(is.Name, n.prefix)
	name, hasSuffix := strings.CutSuffix(name, n.suffix)
	return name, hasPrefix && hasSuffix && name != ""
}

// newMembers returns the resources of the fork; found is false if this naming cannot build their names.
func (n naming) newMembers(pairs []*pair) (out *members, found bool) {
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
		m, found := n.newMember(p)
		if !found || n != (naming{}) && !p.isPatched() && taken[m.Was] {
			return nil, false
		}
		all = append(all, m)
	}
	return newMembers(all), true
}

// source returns the resource that patches must produce for kustomize to build the fork's.
func (n naming) source(m *member, all *members) *yaml.Node {
	out := all.Referrer(m.pair.fork).UndoReferences(m.pair.fork, m.pair.patchedBase())
	if base := m.pair.patchedBase(); n.namespace != "" && base != nil {
		out = transform.WithNamespaceOf(out, base)
	}
	if m.patched.Name != m.Is.Name {
		out = yamlnode.Set(out, nil, yamlnode.String(m.patched.Name), "metadata", "name")
	}
	return out
}

// build returns the resource that kustomize builds from source, and the referrer that corrected its references.
func (n naming) build(source *yaml.Node, m *member, all *members) (*yaml.Node, *transform.Referrer) {
	out := source
	if n.namespace != "" {
		out = inNamespace(source, n.namespace)
	}
	if m.patched.Name != m.Is.Name {
		out = yamlnode.Set(out, nil, yamlnode.String(m.Is.Name), "metadata", "name")
	}
	r := all.Referrer(out)
	return r.CorrectReferences(out), r
}

// reproducesFork sets the sources of all members and reports whether kustomize builds the fork's resources from them.
// If not, culprits are the pairs whose renaming patches break references of others.
func (n naming) reproducesFork(all *members) (exact bool, culprits []*pair) {
	exact = true
	for _, m := range all.list {
		source := n.source(m, all)
		m.pair.source, m.pair.names = source, []string{m.Was.Name, m.patched.Name, m.Is.Name}
		built, r := n.build(source, m, all)
		if !r.Ambiguous && merge.Same(built, m.pair.fork) {
			continue
		}
		exact = false
		for _, known := range r.Targets {
			if met := all.bySource[known]; met.isRenamed() {
				culprits = append(culprits, met.pair)
			}
		}
	}
	return exact, culprits
}

// placeReferences gives references to resources the namespace that a kustomization sets for all, if it sets one: kustomize
// corrects them in subjects and in services of webhooks, whatever namespace the resources have in their files.
func placeReferences(k *yaml.Node, pairs []*pair, side func(*pair) **yaml.Node) {
	namespace := yamlnode.Text(yamlnode.Field(k, "namespace"))
	if namespace == "" {
		return
	}
	var all []*transform.Member
	for _, p := range pairs {
		if n := *side(p); n != nil {
			is := yamlnode.MetaOf(inNamespace(n, namespace))
			all = append(all, &transform.Member{Was: yamlnode.MetaOf(n), Is: is, Previous: []string{is.Name}})
		}
	}
	members := transform.NewMembers(all, merge.Same)
	for _, p := range pairs {
		if n := side(p); *n != nil {
			*n = members.Referrer(inNamespace(*n, namespace)).CorrectReferences(*n)
		}
	}
}

func inNamespace(n *yaml.Node, namespace string) *yaml.Node {
	return transform.WithNamespace(n, func(string) string { return namespace })
}

func (n naming) write(k *yaml.Node) {
	k.Content = append(k.Content, newMapping("namespace", n.namespace, "namePrefix", n.prefix, "nameSuffix", n.suffix).Content...)
}

// candidateNamings returns the namings that a fork may use, the empty one first.
func candidateNamings(pairs []*pair) (out []naming) {
	full := naming{}
	for _, p := range patchedPairs(pairs) {
		was, is := yamlnode.MetaOf(p.base), yamlnode.MetaOf(p.fork)
		if before, after, found := strings.Cut(is.Name, was.Name); found && was.Name != is.Name && !transform.KeepsName(is) {
			full.prefix, full.suffix = before, after
		}
		if was.Namespace != is.Namespace {
			full.namespace = is.Namespace
		}
	}
	for _, namespace := range slices.Compact([]string{"", full.namespace}) {
		for _, prefix := range slices.Compact([]string{"", full.prefix}) {
			for _, suffix := range slices.Compact([]string{"", full.suffix}) {
				out = append(out, naming{namespace, prefix, suffix})
			}
		}
	}
	return out
}

// chooseNaming returns the naming that needs the fewest patches, and sets the sources of the pairs.
// If fixed, the kustomization names the resources already, and the naming is empty.
func chooseNaming(pairs []*pair, fixed bool) naming {
	all := candidateNamings(pairs)
	if fixed {
		all = all[:1]
	}
	best, least := naming{}, -1
	var kept []pair
	for _, n := range all {
		if cost, found := n.cost(pairs); found && (least < 0 || cost < least) {
			best, least = n, cost
			kept = kept[:0]
			for _, p := range pairs {
				kept = append(kept, *p)
			}
		}
	}
	for i, p := range pairs {
		*p = kept[i]
	}
	return best
}

// setsNames reports whether a kustomization names all resources.
func setsNames(k *yaml.Node) bool {
	return slices.ContainsFunc([]string{"namespace", "namePrefix", "nameSuffix"}, func(field string) bool { return yamlnode.Field(k, field) != nil })
}

// cost sets the sources of the pairs and counts the patches that they need; a changed name and a changed namespace
// count too. A resource whose new name or namespace would break references to it is recreated.
func (n naming) cost(pairs []*pair) (total int, found bool) {
	if !n.settle(pairs) {
		return 0, false
	}
	for _, p := range pairs {
		switch {
		case p.recreated:
			total += 3
		case p.isPatched() && !merge.Same(p.source, p.base):
			total++
			was, is := yamlnode.MetaOf(p.base), yamlnode.MetaOf(p.source)
			if was.Name != is.Name {
				total++
			}
			if was.Namespace != is.Namespace {
				total++ // that makes it a JSON patch
			}
		}
	}
	return total, true
}

// settle sets the sources of the pairs and recreates resources until the naming builds the fork. It reports false if the
// naming cannot.
func (n naming) settle(pairs []*pair) bool {
	for _, p := range pairs {
		p.recreated = false
	}
	for {
		all, found := n.newMembers(pairs)
		if !found {
			return false
		}
		exact, culprits := n.reproducesFork(all)
		if exact {
			return true
		}
		if len(culprits) == 0 {
			return n == naming{} // then kustomize changes it whatever is done
		}
		for _, p := range culprits {
			p.recreated = true
		}
	}
}

// renamePatch adds a new name to the patch changed, which may be nil.
func renamePatch(t yamlnode.Meta, changed *yaml.Node, name string) *yaml.Node {
	if changed == nil {
		changed = newMapping("apiVersion", t.APIVersion, "kind", t.Kind)
	}
	return yamlnode.Set(changed, nil, yamlnode.String(name), "metadata", "name")
}

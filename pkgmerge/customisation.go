package pkgmerge

import (
	"maps"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// habits are the changes that local made to all resources that it shares with origin. Upstream's new resources get
// them too (rules/adopt: what follows).
type habits struct {
	// namespaces maps replaced namespaces to local's.
	namespaces     map[string]string
	prefix, suffix string
}

func (p *plan) habits(matches []*Match) (h habits) {
	shared := sharedByName(matches)
	if p.options.adopts(AdoptNamespace) {
		h.namespaces = p.replacedNamespaces(shared)
	}
	if p.options.adopts(AdoptNames) {
		h.prefix, h.suffix = affixes(shared)
	}
	return h
}

// sharedByName returns the resources with a name that origin and local have.
func sharedByName(matches []*Match) []*Match {
	var shared []*Match
	for _, match := range matches {
		if match.Has(identity.Origin) && match.Has(identity.Local) && match.Newest().Meta.Naming == identity.ByName {
			shared = append(shared, match)
		}
	}
	return shared
}

func (h habits) isNone() bool {
	return len(h.namespaces) == 0 && h.prefix+h.suffix == ""
}

// replacedNamespaces returns the namespaces that local replaced, with the new ones: it moved all shared
// resources, at least two, or the Namespace object. If all of local's resources are in one namespace, it
// also replaces none, as kustomize's namespace does.
func (p *plan) replacedNamespaces(shared []*Match) map[string]string {
	were, object := unmovedResources(shared)
	out, several := map[string]string{}, map[string]bool{}
	for _, move := range p.moves {
		pair := [2]string{move.From, move.To}
		moved := move.Moved - were[pair]
		if move.To == "" || !(move.Others == 0 && moved > 1 || object[pair] && moved >= move.Others) {
			continue
		}
		by, found := out[move.From]
		several[move.From] = several[move.From] || found && by != move.To
		out[move.From] = move.To
	}
	maps.DeleteFunc(out, func(from, _ string) bool { return several[from] })
	if to := p.onlyNamespace(); to != "" && len(out) > 0 && out[""] == "" {
		out[""] = to
	}
	return out
}

// unmovedResources counts the resources of each pair of namespaces that were in the new one in origin already,
// by merge comments, or that a conflict puts into upstream's, and tells of each pair whether local renamed the Namespace
// object.
func unmovedResources(shared []*Match) (were map[[2]string]int, object map[[2]string]bool) {
	were, object = map[[2]string]int{}, map[[2]string]bool{}
	for _, match := range shared {
		o, l, is := match.Versions[identity.Origin].Meta, match.Versions[identity.Local].Meta, match.expectedMeta()
		switch {
		case transform.IsNamespace(plainMeta(o)):
			object[[2]string{match.ID.Name, l.Name}] = o.Name != l.Name && is.Name == l.Name
		case o.Namespace == l.Namespace || is.Namespace != l.Namespace:
			were[[2]string{match.ID.Namespace, l.Namespace}]++
		}
	}
	return were, object
}

// onlyNamespace returns the namespace of all of local's namespaced resources, "" if there is no single one.
func (p *plan) onlyNamespace() (only string) {
	for _, r := range p.packages[identity.Local].Resources {
		t := plainMeta(r.Meta)
		if r.Meta.Naming == identity.ByPath || t.APIVersion == "" || transform.ClusterScoped(t) || p.schema.ClusterScoped(identity.Group(t.APIVersion), t.Kind) {
			continue
		}
		if t.Namespace == "" || only != "" && t.Namespace != only {
			return ""
		}
		only = t.Namespace
	}
	return only
}

// plainMeta returns the part of a resource's metadata that kustomize uses.
func plainMeta(m identity.Meta) yamlnode.Meta {
	return yamlnode.Meta{APIVersion: m.APIVersion, Kind: m.Kind, Name: m.Name, Namespace: m.Namespace}
}

// namespace returns the namespace that replaced another one, else the same.
func (h habits) namespace(was string) string {
	if is, replaced := h.namespaces[was]; replaced {
		return is
	}
	return was
}

// affixes returns the prefix and the suffix that local gave to all names, at least two. A short name may stand in its new
// name several times, as "a" does in "acme-a": the first place that explains all names counts.
func affixes(shared []*Match) (prefix, suffix string) {
	var names [][2]string
	for _, match := range shared {
		o, l := match.Versions[identity.Origin].Meta, match.Versions[identity.Local].Meta
		if !transform.KeepsName(plainMeta(o)) {
			names = append(names, [2]string{o.Name, l.Name})
		}
	}
	if len(names) < 2 {
		return "", ""
	}
	was, is := names[0][0], names[0][1]
	for at := range is {
		suffix, found := strings.CutPrefix(is[at:], was)
		if found && !slices.ContainsFunc(names, func(n [2]string) bool { return n[1] != is[:at]+n[0]+suffix }) {
			return is[:at], suffix
		}
	}
	return "", ""
}

// String describes the changes.
func (h habits) String() string {
	var out []string
	for _, from := range slices.Sorted(maps.Keys(h.namespaces)) {
		if from != "" {
			out = append(out, "in your namespace "+h.namespaces[from]+" instead of "+from)
		} else if len(h.namespaces) == 1 {
			out = append(out, "in your namespace "+h.namespaces[from])
		}
	}
	if h.prefix+h.suffix != "" {
		out = append(out, "with names like your "+h.prefix+"NAME"+h.suffix)
	}
	return strings.Join(wording.First(out, 5), ", ")
}

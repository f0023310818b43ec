package overlay

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/patch"
)

// namings are those that a fork may have, that which says nothing first.
func namings(pairs []*pair) (out []naming) {
	most := naming{}
	for _, p := range both(pairs) {
		was, is := patch.TargetOf(p.base), patch.TargetOf(p.fork)
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
			was, is := patch.TargetOf(p.base), patch.TargetOf(p.source)
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

package apply

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Helm's records of the release of an object.
const (
	releaseName      = "meta.helm.sh/release-name"
	releaseNamespace = "meta.helm.sh/release-namespace"
	managedByLabel   = "app.kubernetes.io/managed-by"
	resourcePolicy   = "helm.sh/resource-policy"
)

// release is a release of Helm; its name is "" for an object of none.
type release struct{ name, namespace string }

// releaseOf returns the release that owns a live object.
func releaseOf(r *pkgmerge.Resource) release {
	tree, err := r.Tree()
	if err != nil || yamlnode.Text(yamlnode.Lookup(tree, "metadata", "labels", managedByLabel)) != "Helm" {
		return release{}
	}
	return release{yamlnode.Annotation(tree, releaseName), yamlnode.Annotation(tree, releaseNamespace)}
}

// findRelease returns the release that helm upgrade is about: that of most live objects of the render.
func findRelease(matches []*pkgmerge.Match) release {
	counts := map[release]int{}
	for _, m := range matches {
		if m.Has(identity.Upstream) && m.Has(identity.Local) {
			if of := releaseOf(m.Versions[identity.Local]); of.name != "" {
				counts[of]++
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b release) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a.name, b.name), strings.Compare(a.namespace, b.namespace))
	})
	if len(names) == 0 {
		return release{}
	}
	return names[0]
}

// addForeign adds to each object of the render the reason for which Helm refuses to take the live one into its release:
// then it changes nothing (rules/server-side-apply: helm).
func (r *run) addForeign(matches []*pkgmerge.Match) {
	r.release = findRelease(matches)
	for _, m := range matches {
		if !m.Has(identity.Upstream) || !m.Has(identity.Local) {
			continue
		}
		of := releaseOf(m.Versions[identity.Local])
		if of.name != "" && of == r.release {
			continue
		}
		reason := "no release of Helm owns the live object"
		if of.name != "" {
			reason = fmt.Sprintf("release %s in namespace %s owns the live object", of.name, of.namespace)
		}
		r.isForeign = true
		o := r.objects[m.ID]
		o.missing = append(o.missing, merge.Conflict{
			Kind: merge.Refused, Path: (*merge.Path)(nil).Field("metadata").Field("annotations").Field(releaseName), Chosen: identity.Upstream,
			Values: [3]*yaml.Node{identity.Local: text(of.name)},
			Reason: reason + "; " + foreignText + "; give the object the release's label and annotations, or use helm's --take-ownership",
		})
	}
}

const foreignText = "Helm refuses the upgrade before it changes anything"

// text returns a text as a node, nil for "".
func text(s string) *yaml.Node {
	if s == "" {
		return nil
	}
	return yamlnode.String(s)
}

// isLeft reports whether a live object belongs to the release of an upgrade whose render lacks it.
func (r *run) isLeft(m *pkgmerge.Match) bool {
	return r.strategy.isHelm() && r.release.name != "" && !m.Has(identity.Upstream) && m.Has(identity.Local) && releaseOf(m.Versions[identity.Local]) == r.release
}

// isKept reports whether the annotation of an object keeps it when its release drops it.
func isKept(r *pkgmerge.Resource) bool {
	return strings.EqualFold(strings.TrimSpace(r.Item().Annotation(resourcePolicy)), "keep")
}

// leftSteps returns the steps of the live objects of a release that the render lacks: Helm deletes them after all others
// are applied, unless their annotation keeps them (rules/server-side-apply: helm).
func (r *run) leftSteps(changes []*pkgmerge.Change) (out []*Step) {
	fails := slices.ContainsFunc(changes, Refused)
	for _, c := range changes {
		if !r.isLeft(c.Match) {
			continue
		}
		s := &Step{ID: c.ID, Change: c, Action: Prune, run: r}
		switch {
		case isKept(c.Versions[identity.Local]):
			s.Action, s.Reason = Keep, "its annotation "+resourcePolicy+": keep protects it from the upgrade"
		case fails:
			s.Action, s.Reason = Keep, "the render lacks it, and an upgrade that fails deletes nothing"
		}
		out = append(out, s)
	}
	return out
}

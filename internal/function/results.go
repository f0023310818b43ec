package function

import (
	"slices"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// report makes the results of a merge: the summary first, then what the user is
// to look at, errors before warnings before information (DESIGN 5). The error
// is that of conflicts which are to fail the run.
func report(all []*merged, results framework.Results, c Conflicts) (framework.Results, error) {
	t := newTally(all, c)
	for _, m := range all {
		prefer := c.preferenceFor(m.triple)
		for _, conflict := range m.Conflicts {
			r := conflictResult(m, conflict, t.failing > 0)
			if prefer.at(conflict.Path) == preferFail {
				r.Severity = framework.Error
			}
			results = append(results, r)
		}
		if t.failing == 0 {
			for _, remark := range m.Remarks {
				results = append(results, remarkResult(m, remark))
			}
		}
	}
	if t.failing == 0 {
		results = slices.Concat(results, collisions(all), dangling(all), danglingPorts(all), strays(all), notices(all))
	}
	slices.SortStableFunc(results, func(a, b *framework.Result) int { return rank(a) - rank(b) })
	return slices.Insert(results, 0, t.summary()), t.err()
}

func rank(r *framework.Result) int {
	switch r.Severity {
	case framework.Error:
		return 0
	case framework.Warning:
		return 1
	}
	return 2
}

// conflictResult tells the user of one conflict: where, the three values, and
// which of them the result has, if the run has not failed.
func conflictResult(m *merged, c merge.Conflict, failed bool) *framework.Result {
	r := &framework.Result{
		Message:     message(m, c, failed),
		Severity:    framework.Warning,
		ResourceRef: reference(m),
		Field:       &framework.Field{Path: c.Path.String()},
		Tags:        map[string]string{"conflict": string(c.Kind)},
	}
	if !failed {
		r.Tags["chosen"] = c.Chosen.String()
	}
	if m.file != "" {
		r.File = &framework.File{Path: m.file, Index: m.index}
	}
	if showsValues(m, c) {
		r.Field.CurrentValue = shown(c.Values[identity.Local])
		r.Field.ProposedValue = shown(c.Values[identity.Upstream])
		if c.Values[identity.Origin] != nil {
			r.Tags["origin"] = shownText(c.Values[identity.Origin])
		}
	}
	return r
}

// remarkResult tells of what both sides changed and neither lost (DESIGN 5).
func remarkResult(m *merged, remark merge.Remark) *framework.Result {
	c := merge.Conflict{Kind: merge.BothChanged, Path: remark.Path, Values: remark.Values}
	r := conflictResult(m, c, true)
	r.Severity = framework.Info
	r.Message = remarkMessage(m, remark)
	return r
}

func reference(m *merged) *kyaml.ResourceIdentifier {
	meta := m.newest().meta
	return &kyaml.ResourceIdentifier{
		TypeMeta: kyaml.TypeMeta{APIVersion: meta.APIVersion, Kind: meta.Kind},
		NameMeta: kyaml.NameMeta{Name: meta.Name, Namespace: meta.Namespace},
	}
}

// warn makes a result about an item that is no conflict.
func warn(it *item, text string) *framework.Result {
	r := &framework.Result{Message: cut(text, maxMessage), Severity: framework.Warning, ResourceRef: &kyaml.ResourceIdentifier{
		TypeMeta: kyaml.TypeMeta{APIVersion: it.meta.APIVersion, Kind: it.meta.Kind},
		NameMeta: kyaml.NameMeta{Name: it.meta.Name, Namespace: it.meta.Namespace},
	}}
	if it.path != "" {
		r.File = &framework.File{Path: it.path, Index: it.index}
	}
	return r
}

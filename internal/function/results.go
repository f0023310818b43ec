package function

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// report makes the results of a merge: the summary first, then what the user is
// to look at, errors before warnings before information (DESIGN 5). The error
// is that of conflicts which are to fail the run.
func report(all []*merged, warnings framework.Results, c Conflicts) (framework.Results, error) {
	results := append(warnings, c.unmatchedRules(all)...)
	t := newTally(all, c)
	for _, m := range all {
		prefer := c.preferenceFor(m.newest().meta)
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
		results = append(append(results, collisions(all)...), notices(all)...)
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
// which of them the result has, or would have if the run had not failed.
func conflictResult(m *merged, c merge.Conflict, failed bool) *framework.Result {
	r := &framework.Result{
		Message:     message(m, c, failed),
		Severity:    framework.Warning,
		ResourceRef: reference(m),
		Field:       &framework.Field{Path: c.Path.String()},
		Tags:        map[string]string{"conflict": string(c.Kind), "chosen": c.Chosen.String()},
	}
	if m.file != "" {
		r.File = &framework.File{Path: m.file, Index: m.index}
	}
	if showsValues(m, c) {
		r.Field.CurrentValue = shown(c.Values[identity.Local])
		r.Field.ProposedValue = shown(c.Values[identity.Upstream])
		if c.Values[identity.Origin] != nil {
			r.Tags["origin"] = fmt.Sprint(shown(c.Values[identity.Origin]))
		}
	}
	return r
}

// remarkResult tells of what both sides changed and neither lost (DESIGN 5).
func remarkResult(m *merged, remark merge.Remark) *framework.Result {
	c := merge.Conflict{Kind: merge.BothChanged, Path: remark.Path, Values: remark.Values}
	r := conflictResult(m, c, false)
	r.Severity = framework.Info
	r.Message = remarkMessage(m, remark)
	delete(r.Tags, "chosen")
	return r
}

func reference(m *merged) *kyaml.ResourceIdentifier {
	meta := m.newest().meta
	return &kyaml.ResourceIdentifier{
		TypeMeta: kyaml.TypeMeta{APIVersion: meta.APIVersion, Kind: meta.Kind},
		NameMeta: kyaml.NameMeta{Name: meta.Name, Namespace: meta.Namespace},
	}
}

// shown is a value as results carry it: a scalar decoded, a list or map as a
// line of YAML, at most 256 bytes of either; nil where absent.
func shown(n *yaml.Node) any {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.ScalarNode {
		return cut(flow(n), maxValue)
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return cut(n.Value, maxValue)
	}
	if _, isString := v.(string); isString || len(n.Value) > maxValue {
		return cut(n.Value, maxValue)
	}
	return v
}

// flow writes a list or map as one line of YAML, without comments.
func flow(n *yaml.Node) string {
	text, err := yaml.Marshal(flowNode(n))
	if err != nil {
		return "(not shown: " + err.Error() + ")"
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

func flowNode(n *yaml.Node) *yaml.Node {
	out := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
		out.Style = n.Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle)
	} else {
		out.Style = yaml.FlowStyle
	}
	for _, c := range n.Content {
		out.Content = append(out.Content, flowNode(c))
	}
	return out
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

package function

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// notices tells of changes that are no conflict but deserve a word (DESIGN 5):
// resources that went, that stayed though upstream has another opinion, whose
// selector changed, that upstream seems to have renamed, and whose namespace is
// not upstream's.
func notices(all []*merged) framework.Results {
	var results framework.Results
	for _, m := range all {
		for _, text := range m.notices {
			results = append(results, notice(m, text))
		}
		for _, text := range m.loose {
			r := notice(m, text)
			r.Severity = framework.Warning
			results = append(results, r)
		}
	}
	return slices.Concat(results, renames(all), otherNamespaces(all))
}

func notice(m *merged, text string) *framework.Result {
	who := subject(m)
	r := &framework.Result{Severity: framework.Info, ResourceRef: reference(m)}
	r.Message = cut(who, max(maxMessage-len(text)-2, len(ellipsis))) + ": " + text
	if m.file != "" {
		r.File = &framework.File{Path: m.file, Index: m.index}
	}
	return r
}

// remarks are the notices about one resource.
func (m *merged) remarks() []string {
	var out []string
	l := m.items[identity.Local]
	switch {
	case m.state == deleted && len(m.Conflicts) == 0:
		out = append(out, m.deletion()+remains(l.Head()))
	case m.state == deleted:
		if text := remains(l.Head()); text != "" {
			out = append(out, "deleted"+text)
		}
	case m.left != "":
		out = append(out, fmt.Sprintf("stays, though upstream deleted package %s that it is in; only local has it", m.left))
	case m.state == unchanged && !m.kept && isInventory(m.nodes[identity.Local]) && m.items[identity.Origin] != nil && upstreamDiffers(m):
		out = append(out, "kept as it is: an inventory template is local's own")
	}
	switch {
	case m.matched.Elsewhere:
		out = append(out, "kept: upstream deleted one of this name at another path, and this one is not the same")
	case m.matched.Ambiguous && len(m.Conflicts) > 0 && !m.isWithheld():
		out = append(out, "local has several of this name, and nothing tells which of them is upstream's")
	}
	if m.state == changed {
		out = append(out, selectorNotices(m.nodes[identity.Local], m.Node)...)
	}
	return out
}

// deletion says why a resource went without a conflict of its own.
func (m *merged) deletion() string {
	o, l := m.nodes[identity.Origin], m.nodes[identity.Local]
	if m.newest().pkg != "." && o != nil && !merge.Same(o, l) {
		return "deleted with its package, and local's changes with it"
	}
	if o == nil {
		return "deleted, because upstream does not have it"
	}
	return "deleted, because upstream deleted it"
}

// upstreamDiffers says whether upstream changed or deleted what origin has.
func upstreamDiffers(m *merged) bool {
	return !merge.Same(m.nodes[identity.Origin], m.nodes[identity.Upstream])
}

// remains says what keeps a resource that left the package in the cluster:
// one of cli-utils' annotations.
func remains(n *yaml.Node) string {
	for _, keep := range [][2]string{
		{"client.lifecycle.config.k8s.io/deletion", "detach"},
		{"cli-utils.sigs.k8s.io/on-remove", "keep"},
	} {
		if annotation(n, keep[0]) == keep[1] {
			return fmt.Sprintf("; annotation %s keeps it in the cluster", keep[0])
		}
	}
	return ""
}

// selectorNotices looks at the selector of a workload: that of most cannot be
// changed in a cluster, and one that does not match the pods' labels is refused.
func selectorNotices(before, after *yaml.Node) []string {
	selector := fieldOf(fieldOf(after, "spec"), "selector")
	if selector == nil || fieldOf(fieldOf(after, "spec"), "template") == nil {
		return nil
	}
	var out []string
	if was := fieldOf(fieldOf(before, "spec"), "selector"); was != nil && !merge.Same(was, selector) {
		out = append(out, "spec.selector changed, which a cluster that has the workload may refuse")
	}
	if name := unmatchedLabel(after); name != "" && unmatchedLabel(before) == "" {
		out = append(out, fmt.Sprintf("spec.selector no longer matches the pod template, because of label %s", name))
	}
	return out
}

// unmatchedLabel is a label that a workload's selector asks for and its pod
// template does not have so, "" if there is none.
func unmatchedLabel(n *yaml.Node) string {
	spec := fieldOf(n, "spec")
	labels := fieldOf(fieldOf(fieldOf(spec, "template"), "metadata"), "labels")
	match := fieldOf(fieldOf(spec, "selector"), "matchLabels")
	for _, name := range names(match) {
		if !merge.Same(fieldOf(match, name), fieldOf(labels, name)) {
			return name
		}
	}
	return ""
}

package live

import (
	"cmp"
	"slices"

	"github.com/resource-merge/resource-merge/identity"
)

// foremost are the kinds that come first in a wave, in their order.
func foremost() []groupKind {
	return []groupKind{
		{"", "Namespace"},
		{"", "ResourceQuota"},
		{"storage.k8s.io", "StorageClass"},
		{"apiextensions.k8s.io", "CustomResourceDefinition"},
		{"admissionregistration.k8s.io", "MutatingWebhookConfiguration"},
		{"", "ServiceAccount"},
		{"extensions", "PodSecurityPolicy"},
		{"policy", "PodSecurityPolicy"},
		{"rbac.authorization.k8s.io", "Role"},
		{"rbac.authorization.k8s.io", "ClusterRole"},
		{"rbac.authorization.k8s.io", "RoleBinding"},
		{"rbac.authorization.k8s.io", "ClusterRoleBinding"},
		{"", "ConfigMap"},
		{"", "Secret"},
		{"", "Service"},
		{"", "LimitRange"},
		{"scheduling.k8s.io", "PriorityClass"},
		{"extensions", "Deployment"},
		{"apps", "Deployment"},
		{"apps", "StatefulSet"},
		{"batch", "CronJob"},
		{"policy", "PodDisruptionBudget"},
	}
}

// last is the kind that comes after all others of a wave.
func last() groupKind {
	return groupKind{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration"}
}

// order is the order of resources within a wave (rules/live: order): the foremost
// kinds, then all that are not listed, then the last one. Those of one rank are in the
// order of group, kind, namespace and name.
type order map[groupKind]int

func newOrder() order {
	ranks, kinds := order{last(): 1}, foremost()
	for i, kind := range kinds {
		ranks[kind] = i - len(kinds)
	}
	return ranks
}

func (o order) compare(a, b identity.ID) int {
	return cmp.Or(
		cmp.Compare(o[groupKind{a.Group, a.Kind}], o[groupKind{b.Group, b.Kind}]),
		cmp.Compare(a.Group, b.Group),
		cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Namespace, b.Namespace),
		cmp.Compare(a.Name, b.Name),
	)
}

// sorted is nodes of a graph in this order.
func (o order) sorted(nodes []int, objects []Object) []int {
	out := slices.Clone(nodes)
	slices.SortStableFunc(out, func(a, b int) int { return o.compare(objects[a].ID, objects[b].ID) })
	return out
}

// waves are the nodes in the order in which they are done (rules/live: order): the
// config's, level by level, and then those of the prune set exactly the other way
// round. What is on one level, and applied or pruned, is one wave.
func (p *planner) waves(levels [][]int) [][]int {
	ranks := newOrder()
	var applied, pruned [][]int
	for _, level := range levels {
		nodes := ranks.sorted(level, p.objects)
		applied = appendWave(applied, slices.DeleteFunc(slices.Clone(nodes), p.pruned))
		slices.Reverse(nodes)
		pruned = appendWave(pruned, slices.DeleteFunc(nodes, func(node int) bool { return !p.pruned(node) }))
	}
	slices.Reverse(pruned)
	return append(applied, pruned...)
}

func appendWave(waves [][]int, wave []int) [][]int {
	if len(wave) == 0 {
		return waves
	}
	return append(waves, wave)
}

package live

import (
	"cmp"
	"slices"

	"github.com/resource-merge/resource-merge/identity"
)

// firstKinds lists the kinds that come first in a wave, in their order.
func firstKinds() []groupKind {
	return []groupKind{
		{"", "Namespace"}, {"", "ResourceQuota"}, {"storage.k8s.io", "StorageClass"},
		{"apiextensions.k8s.io", "CustomResourceDefinition"}, {"admissionregistration.k8s.io", "MutatingWebhookConfiguration"},
		{"", "ServiceAccount"}, {"extensions", "PodSecurityPolicy"}, {"policy", "PodSecurityPolicy"},
		{"rbac.authorization.k8s.io", "Role"}, {"rbac.authorization.k8s.io", "ClusterRole"},
		{"rbac.authorization.k8s.io", "RoleBinding"}, {"rbac.authorization.k8s.io", "ClusterRoleBinding"},
		{"", "ConfigMap"}, {"", "Secret"}, {"", "Service"}, {"", "LimitRange"}, {"scheduling.k8s.io", "PriorityClass"},
		{"extensions", "Deployment"}, {"apps", "Deployment"}, {"apps", "StatefulSet"}, {"batch", "CronJob"},
		{"policy", "PodDisruptionBudget"},
	}
}

// order ranks kinds within a wave (rules/live: order): the first kinds, then all kinds that are not listed, then
// ValidatingWebhookConfiguration. Resources of one rank are sorted by group, kind, namespace and name.
type order map[groupKind]int

func newOrder() order {
	kinds := firstKinds()
	ranks := order{{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration"}: 1}
	for i, kind := range kinds {
		ranks[kind] = i - len(kinds)
	}
	return ranks
}

func (o order) compare(a, b identity.ID) int {
	return cmp.Or(
		cmp.Compare(o[groupKind{a.Group, a.Kind}], o[groupKind{b.Group, b.Kind}]),
		cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name),
	)
}

// waves returns the nodes in the order of the apply (rules/live: order): the config level by level, then the prune set
// in exactly the reverse order. The nodes of one level that are applied, or pruned, are one wave.
func (p *planner) waves(levels [][]int) [][]int {
	ranks := newOrder()
	var applied, pruned [][]int
	for _, level := range levels {
		nodes := slices.Clone(level)
		slices.SortStableFunc(nodes, func(a, b int) int { return ranks.compare(p.objects[a].ID, p.objects[b].ID) })
		applied = append(applied, slices.DeleteFunc(slices.Clone(nodes), p.inPruneSet))
		slices.Reverse(nodes)
		pruned = append(pruned, slices.DeleteFunc(nodes, func(node int) bool { return !p.inPruneSet(node) }))
	}
	slices.Reverse(pruned)
	return slices.DeleteFunc(append(applied, pruned...), func(wave []int) bool { return len(wave) == 0 })
}

package pkgmerge

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// selectorPlace is a field by which a kind of resource selects others by their labels. In its paths, [] stands for every
// element of a list.
type selectorPlace struct {
	group, kind, path string
	// selects is "pod", "Service" or "namespace".
	selects string
	// among is the field that chooses the namespaces, "" if only the resource's own is searched.
	among string
	// port is the field with names of ports of the selected resources, "" if there is none.
	port string
}

func selectorPlaces() []selectorPlace {
	const network, monitoring = "networking.k8s.io", "monitoring.coreos.com"
	return []selectorPlace{
		{kind: "Service", path: "spec.selector", selects: "pod", port: "spec.ports.[].targetPort"},
		{group: "policy", kind: "PodDisruptionBudget", path: "spec.selector", selects: "pod"},
		{group: network, kind: "NetworkPolicy", path: "spec.podSelector", selects: "pod", port: "spec.ingress.[].ports.[].port"},
		{group: network, kind: "NetworkPolicy", path: "spec.ingress.[].from.[]", selects: "peer"},
		{group: network, kind: "NetworkPolicy", path: "spec.egress.[].to.[]", selects: "peer"},
		{group: monitoring, kind: "ServiceMonitor", path: "spec.selector", selects: "Service", among: "namespaceSelector", port: "spec.endpoints.[].port"},
		{group: monitoring, kind: "PodMonitor", path: "spec.selector", selects: "pod", among: "namespaceSelector", port: "spec.podMetricsEndpoints.[].port"},
	}
}

// selector selects resources by their labels. An empty one selects everything, whoever has it, and is not kept.
type selector struct {
	// place is the field, and text what it asks for, such as "app=web". Both are equal on two sides for the same selector.
	place, text string
	selects     string
	labels      map[string]string
	expressions []expression
	// namespaces are the names of the namespaces to search, nil for all; among selects them by label, nil for none.
	namespaces []string
	among      *selector
	// port is the name of a port that a selected resource should have, "" if only the selection counts.
	port string
}

// expression is one of a selector's matchExpressions.
type expression struct {
	key, operator string
	values        []string
}

// labelled is a resource, or the pods of one, that selectors find. A namespace has its own name as its namespace.
type labelled struct {
	as, namespace string
	labels        map[string]string
	ports         map[string]bool
}

// selection is a version of a resource among selectors: what they find of it, and its own selectors.
type selection struct {
	labelled  *labelled
	selectors []selector
}

// selections are those of the sides and of the result, nil where there is none. Origin's is not used.
type selections [inResult + 1]*selection

// inResult is the index of the result, after the sides.
const inResult = identity.Local + 1

func selectionsOf(versions [3]*yaml.Node, merged *yaml.Node) selections {
	return selections{
		identity.Upstream: selectionOf(versions[identity.Upstream]),
		identity.Local:    selectionOf(versions[identity.Local]),
		inResult:          selectionOf(merged),
	}
}

// selectionOf is nil for a resource that neither selects nor is selected. The strings are copied, so that they do not keep
// n's text in memory.
func selectionOf(n *yaml.Node) *selection {
	meta := identity.ReadMeta(n)
	out := selection{labelled: labelledOf(n, meta)}
	for _, p := range selectorPlaces() {
		if p.kind == meta.Kind && p.group == identity.Group(meta.APIVersion) {
			out.selectors = append(out.selectors, p.selectors(n, strings.Clone(meta.Namespace))...)
		}
	}
	if out.labelled == nil && out.selectors == nil {
		return nil
	}
	return &out
}

// labelledOf returns a Service, a namespace or the pods of a workload, nil for another resource.
func labelledOf(n *yaml.Node, meta identity.Meta) *labelled {
	out := &labelled{namespace: strings.Clone(meta.Namespace), ports: map[string]bool{}}
	addPorts := func(in *yaml.Node) {
		for _, p := range yamlnode.Elements(yamlnode.Field(in, "ports")) {
			out.ports[strings.Clone(yamlnode.Text(yamlnode.Field(p, "name")))] = true
		}
	}
	switch isCore := identity.Group(meta.APIVersion) == ""; {
	case isCore && meta.Kind == "Service":
		out.as, out.labels = "Service", textsOf(yamlnode.Lookup(n, "metadata", "labels"))
		addPorts(yamlnode.Field(n, "spec"))
	case isCore && meta.Kind == "Namespace":
		out.as, out.labels, out.namespace = "namespace", textsOf(yamlnode.Lookup(n, "metadata", "labels")), strings.Clone(meta.Name)
		out.labels["kubernetes.io/metadata.name"] = out.namespace // as the server does
	default:
		pod := podOf(n)
		if pod.spec == nil {
			return nil
		}
		out.as, out.labels = "pod", textsOf(pod.labels)
		for _, c := range pod.containers() {
			addPorts(c)
		}
	}
	return out
}

func textsOf(mapping *yaml.Node) map[string]string {
	out := map[string]string{}
	field := yamlnode.Fields(mapping)
	for _, name := range yamlnode.Names(mapping) {
		out[strings.Clone(name)] = strings.Clone(yamlnode.Text(field(name)))
	}
	return out
}

// selectors returns the selectors of a resource at the place: one, and one more for each name of a port, or those of the
// peers of a network policy.
func (p selectorPlace) selectors(n *yaml.Node, namespace string) (out []selector) {
	for _, at := range nodesAt(n, strings.Split(p.path, ".")) {
		if p.selects == "peer" {
			out = append(out, peerSelectors(p.path, at, namespace)...)
			continue
		}
		s := labelSelector(p.path, p.selects, at, p.kind == "Service")
		s.namespaces = []string{namespace}
		if p.among != "" {
			s.searchAmong(yamlnode.Lookup(n, "spec", p.among))
		}
		if s.isEmpty() {
			continue
		}
		out = append(out, s)
		ports := map[string]bool{}
		for _, name := range nodesAt(n, strings.Split(p.port, ".")) {
			if name.ShortTag() == "!!str" && !ports[name.Value] {
				ports[name.Value] = true
				s.place, s.port = p.port, strings.Clone(name.Value)
				out = append(out, s)
			}
		}
	}
	return out
}

// nodesAt returns the nodes at the end of a path.
func nodesAt(n *yaml.Node, path []string) (out []*yaml.Node) {
	switch {
	case n == nil:
		return nil
	case len(path) == 0:
		return []*yaml.Node{n}
	case path[0] != "[]":
		return nodesAt(yamlnode.Field(n, path[0]), path[1:])
	}
	for _, e := range yamlnode.Elements(n) {
		out = append(out, nodesAt(e, path[1:])...)
	}
	return out
}

// labelSelector reads a LabelSelector, or the map of labels of a Service.
func labelSelector(place, selects string, n *yaml.Node, isMap bool) selector {
	s := selector{place: place, selects: selects, labels: map[string]string{}}
	if isMap {
		s.labels = textsOf(n)
	} else {
		s.labels = textsOf(yamlnode.Field(n, "matchLabels"))
		for _, e := range yamlnode.Elements(yamlnode.Field(n, "matchExpressions")) {
			x := expression{key: strings.Clone(yamlnode.Text(yamlnode.Field(e, "key"))), operator: strings.Clone(yamlnode.Text(yamlnode.Field(e, "operator")))}
			for _, v := range yamlnode.Elements(yamlnode.Field(e, "values")) {
				x.values = append(x.values, strings.Clone(v.Value))
			}
			slices.Sort(x.values)
			s.expressions = append(s.expressions, x)
		}
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s.labels)) {
		parts = append(parts, name+"="+s.labels[name])
	}
	for _, e := range s.expressions {
		parts = append(parts, strings.TrimSpace(e.key+" "+e.operator+" "+strings.Join(e.values, "|")))
	}
	s.text = strings.Join(parts, ",")
	return s
}

// searchAmong sets the namespaces by a monitor's namespaceSelector, which is absent for its own namespace.
func (s *selector) searchAmong(n *yaml.Node) {
	if names := yamlnode.Elements(yamlnode.Field(n, "matchNames")); yamlnode.Text(yamlnode.Field(n, "any")) == "true" {
		s.namespaces = nil
	} else if len(names) > 0 {
		s.namespaces = nil
		for _, name := range names {
			s.namespaces = append(s.namespaces, strings.Clone(name.Value))
		}
		s.text += " in " + strings.Join(s.namespaces, "|")
	}
}

// peerSelectors returns the selector of a peer of a network policy: of pods in its own namespace or in selected ones, or of
// namespaces.
func peerSelectors(place string, peer *yaml.Node, namespace string) []selector {
	pods, spaces := yamlnode.Field(peer, "podSelector"), yamlnode.Field(peer, "namespaceSelector")
	p := labelSelector(place+".podSelector", "pod", pods, false)
	n := labelSelector(place+".namespaceSelector", "namespace", spaces, false)
	switch {
	case p.isEmpty() && n.isEmpty():
		return nil
	case p.isEmpty():
		return []selector{n}
	case spaces == nil:
		p.namespaces = []string{namespace}
	case !n.isEmpty():
		p.among = &n
		p.text += " in namespaces " + n.text
	}
	return []selector{p}
}

func (s *selector) isEmpty() bool { return len(s.labels)+len(s.expressions) == 0 }

// isSame reports whether two sides have one selector, wherever their namespaces are.
func (s *selector) isSame(other *selector) bool {
	return s.place == other.place && s.text == other.text && s.port == other.port
}

// matches reports whether the labels are as the selector asks (the rules of a LabelSelector in the API of Kubernetes).
func (s *selector) matches(labels map[string]string) bool {
	for name, value := range s.labels {
		if has, found := labels[name]; !found || has != value {
			return false
		}
	}
	return !slices.ContainsFunc(s.expressions, func(e expression) bool {
		value, has := labels[e.key]
		switch e.operator {
		case "In":
			return !has || !slices.Contains(e.values, value)
		case "NotIn":
			return has && slices.Contains(e.values, value)
		case "Exists":
			return !has
		case "DoesNotExist":
			return has
		}
		return false
	})
}

// labelledIndex finds the resources that have a label, in a namespace or, under the namespace "*", in all.
type labelledIndex map[labelKey][]*labelled

type labelKey struct{ as, namespace, name, value string }

func (all labelledIndex) add(l *labelled) {
	for _, namespace := range [2]string{l.namespace, "*"} {
		for name, value := range l.labels {
			key := labelKey{l.as, namespace, name, value}
			all[key] = append(all[key], l)
		}
		all[labelKey{as: l.as, namespace: namespace}] = append(all[labelKey{as: l.as, namespace: namespace}], l)
	}
}

// find reports whether a selector selects something, and whether something selected has its port.
func (all labelledIndex) find(s *selector) (selected, hasPort bool) {
	for _, l := range all.candidates(s) {
		if s.matches(l.labels) && all.isSearched(s, l.namespace) {
			if selected = true; s.port == "" || l.ports[s.port] {
				return true, true
			}
		}
	}
	return selected, false
}

// candidates returns the fewest resources that have one label of the selector.
func (all labelledIndex) candidates(s *selector) []*labelled {
	namespace := "*"
	if len(s.namespaces) == 1 {
		namespace = s.namespaces[0]
	}
	fewest := all[labelKey{as: s.selects, namespace: namespace}]
	for name, value := range s.labels {
		if some := all[labelKey{s.selects, namespace, name, value}]; len(some) < len(fewest) {
			fewest = some
		}
	}
	return fewest
}

func (all labelledIndex) isSearched(s *selector, namespace string) bool {
	if s.among != nil {
		found := all[labelKey{as: "namespace", namespace: namespace}]
		return slices.ContainsFunc(found, func(l *labelled) bool { return s.among.matches(l.labels) }) ||
			len(found) == 0 && namespace != "" && s.among.matches(map[string]string{"kubernetes.io/metadata.name": namespace})
	}
	return s.namespaces == nil || slices.Contains(s.namespaces, namespace)
}

// idleSelectors warns of selectors that select nothing in the result because of the merge, and of names of ports that nothing
// selected has (rules/conflicts: dangling references). It searches only if the merge changed something selected or selecting.
func idleSelectors(all []*Change) []Notice {
	if !slices.ContainsFunc(all, func(c *Change) bool {
		return c.inspected && !reflect.DeepEqual(c.selections[inResult], c.selections[identity.Local])
	}) {
		return nil
	}
	found := make([]selections, len(all))
	var index [inResult + 1]labelledIndex
	for side := range index {
		index[side] = labelledIndex{}
	}
	for i, c := range all {
		found[i] = c.allSelections()
		for side, s := range found[i] {
			if s != nil && s.labelled != nil {
				index[side].add(s.labelled)
			}
		}
	}
	var notices []Notice
	for i, c := range all {
		if found[i][inResult] == nil {
			continue
		}
		for _, s := range found[i][inResult].selectors {
			selected, hasPort := index[inResult].find(&s)
			if hasPort || s.port != "" && !selected || !found[i].had(&s, index) {
				continue
			}
			text := fmt.Sprintf("%s %s selects no %s any more", shownPlace(s.place), s.text, s.selects)
			if s.port != "" {
				text = fmt.Sprintf("%s %q is no port of the %ss that it selects", shownPlace(s.place), s.port, s.selects)
			}
			notices = append(notices, Notice{Warning: true, Change: c, Text: text})
		}
	}
	return notices
}

func shownPlace(path string) string { return strings.ReplaceAll(path, ".[]", "[]") }

// had reports whether a selector of the result selected something before the merge: in local, if local has it. Else a selector
// that a side had in its place counts: in a list, the equal one of upstream, if there is one.
func (all selections) had(s *selector, index [inResult + 1]labelledIndex) bool {
	had := false
	for _, side := range [2]identity.Side{identity.Local, identity.Upstream} {
		if all[side] == nil {
			continue
		}
		for _, own := range all[side].selectors {
			if own.place != s.place {
				continue
			}
			_, hit := index[side].find(&own)
			if own.isSame(s) && (side == identity.Local || strings.Contains(s.place, "[]")) {
				return hit
			}
			had = had || hit
		}
	}
	return had
}

// allSelections returns the selections of a resource; an unchanged one is parsed now.
func (c *Change) allSelections() selections {
	trees, tree := c.uninspected(map[string]bool{
		"containers": true, "Service": true, "Namespace": true, "NetworkPolicy": true, "PodDisruptionBudget": true, "ServiceMonitor": true, "PodMonitor": true,
	})
	if tree == nil {
		return c.selections
	}
	return selectionsOf(trees, tree)
}

package pkgmerge

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/resource-merge/resource-merge/identity"
)

// A Service that names its targetPort needs a pod with a container port of that
// name among those that its selector matches. The merge may leave it without
// (design 5): local gave the port another name, and upstream added the Service.

// danglingPorts warns of the Services whose targetPort the merge leaves without
// a pod that has it. It looks only if the merge changed what a Service or a pod
// says of ports.
func danglingPorts(all []*Change) []Notice {
	changed := false
	for _, m := range all {
		changed = changed || m.looked && !reflect.DeepEqual(m.servings[inResult], m.servings[identity.Local])
	}
	if !changed {
		return nil
	}
	found := make([]servings, len(all))
	var pods [inResult + 1]podIndex
	for side := range pods {
		pods[side] = podIndex{}
	}
	for i, m := range all {
		found[i] = m.allServings()
		for side, s := range found[i] {
			if s != nil && !s.service {
				pods[side].add(s)
			}
		}
	}
	var notices []Notice
	for i, m := range all {
		if s := found[i][inResult]; s == nil || !s.service {
			continue
		}
		for _, p := range found[i].dangling(pods) {
			notices = append(notices, Notice{Warning: true, Change: m, Text: fmt.Sprintf("targetPort %q is none of the pods that it selects", p)})
		}
	}
	return notices
}

// allServings is the servings of any resource; that of one that is unchanged is
// read now.
func (m *Change) allServings() servings {
	if m.looked {
		return m.servings
	}
	if !hasWord(m.Versions[identity.Local].item.Text(), map[string]bool{"containers": true, "Service": true}) {
		return servings{}
	}
	trees, err := m.Trees()
	if err != nil {
		return servings{}
	}
	defer m.forget()
	return servingsOf(trees, trees[identity.Local])
}

// dangling lists the named targetPorts of a Service that dangle in the result
// and not on the sides that have them too.
func (s servings) dangling(pods [inResult + 1]podIndex) (out []string) {
	for _, port := range slices.Sorted(maps.Keys(s[inResult].ports)) {
		dangles := func(side identity.Side) bool {
			return s[side] != nil && s[side].ports[port] && pods[side].lack(s[side], port)
		}
		if dangles(inResult) && !dangles(identity.Local) && !dangles(identity.Upstream) {
			out = append(out, port)
		}
	}
	return out
}

// podIndex finds the pods that have a label in a namespace.
type podIndex map[podLabel][]*serving

type podLabel struct{ namespace, name, value string }

func (pods podIndex) add(s *serving) {
	for name, value := range s.labels {
		key := podLabel{s.namespace, name, value}
		pods[key] = append(pods[key], s)
	}
}

// lack reports whether a Service selects pods none of which has a port.
func (pods podIndex) lack(s *serving, port string) bool {
	var fewest []*serving
	for i, name := range slices.Sorted(maps.Keys(s.labels)) {
		if some := pods[podLabel{s.namespace, name, s.labels[name]}]; i == 0 || len(some) < len(fewest) {
			fewest = some
		}
	}
	selected := 0
	for _, p := range fewest {
		if !p.has(s.labels) {
			continue
		}
		if selected++; p.ports[port] {
			return false
		}
	}
	return selected > 0
}

// has reports whether a pod has all labels.
func (s *serving) has(labels map[string]string) bool {
	for name, value := range labels {
		if s.labels[name] != value {
			return false
		}
	}
	return true
}

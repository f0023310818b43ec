package pkgmerge

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// A reference dangles in a version of the package if that lacks what is named. The
// merge leaves one dangling if it does so in the result, and did in neither local nor
// upstream (rules/conflicts: dangling references): upstream deleted a ConfigMap that
// local's container still reads, say, or local renamed the one that a new Deployment of
// upstream's reads. What no version has is somebody else's and does not dangle.

// roster is who is in each version of the package.
type roster struct {
	sides  [3]map[target]*Change
	result map[target]bool
}

func newRoster(all []*Change) roster {
	who := roster{result: map[target]bool{}}
	for side := range who.sides {
		who.sides[side] = map[target]*Change{}
	}
	for _, m := range all {
		for side, it := range m.Versions {
			if it != nil {
				who.sides[side][ownTarget(it.Meta)] = m
			}
		}
		if m.present() {
			who.result[ownTarget(m.resultMeta())] = true
		}
	}
	return who
}

// isLost reports whether the result lacks the resource under a name that upstream
// or local has for it.
func (m *Change) isLost() bool {
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		if it := m.Versions[side]; it != nil && (!m.present() || ownTarget(it.Meta) != ownTarget(m.resultMeta())) {
			return true
		}
	}
	return false
}

// lost are the names of what local has and the result has not: only these can
// dangle in a resource that is kept, which has local's references.
func (who roster) lost() map[string]bool {
	names := map[string]bool{}
	for t := range who.sides[identity.Local] {
		if !who.result[t] {
			names[t.name] = true
		}
	}
	return names
}

// dangles reports whether the merge leaves a reference dangling.
func (who roster) dangles(n mention) bool {
	if who.result[n.target] {
		return false
	}
	had := false
	for side, t := range n.on {
		switch {
		case t == (target{}):
		case who.sides[side][t] == nil:
			return false
		default:
			had = true
		}
	}
	return had
}

// dangling warns of the references that the merge leaves dangling.
func dangling(all []*Change) []Notice {
	if !slices.ContainsFunc(all, (*Change).isLost) {
		return nil
	}
	who := newRoster(all)
	lost := who.lost()
	var notices []Notice
	for _, m := range all {
		if !m.present() {
			continue
		}
		for _, n := range m.mentioning(lost) {
			if who.dangles(n) {
				notices = append(notices, Notice{Warning: true, Change: m, Text: fmt.Sprintf("refers to %s, which %s", n.target, who.fate(n))})
			}
		}
	}
	return notices
}

// fate says what became of what a reference names.
func (who roster) fate(n mention) string {
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		if m := who.sides[side][n.on[side]]; m != nil && m.present() {
			return "the result calls " + ownTarget(m.resultMeta()).String()
		}
	}
	return "the result does not have"
}

// mentioning lists what the resource names, if that may be lost. One that is
// unchanged is parsed only now, and only if its text has one of the lost names.
func (m *Change) mentioning(lost map[string]bool) []mention {
	if m.inspected {
		return m.mentions
	}
	if !hasWord(m.Versions[identity.Local].item.Text(), lost) {
		return nil
	}
	trees, err := m.Trees()
	if err != nil {
		return nil
	}
	defer m.forget()
	return mentionsOf(trees, trees[identity.Local])
}

// hasWord reports whether one of the names is a word of a text.
func hasWord(text []byte, names map[string]bool) bool {
	if text == nil {
		return true
	}
	for word := range bytes.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \n\t'\"{}[],:", r) }) {
		if names[string(word)] {
			return true
		}
	}
	return false
}

// A Service that names its targetPort needs a pod with a container port of that name
// among those that its selector matches. The merge may leave it without
// (rules/conflicts: dangling references): local gave the port another name, and
// upstream added the Service.

// danglingPorts warns of the Services whose targetPort the merge leaves without
// a pod that has it. It looks only if the merge changed what a Service or a pod
// says of ports.
func danglingPorts(all []*Change) []Notice {
	changed := false
	for _, m := range all {
		changed = changed || m.inspected && !reflect.DeepEqual(m.servings[inResult], m.servings[identity.Local])
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
	if m.inspected {
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

// serving is what a Service or a workload says of ports.
type serving struct {
	namespace string
	labels    map[string]string // what a Service selects, or what a pod has
	ports     map[string]bool   // the names of a Service's targetPorts, or of a pod's ports
	service   bool
}

// servings are what the versions of a resource say of ports, nil where there is
// none: the sides' and the result's. Origin's does not matter.
type servings [inResult + 1]*serving

// inResult stands beside the sides for what comes out.
const inResult = identity.Local + 1

func servingsOf(versions [3]*yaml.Node, merged *yaml.Node) servings {
	return servings{
		identity.Upstream: servingOf(versions[identity.Upstream]),
		identity.Local:    servingOf(versions[identity.Local]),
		inResult:          servingOf(merged),
	}
}

// servingOf is nil for a resource that neither is a Service nor makes pods. What
// is kept of n is copied, so that its text need not be.
func servingOf(n *yaml.Node) *serving {
	s := &serving{namespace: strings.Clone(yamlnode.Text(yamlnode.Lookup(n, "metadata", "namespace"))), ports: map[string]bool{}}
	if yamlnode.Text(yamlnode.Field(n, "kind")) == "Service" {
		s.service, s.labels = true, textsOf(yamlnode.Lookup(n, "spec", "selector"))
		for _, p := range yamlnode.Elements(yamlnode.Lookup(n, "spec", "ports")) {
			if name := yamlnode.Field(p, "targetPort"); name != nil && name.ShortTag() == "!!str" {
				s.ports[strings.Clone(name.Value)] = true
			}
		}
		return s
	}
	pod := podOf(n)
	if pod.spec == nil {
		return nil
	}
	s.labels = textsOf(pod.labels)
	for _, c := range pod.containers() {
		for _, p := range yamlnode.Elements(yamlnode.Field(c, "ports")) {
			s.ports[strings.Clone(yamlnode.Text(yamlnode.Field(p, "name")))] = true
		}
	}
	return s
}

func textsOf(mapping *yaml.Node) map[string]string {
	out := map[string]string{}
	field := yamlnode.Fields(mapping)
	for _, name := range yamlnode.Names(mapping) {
		out[strings.Clone(name)] = strings.Clone(yamlnode.Text(field(name)))
	}
	return out
}

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

// roster has the resources in each version of the package, to find dangling references. A reference
// dangles in a version of the package that lacks the named resource. The merge leaves one dangling if
// it dangles in the result, and in neither local nor upstream (rules/conflicts: dangling references):
// for example, upstream deleted a ConfigMap that local's container still reads. A resource that no
// version has belongs to somebody else, and its references do not dangle.
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

// isLost reports whether the result lacks the resource under a name that upstream or local has for it.
func (c *Change) isLost() bool {
	return slices.ContainsFunc(c.Versions[identity.Upstream:], func(r *Resource) bool {
		return r != nil && (!c.present() || ownTarget(r.Meta) != ownTarget(c.resultMeta()))
	})
}

// lost returns the names that local has and the result lacks: only these can dangle in an unchanged resource.
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

// fate describes the outcome of the named resource.
func (who roster) fate(n mention) string {
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		if m := who.sides[side][n.on[side]]; m != nil && m.present() {
			return "the result calls " + ownTarget(m.resultMeta()).String()
		}
	}
	return "the result does not have"
}

// mentioning returns the references of the resource that may be lost. An unchanged resource is parsed
// only if its text has one of the lost names.
func (c *Change) mentioning(lost map[string]bool) []mention {
	trees, tree := c.uninspected(lost)
	if tree == nil {
		return c.mentions
	}
	return mentionsOf(trees, tree)
}

// uninspected parses an unchanged resource if its text has one of the words; nil for others.
func (c *Change) uninspected(words map[string]bool) (trees [3]*yaml.Node, result *yaml.Node) {
	if c.inspected || !hasWord(c.Versions[identity.Local].item.Text(), words) {
		return trees, nil
	}
	trees, err := c.Trees()
	if err != nil {
		return trees, nil
	}
	defer c.forget()
	return trees, trees[identity.Local]
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

// danglingPorts warns of Services with a named targetPort that the merge leaves without a pod
// (rules/conflicts: dangling references): no pod that the selector matches has a container port of that
// name, for example because local renamed the port, and upstream added the Service. It searches only if
// the merge changed the ports of a Service or a pod.
func danglingPorts(all []*Change) []Notice {
	if !slices.ContainsFunc(all, func(m *Change) bool {
		return m.inspected && !reflect.DeepEqual(m.servings[inResult], m.servings[identity.Local])
	}) {
		return nil
	}
	found := make([]servings, len(all))
	for i, m := range all {
		found[i] = m.allServings()
	}
	pods := indexPods(found)
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

// allServings returns the servings of a resource; an unchanged one is parsed now.
func (c *Change) allServings() servings {
	trees, tree := c.uninspected(map[string]bool{"containers": true, "Service": true})
	if tree == nil {
		return c.servings
	}
	return servingsOf(trees, tree)
}

// dangling lists the named targetPorts of a Service that dangle in the result and not on the sides that have them too.
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

// indexPods indexes the pods of each side and of the result.
func indexPods(found []servings) (pods [inResult + 1]podIndex) {
	for side := range pods {
		pods[side] = podIndex{}
	}
	for _, all := range found {
		for side, s := range all {
			if s != nil && !s.service {
				pods[side].add(s)
			}
		}
	}
	return pods
}

func (pods podIndex) add(s *serving) {
	for name, value := range s.labels {
		key := podLabel{s.namespace, name, value}
		pods[key] = append(pods[key], s)
	}
}

// lack reports whether a Service selects pods, and none of them has a port.
func (pods podIndex) lack(s *serving, port string) bool {
	var fewest []*serving
	for i, name := range slices.Sorted(maps.Keys(s.labels)) {
		if some := pods[podLabel{s.namespace, name, s.labels[name]}]; i == 0 || len(some) < len(fewest) {
			fewest = some
		}
	}
	selected := 0
	for _, p := range fewest {
		if p.hasLabels(s.labels) {
			if selected++; p.ports[port] {
				return false
			}
		}
	}
	return selected > 0
}

func (s *serving) hasLabels(labels map[string]string) bool {
	for name, value := range labels {
		if s.labels[name] != value {
			return false
		}
	}
	return true
}

// serving has the labels and ports of a Service or a workload.
type serving struct {
	namespace string
	labels    map[string]string // the selector of a Service, or the labels of a pod
	ports     map[string]bool   // the names of a Service's targetPorts, or of a pod's ports
	service   bool
}

// servings are the servings of the sides and of the result, nil where there is none. Origin's is not used.
type servings [inResult + 1]*serving

// inResult is the index of the result, after the sides.
const inResult = identity.Local + 1

func servingsOf(versions [3]*yaml.Node, merged *yaml.Node) servings {
	return servings{
		identity.Upstream: servingOf(versions[identity.Upstream]),
		identity.Local:    servingOf(versions[identity.Local]),
		inResult:          servingOf(merged),
	}
}

// servingOf is nil for a resource that neither is a Service nor makes pods. The strings are copied, so
// that they do not keep n's text in memory.
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

package kustomize

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// isCalled reports whether the item has, or had, the group, version, kind, name and namespace of a patch.
func (i *Item) isCalled(m yamlnode.Meta) bool {
	return slices.ContainsFunc(i.Names, func(is yamlnode.Meta) bool {
		return is.APIVersion == m.APIVersion && is.Kind == m.Kind && is.Name == m.Name && transform.NamespaceOf(is) == transform.NamespaceOf(m)
	})
}

// selector is a target of a patch: all fields but the empty ones match, as regular expressions.
type selector struct {
	group, version, kind, name, namespace *regexp.Regexp
	labels, annotations                   string
}

// newSelector reads a target, nil if there is none.
func newSelector(n *yamlnodes.Node) (*selector, error) {
	if n == nil {
		return nil, nil
	}
	s := &selector{labels: yamlnode.TextAt(n, "labelSelector"), annotations: yamlnode.TextAt(n, "annotationSelector")}
	for field, to := range map[string]**regexp.Regexp{"group": &s.group, "version": &s.version, "kind": &s.kind, "name": &s.name, "namespace": &s.namespace} {
		if text := yamlnode.TextAt(n, field); text != "" {
			expression, err := regexp.Compile("^(?:" + text + ")$")
			if err != nil {
				return nil, fmt.Errorf("line %d: the target's %s: %w", n.Line, field, err)
			}
			*to = expression
		}
	}
	return s, nil
}

// selects reports whether a target has an item. What a selector of labels says beyond equality is not known.
func (s *selector) selects(i *Item) (is, known bool) {
	now := i.Names[len(i.Names)-1]
	fits := func(expression *regexp.Regexp, texts ...string) bool {
		return expression == nil || slices.ContainsFunc(texts, expression.MatchString)
	}
	namespace := func(m yamlnode.Meta) string {
		if m.Namespace == "" {
			return "default"
		}
		return m.Namespace
	}
	if !fits(s.group, now.Group()) || !fits(s.version, now.Version()) || !fits(s.kind, now.Kind) || !fits(s.name, i.Names[0].Name, now.Name) ||
		!fits(s.namespace, namespace(i.Names[0]), namespace(now)) {
		return false, true
	}
	for field, text := range map[string]string{"labels": s.labels, "annotations": s.annotations} {
		for pair := range strings.SplitSeq(text, ",") {
			key, value, isEqual := strings.Cut(pair, "=")
			value = strings.TrimPrefix(value, "=")
			switch {
			case text == "":
			case !isEqual || strings.ContainsAny(pair, "!() ") || i.Hides("metadata."+field):
				return false, false
			case yamlnode.TextAt(i.Node, "metadata", field, key) != value:
				return false, true
			}
		}
	}
	return true, true
}

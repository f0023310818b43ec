package review

import (
	"fmt"
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/patch/kustomize"
)

// leaf is a value of a patch that has no parts of its own to merge, such as a scalar or a list without keys.
type leaf struct {
	steps      []step
	key, value *yamlnodes.Node
}

// step is a field, or an element of a list by its key.
type step struct{ field, key, element string }

// pathOf writes steps as a path.
func pathOf(steps []step) string {
	var b strings.Builder
	for i, s := range steps {
		switch {
		case s.key != "":
			fmt.Fprintf(&b, "[%s=%q]", s.key, s.element)
		case strings.ContainsAny(s.field, ".[]\" "):
			fmt.Fprintf(&b, "[%q]", s.field)
		case i > 0:
			b.WriteString("." + s.field)
		default:
			b.WriteString(s.field)
		}
	}
	return b.String()
}

// leavesOf returns the leaves of a patch.
func leavesOf(patch *yamlnodes.Node, t *schema.Type) (all []leaf) {
	var add func(n *yamlnodes.Node, t *schema.Type, steps []step, key *yamlnodes.Node, isElement bool)
	add = func(n *yamlnodes.Node, t *schema.Type, steps []step, at *yamlnodes.Node, isElement bool) {
		n = yamlnode.Resolve(n)
		key := kustomize.KeyOf(t)
		switch {
		case n.Kind == yamlnodes.MappingNode && isElement && kustomize.Directive(n) != "", n.Kind == yamlnodes.MappingNode && len(n.Content) == 0:
			all = append(all, leaf{steps: steps, key: at, value: n})
		case n.Kind == yamlnodes.MappingNode:
			for name, v := range yamlnode.Pairs(n) {
				if isElement && name.Value == steps[len(steps)-1].key || isNaming(steps, name.Value) {
					continue
				}
				if name.Value == "$patch" {
					all = append(all, leaf{steps: append(slices.Clone(steps), step{field: "$patch"}), key: name, value: v})
					continue
				}
				add(v, t.Field(name.Value), append(slices.Clone(steps), step{field: name.Value}), name, false)
			}
		case n.Kind == yamlnodes.SequenceNode && key != "" && !slices.ContainsFunc(n.Content, func(e *yamlnodes.Node) bool { return yamlnode.Field(e, key) == nil }):
			for _, e := range n.Content {
				add(e, t.Elem, append(slices.Clone(steps), step{key: key, element: yamlnode.TextAt(e, key)}), e, true)
			}
		default:
			all = append(all, leaf{steps: steps, key: at, value: n})
		}
	}
	add(patch, t, nil, patch, false)
	return all
}

// isNaming reports whether a field of a patch names its target.
func isNaming(above []step, name string) bool {
	if len(above) == 0 {
		return name == "apiVersion" || name == "kind"
	}
	return len(above) == 1 && above[0].field == "metadata" && (name == "name" || name == "namespace")
}

// without returns a patch without the leaf at some steps, and without the maps that are empty then. An element keeps its key, and with it
// its place, unless it is the leaf itself.
func without(n *yamlnodes.Node, steps []step) *yamlnodes.Node {
	n = yamlnode.Resolve(n)
	out := *n
	out.Content = nil
	s := steps[0]
	if s.key != "" {
		for _, e := range n.Content {
			if yamlnode.TextAt(e, s.key) != s.element {
				out.Content = append(out.Content, e)
			} else if len(steps) > 1 {
				out.Content = append(out.Content, without(e, steps[1:]))
			}
		}
		return &out
	}
	for key, v := range yamlnode.Pairs(n) {
		if key.Value == s.field {
			if len(steps) == 1 {
				continue
			}
			if v = without(v, steps[1:]); len(v.Content) == 0 {
				continue
			}
		}
		out.Content = append(out.Content, key, v)
	}
	return &out
}

// at returns the value at steps of a resource, nil if there is none.
func at(n *yamlnodes.Node, steps []step) *yamlnodes.Node {
	for _, s := range steps {
		switch n = yamlnode.Resolve(n); {
		case n == nil || s.field == "$patch":
			return n
		case s.key != "":
			n = kustomize.Element(n, s.key, s.element)
		default:
			n = yamlnode.Field(n, s.field)
		}
	}
	return yamlnode.Resolve(n)
}

// leaves returns the lines of a strategic merge patch.
func (j judge) leaves(u *kustomize.Use) (lines []*Line) {
	m := u.Sides[1].Targets[0].Names[0]
	for _, f := range leavesOf(u.Node, j.b.Known.Resource(m.Group(), m.Version(), m.Kind).Type) {
		path := pathOf(f.steps)
		l := lineOf(u, f.key, path)
		lines = append(lines, l)
		plain := strings.ReplaceAll(path, "[", ".[")
		if slices.ContainsFunc(u.Sides[1].Targets, func(i *kustomize.Item) bool { return i.Hides(plain) }) || hasSeveralKeys(f.steps) {
			l.Note = "not judged: the value beneath it is not known"
			continue
		}
		j.leaf(u, f, l)
	}
	return lines
}

// hasSeveralKeys reports whether a path goes through a list that kustomize keys by more than one field.
func hasSeveralKeys(steps []step) bool {
	return slices.ContainsFunc(steps, func(s step) bool { return s.field == "ports" || s.field == "topologySpreadConstraints" })
}

// leaf classes a leaf.
func (j judge) leaf(u *kustomize.Use, f leaf, l *Line) {
	var names []string
	for _, s := range f.steps {
		names = append(names, s.field)
	}
	patch := func(by *yamlnodes.Node) func(n *yamlnodes.Node) (*yamlnodes.Node, error) {
		return func(n *yamlnodes.Node) (*yamlnodes.Node, error) {
			out, _, err := j.b.Patched(n, by)
			return out, err
		}
	}
	isRemoval := yamlnode.IsNull(f.value) || kustomize.Directive(f.value) == "delete" || slices.Contains(names, "$patch") && f.value.Value == "delete"
	classify(u, l, line{
		value: f.value, isSecret: j.isSecret(u, names), isRemoval: isRemoval, with: patch(u.Node), without: patch(without(u.Node, f.steps)),
		beneath: func(n *yamlnodes.Node) *yamlnodes.Node { return at(n, f.steps) },
	})
	if l.Class == MovedBeneath {
		j.element(u, f, l)
	}
}

// element looks whether a leaf is in an element that upstream no longer has, or has under another name.
func (j judge) element(u *kustomize.Use, f leaf, l *Line) {
	was, is := u.Sides[0].Targets[0].Node, u.Sides[1].Targets[0].Node
	for depth, s := range f.steps {
		if s.key == "" || at(was, f.steps[:depth+1]) == nil || at(is, f.steps[:depth+1]) != nil {
			continue
		}
		l.Note = "upstream no longer has " + pathOf(f.steps[:depth+1]) + ", so the patch adds it with nothing else in it"
		var added []*yamlnodes.Node
		gone := 0
		old, now := at(was, f.steps[:depth]), at(is, f.steps[:depth])
		for _, e := range yamlnode.Elements(now) {
			if kustomize.Element(old, s.key, yamlnode.TextAt(e, s.key)) == nil {
				added = append(added, e)
			}
		}
		for _, e := range yamlnode.Elements(old) {
			if kustomize.Element(now, s.key, yamlnode.TextAt(e, s.key)) == nil {
				gone++
			}
		}
		if len(added) != 1 {
			return
		}
		to := slices.Clone(f.steps)
		to[depth].element = yamlnode.TextAt(added[0], s.key)
		if gone == 1 && likeness(withoutImageTag(at(was, f.steps[:depth+1])), withoutImageTag(added[0])) >= 0.5 && s.key == "name" {
			l.Class, l.NewPath, l.Note = Renamed, pathOf(to), ""
			l.spot.renamed, l.spot.to = yamlnode.Field(at(u.Node, f.steps[:depth+1]), s.key), to[depth].element
		} else {
			l.Candidates = []string{pathOf(to)}
		}
		return
	}
}

// withoutImageTag returns an element with its image's name alone.
func withoutImageTag(n *yamlnodes.Node) *yamlnodes.Node {
	image := yamlnode.Field(n, "image")
	if image == nil {
		return n
	}
	name, _, _ := transform.SplitImage(image.Value)
	return yamlnode.WithField(n, "image", yamlnode.String(name))
}

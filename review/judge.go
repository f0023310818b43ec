package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/secrecy"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch/kustomize"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// judge classes the lines of the entries of layers (rules/review: classes).
type judge struct{ b *kustomize.Builder }

// lines returns the lines of an entry, none if it is over something else than the bumped base.
func (j judge) lines(u *kustomize.Use) []*Line {
	if !u.MeetsBumped() && !u.MeetsNothing() {
		return nil
	}
	if l := j.whole(u); l != nil {
		if u.MeetsNothing() { // it may be a typing error, and so is never removed
			l.spot = spot{}
		}
		return []*Line{l}
	}
	switch {
	case u.Layer == "images":
		return []*Line{j.image(u)}
	case u.Layer == "replicas":
		return []*Line{j.replicas(u)}
	case u.Layer == "replacements":
		return []*Line{lineOf(u, u.Node, "")}
	case u.Node.Kind == yamlnodes.SequenceNode:
		return j.operations(u)
	}
	return j.leaves(u)
}

// lineOf returns a needed line at a place of the entry.
func lineOf(u *kustomize.Use, at *yamlnodes.Node, path string) *Line {
	l := &Line{Class: Needed, Was: Needed, Layer: u.Layer, File: u.File, Number: at.Line + u.Shift, Path: path}
	if u.IsFixed {
		l.Number = u.Shift
	}
	l.spot = spot{use: u, node: at}
	if at == u.Node { // the entry as a whole
		l.spot.node, l.spot.inEntry = u.Entry, true
		if u.Layer == "replacements" {
			l.spot.node = u.Node
		}
	}
	m := yamlnode.MetaOf(u.Node)
	if target := yamlnode.Field(u.Entry, "target"); u.Layer == "patch" && target != nil {
		m = yamlnode.Meta{Kind: yamlnode.TextAt(target, "kind"), Name: yamlnode.TextAt(target, "name"), Namespace: yamlnode.TextAt(target, "namespace")}
	}
	switch u.Layer {
	case "patch":
		m.APIVersion = ""
		l.Resource = kustomize.NameOf(m)
	case "images", "replicas":
		l.Resource = u.Layer + " " + yamlnode.TextAt(u.Entry, "name")
	case "replacements":
		at := cmp.Or(yamlnode.Field(u.Node, "select"), u.Node)
		l.Resource = strings.TrimSpace(yamlnode.TextAt(at, "kind") + " " + yamlnode.TextAt(at, "name"))
	}
	return l
}

// stateOf returns the class of an entry as a whole on a side: dead if it meets nothing, refused if kustomize fails, else needed.
func stateOf(u *kustomize.Use, side int) Class {
	m := u.Sides[side]
	switch isJSON := u.Node.Kind == yamlnodes.SequenceNode; {
	case m.Unknown != "" || len(m.Targets) > 0 && (m.Err == nil || isJSON):
		return Needed
	case m.Err != nil:
		return Refused
	}
	return Dead
}

// whole returns the line of an entry that meets nothing any more, or of which it is not known what it meets; else nil.
func (j judge) whole(u *kustomize.Use) *Line {
	l := lineOf(u, u.Node, "")
	now := u.Sides[1]
	if now.Unknown != "" {
		l.Note = "not judged: " + now.Unknown
		return l
	}
	if l.Class, l.Was = stateOf(u, 1), stateOf(u, 0); l.Class == Needed {
		return nil
	}
	if now.Err != nil {
		l.Note = "kustomize fails: " + now.Err.Error()
	}
	if to, isSure := renamedTo(u); to != nil {
		m := yamlnode.MetaOf(to)
		name := kustomize.NameOf(yamlnode.Meta{Kind: m.Kind, Name: m.Name, Namespace: m.Namespace})
		if isSure {
			l.Class, l.NewPath = Renamed, name
			l.spot.to, l.spot.renamed = m.Name, yamlnode.Lookup(u.Entry, "target", "name")
			switch {
			case u.Layer != "patch":
				l.spot.renamed = yamlnode.Field(cmp.Or(yamlnode.Field(u.Node, "select"), u.Node), "name")
			case l.spot.renamed == nil:
				l.spot.renamed, l.spot.inEntry = yamlnode.Lookup(u.Node, "metadata", "name"), false
			}
		} else {
			l.Candidates = []string{name}
		}
	}
	return l
}

// renamedTo returns the resource that the target of an entry may be now: the only one of its kind that is new where its targets, one
// resource, are gone. It is sure if most of its fields are alike.
func renamedTo(u *kustomize.Use) (to *yamlnodes.Node, isSure bool) {
	if u.Layer == "images" || len(u.Sides[0].Targets) != 1 {
		return nil, false
	}
	var found *kustomize.Item
	was := u.Sides[0].Targets[0]
	has := func(all []*kustomize.Item, m yamlnode.Meta) bool {
		return slices.ContainsFunc(all, func(i *kustomize.Item) bool { return i.Names[0].Kind == m.Kind && i.Names[0].Name == m.Name })
	}
	for _, i := range u.Sides[1].All {
		if i.Names[0].Kind != was.Names[0].Kind || has(u.Sides[0].All, i.Names[0]) {
			continue
		}
		if found != nil {
			return nil, false
		}
		found = i
	}
	if found == nil || has(u.Sides[1].All, was.Names[0]) {
		return nil, false
	}
	for _, i := range u.Sides[0].All { // another one that is gone may be the one
		if i != was && i.Names[0].Kind == was.Names[0].Kind && !has(u.Sides[1].All, i.Names[0]) {
			return found.Node, false
		}
	}
	return found.Node, likeness(was.Read, found.Read) >= 0.8
}

// line is a line of a layer: its value, and a resource with and without it.
type line struct {
	value    *yamlnodes.Node
	isSecret bool
	// isRemoval says that it removes a field or element by its name, whatever is in it.
	isRemoval bool
	// with returns the resource with the layer, and without the one with the rest of the layer, nil if there is no rest.
	with, without func(resource *yamlnodes.Node) (*yamlnodes.Node, error)
	// beneath returns what the line overrides, nil for nothing.
	beneath func(resource *yamlnodes.Node) *yamlnodes.Node
}

// classify classes a line by the renders with and without it, and sets its values.
func classify(u *kustomize.Use, l *Line, is line) {
	for side, class := range []*Class{&l.Was, &l.Class} {
		targets := u.Sides[side].Targets
		isIdle := !slices.ContainsFunc(targets, func(i *kustomize.Item) bool {
			with, err := is.with(i.Node)
			without := i.Node
			if is.without != nil && err == nil {
				without, err = is.without(i.Node)
			}
			return err != nil || !alike(with, without)
		})
		switch {
		case len(targets) == 0 || !isIdle:
			*class = Needed
		case is.beneath(targets[0].Node) == nil:
			*class = Dead
		default:
			*class = Redundant
		}
	}
	first := func(side int) *yamlnodes.Node {
		if len(u.Sides[side].Targets) == 0 {
			return nil
		}
		return is.beneath(u.Sides[side].Targets[0].Node)
	}
	l.setValues(is.value, first(0), first(1), is.isSecret)
	if l.Class != Needed {
		return
	}
	for _, i := range u.Sides[1].Targets {
		for _, was := range u.Sides[0].Targets {
			if old, now := is.beneath(was.Node), is.beneath(i.Node); was.Names[0] == i.Names[0] && !alike(old, now) && !(is.isRemoval && old != nil && old.Kind != yamlnodes.ScalarNode) {
				l.Class = MovedBeneath
				l.setValues(is.value, old, now, is.isSecret)
			}
		}
	}
}

// likeness returns the part of the scalars of two values that both have at one path, from 0 to 1.
func likeness(a, b *yamlnodes.Node) float64 {
	was, is, both := scalars(a, ""), scalars(b, ""), 0
	for at, value := range was {
		if is[at] == value {
			both++
		}
	}
	return float64(2*both) / float64(max(len(was)+len(is), 1))
}

// scalars returns the scalars of a value by their paths.
func scalars(n *yamlnodes.Node, at string) map[string]string {
	out := map[string]string{}
	var add func(n *yamlnodes.Node, at string)
	add = func(n *yamlnodes.Node, at string) {
		n = yamlnode.Resolve(n)
		switch n.Kind {
		case yamlnodes.MappingNode:
			for key, v := range yamlnode.Pairs(n) {
				add(v, at+"."+key.Value)
			}
		case yamlnodes.SequenceNode:
			for i, e := range n.Content {
				add(e, fmt.Sprint(at, ".", i))
			}
		default:
			out[at] = n.Value
		}
	}
	add(n, at)
	return out
}

// setValues sets the value of the layer and the two of upstream, hidden if they may be secret.
func (l *Line) setValues(value, old, now *yamlnodes.Node, isSecret bool) {
	decode := func(n *yamlnodes.Node) (v any, has bool) {
		if n == nil {
			return nil, false
		}
		if isSecret && !yamlnode.IsNull(n) || pkgmerge.HoldsSecret(n) || n.Decode(&v) != nil {
			return Hidden, true
		}
		return v, true
	}
	l.Value, _ = decode(value)
	l.Old, l.HasOld = decode(old)
	l.New, l.HasNew = decode(now)
}

// alike reports whether two values make the same bytes, whatever the order of fields. Either may be nil.
func alike(a, b *yamlnodes.Node) bool {
	a, b = yamlnode.Resolve(a), yamlnode.Resolve(b)
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case yamlnodes.MappingNode:
		if len(a.Content) != len(b.Content) {
			return false
		}
		field := yamlnode.Fields(b)
		for key, v := range yamlnode.Pairs(a) {
			if other := field(key.Value); other == nil || !alike(v, other) {
				return false
			}
		}
		return true
	case yamlnodes.SequenceNode:
		return slices.EqualFunc(a.Content, b.Content, alike)
	}
	return a.ShortTag() == b.ShortTag() && a.Value == b.Value
}

// isSecret reports whether the value at a path of an entry's resources may be secret.
func (j judge) isSecret(u *kustomize.Use, at []string) bool {
	return secrecy.Fields(at...) || slices.ContainsFunc(u.Sides[1].Targets, func(i *kustomize.Item) bool { return i.Names[0].Kind == "Secret" })
}

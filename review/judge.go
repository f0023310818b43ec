package review

import (
	"fmt"
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/secrecy"
	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// judge classes the lines of the entries of layers (rules/review: classes).
type judge struct{ b *builder }

// isOverBase reports whether an entry meets a resource of the bumped base on a side.
func (u *use) isOverBase() bool {
	return slices.ContainsFunc(u.sides[:], func(m meeting) bool {
		return slices.ContainsFunc(m.targets, func(i *item) bool { return i.isBumped })
	})
}

// lines returns the lines of an entry, none if it is not over the bumped base.
func (j judge) lines(u *use) []*Line {
	if !u.isOverBase() {
		return nil
	}
	if l := j.whole(u); l != nil {
		return []*Line{l}
	}
	switch {
	case u.layer == "images":
		return []*Line{j.image(u)}
	case u.layer == "replicas":
		return []*Line{j.replicas(u)}
	case u.layer == "replacements":
		return []*Line{u.line(u.node, "")}
	case u.node.Kind == yamlnodes.SequenceNode:
		return j.operations(u)
	}
	return j.leaves(u)
}

// line returns a needed line at a place of the entry.
func (u *use) line(at *yamlnodes.Node, path string) *Line {
	l := &Line{Class: Needed, Was: Needed, Layer: u.layer, File: u.file, Number: at.Line + u.shift, Path: path}
	if u.isFixed {
		l.Number = u.shift
	}
	l.spot = spot{use: u, node: at}
	if at == u.node { // the entry as a whole
		l.spot.node, l.spot.inEntry = u.entry, true
		if u.layer == "replacements" {
			l.spot.node = u.node
		}
	}
	m := yamlnode.MetaOf(u.node)
	if target := yamlnode.Field(u.entry, "target"); u.layer == "patch" && target != nil {
		m = yamlnode.Meta{Kind: textAt(target, "kind"), Name: textAt(target, "name"), Namespace: textAt(target, "namespace")}
	}
	switch u.layer {
	case "patch":
		m.APIVersion = ""
		l.Resource = nameOf(m)
	case "images", "replicas":
		l.Resource = u.layer + " " + textAt(u.entry, "name")
	case "replacements":
		l.Resource = strings.TrimSpace(textAt(u.node, "select", "kind") + " " + textAt(u.node, "select", "name"))
	}
	return l
}

// state returns the class of an entry as a whole on a side: dead if it meets nothing, refused if kustomize fails, else needed.
func (u *use) state(side int) Class {
	m := u.sides[side]
	switch {
	case m.unknown != "" || len(m.targets) > 0:
		return Needed
	case u.bySelector:
		return Dead
	}
	return Refused
}

// whole returns the line of an entry that meets nothing any more, or of which it is not known what it meets; else nil.
func (j judge) whole(u *use) *Line {
	l := u.line(u.node, "")
	now := u.sides[1]
	if now.unknown != "" {
		l.Note = "not judged: " + now.unknown
		return l
	}
	if l.Class, l.Was = u.state(1), u.state(0); l.Class == Needed {
		return nil
	}
	if now.err != nil {
		l.Note = "kustomize fails: " + now.err.Error()
	}
	if to, isSure := renamedTo(u); to != nil {
		m := yamlnode.MetaOf(to)
		name := nameOf(yamlnode.Meta{Kind: m.Kind, Name: m.Name, Namespace: m.Namespace})
		if isSure {
			l.Class, l.NewPath = Renamed, name
			l.spot.to, l.spot.renamed = m.Name, yamlnode.Lookup(u.entry, "target", "name")
			if l.spot.renamed == nil {
				l.spot.renamed, l.spot.inEntry = yamlnode.Lookup(u.node, "metadata", "name"), false
			}
		} else {
			l.Candidates = []string{name}
		}
	}
	return l
}

// renamedTo returns the resource that the target of an entry may be now: the only one of its kind that is new where its targets, one
// resource, are gone. It is sure if most of its fields are alike.
func renamedTo(u *use) (to *yamlnodes.Node, isSure bool) {
	if u.layer != "patch" || len(u.sides[0].targets) != 1 {
		return nil, false
	}
	was := u.sides[0].targets[0]
	has := func(all []*item, m yamlnode.Meta) bool {
		return slices.ContainsFunc(all, func(i *item) bool { return i.names[0].Kind == m.Kind && i.names[0].Name == m.Name })
	}
	for _, i := range u.sides[1].all {
		if i.names[0].Kind != was.names[0].Kind || has(u.sides[0].all, i.names[0]) {
			continue
		}
		if to != nil {
			return nil, false
		}
		to = i.node
	}
	if to == nil || has(u.sides[1].all, was.names[0]) {
		return nil, false
	}
	for _, i := range u.sides[0].all { // another one that is gone may be the one
		if i != was && i.names[0].Kind == was.names[0].Kind && !has(u.sides[1].all, i.names[0]) {
			return to, false
		}
	}
	return to, likeness(was.node, to) >= 0.8
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

// image returns the line of an entry of images.
func (j judge) image(u *use) *Line {
	l := u.line(u.node, "")
	l.Value = strings.TrimPrefix(strings.Join([]string{textAt(u.node, "newName"), textAt(u.node, "newTag"), textAt(u.node, "digest")}, ":"), ":")
	l.Value = strings.TrimSuffix(l.Value.(string), ":")
	var images [2][]string
	for side := range images {
		changes := false
		for _, i := range u.sides[side].targets {
			for _, n := range imagesOf(i.node, textAt(u.node, "name")) {
				images[side] = append(images[side], n.Value)
			}
			changes = changes || !alike(i.node, withImage(i.node, u.node))
		}
		slices.Sort(images[side])
		images[side] = slices.Compact(images[side])
		class := Needed
		switch {
		case len(images[side]) == 0:
			class = Dead
		case !changes:
			class = Redundant
		}
		if side == 0 {
			l.Was = class
		} else {
			l.Class = class
		}
	}
	l.Old, l.New = strings.Join(images[0], ", "), strings.Join(images[1], ", ")
	l.HasOld, l.HasNew = len(images[0]) > 0, len(images[1]) > 0
	pinsTag := textAt(u.node, "newTag")+textAt(u.node, "digest") != ""
	if l.Class == Needed && l.HasOld && pinsTag && l.Old != l.New {
		l.Class = MovedBeneath
	}
	return l
}

// replicas returns the line of an entry of replicas.
func (j judge) replicas(u *use) *Line {
	l := u.line(u.node, "")
	count := yamlnode.Field(u.node, "count")
	l.setValues(count, u.first(0, "spec", "replicas"), u.first(1, "spec", "replicas"), false)
	same := func(side int) bool {
		return !slices.ContainsFunc(u.sides[side].targets, func(i *item) bool { return !alike(yamlnode.Lookup(i.node, "spec", "replicas"), count) })
	}
	switch {
	case same(1):
		l.Class = Redundant
	case l.HasOld && !alike(u.first(0, "spec", "replicas"), u.first(1, "spec", "replicas")):
		l.Class = MovedBeneath
	}
	if len(u.sides[0].targets) > 0 && same(0) {
		l.Was = Redundant
	}
	return l
}

// first returns the value of the first target on a side.
func (u *use) first(side int, at ...string) *yamlnodes.Node {
	if len(u.sides[side].targets) == 0 {
		return nil
	}
	return yamlnode.Lookup(u.sides[side].targets[0].node, at...)
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

// operations returns the lines of a JSON patch.
func (j judge) operations(u *use) (lines []*Line) {
	all, err := operations(u.node)
	for index, o := range all {
		if o.name == "test" {
			continue
		}
		l := u.line(o.node, "/"+strings.Join(o.at, "/"))
		now := u.sides[1]
		switch {
		case err != nil || slices.ContainsFunc(now.targets, func(i *item) bool { return i.hides(strings.Join(o.at, ".")) }):
			l.Note = "not judged: the value beneath it is not known"
		case now.err != nil && now.failed == index:
			l.Class, l.Note = Refused, "kustomize fails: "+now.err.Error()
			if before := u.sides[0]; before.err != nil && before.failed == index {
				l.Was = Refused
			}
		case now.err == nil:
			l.Class, l.Was = j.operation(u, all, index, 1, l), j.operation(u, all, index, 0, nil)
		}
		lines = append(lines, l)
	}
	return lines
}

// operation returns the class of an operation on a side, and sets the values of its line, which is nil for the old side.
func (j judge) operation(u *use, all []operation, index, side int, l *Line) Class {
	o, without := all[index], slices.Delete(slices.Clone(all), index, index+1)
	isIdle := len(u.sides[side].targets) > 0
	for _, i := range u.sides[side].targets {
		with, _, err := applyJSON(i.node, all)
		less, _, lessErr := applyJSON(i.node, without)
		isIdle = isIdle && err == nil && lessErr == nil && alike(with, less)
	}
	if isIdle {
		if l != nil {
			l.setValues(o.value, nil, valueAt(u.sides[1].targets[0].node, o.at), j.isSecret(u, o.at))
		}
		return Redundant
	}
	if l == nil || len(u.sides[0].targets) == 0 {
		return Needed
	}
	beneath := func(side int) *yamlnodes.Node {
		n := u.sides[side].targets[0].node
		in := valueAt(n, o.at[:len(o.at)-1])
		if in == nil || in.Kind != yamlnodes.SequenceNode || o.name != "add" {
			return valueAt(n, o.at)
		}
		for _, e := range in.Content { // what is inserted overrides nothing, unless upstream has it now
			if alike(e, o.value) {
				return e
			}
		}
		return nil
	}
	old, now := beneath(0), beneath(1)
	if l.setValues(o.value, old, now, j.isSecret(u, o.at)); o.name == "remove" {
		l.Value = nil
	}
	if alike(old, now) || o.name == "move" || o.name == "copy" {
		return Needed
	}
	return MovedBeneath
}

// isSecret reports whether the value at a path of an entry's resources may be secret.
func (j judge) isSecret(u *use, at []string) bool {
	return secrecy.Fields(at...) || slices.ContainsFunc(u.sides[1].targets, func(i *item) bool { return i.names[0].Kind == "Secret" })
}

// hides reports whether the value at a path is not known.
func (i *item) hides(path string) bool {
	return slices.ContainsFunc(i.unknown, func(unknown string) bool {
		return unknown == "" || path == unknown || strings.HasPrefix(path, unknown+".") || strings.HasPrefix(unknown, path+".")
	})
}

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
		key := keyOf(t)
		switch {
		case n.Kind == yamlnodes.MappingNode && isElement && directive(n) != "", n.Kind == yamlnodes.MappingNode && len(n.Content) == 0:
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
				add(e, t.Elem, append(slices.Clone(steps), step{key: key, element: textAt(e, key)}), e, true)
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
			if textAt(e, s.key) != s.element {
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
			n = elementOf(n, s.key, s.element)
		default:
			n = yamlnode.Field(n, s.field)
		}
	}
	return yamlnode.Resolve(n)
}

// leaves returns the lines of a strategic merge patch.
func (j judge) leaves(u *use) (lines []*Line) {
	m := u.sides[1].targets[0].names[0]
	for _, f := range leavesOf(u.node, j.b.known.Resource(m.Group(), m.Version(), m.Kind).Type) {
		path := pathOf(f.steps)
		l := u.line(f.key, path)
		lines = append(lines, l)
		plain := strings.ReplaceAll(path, "[", ".[")
		if slices.ContainsFunc(u.sides[1].targets, func(i *item) bool { return i.hides(plain) }) || hasSeveralKeys(f.steps) {
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
func (j judge) leaf(u *use, f leaf, l *Line) {
	base := func(side int) *yamlnodes.Node {
		if len(u.sides[side].targets) == 0 {
			return nil
		}
		return at(u.sides[side].targets[0].node, f.steps)
	}
	var names []string
	for _, s := range f.steps {
		names = append(names, s.field)
	}
	l.setValues(f.value, base(0), base(1), j.isSecret(u, names))
	idle := func(side int) bool {
		patch := without(u.node, f.steps)
		return len(u.sides[side].targets) > 0 && !slices.ContainsFunc(u.sides[side].targets, func(i *item) bool {
			with, _, err := j.b.result(i.node, u.node)
			less, _, lessErr := j.b.result(i.node, patch)
			return err != nil || lessErr != nil || !alike(with, less)
		})
	}
	class := func(side int) Class {
		switch {
		case !idle(side):
			return Needed
		case base(side) == nil:
			return Dead
		}
		return Redundant
	}
	l.Class, l.Was = class(1), class(0)
	if l.Class != Needed || len(u.sides[0].targets) == 0 {
		return
	}
	for _, i := range u.sides[1].targets {
		for _, was := range u.sides[0].targets {
			if was.names[0] == i.names[0] && !alike(at(was.node, f.steps), at(i.node, f.steps)) {
				l.Class = MovedBeneath
				l.setValues(f.value, at(was.node, f.steps), at(i.node, f.steps), j.isSecret(u, names))
			}
		}
	}
	if l.Class == MovedBeneath {
		j.element(u, f, l)
	}
}

// element looks whether a leaf is in an element that upstream no longer has, or has under another name.
func (j judge) element(u *use, f leaf, l *Line) {
	was, is := u.sides[0].targets[0].node, u.sides[1].targets[0].node
	for depth, s := range f.steps {
		if s.key == "" || at(was, f.steps[:depth+1]) == nil || at(is, f.steps[:depth+1]) != nil {
			continue
		}
		l.Note = "upstream no longer has " + pathOf(f.steps[:depth+1]) + ", so the patch adds it with nothing else in it"
		var added []*yamlnodes.Node
		gone := 0
		old, now := at(was, f.steps[:depth]), at(is, f.steps[:depth])
		for _, e := range yamlnode.Elements(now) {
			if elementOf(old, s.key, textAt(e, s.key)) == nil {
				added = append(added, e)
			}
		}
		for _, e := range yamlnode.Elements(old) {
			if elementOf(now, s.key, textAt(e, s.key)) == nil {
				gone++
			}
		}
		if len(added) != 1 {
			return
		}
		to := slices.Clone(f.steps)
		to[depth].element = textAt(added[0], s.key)
		if gone == 1 && likeness(withoutImageTag(at(was, f.steps[:depth+1])), withoutImageTag(added[0])) >= 0.5 && isNamed(s.key) {
			l.Class, l.NewPath, l.Note = Renamed, pathOf(to), ""
			l.spot.renamed, l.spot.to = yamlnode.Field(at(u.node, f.steps[:depth+1]), s.key), to[depth].element
		} else {
			l.Candidates = []string{pathOf(to)}
		}
		return
	}
}

// isNamed reports whether the key of a list is a name, so that an element with another one may be the same.
func isNamed(key string) bool { return key == "name" }

// withoutImageTag returns an element with its image's name alone.
func withoutImageTag(n *yamlnodes.Node) *yamlnodes.Node {
	image := yamlnode.Field(n, "image")
	if image == nil {
		return n
	}
	name, _, _ := transform.SplitImage(image.Value)
	return yamlnode.WithField(n, "image", yamlnode.String(name))
}

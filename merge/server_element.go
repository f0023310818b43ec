package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// changes are the paths below an element that an apply changes: set are added or get another value.
type changes struct{ set, removed managed.Builder }

func (m *changes) add(step managed.Step, below changes) {
	m.set.Add(step, below.set.Set())
	m.removed.Add(step, below.removed.Set())
}

// element decides an element and everything below it.
func (a *serverApply) element(e *element, o ownership) (decision, changes) {
	if !e.has(upstream) && !e.has(local) {
		return decision{verdict: Drop}, changes{}
	}
	o, removed := a.look(e, o)
	switch {
	case removed:
		d := decision{verdict: Drop}
		m := a.remove(e, &d)
		return d, m
	case e.isOneField():
		return a.field(e)
	}
	return a.parts(e, o)
}

// isOneField reports whether an element is one field to the server: a scalar, an atomic value, or one that is empty on
// both sides.
func (e *element) isOneField() bool {
	return e.form == atomic || isBare(e.value[upstream]) && isBare(e.value[local])
}

// field decides one field. The server compares values as they are written: another way to write a value is a change of
// ownership, though the stored object stays the same.
func (a *serverApply) field(e *element) (decision, changes) {
	u, l := e.value[upstream], e.value[local]
	if u == nil {
		return keepLive(l), changes{}
	}
	d, m := a.config(e), changes{}
	if l == nil || !same(nil, u, l) {
		m.set.Member = true
		a.checkOwners(e, &d)
	}
	return d, m
}

// config decides for config's value. A null is a null where a CRD allows one or anything, the empty string in a map of
// strings, and nothing elsewhere (rules/server-side-apply: null); an empty value is nothing if the server does not store it.
func (a *serverApply) config(e *element) decision {
	u, l := e.value[upstream], e.value[local]
	d := decision{verdict: Drop}
	switch {
	case yamlnode.IsNull(u) && e.typ != nil && e.typ.Nullable:
		if d = takeConfig(u); l != nil && yamlnode.IsNull(l) {
			d = decision{verdict: TakeLocal}
		}
	case yamlnode.IsNull(u) && e.typ != nil && e.typ.Scalar == schema.String:
		d = e.made(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle})
	case yamlnode.IsNull(u) && e.typ.IsAnything():
		d = takeConfig(u)
	case yamlnode.IsNull(u):
	case isBare(u) && u.Kind != yaml.ScalarNode && e.typ != nil && e.typ.OmitsEmpty:
		return d
	case l != nil && e.same(u, l):
		return decision{verdict: TakeLocal}
	default:
		return takeConfig(u)
	}
	d.remark(NullOwned, e)
	return d
}

// parts decides a map or a keyed list part by part. If the apply empties it, the server makes a null of it, and so it is
// dropped; a new one that is empty in config stays if the server stores empty values.
func (a *serverApply) parts(e *element, o ownership) (decision, changes) {
	d, m := decision{verdict: MergeParts, children: make([]decision, len(e.children))}, changes{}
	successor := e.successors()
	for i, c := range e.children {
		if _, found := successor(c); found {
			d.children[i] = decision{verdict: Drop}
			m.removed.Add(c.path.step(), managed.Of(nil))
			continue
		}
		var below changes
		d.children[i], below = a.element(c, o.below(e, c))
		m.add(c.path.step(), below)
	}
	d.order = e.appliedOrder(d.children)
	isElement := e.path != nil && e.path.keys != nil
	if isElement && !e.has(upstream) && !slices.Equal(d.order, e.order[local]) { // rules/server-side-apply: dropped elements
		d.remark(LeftToOthers, e)
	}
	isEmptied := e.has(local) && !isBare(e.value[local])
	if u := e.value[upstream]; len(d.order) == 0 && (u == nil || yamlnode.IsNull(u) || isEmptied || e.typ != nil && e.typ.OmitsEmpty) {
		d.verdict = Drop
		if yamlnode.IsNull(u) && u != nil && e.typ != nil && e.typ.Nullable {
			d = takeConfig(u)
		}
	}
	if !e.has(local) {
		m.set.Member = true
		a.checkOwners(e, &d)
	}
	return d, m
}

// remove records the removal of live's element and everything below it. Other owners lose their fields without an
// error of the server (rules/server-side-apply: dropped elements).
func (a *serverApply) remove(e *element, d *decision) (m changes) {
	if !e.has(local) {
		return m
	}
	m.removed.Member = true
	if owners := e.ownersExcept(a.isMine); len(owners) > 0 {
		d.conflict(Drift, e, upstream).Managers = owners
	}
	for _, c := range e.children {
		m.add(c.path.step(), a.remove(c, d))
	}
	return m
}

// checkOwners makes a conflict for each other manager who owns a field that config changes
// (rules/server-side-apply: fields in the config).
func (a *serverApply) checkOwners(e *element, d *decision) {
	if a.wasApplied(e) {
		return
	}
	for _, owner := range e.ownersExcept(func(e *managed.Entry) bool { return e.Same(a.owner) }) {
		d.conflict(Owned, e, a.winner).Managers = []string{owner}
	}
}

// ownersExcept returns the managers who own the element itself, without the excluded entries.
func (e *element) ownersExcept(excluded func(*managed.Entry) bool) []string {
	var out []string
	for _, o := range e.owned {
		if o.fields.Member() && !excluded(o.by) {
			out = append(out, o.by.String())
		}
	}
	return out
}

// ownership is the information from above an element that decides whether it stays.
type ownership struct {
	// claims are the fields that M owns at the element and below it after the apply.
	claims *managed.Set
	// named means that the element is a field of a struct. Whoever owns something below such a field owns the field;
	// an entry of a map and an element of a list are owned by themselves.
	named bool
	// untouched means that M owned neither the element nor anything that it is in, and held that each of these is
	// untouched, or owned by another manager or by config.
	untouched, held bool
}

// below returns the ownership of a child.
func (o ownership) below(e, child *element) ownership {
	o.claims, o.named = o.claims.Below(child.path.step()), child.isNamed(e)
	return o
}

// holds reports whether a set owns the element: itself or, for a struct's field, by something below it.
func (o ownership) holds(s *managed.Set) bool { return s.Member() || o.named && s.HasBelow() }

// look completes the ownership of an element, and reports whether the apply removes it: M owned it, and nobody
// else owns it, or nobody owns an element around it (rules/server-side-apply: dropped fields).
func (a *serverApply) look(e *element, o ownership) (_ ownership, removed bool) {
	o, mine := a.owners(e, o)
	return o, mine && e.isOwnable(o.named) && !(o.held && a.keepsField(e, o))
}

// owners completes the ownership of an element, and reports whether it was M's.
func (a *serverApply) owners(e *element, o ownership) (_ ownership, mine bool) {
	others := o.holds(o.claims)
	for _, owner := range e.owned {
		if a.isMine(owner.by) {
			mine = mine || o.holds(owner.fields)
		} else {
			others = others || o.holds(owner.fields)
		}
	}
	o.untouched = o.untouched && !mine
	o.held = o.held && (o.untouched || others)
	return o, mine
}

// keepsField reports whether a held element keeps a field that can be owned, or has no field at all.
func (a *serverApply) keepsField(e *element, o ownership) bool {
	if e.form == atomic || !o.named {
		return true
	}
	empty := true
	for _, c := range e.children {
		if !c.has(upstream) && !c.has(local) {
			continue
		}
		child, _ := a.owners(c, o.below(e, c))
		ownable := c.isOwnable(child.named)
		if child.held && ownable && a.keepsField(c, child) {
			return true
		}
		empty = empty && !child.held && ownable
	}
	return empty
}

// isOwnable reports whether an element has a field that can be owned. An empty list with keys has none: it
// stays, whoever owned it.
func (e *element) isOwnable(named bool) bool {
	if e.form == atomic || !named || e.form == mapping && len(e.children) == 0 {
		return true
	}
	return slices.ContainsFunc(e.children, func(c *element) bool { return c.isOwnable(c.isNamed(e)) })
}

// appliedOrder returns the order of a map's fields, or of a list's elements as a server merges them: config's elements
// in config's order, and live's other elements as soon as their predecessors in live are done. An element that config
// has later than live does not delay its successors in live.
func (e *element) appliedOrder(children []decision) []int {
	if e.form == mapping {
		return weave(children, e.order[local], e.order[upstream])
	}
	o, successor := listOrder{config: e.order[upstream], shared: map[int]bool{}, done: map[int]bool{}}, e.successors()
	for _, i := range e.order[local] {
		if j, found := successor(e.children[i]); found {
			i = j
		}
		o.live = append(o.live, i)
		o.shared[i] = e.children[i].has(upstream)
	}
	for _, i := range o.config {
		if o.shared[i] {
			o.next = append(o.next, i)
		}
	}
	for len(o.live) > 0 || len(o.config) > 0 {
		o.step()
	}
	return present(children, o.out)
}

// successors returns a function that returns the element of config that replaces several elements of live with one key.
func (e *element) successors() func(*element) (i int, found bool) {
	inConfig := e.inConfig(func(c *element) bool { return c.unkeyed })
	return func(c *element) (int, bool) {
		if !c.unkeyed || !c.has(local) {
			return 0, false
		}
		return inConfig(c.path.step())
	}
}

// inConfig returns a function that returns the first of some elements of config with a step.
func (e *element) inConfig(some func(*element) bool) func(managed.Step) (i int, found bool) {
	type stepped struct {
		managed.Step
		i int
	}
	var known []stepped
	for _, i := range e.order[upstream] {
		if some(e.children[i]) {
			known = append(known, stepped{e.children[i].path.step(), i})
		}
	}
	slices.SortStableFunc(known, func(a, b stepped) int { return managed.CompareSteps(a.Step, b.Step) })
	return func(step managed.Step) (int, bool) {
		at, found := slices.BinarySearchFunc(known, step, func(k stepped, step managed.Step) int { return managed.CompareSteps(k.Step, step) })
		if !found {
			return 0, false
		}
		return known[at].i, true
	}
}

// listOrder merges two orders of a list's elements.
type listOrder struct {
	config, live, out []int
	next              []int        // config's elements that live has, in config's order
	shared            map[int]bool // the same
	done              map[int]bool
}

func (o *listOrder) step() {
	switch {
	case len(o.live) == 0:
		o.takeConfig()
	case o.done[o.live[0]]:
		o.live = o.live[1:]
	case !o.shared[o.live[0]]:
		o.out, o.live = append(o.out, o.live[0]), o.live[1:]
	case len(o.config) > 0 && o.live[0] != o.nextShared():
		o.live = o.live[1:] // config has it later
	default:
		o.takeConfig()
	}
}

// takeConfig takes config's next element.
func (o *listOrder) takeConfig() {
	if o.done[o.config[0]] = true; o.config[0] == o.nextShared() {
		o.next = o.next[1:]
	}
	o.out, o.config = append(o.out, o.config[0]), o.config[1:]
}

// nextShared returns config's next element that live has, -1 if there is none.
func (o *listOrder) nextShared() int {
	if len(o.next) == 0 {
		return -1
	}
	return o.next[0]
}

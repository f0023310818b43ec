package merge

import (
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/parts"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Resource merges the versions of one resource, each a mapping or nil if the side lacks it (rules/resources:
// additions and deletions). The caller removes bookkeeping first. kind describes the kind; with the zero value
// all lists are atomic.
//
// A version that cannot be merged is a Fault: it has duplicate keys, alias cycles or bombs, or is nested deeper
// than 1,000 levels. If upstream did not change such a resource, local's version passes through.
func Resource(versions [3]*yaml.Node, kind schema.Resource, policy Policy) (Outcome, error) {
	return ResourceBy(ThreeWay{}, versions, kind, policy)
}

// ResourceBy is Resource with other rules. kind must be from the column of the schema for these rules.
func ResourceBy(rules Rules, versions [3]*yaml.Node, kind schema.Resource, policy Policy) (Outcome, error) {
	c, err := Collate(rules, versions, kind)
	if err != nil {
		return Outcome{}, err
	}
	return c.Decide(policy)
}

// Collation is the versions of a resource side by side, which one policy after another can decide.
type Collation struct {
	rules    Rules
	versions [3]*yaml.Node
	// top is nil if the versions are settled.
	top     *element
	settled Outcome
}

// Collate lays the versions of a resource side by side, as ResourceBy does.
func Collate(rules Rules, versions [3]*yaml.Node, kind schema.Resource) (*Collation, error) {
	if out, ok := rules.settled(versions); ok {
		return &Collation{settled: out}, nil
	}
	prepared, err := expandAll(versions)
	if err != nil {
		return nil, err
	}
	c, err := rules.collator(kind, &prepared)
	if err != nil {
		return nil, err
	}
	return &Collation{rules: rules, versions: versions, top: c.resource(prepared)}, nil
}

// Decide decides the versions by a policy. What depends on no policy is decided once.
func (c *Collation) Decide(policy Policy) (Outcome, error) {
	if c.top == nil {
		return c.settled, nil
	}
	counted := func(at *Path) Preference {
		*c.top.rules.asks++
		return policy(at)
	}
	d := c.rules.decide(c.top, counted)
	out := Outcome{Verdict: d.verdict}
	d.gather(&out)
	if d.verdict == Drop {
		return out, nil
	}
	return out, out.emit(c.top, d, c.versions, policy)
}

// emit builds the result of a decision. It takes a side's verdict if the result is that side's very node:
// the emitter returns nodes that it does not alter. versions are the sides before they were prepared.
func (out *Outcome) emit(e *element, d decision, versions [3]*yaml.Node, policy Policy) error {
	m := newEmitter(policy, &out.Conflicts)
	n, err := m.value(e, d)
	if err != nil {
		return err
	}
	out.Verdict, out.Node = MergeParts, m.element(e, n, nil, nil)
	out.Part = partFor(e, d, nil, out.Node, [3]int{})
	for _, side := range [2]identity.Side{upstream, local} {
		if out.Node == e.value[side] {
			out.Verdict, out.Node = take(side), versions[side]
		}
	}
	m.localComments.addAll(e.value[local])
	out.Node = m.withoutMovedComments(out.Node, e, versions)
	if out.Node != versions[upstream] && out.Node != versions[local] {
		out.Part = out.Part.With(out.Node, nil)
	}
	if out.Node == versions[local] {
		out.Verdict = TakeLocal
		out.Conflicts = slices.DeleteFunc(out.Conflicts, func(c Conflict) bool { return c.Kind == CommentChanged && c.Chosen == upstream })
	}
	return nil
}

// Rules decide every part of a result. There are three: ThreeWay merges a package (rules/fields: whole values);
// ClientApply and ServerSide foresee an apply (rules/apply: the strategy apply; rules/server-side-apply: managers).
// Collate and emit work the same for all of them.
type Rules interface {
	// settled returns the outcome of versions that need not be collated.
	settled(versions [3]*yaml.Node) (out Outcome, ok bool)
	// collator returns the collator for the versions, which it may complete.
	collator(kind schema.Resource, versions *[3]*yaml.Node) (collator, error)
	// decide decides a resource and all below it. It reads nothing but the element.
	decide(e *element, policy Policy) decision
}

// ThreeWay merges upstream's changes since origin with local's (rules/fields: whole values).
type ThreeWay struct {
	// WholeImages makes a container image one value instead of a name and a tag (rules/git: the commands).
	WholeImages bool
	// RemovalsCollide makes it a conflict if upstream changed a resource that local removed. Otherwise it stays
	// removed, with a remark (rules/resources: removed on purpose). It also makes a new name of local's a change of a
	// resource that upstream deleted (rules/git: renamed documents).
	RemovalsCollide bool
	// LocalFirst puts local's additions before upstream's in one position (rules/git: additions at one place).
	LocalFirst bool
	// IgnoreSetters means that a setter's comment does not decide a value (rules/fields: values that a machine owns).
	IgnoreSetters bool
	// NoOrigin means that there is no origin: every difference is a conflict (rules/laws: nobody knows).
	NoOrigin bool
	// Text, unless it is nil, merges texts of YAML or JSON by their fields, where their lines collide (rules/fields: YAML in a
	// string). The conflicts have paths within the text. It is not ok if a text is none of these, or has no exact result.
	Text func(texts [3]string, prefer Preference) (merged string, conflicts []Conflict, ok bool)
	// Moves are the namespaces that local replaced in the package; the items of a List follow them
	// (rules/identity: replaced namespaces).
	Moves []identity.Move
	// Renamed are the names and namespaces that upstream and local gave resources of the package: a reference that
	// follows one is no change of a value that the other side deleted (rules/fields: references that follow).
	Renamed [3]map[Rename]bool

	// asks counts how often the decisions asked the policy.
	asks *int
}

// settled takes a side's version if upstream did not change the resource, or if one side alone has it. A null that
// only local has is a deletion to carry out, unless a version cannot be merged.
func (ThreeWay) settled(versions [3]*yaml.Node) (Outcome, bool) {
	untouched := versions[local] != nil && identical(versions[origin], versions[upstream])
	if untouched && yamlnode.HasNull(versions[local]) {
		_, err := expandAll(versions)
		untouched = err != nil
	}
	switch {
	case untouched || onlyOn(versions, local):
		return unchangedOutcome(versions, local), true
	case onlyOn(versions, upstream):
		return unchangedOutcome(versions, upstream), true
	}
	return Outcome{}, false
}

func (r ThreeWay) collator(kind schema.Resource, versions *[3]*yaml.Node) (collator, error) {
	added := versions[origin] == nil && versions[upstream] != nil && versions[local] != nil
	hasKind := func(n *yaml.Node) bool { return yamlnode.Field(n, "kind") != nil }
	if added && !r.RemovalsCollide && hasKind(versions[upstream]) && hasKind(versions[local]) {
		versions[origin] = standIn(versions[upstream])
	}
	return collator{rules: r, kind: kind, added: added, rekeys: true, nulls: true, unequal: unequal{}}, nil
}

func (ThreeWay) decide(e *element, policy Policy) decision { return decideIdentified(e, policy) }

// Outcome is the result for one resource.
type Outcome struct {
	// Verdict is MergeParts for a node made of several versions, Drop, or the verdict that takes one side's version.
	Verdict Verdict
	// Node is the merged resource, nil if it was dropped. It shares nodes with the sides, so none may be altered.
	Node      *yaml.Node
	Conflicts []Conflict
	Remarks   []Remark
	made
}

// made has the parts that Node was made of, if the verdict is MergeParts. Package pkgmerge writes the text from them.
type made = parts.Made

// unchangedOutcome returns the outcome that takes a side's version unchanged.
func unchangedOutcome(versions [3]*yaml.Node, side identity.Side) Outcome {
	return Outcome{Verdict: take(side), Node: versions[side]}
}

// ResultKind returns the apiVersion and kind of the merged resource, by which to look up its schema.
func ResultKind(versions [3]*yaml.Node) (apiVersion, kind string) {
	o, u, l := kindOf(versions[origin]), kindOf(versions[upstream]), kindOf(versions[local])
	if u[0] != "" && (l[0] == "" || u[0] != o[0]) {
		return u[0], u[1]
	}
	return l[0], l[1]
}

func kindOf(n *yaml.Node) [2]string {
	return [2]string{scalarField(n, "apiVersion"), scalarField(n, "kind")}
}

const (
	// maxDepth limits the nesting of a resource (rules/input: limits).
	maxDepth = 1000
	// Aliases may expand to growth times the nodes of the resource, and slack more: a larger one is an alias bomb.
	growth, slack = 10, 1_000
)

// Fault is the error for a version that cannot be merged.
type Fault struct {
	Side identity.Side
	// Line is the line of the node.
	Line   int
	Reason string
}

func (f *Fault) Error() string {
	return fmt.Sprintf("the %s version: line %d: %s", f.Side, f.Line, f.Reason)
}

func fault(at *yaml.Node, reason string, args ...any) error {
	return &Fault{Line: at.Line, Reason: fmt.Sprintf(reason, args...)}
}

func tooDeep(at *yaml.Node) error { return fault(at, "nested deeper than 1,000 levels") }

// Expand returns a version of a resource without anchors, and with its aliases and merge keys written out
// (rules/comments-and-text: anchors and aliases): a copy, or the version itself if it has none. Duplicate keys,
// nesting deeper than 1,000 levels, alias cycles and bombs are Faults.
func Expand(n *yaml.Node) (*yaml.Node, error) {
	if n == nil {
		return nil, nil
	}
	s := survey{}
	if err := s.walk(n, 0); err != nil {
		return nil, err
	}
	if !s.aliases {
		return n, nil
	}
	e := expander{budget: growth*s.nodes + slack, open: map[*yaml.Node]bool{}}
	return e.expand(n, 0)
}

// expandAll expands the versions; a Fault names its side.
func expandAll(versions [3]*yaml.Node) (out [3]*yaml.Node, err error) {
	for _, side := range identity.Sides() {
		if out[side], err = Expand(versions[side]); err != nil {
			if fault := (*Fault)(nil); errors.As(err, &fault) {
				fault.Side = side
			}
			return out, err
		}
	}
	return out, nil
}

// survey holds the results of one walk over a resource, which does not follow aliases.
type survey struct {
	nodes   int
	aliases bool
	keys    keyIndex // of one map at a time
}

func (s *survey) walk(n *yaml.Node, depth int) error {
	if depth > maxDepth {
		return tooDeep(n)
	}
	s.nodes++
	s.aliases = s.aliases || n.Kind == yaml.AliasNode || n.Anchor != "" || n.Tag == "!!merge"
	if n.Kind == yaml.MappingNode {
		if err := s.checkKeys(n); err != nil {
			return err
		}
	}
	for _, c := range n.Content {
		if err := s.walk(c, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// checkKeys looks for duplicate keys in a map.
func (s *survey) checkKeys(m *yaml.Node) error {
	s.keys = keyIndex{list: s.keys.list[:0]}
	for i := 0; i+1 < len(m.Content); i += 2 {
		key := yamlnode.Resolve(m.Content[i])
		if key.Kind != yaml.ScalarNode {
			return fault(key, "a map key is a list or a map")
		}
		v := valueOf(key)
		if _, found := s.keys.find(v); found {
			return fault(m.Content[i], "duplicate key %q", key.Value)
		}
		s.keys.add(v)
	}
	return nil
}

// expander copies a tree with its aliases and merge keys written out.
type expander struct {
	budget int
	open   map[*yaml.Node]bool // the anchors of the aliases that are being expanded
}

func (e *expander) expand(n *yaml.Node, depth int) (*yaml.Node, error) {
	if e.budget--; e.budget < 0 {
		return nil, fault(n, "aliases expand to many times the size of the item")
	}
	if depth > maxDepth {
		return nil, tooDeep(n)
	}
	if n.Kind == yaml.AliasNode {
		return e.alias(n, depth)
	}
	out := *n
	out.Anchor, out.Content = "", nil
	e.uncomment(&out)
	if n.Kind == yaml.MappingNode {
		return e.mapping(n, &out, depth)
	}
	for _, c := range n.Content {
		child, err := e.expand(c, depth+1)
		if err != nil {
			return nil, err
		}
		out.Content = append(out.Content, child)
	}
	return &out, nil
}

// uncomment removes the comments of a node within an alias: they belong to the anchor
// (rules/comments-and-text: anchors and aliases).
func (e *expander) uncomment(n *yaml.Node) {
	if len(e.open) > 0 {
		copyComments(n, &yaml.Node{})
	}
}

func copyComments(to, from *yaml.Node) {
	to.HeadComment, to.LineComment, to.FootComment = from.HeadComment, from.LineComment, from.FootComment
}

// alias expands an alias, which keeps its own comments.
func (e *expander) alias(n *yaml.Node, depth int) (*yaml.Node, error) {
	if e.open[n.Alias] {
		return nil, fault(n, "alias %q contains itself", n.Value)
	}
	e.open[n.Alias] = true
	out, err := e.expand(n.Alias, depth)
	delete(e.open, n.Alias)
	if err != nil {
		return nil, err
	}
	copyComments(out, n)
	return out, nil
}

// mapping expands a map. Its own entries win over merged ones, and an earlier merged map wins over a later one, as in
// YAML. Merged entries take the position of the merge key.
func (e *expander) mapping(n, out *yaml.Node, depth int) (*yaml.Node, error) {
	taken := make(map[value]bool, len(n.Content)/2)
	for key := range yamlnode.Pairs(n) {
		if key.Tag != "!!merge" {
			taken[valueOf(yamlnode.Resolve(key))] = true
		}
	}
	for key, v := range yamlnode.Pairs(n) {
		v, err := e.expand(v, depth+1)
		if err != nil {
			return nil, err
		}
		if key.Tag != "!!merge" {
			written := *yamlnode.Resolve(key)
			written.Anchor = ""
			copyComments(&written, key)
			e.uncomment(&written)
			out.Content = append(out.Content, &written, v)
		} else if err := mergeIn(out, v, taken); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// mergeIn appends the entries of a merge key's value, a map or a list of maps.
func mergeIn(out, v *yaml.Node, taken map[value]bool) error {
	sources := []*yaml.Node{v}
	if v.Kind == yaml.SequenceNode {
		sources = v.Content
	}
	for _, m := range sources {
		if m.Kind != yaml.MappingNode {
			return fault(m, "the value of a merge key (<<) is not a mapping")
		}
		for key, value := range yamlnode.Pairs(m) {
			if k := valueOf(key); !taken[k] {
				taken[k] = true
				out.Content = append(out.Content, key, value)
			}
		}
	}
	return nil
}

package merge

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/tests/mergecheck"
)

// conservationLaws are the laws that nothing is lost, doubled or made up without a report.
func conservationLaws() []law {
	return []law{
		{"policies differ where reported", policiesDiffer},
		{"nothing lost", nothingLost},
		{"keys stay unique", keysStayUnique},
		{"conservation", conserved},
		{"conservation under policy local", conservedForLocal},
		{"conservation under policy union", conservedForUnion},
		{"conservation notices", conservationNotices},
	}
}

// conserved checks a merge with the independent checker.
func conserved(v [3]*yaml.Node) string { return conservedUnder(v, PreferUpstream) }

func conservedForLocal(v [3]*yaml.Node) string { return conservedUnder(v, PreferLocal) }

func conservedForUnion(v [3]*yaml.Node) string { return conservedUnder(v, PreferUnion) }

func conservedUnder(v [3]*yaml.Node, prefer Preference) string {
	m := asMerged(v, prefer)
	objections := mergecheck.Check(m)
	if len(objections) == 0 {
		return ""
	}
	return fmt.Sprintf("%s\nreported: %q\n--- result\n%s", strings.Join(objections, "\n"), m.Conflicts, written(m.Documents[mergecheck.Result]))
}

// asMerged returns a merge in the form of the checker.
func asMerged(v [3]*yaml.Node, prefer Preference) mergecheck.Merge {
	out := merges(v, prefer)
	m := mergecheck.Merge{Documents: [5]*yaml.Node{v[origin], v[upstream], v[local], out.Node}, Keys: mergecheck.KeysOf(kindOfAll(v), v[:]...), Scalars: mergecheck.ScalarsOf(kindOfAll(v), v[:]...)}
	for _, n := range v {
		if n != nil && kindOfAll(v).IsClusterScoped(identity.Group(kindOf(n)[0]), kindOf(n)[1]) {
			// the checker accepts any value there (rules/resources: cluster-scoped kinds)
			m.Conflicts = append(m.Conflicts, "metadata.namespace")
		}
	}
	for _, r := range out.Remarks {
		switch r.Kind {
		case LinesMerged:
			m.Lines = append(m.Lines, r.Path.String())
		case ElementsMerged:
			m.Elements = append(m.Elements, r.Path.String())
		}
	}
	for _, c := range withRemovals(out) {
		if c.Kind == CommentChanged {
			m.Comments = append(m.Comments, c.Path.String())
		} else {
			m.Conflicts = append(m.Conflicts, c.Path.String())
		}
		if c.Part == LinesPart {
			m.Lines = append(m.Lines, c.Path.String())
		}
	}
	return m
}

// withRemovals returns the conflicts of a merge, and its remarks about items of a List that local removed and upstream
// changed, which stay removed without a conflict (rules/resources: removed on purpose).
func withRemovals(out Outcome) []Conflict {
	reported := slices.Clone(out.Conflicts)
	for _, r := range out.Remarks {
		if r.Kind == LocalRemoved {
			reported = append(reported, Conflict{Kind: LocalDeleted, Path: r.Path})
		}
	}
	return reported
}

// conservationNotices spoils the result in some places: the checker notices each made-up value, and each missing one
// if no conflict is reported.
func conservationNotices(v [3]*yaml.Node) string {
	m := asMerged(v, PreferUpstream)
	result, err := Expand(m.Documents[mergecheck.Result])
	if err != nil || len(mergecheck.Check(m)) > 0 {
		return "" // other laws report this
	}
	places := placesIn([3]*yaml.Node{result, result, result})
	for i := 0; i < len(places); i += 1 + len(places)/4 {
		steps := strings.Split(places[i], "\x00")[1:]
		for _, change := range []func(*yaml.Node, int){cutOut, makeUp} {
			spoilt := clone(result)
			parent, at := find(spoilt, steps)
			change(parent, at)
			m.Documents[mergecheck.Result] = spoilt
			made := hasMadeUp(spoilt)
			if (made || len(m.Conflicts) == 0) && len(mergecheck.Check(m)) == 0 {
				return fmt.Sprintf("it does not notice what is wrong with\n%s--- which was\n%s", written(spoilt), written(result))
			}
		}
	}
	return ""
}

// makeUp puts a value in a place where no side has it.
func makeUp(parent *yaml.Node, at int) {
	parent.Content[at] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "made up"}
}

func hasMadeUp(n *yaml.Node) bool {
	return n.Value == "made up" || slices.ContainsFunc(n.Content, hasMadeUp)
}

// covered reports whether a conflict is at, above or below a path.
func covered(path string, conflicts []Conflict) bool {
	for _, c := range conflicts {
		at := c.Path.String()
		if c.Kind != CommentChanged && (strings.HasPrefix(path, at) || strings.HasPrefix(at, path)) {
			return true
		}
	}
	return false
}

// tree lays versions side by side as the merge does.
func tree(kind schema.Resource, versions [3]*yaml.Node) *element {
	prepared, err := expandAll(versions)
	if err != nil {
		panic(err)
	}
	return collator{kind: kind, rekeys: true, nulls: true}.resource(prepared)
}

// The results of the two policies differ only at reported paths. A re-keyed element has a path for each of its keys.
func policiesDiffer(v [3]*yaml.Node) string {
	up, lo := merges(v, PreferUpstream), merges(v, PreferLocal)
	if text := unionDiffers(v, up); text != "" {
		return text
	}
	conflicts := withOtherKeys(append(up.Conflicts, lo.Conflicts...), tree(kindOfAll(v), v))
	for _, path := range differences(tree(kindOfAll(v), [3]*yaml.Node{upstream: up.Node, local: lo.Node})) {
		if !covered(path, conflicts) {
			return fmt.Sprintf("the policies differ at %s, which no conflict reports:\n--- upstream\n%s--- local\n%s", path, written(up.Node), written(lo.Node))
		}
	}
	return ""
}

// unionDiffers returns an unreported difference between the results under the policies union and upstream, "" if
// there is none.
func unionDiffers(v [3]*yaml.Node, up Outcome) string {
	out := merges(v, PreferUnion)
	var told []Conflict
	for _, r := range out.Remarks {
		told = append(told, Conflict{Path: r.Path})
	}
	told = withOtherKeys(told, tree(kindOfAll(v), v))
	for _, path := range differences(tree(kindOfAll(v), [3]*yaml.Node{upstream: up.Node, local: out.Node})) {
		if !covered(path, told) {
			return fmt.Sprintf("union differs from upstream at %s, which no remark tells:\n--- upstream\n%s--- union\n%s", path, written(up.Node), written(out.Node))
		}
	}
	return ""
}

// withOtherKeys adds the conflicts about elements under the keys that each side has for them.
func withOtherKeys(conflicts []Conflict, e *element) []Conflict {
	for _, side := range identity.Sides() {
		if len(e.keys) == 0 || !e.has(side) || !covered(e.path.String(), conflicts) {
			continue
		}
		if k, ok := tupleKey(e.value[side], e.keys); ok {
			conflicts = append(conflicts, Conflict{Path: e.path.parent.Element(k.parts)})
		}
	}
	for _, c := range e.children {
		conflicts = withOtherKeys(conflicts, c)
	}
	return conflicts
}

// differences lists the paths where upstream's and local's versions differ.
func differences(e *element) []string {
	if e.form == atomic || hasUnkeyed(e) {
		if e.same(e.value[upstream], e.value[local]) {
			return nil
		}
		return []string{e.path.String()}
	}
	var out []string
	for _, c := range e.children {
		out = append(out, differences(c)...)
	}
	return out
}

// A field that local has and upstream did not remove is in the result or under a reported conflict; so is a field
// that upstream added. A re-keyed element is in the result under the key of either side. An item of a List that local
// removed is reported as a remark.
func nothingLost(v [3]*yaml.Node) string {
	out, kind := merges(v, PreferUpstream), kindOfAll(v)
	there := map[string]bool{}
	for _, side := range [2]identity.Side{upstream, local} {
		beside := v
		beside[side] = out.Node
		paths(tree(kind, beside), func(e *element) {
			if e.has(side) {
				there[e.path.String()] = true
			}
		})
	}
	lost, reported := "", withRemovals(out)
	paths(tree(kind, v), func(e *element) {
		removed := e.has(origin) && (!e.has(upstream) || !e.has(local))
		byDefault := e.keyDefault != nil && (e.same(e.value[local], e.keyDefault) || e.same(e.value[upstream], e.keyDefault))
		if path := e.path.String(); !removed && !byDefault && !there[path] && !covered(path, reported) {
			lost = fmt.Sprintf("%s is lost without a word:\n--- result\n%s", path, written(out.Node))
		}
	})
	return lost
}

// paths visits the elements with unique keys that upstream or local has, and the elements below them.
func paths(e *element, visit func(*element)) {
	visit(e)
	for _, c := range e.children {
		if !c.unkeyed && (c.has(upstream) || c.has(local)) {
			paths(c, visit)
		}
	}
}

// Keys of a list that were unique on every side are unique in the result.
func keysStayUnique(v [3]*yaml.Node) string {
	out, kind := merges(v, PreferUpstream), kindOfAll(v)
	unique := map[string]bool{}
	lists(tree(kind, v), func(e *element) { unique[e.path.String()] = !hasUnkeyed(e) })
	doubled := ""
	lists(tree(kind, [3]*yaml.Node{upstream: out.Node, local: out.Node}), func(e *element) {
		if path := e.path.String(); unique[path] && hasUnkeyed(e) {
			doubled = fmt.Sprintf("the keys of %s were unique:\n%s", path, written(out.Node))
		}
	})
	return doubled
}

// lists visits the keyed lists.
func lists(e *element, visit func(*element)) {
	if e.form == associative {
		visit(e)
	}
	for _, c := range e.children {
		lists(c, visit)
	}
}

func hasUnkeyed(e *element) bool {
	for _, c := range e.children {
		if c.unkeyed {
			return true
		}
	}
	return false
}

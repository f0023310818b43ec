package learn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/report"
)

// Rule is a rule that was learned, with the decisions that it was learned from.
type Rule struct {
	report.Rule
	path []step
	// times of all decisions took the rule's side, at last in the commit last.
	times, all int
	last       string
}

// String returns the rule as an element of conflicts.rules, below its comment.
func (r Rule) String() string { return "# " + r.How() + "\n" + r.YAML() }

// How says how people decided before.
func (r Rule) How() string {
	how := "took upstream's"
	if r.Prefer == identity.Local.String() {
		how = "kept ours"
	}
	return fmt.Sprintf("%s %d of %d times, last in %s", how, r.times, r.all, short(r.last))
}

// anyElement is the step of a pattern to every element of a list.
const anyElement = "[*]"

const (
	// enough is the number of upgrades that make a rule, if all their decisions took one side.
	enough = 2
	// enoughAgain is the number of the last decisions that make one where an earlier one was another.
	enoughAgain = 5
)

// maxWildcards limits the lists along one path for which wildcards are tried.
const maxWildcards = 4

// tally counts the decisions at a path, or at the paths of a pattern.
type tally struct {
	Rule
	// sides has the side of each decision, the oldest first; "" is neither.
	sides []string
	// upgrades counts those with a decision.
	upgrades int
	// elements has the elements that each wildcard stands for.
	elements []map[string]bool
}

// rulesOf learns rules from decisions, the oldest first (rules/learn: the rules). A rule that another one includes is left
// out.
func rulesOf(decisions []Decision) []Rule {
	all := slices.DeleteFunc(tallies(decisions), func(t *tally) bool { return !t.isAlike() })
	var rules []Rule
	for _, t := range all {
		if !slices.ContainsFunc(all, func(other *tally) bool { return other != t && other.includes(t.Rule) }) {
			rules = append(rules, t.Rule)
		}
	}
	return rules
}

// tallies counts the decisions of each rule that could have made them.
func tallies(decisions []Decision) []*tally {
	known := map[string]*tally{}
	var all []*tally
	for _, d := range decisions {
		for wildcards := range patternsOf(d.path) {
			path := withWildcards(d.path, wildcards)
			key := fmt.Sprintf("%q %s", []string{d.rule.Kind, d.rule.Group, d.rule.Name, d.rule.Namespace}, textOf(path))
			t := known[key]
			if t == nil {
				t = &tally{Rule: Rule{Rule: d.rule, path: path}, elements: make([]map[string]bool, len(path))}
				t.Path = textOf(path)
				known[key], all = t, append(all, t)
			}
			t.add(d)
		}
	}
	return all
}

// patternsOf returns the sets of elements of a path that wildcards may stand for, as bits by the element's number.
func patternsOf(path []step) int {
	lists := 0
	for _, s := range path {
		if s.isElement {
			lists++
		}
	}
	return 1 << min(lists, maxWildcards)
}

// withWildcards returns the path with wildcards for some of its elements.
func withWildcards(path []step, wildcards int) []step {
	out, at := slices.Clone(path), 0
	for i, s := range out {
		if !s.isElement {
			continue
		}
		if wildcards&(1<<at) != 0 {
			out[i].text = anyElement
		}
		at++
	}
	return out
}

func textOf(path []step) string {
	var b strings.Builder
	for _, s := range path {
		b.WriteString(s.text)
	}
	return b.String()
}

func (t *tally) add(d Decision) {
	if t.sides = append(t.sides, d.side); t.last != d.commit {
		t.upgrades++
	}
	t.Prefer, t.last = d.side, d.commit
	for i, s := range t.path {
		if s.text != anyElement {
			continue
		}
		if t.elements[i] == nil {
			t.elements[i] = map[string]bool{}
		}
		t.elements[i][d.path[i].text] = true
	}
}

// isAlike reports whether the decisions make a rule, and counts them. A wildcard stands for at least two elements, about
// which nobody ever decided otherwise.
func (t *tally) isAlike() bool {
	few := func(elements map[string]bool) bool { return elements != nil && len(elements) < 2 }
	if t.Prefer == "" || slices.ContainsFunc(t.elements, few) {
		return false
	}
	last := 0
	for i := len(t.sides) - 1; i >= 0 && t.sides[i] == t.Prefer; i-- {
		last++
	}
	t.times, t.all = 0, len(t.sides)
	for _, side := range t.sides {
		if side == t.Prefer {
			t.times++
		}
	}
	hasWildcard := slices.ContainsFunc(t.elements, func(elements map[string]bool) bool { return elements != nil })
	return t.upgrades >= enough && (t.times == t.all || last >= enoughAgain && !hasWildcard)
}

// includes reports whether the rule decides everything that another one decides.
func (r Rule) includes(other Rule) bool {
	return r.selects(other.Rule) && slices.EqualFunc(r.path, other.path, func(a, b step) bool {
		return a.text == b.text || a.text == anyElement && b.isElement
	})
}

// selects reports whether the rule is about the resources of another one.
func (r Rule) selects(other report.Rule) bool {
	return r.Kind == other.Kind && r.Group == other.Group && r.Name == other.Name && r.Namespace == other.Namespace
}

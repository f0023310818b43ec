package pkgmerge

import (
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/merge"
)

// indexedRules are rules that are found by the names of resources, so that a rule for each
// resource takes no look at each rule for each resource (design 9).
type indexedRules struct {
	Rules
	// by are the indices of rules: by the name that they say; by the text that their glob
	// begins with; and by the text that it ends with, where it begins with a *.
	by [3]map[string][]int
	// lengths are how long the texts are that globs begin and end with.
	lengths [3][]int
	// others are the rules without a name, and with a glob that has a * at both ends.
	others []int
}

// How a rule says a name.
const (
	whole = iota
	prefix
	suffix
)

func (r Rules) indexed() indexedRules {
	out := indexedRules{Rules: r}
	for how := range out.by {
		out.by[how] = map[string][]int{}
	}
	for i, rule := range r.Rules {
		how, text := literalOf(rule.Name)
		if text == "" {
			out.others = append(out.others, i)
			continue
		}
		out.by[how][text] = append(out.by[how][text], i)
		if !slices.Contains(out.lengths[how], len(text)) {
			out.lengths[how] = append(out.lengths[how], len(text))
		}
	}
	return out
}

// literalOf is the text that a name of a rule says without a glob, and where in a name that
// text stands; "" where there is none.
func literalOf(name string) (how int, text string) {
	const globs = `*?[\`
	at := strings.IndexAny(name, globs)
	if at < 0 {
		return whole, name
	}
	if rest := strings.TrimLeft(name, "*"); at == 0 && rest != name && !strings.ContainsAny(rest, globs) {
		return suffix, rest
	}
	return prefix, name[:at]
}

// For is Rules.For.
func (r indexedRules) For(m *Match) merge.Policy {
	var rules []Rule
	for _, i := range r.about(m) {
		rules = append(rules, r.Rules.Rules[i])
	}
	return r.first(rules)
}

// about are the indices of the rules whose selectors match a resource, in order.
func (r indexedRules) about(m *Match) []int {
	if len(r.Rules.Rules) == 0 {
		return nil
	}
	about := m.subject()
	candidates := slices.Clone(r.others)
	for _, n := range about.names {
		candidates = append(candidates, r.by[whole][n.name]...)
		for _, length := range r.lengths[prefix] {
			if length <= len(n.name) {
				candidates = append(candidates, r.by[prefix][n.name[:length]]...)
			}
		}
		for _, length := range r.lengths[suffix] {
			if length <= len(n.name) {
				candidates = append(candidates, r.by[suffix][n.name[len(n.name)-length:]]...)
			}
		}
	}
	slices.Sort(candidates)
	return slices.DeleteFunc(slices.Compact(candidates), func(i int) bool { return !r.Rules.Rules[i].matches(about) })
}

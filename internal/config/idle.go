package config

import (
	"fmt"
	"slices"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Idle says in sentences which entries of the config were about nothing.
func (s Settings) Idle(merged *pkgmerge.Result) []string {
	return slices.Concat(s.unusedRenames(merged.IdleRenames), s.idleLists(merged.IdleLists), s.Conflicts.idleRules(merged.IdleRules))
}

// idleLists warn of rules for lists that no resource has.
func (s Settings) idleLists(idle []int) []string {
	var warnings []string
	for i := range s.Lists {
		if s.Applies() {
			warnings = append(warnings, fmt.Sprintf("lists[%d] has no effect: kubectl has keys of its own for lists, and none for those of custom resources", i))
		}
	}
	for _, i := range idle {
		if s.Applies() {
			continue
		}
		warnings = append(warnings, fmt.Sprintf("lists[%d] matches nothing: no %s has a list at %s", i, s.Lists[i].Kind, s.Lists[i].Path))
	}
	return warnings
}

// unusedRenames warns of entries that no resource of origin's or local's has.
func (s Settings) unusedRenames(unused []int) []string {
	var warnings []string
	for _, i := range unused {
		warnings = append(warnings, fmt.Sprintf("renames[%d] matches nothing: neither origin nor local has a %s %s", i, s.Renames[i].Kind, s.Renames[i].From))
	}
	return warnings
}

// idleRules warn of rules that match no resource, and of those whose path matches
// no field of the resources that they match.
func (c Conflicts) idleRules(idle []pkgmerge.IdleRule) []string {
	var warnings []string
	for _, rule := range idle {
		text := fmt.Sprintf("conflicts.rules[%d] matches no resource", rule.Index)
		if rule.Selects {
			text = fmt.Sprintf("conflicts.rules[%d] matches no field: no resource that it selects has %s", rule.Index, c.Rules[rule.Index].Path)
		}
		warnings = append(warnings, text)
	}
	return warnings
}

package krmfunction

import (
	"fmt"
	"slices"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// idle warns of entries of the config that were about nothing.
func (s Settings) idle(merged *pkgmerge.Result) framework.Results {
	return slices.Concat(s.unusedRenames(merged.IdleRenames), s.idleLists(merged.IdleLists), s.Conflicts.idleRules(merged.IdleRules))
}

// idleLists warn of rules for lists that no resource has.
func (s Settings) idleLists(idle []int) framework.Results {
	var warnings framework.Results
	for _, i := range idle {
		warnings = append(warnings, warning(fmt.Sprintf("functionConfig: lists[%d] matches nothing: no %s has a list at %s", i, s.Lists[i].Kind, s.Lists[i].Path)))
	}
	return warnings
}

// unusedRenames warns of entries that no resource of origin's or local's has.
func (s Settings) unusedRenames(unused []int) framework.Results {
	var warnings framework.Results
	for _, i := range unused {
		warnings = append(warnings, warning(fmt.Sprintf("functionConfig: renames[%d] matches nothing: neither origin nor local has a %s %s", i, s.Renames[i].Kind, s.Renames[i].From)))
	}
	return warnings
}

// idleRules warn of rules that match no resource, and of those whose path matches
// no field of the resources that they match.
func (c Conflicts) idleRules(idle []pkgmerge.IdleRule) framework.Results {
	var warnings framework.Results
	for _, rule := range idle {
		text := fmt.Sprintf("functionConfig: conflicts.rules[%d] matches no resource", rule.Index)
		if rule.Selects {
			text = fmt.Sprintf("functionConfig: conflicts.rules[%d] matches no field: no resource that it selects has %s", rule.Index, c.Rules[rule.Index].Path)
		}
		warnings = append(warnings, warning(text))
	}
	return warnings
}

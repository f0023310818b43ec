package function

import (
	"fmt"
	"sync/atomic"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/merge"
)

// ruleUse finds out which rules for conflicts are about something (DESIGN 5). A
// rule that is not is most often misspelt.
type ruleUse struct {
	rules    []ConflictRule
	patterns []merge.Pattern
	selects  []atomic.Bool // a resource
	reaches  []atomic.Bool // a field of such a one
}

func newRuleUse(c Conflicts) *ruleUse {
	u := &ruleUse{
		rules: c.Rules, patterns: make([]merge.Pattern, len(c.Rules)),
		selects: make([]atomic.Bool, len(c.Rules)), reaches: make([]atomic.Bool, len(c.Rules)),
	}
	for i, r := range c.Rules {
		u.patterns[i] = r.pattern()
	}
	return u
}

// see notes the rules that are about a resource. Calls may overlap. In one that
// is not parsed no field is looked for.
func (u *ruleUse) see(t triple) {
	for i, r := range u.rules {
		if u.reaches[i].Load() || !r.matches(t) {
			continue
		}
		u.selects[i].Store(true)
		for _, n := range t.nodes {
			if u.patterns[i] == nil || n != nil && u.patterns[i].Reaches(n) {
				u.reaches[i].Store(true)
			}
		}
	}
}

// search looks for the fields of a rule in the resources that it selects and
// that nobody had to parse.
func (u *ruleUse) search(i int, all []*merged) error {
	for _, m := range all {
		if !m.kept || !u.rules[i].matches(m.triple) {
			continue
		}
		for _, it := range m.items {
			if it == nil {
				continue
			}
			full, err := it.Parsed()
			if err != nil {
				return err
			}
			if u.patterns[i].Reaches(full.Node) {
				u.reaches[i].Store(true)
				return nil
			}
		}
	}
	return nil
}

// warnings tell of rules that match no resource, and of those whose path matches
// no field of the resources that they match.
func (u *ruleUse) warnings(all []*merged) (framework.Results, error) {
	var warnings framework.Results
	for i, r := range u.rules {
		if u.selects[i].Load() && !u.reaches[i].Load() {
			if err := u.search(i, all); err != nil {
				return nil, err
			}
		}
		text := ""
		switch {
		case !u.selects[i].Load():
			text = fmt.Sprintf("functionConfig: conflicts.rules[%d] matches no resource", i)
		case !u.reaches[i].Load():
			text = fmt.Sprintf("functionConfig: conflicts.rules[%d] matches no field: no resource that it selects has %s", i, r.Path)
		default:
			continue
		}
		warnings = append(warnings, &framework.Result{Severity: framework.Warning, Message: cut(text, maxMessage)})
	}
	return warnings, nil
}
